// SPDX-License-Identifier: MIT
/*
 * Bringing rstat's counters to where a long run leaves them. Whatever the rules, someone flushed
 * the root some time ago: a reader, and since Linux 5.15 every two seconds the kernel itself. So
 * all pages are in the counters, previous values equal values, and what came since is pending.
 *
 * How much that is depends on when: a seeded number of pages, uniform up to the batch x CPUs at
 * which a read would flush. They are remainders of the charge plan, which other designs would hold
 * in a batch, of memcgs in a row from a seeded one on. They go through the update path, so that
 * trees and counts are what updates make them. The first read under the rules of 5.13 flushes them;
 * under the others no read does until more is updated. CPU time, where it is kept, is that of as
 * many updates as there are pages, and of those that these remainders are brought about with.
 */
#include "backend/fill.h"
#include "backend/rstat.h"
#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>

/* The stream of the charge plan is another one. */
#define PENDING_SEED 0x7273746174u

struct fill {
	struct rstat *rstat;
	struct rstat_memcg *memcg;
};

static void fill_charge(void *arg, const struct charge *charge)
{
	const struct fill *fill = arg;
	const struct rstat *rstat = fill->rstat;
	struct rstat_memcg *memcg = fill->memcg;
	const struct rstat_layout *layout = &rstat->layout;
	unsigned char *area = rstat->area[charge->cpu];
	_Atomic long *items = rstat_memcg_items(rstat, area, memcg);
	_Atomic long *node_items = rstat_node_items(rstat, area, memcg, charge->node);
	_Atomic long *node_stats = *rstat_nodeinfo(rstat, memcg, charge->node);

	fill_add(&items[charge->lru], charge->pages);
	fill_add(&items[layout->memcg_items + charge->lru], charge->pages);
	fill_add(&memcg->stats[RSTAT_STATE * layout->memcg_items + charge->lru], charge->pages);
	fill_add(&memcg->stats[RSTAT_LOCAL * layout->memcg_items + charge->lru], charge->pages);
	fill_add(&node_items[charge->lru], charge->pages);
	fill_add(&node_items[layout->node_items + charge->lru], charge->pages);
	fill_add(&node_stats[RSTAT_STATE * layout->node_items + charge->lru], charge->pages);
	fill_add(&node_stats[RSTAT_LOCAL * layout->node_items + charge->lru], charge->pages);
	if (rstat->cputime)
		rstat_fill_cputime(rstat, memcg, charge->cpu, labs(charge->pages));
}

/* Counts of the subtree are the first of each memcg's arrays. */
static void add_to_parent(const struct rstat *rstat, struct rstat_memcg *memcg)
{
	fill_add_lists(memcg->parent->stats, memcg->stats);
	for (unsigned node = 0; node < rstat->layout.nodes; node++)
		fill_add_lists(*rstat_nodeinfo(rstat, memcg->parent, node),
			       *rstat_nodeinfo(rstat, memcg, node));
	if (rstat->cputime)
		rstat_fill_parent_cputime(rstat, memcg);
}

struct pending {
	struct rstat *rstat;
	uint32_t memcg;
	long left; /* pages */
	long sign;
};

static void update_pending(void *arg, const struct charge *charge)
{
	struct pending *pending = arg;
	long pages = labs(charge->remainder);

	/* No list held fewer than no pages at the last flush. */
	if (!pages || pages > pending->left || charge->remainder > charge->pages)
		return;
	pending->left -= pages;
	rstat_update(pending->rstat, &(struct update){
					     .memcg = pending->memcg,
					     .node = charge->node,
					     .cpu = charge->cpu,
					     .lru = charge->lru,
					     .delta = pending->sign * charge->remainder,
				     });
}

/* The same charges each time for a point. */
static void update_remainders(struct rstat *rstat, const struct charge_plan *plan, long sign)
{
	struct rng rng = rng_for(plan->point->tree.seed, PENDING_SEED, rstat->layout.memcgs);
	uint64_t limit = (uint64_t)rstat->batch * rstat->nr_possible;
	uint32_t first = (uint32_t)rng_below(&rng, rstat->layout.memcgs);
	struct pending pending = {.rstat = rstat, .sign = sign};

	pending.left = (long)rng_below(&rng, limit + 1);
	for (uint32_t i = 0; pending.left && i < rstat->layout.memcgs; i++) {
		pending.memcg = (uint32_t)(((uint64_t)first + i) % rstat->layout.memcgs);
		charge_each(plan, pending.memcg, update_pending, &pending);
	}
}

/* Undo what has been counted globally: flushes leave a CPU's part alone. */
static void forget_global_updates(const struct rstat *rstat)
{
	for (unsigned cpu = 0; cpu < rstat->layout.cpus; cpu++)
		atomic_store_explicit(&((struct rstat_cpu *)rstat->area[cpu])->updates, 0,
				      memory_order_relaxed);
	atomic_store_explicit(&rstat->global->updates, 0, memory_order_relaxed);
}

int rstat_populate(void *instance, const struct charge_plan *plan, struct error *err)
{
	struct rstat *rstat = instance;

	if (rstat->populated)
		return error_set(err, -EBUSY, "counters are populated already");
	rstat->populated = true;

	/* Parents are created before their children: each holds its whole subtree at its turn. */
	for (uint32_t i = rstat->layout.memcgs; i-- > 0;) {
		struct fill fill = {.rstat = rstat, .memcg = rstat_memcg(rstat, i)};

		charge_each(plan, i, fill_charge, &fill);
		if (fill.memcg->parent)
			add_to_parent(rstat, fill.memcg);
	}
	rstat_populate_items(rstat, plan);
	/* Back to the last flush, and on from there. */
	update_remainders(rstat, plan, -1);
	rstat_flush(rstat, 0);
	rstat_flush_cputime(rstat, 0);
	forget_global_updates(rstat);
	update_remainders(rstat, plan, 1);
	return 0;
}
