/* SPDX-License-Identifier: MIT */
/*
 * Charging the pages of a charge plan to the cgroups of a live tree: the same plan that fills the
 * models. Which of two lists of a kind the kernel puts a page on, active or inactive, is its own
 * affair; how many are anonymous, of a file, and unevictable, by memcg and node, is the plan's.
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_FILL_H
#define MEMCGBENCH_KERNEL_LIVE_FILL_H

#include "backend/charge.h"
#include "kernel/charger.h"
#include "kernel/live_tree.h"
#include "place/placement.h"

/* All pages of the plan, over all memcgs. */
struct charger_pages live_fill_room(const struct charge_plan *plan, const struct memcg_tree *tree);

/*
 * Charge one memcg that will take no process once it has children (live_progress.before_children),
 * and park the charger again.
 */
int live_fill_inner(struct live_tree *live, const struct charge_plan *plan, uint32_t memcg,
		    const struct placement *placement, struct charger *charger, struct error *err);

/*
 * Move the charger from memcg to memcg, but those that are charged already as said above, and let
 * it charge; then park it, and drain the lists of the
 * CPUs that it charged from. Modelled nodes and CPUs are the placement's real ones. -EINTR where
 * it was stopped.
 */
int live_fill(struct live_tree *live, const struct charge_plan *plan,
	      const struct placement *placement, struct charger *charger,
	      const struct live_progress *progress, struct error *err);

/* Where all of that lies, as placement_verify() says it: the charger looked each page up when it
 * touched it, and would have failed otherwise. NULL: no memory. */
json_t *live_fill_found(const struct charge_plan *plan, const struct memcg_tree *tree,
			const struct placement *placement);

#endif
