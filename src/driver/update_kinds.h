/* SPDX-License-Identifier: MIT */
/*
 * What each kind of update costs one thread while nobody else reads or writes, spills included as
 * they come: a page (+-1), a huge page (+-512 in one event), a move between LRU lists, and a move
 * between nodes. A move is one update here and two events of a back end: it leaves one place and
 * arrives at another.
 *
 * The same is done many times in a row at one place (memcg, node, list, CPU), as by a task that
 * touches memory: batches then fill, and a batch of B spills once in B + 1 pages, which updates all
 * over a tree hardly make it do. Afterwards all of it is undone in the same way. So every round is
 * the same work, warm, and in the end every page is where it was. A run is at least four batches
 * long, but never more than UPDATE_KIND_LONGEST: batches of 1,023 and less spill as often here as
 * they would for ever, longer ones not.
 *
 * Timed twice: whole rounds, for the time of one update on average, a batch that has a median; and
 * each update alone, the timer's floor included, for what the average hides. By default two of 33
 * updates are spills, the memcg's and its lruvec's: the slowest of a hundred is one of these.
 */
#ifndef MEMCGBENCH_DRIVER_UPDATE_KINDS_H
#define MEMCGBENCH_DRIVER_UPDATE_KINDS_H

#include "base/error.h"
#include "driver/sampler.h"
#include "result/update_kinds.h"

#include <stdint.h>

#define UPDATE_KIND_LONGEST 4096u

struct update_kind_cost {
	double median_ns; /* of one update, over batches */
	uint64_t updates; /* timed in batches; 0: this kind was not measured */
	uint64_t updates_per_sample; /* a batch */
	uint64_t alone; /* updates that were timed one by one */
	double alone_median_ns, p99_ns, max_ns; /* of these */
};

struct update_kinds {
	struct update_kind_cost kind[NR_UPDATE_KINDS];
};

/*
 * The instance is populated and nobody else is at work; the point's tree is the sampler's. Takes as
 * long as update_cost_measure(), all kinds together, or somewhat longer where back ends are slow:
 * five batches and one round of single updates are always made. Migration is left out where there
 * is one node only. Pages are where they were when it returns.
 */
int update_kinds_measure(const struct sampler *sampler, struct update_kinds *kinds,
			 struct error *err);

#endif
