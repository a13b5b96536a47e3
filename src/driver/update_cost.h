/* SPDX-License-Identifier: MIT */
/*
 * What a writer pays: one thread, pinned where the first reader was, charges and uncharges single
 * pages while nobody reads. Where they go is what update_stream.h says, but for its huge pages,
 * which are passed over.
 *
 * The updates are drawn once, beforehand: drawing costs no time between them, only reading the
 * next one from the list is left, one line for two or three. They are then done over and over, each
 * time undone in reverse. So every batch is the same work, no list falls below 0, and in the end
 * every page is where it was. And what they touch is warm, whatever went before: updates all over a
 * large tree would be faster behind a read that walks it, for finding page tables in the caches,
 * than behind one that does not.
 */
#ifndef MEMCGBENCH_DRIVER_UPDATE_COST_H
#define MEMCGBENCH_DRIVER_UPDATE_COST_H

#include "backend/oracle.h"
#include "base/error.h"
#include "driver/sampler.h"

#include <stdint.h>

struct update_cost {
	double median_ns; /* of one update, over the batches */
	uint64_t updates; /* timed; 0: the back end takes none, or none were made */
	uint64_t updates_per_sample; /* a batch: at least FLOORS_PER_SAMPLE timer floors long */
};

/*
 * The instance is populated, and no reader is at work. `oracle` has seen all that the instance has
 * seen. Takes 20 ms at most, or read.time where that is shorter, but never fewer than 5 batches.
 */
int update_cost_measure(const struct sampler *sampler, struct oracle *oracle,
			struct update_cost *cost, struct error *err);

/* How long that is: as much again is for telling kinds of updates apart (update_kinds.h). */
uint64_t update_cost_budget_ns(const struct point *point);
/* What both will take, for plans; 0 for a back end without updates. */
double update_cost_guess_ns(const struct point *point, const struct backend *backend);

#endif
