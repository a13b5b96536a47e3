/* SPDX-License-Identifier: MIT */
/*
 * Filling counters from a charge plan, for back ends. No reader or writer runs yet: all of it is
 * plain arithmetic on relaxed accesses.
 *
 * Back ends that keep counts of subtrees fill memcgs from the last to the first and then add each
 * to its parent. Parents are created before their children, so each holds its whole subtree when
 * its turn comes, and a chain costs no more than a flat tree.
 */
#ifndef MEMCGBENCH_BACKEND_FILL_H
#define MEMCGBENCH_BACKEND_FILL_H

#include "backend/charge.h"
#include "memcg/stat_items.h"

#include <stdatomic.h>

static inline void fill_add(_Atomic long *counter, long delta)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + delta,
			      memory_order_relaxed);
}

/* The counters of all LRU lists. */
static inline void fill_add_lists(_Atomic long *to, const _Atomic long *from)
{
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		fill_add(&to[lru], atomic_load_explicit(&from[lru], memory_order_relaxed));
}

/* Those of the items up to `end` that no update changes. */
static inline void fill_add_items(_Atomic long *to, const _Atomic long *from, unsigned end)
{
	for (unsigned item = NR_LRU_LISTS; item < end; item++)
		if (stat_item_is_static(item))
			fill_add(&to[item],
				 atomic_load_explicit(&from[item], memory_order_relaxed));
}

/* Which of a memcg's own batches the charges that are visited belong to. */
struct fill_batch {
	const struct charge_plan *plan;
	uint32_t memcg;
	unsigned cpu; /* of the charge before; -1u: none */
	enum lru_list lru;
};

static inline struct fill_batch fill_batch_none(const struct charge_plan *plan, uint32_t memcg)
{
	return (struct fill_batch){.plan = plan, .memcg = memcg, .cpu = -1u};
}

/* Charges of one (cpu, lru) come in a row. At the first of them: what the memcg's batch holds of
 * all of them, which may be nothing; 0 at the others. */
static inline long fill_batch_held(struct fill_batch *batch, const struct charge *charge)
{
	if (charge->cpu == batch->cpu && charge->lru == batch->lru)
		return 0;
	batch->cpu = charge->cpu;
	batch->lru = charge->lru;
	return charge_memcg_remainder(batch->plan, batch->memcg, charge->cpu, charge->lru);
}

#endif
