/* SPDX-License-Identifier: MIT */
/*
 * What reading memory.numa_stat from a model is made of. Always-inlined with a tally (tally.h), so
 * that each back end instantiates it twice: plain, and counting.
 *
 * Every load of a counter is a relaxed atomic one: it costs what the kernel's plain load costs,
 * while the compiler may neither vectorise, merge nor hoist it. That it cannot keep handles and
 * bases in registers over an item's CPUs either comes from the out-of-line cpumask_next(), as in
 * the kernel.
 */
#ifndef MEMCGBENCH_BACKEND_MODEL_READ_H
#define MEMCGBENCH_BACKEND_MODEL_READ_H

#include "backend/model.h"
#include "backend/tally.h"

/* One item of the per-CPU block at *handle over all possible CPUs; below 0 reads as 0. */
static __always_inline uint64_t sum_possible(const struct model *model, const uint64_t *handle,
					     unsigned item, enum numa_scope scope, struct tally *t)
{
	unsigned char *const *area = model->area;
	const unsigned long *possible = model->possible;
	unsigned cpu;
	long sum = 0;

	tally_touch(t, handle, sizeof(*handle));
	tally_touch(t, possible, cpumask_bytes(model->nr_possible));
	for_each_possible_cpu (cpu, possible, model) {
		const _Atomic long *counter = area_counter(area[cpu], *handle, item);

		sum += atomic_load_explicit(counter, memory_order_relaxed);
		tally_touch(t, &area[cpu], sizeof(area[cpu]));
		tally_touch(t, counter, sizeof(*counter));
		if (scope == SCOPE_LOCAL)
			tally_add(t, loads_local, 1);
		else
			tally_add(t, loads_hierarchical, 1);
	}
	return sum < 0 ? 0 : (uint64_t)sum;
}

/* The lists of `mask` of one memcg, from its local per-CPU counters. */
static __always_inline uint64_t memcg_pages(const struct model *model, const struct memcg *memcg,
					    unsigned mask, enum numa_scope scope, struct tally *t)
{
	uint64_t pages = 0;

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		if (mask & (1u << lru))
			pages += sum_possible(model, &memcg->local, lru, scope, t);
	return pages;
}

/* One maintained counter; below 0, for spills out of order, reads as 0. */
static __always_inline uint64_t read_shared(const _Atomic long *counter, struct tally *t)
{
	long value = atomic_load_explicit(counter, memory_order_relaxed);

	tally_add(t, atomics, 1);
	tally_touch(t, counter, sizeof(*counter));
	return value < 0 ? 0 : (uint64_t)value;
}

static __always_inline struct memcg_node *node_info(const struct model *model, struct memcg *memcg,
						    unsigned node, struct tally *t)
{
	struct memcg_node **slot = memcg_nodeinfo(model, memcg, node);

	tally_touch(t, slot, sizeof(*slot));
	return *slot;
}

/* The same of one memcg on one node. */
static __always_inline uint64_t node_pages(const struct model *model, struct memcg *memcg,
					   unsigned node, unsigned mask, enum numa_scope scope,
					   struct tally *t)
{
	const struct memcg_node *info = node_info(model, memcg, node, t);
	uint64_t pages = 0;

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		if (mask & (1u << lru))
			pages += sum_possible(model, &info->local, lru, scope, t);
	return pages;
}

/* The four local rows: the same in all kernels before 6.6, hierarchical counters or not. */
static __always_inline void read_local_rows(const struct model *model, struct memcg *memcg,
					    struct numa_counts *out, struct tally *t)
{
	unsigned nodes = model->layout.nodes;

	for (unsigned row = 0; row < NR_NUMA_ROWS; row++) {
		uint64_t *cells = &out->cells[numa_cell(nodes, SCOPE_LOCAL, row, 0)];
		unsigned mask = numa_rows[row].lru_mask;

		*cells++ = memcg_pages(model, memcg, mask, SCOPE_LOCAL, t);
		for (unsigned node = 0; node < nodes; node++)
			*cells++ = node_pages(model, memcg, node, mask, SCOPE_LOCAL, t);
	}
}

#endif
