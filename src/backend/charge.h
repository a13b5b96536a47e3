/* SPDX-License-Identifier: MIT */
/*
 * The charge plan: who holds how many pages, on which node and LRU list, charged from which CPU,
 * and what remainder each batch holds. A pure function of the point; every back end and the oracle
 * are filled from the same plan.
 *
 * Each memcg (the root included) holds counters.pages pages, on spread_nodes nodes, charged from
 * spread_cpus CPUs, chosen by seed. By counters.distribution zipf all memcgs together hold as many,
 * the r-th largest in proportion to 1/r, and which is the r-th is seeded. Of each memcg's pages
 * counters.hot_node lie on node 0, charged from the same CPUs; the others as said. Counters start
 * as after a long run: each batch of those CPUs holds a seeded remainder in -B..B, the rest of what
 * passed through it has spilled.
 *
 * By counters.distribution captured each memcg holds what its file says, by node and list; dying
 * memcgs, of which it says nothing, hold the one page without which they would be gone. From which
 * CPUs they were charged is not known, and as for others: those of the node on which a memcg has
 * most.
 */
#ifndef MEMCGBENCH_BACKEND_CHARGE_H
#define MEMCGBENCH_BACKEND_CHARGE_H

#include "memcg/lru.h"
#include "memcg/stat_items.h"
#include "scenario/point.h"

#include <stdint.h>

struct charge {
	unsigned node; /* modelled node, an index */
	unsigned cpu; /* modelled CPU */
	enum lru_list lru;
	long pages; /* all that this CPU charged less what it uncharged */
	long remainder; /* of it, still in the lruvec's batch of this CPU: -B..B */
};

struct charge_plan {
	const struct point *point;
};

/*
 * Calls `visit` for every charge of one memcg. Charges of one (cpu, lru) come in a row over the
 * nodes; the memcg-level batch of (cpu, lru) holds charge_memcg_remainder().
 */
void charge_each(const struct charge_plan *plan, uint32_t memcg,
		 void (*visit)(void *arg, const struct charge *charge), void *arg);
/* Pages of one memcg. */
uint64_t charge_pages(const struct charge_plan *plan, uint32_t memcg);
long charge_memcg_remainder(const struct charge_plan *plan, uint32_t memcg, unsigned cpu,
			    enum lru_list lru);

/* What a charge brings to a static item (memcg/stat_items.h), which is the memcg's, and of its
 * lruvec on the node where lruvecs have it. */
struct item_charge {
	unsigned node, cpu;
	enum stat_item item;
	long value;
};

/* Calls `visit` for every charge of one memcg and each static item that it brings anything to. */
void charge_items_each(const struct charge_plan *plan, uint32_t memcg,
		       void (*visit)(void *arg, const struct item_charge *charge), void *arg);

#endif
