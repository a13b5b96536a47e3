/* SPDX-License-Identifier: MIT */
/*
 * CPU time under rstat, what cpu.stat shows: kept where the point reads that file, and only there.
 * Always-inlined with a tally (tally.h).
 *
 * Every update accounts a microsecond to its memcg on its CPU, the fixed cost of an event that
 * charges a page, three quarters of it to user space. Kernels account as the scheduler switches and
 * ticks, with the same additions; here they come with the events that a point has anyhow, so that
 * what is pending of memory and of CPU time is pending of the same memcgs. An update is dearer by
 * that.
 *
 * The three items of a memcg and CPU have previous values, as memory's have. What a flush finds
 * goes to the counters of the subtree, and from there to the parent's at once, which remember what
 * they have been given: no counts wait at the parent.
 *
 * Items are written by their CPU, without a lock; previous values and counters under the flush lock
 * of the tree that CPU time is in.
 */
#ifndef MEMCGBENCH_BACKEND_RSTAT_CPUTIME_H
#define MEMCGBENCH_BACKEND_RSTAT_CPUTIME_H

#include "backend/counter_add.h"
#include "backend/rstat_tree.h"

/* What one update accounts, in ns. */
static const long rstat_update_ns[RSTAT_CPUTIME_ITEMS] = {
	[RSTAT_USAGE] = 1000,
	[RSTAT_USER] = 750,
	[RSTAT_SYSTEM] = 250,
};

static __always_inline void rstat_account_cputime(const struct rstat *rstat, unsigned char *area,
						  struct rstat_memcg *memcg, struct tally *t)
{
	struct rstat_cputime *cputime = rstat_cputime(rstat, area, memcg);

	for (unsigned i = 0; i < RSTAT_CPUTIME_ITEMS; i++)
		this_cpu_add(&cputime->items[i], rstat_update_ns[i], t);
	if (rstat->cputime_lock)
		rstat_link_updated(rstat, RSTAT_CPUTIME_TREE, area, memcg, t);
}

/* Under the flush lock. Relaxed: nobody looks without it. */
static __always_inline void rstat_cputime_add(_Atomic long *counter, long delta)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + delta,
			      memory_order_relaxed);
}

/* A pending pair of a CPU and a memcg. */
static __always_inline void rstat_flush_cputime_pair(const struct rstat *rstat, unsigned char *area,
						     struct rstat_memcg *memcg, struct tally *t)
{
	struct rstat_cputime *cputime = rstat_cputime(rstat, area, memcg);
	struct rstat_cputime_sums *own = rstat_cputime_sums(rstat, memcg);
	struct rstat_cputime_sums *above =
		memcg->parent ? rstat_cputime_sums(rstat, memcg->parent) : NULL;

	tally_touch(t, cputime->items, sizeof(cputime->items));
	tally_touch(t, own, sizeof(own->stats) + sizeof(own->handed_up));
	if (above)
		tally_touch(t, above->stats, sizeof(above->stats));
	for (unsigned i = 0; i < RSTAT_CPUTIME_ITEMS; i++) {
		/* Relaxed: its CPU goes on adding; what is not seen yet stays for the next one. */
		_Atomic long *previous = &cputime->items[RSTAT_CPUTIME_ITEMS + i];
		long value = atomic_load_explicit(&cputime->items[i], memory_order_relaxed);
		long delta = value - atomic_load_explicit(previous, memory_order_relaxed);

		tally_add(t, items_scanned, 1);
		atomic_store_explicit(previous, value, memory_order_relaxed);
		rstat_cputime_add(&own->stats[i], delta);
		if (!above)
			continue;
		delta = atomic_load_explicit(&own->stats[i], memory_order_relaxed) -
			atomic_load_explicit(&own->handed_up[i], memory_order_relaxed);
		rstat_cputime_add(&above->stats[i], delta);
		rstat_cputime_add(&own->handed_up[i], delta);
	}
}

/* Under the flush lock still, as the kernel reads them. */
static __always_inline void rstat_show_cputime(const struct rstat *rstat, struct rstat_memcg *memcg,
					       struct cpu_stat *out, struct tally *t)
{
	struct rstat_cputime_sums *counters = rstat_cputime_sums(rstat, memcg);
	long value[RSTAT_CPUTIME_ITEMS];

	tally_touch(t, counters->stats, sizeof(counters->stats));
	tally_add(t, atomics, RSTAT_CPUTIME_ITEMS);
	for (unsigned i = 0; i < RSTAT_CPUTIME_ITEMS; i++)
		value[i] = atomic_load_explicit(&counters->stats[i], memory_order_relaxed);
	*out = (struct cpu_stat){.usage = (uint64_t)value[RSTAT_USAGE],
				 .user = (uint64_t)value[RSTAT_USER],
				 .system = (uint64_t)value[RSTAT_SYSTEM]};
}

#endif
