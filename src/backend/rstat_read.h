/* SPDX-License-Identifier: MIT */
/*
 * What reads of rstat are made of, whichever file they make. Always-inlined with a tally (tally.h).
 * Relaxed throughout: any moment's value, as the kernel reads it. An item below 0, for pages that
 * moved between CPUs and were not flushed at once, reads as 0.
 */
#ifndef MEMCGBENCH_BACKEND_RSTAT_READ_H
#define MEMCGBENCH_BACKEND_RSTAT_READ_H

#include "backend/rstat.h"

static __always_inline _Atomic long *rstat_node_stats(const struct rstat *rstat,
						      struct rstat_memcg *memcg, unsigned node,
						      struct tally *t)
{
	_Atomic long **slot = rstat_nodeinfo(rstat, memcg, node);

	tally_touch(t, slot, sizeof(*slot));
	return *slot;
}

/* One item that flushes keep. */
static __always_inline uint64_t rstat_kept_item(const _Atomic long *item, struct tally *t)
{
	long value = atomic_load_explicit(item, memory_order_relaxed);

	tally_add(t, atomics, 1);
	tally_touch(t, item, sizeof(*item));
	return value < 0 ? 0 : (uint64_t)value;
}

/* One item of all CPUs, of those `offset` bytes into each one's object of the memcg. */
static __always_inline uint64_t rstat_summed_item(const struct rstat *rstat,
						  const struct rstat_memcg *memcg, uint64_t offset,
						  unsigned item, struct tally *t)
{
	unsigned char *const *area = rstat->area;
	unsigned cpu;
	long sum = 0;

	tally_touch(t, &memcg->object, sizeof(memcg->object));
	tally_touch(t, rstat->possible, cpumask_bytes(rstat->nr_possible));
	for_each_possible_cpu (cpu, rstat->possible, rstat) {
		const _Atomic long *counter =
			(const _Atomic long *)(area[cpu] + memcg->object + offset) + item;

		sum += atomic_load_explicit(counter, memory_order_relaxed);
		tally_add(t, loads_local, 1);
		tally_touch(t, &area[cpu], sizeof(area[cpu]));
		tally_touch(t, counter, sizeof(*counter));
	}
	return sum < 0 ? 0 : (uint64_t)sum;
}

/* Where a memcg's own items lie in its object, and those of its lruvec on a node. */
static __always_inline uint64_t rstat_memcg_offset(const struct rstat *rstat)
{
	return rstat->layout.head_offset + sizeof(struct rstat_head);
}

static __always_inline uint64_t rstat_node_offset(const struct rstat *rstat, unsigned node)
{
	return rstat->layout.lruvec_offset + node * rstat->layout.lruvec_bytes;
}

#endif
