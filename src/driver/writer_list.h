/* SPDX-License-Identifier: MIT */
/*
 * What a writer does, drawn beforehand so that drawing is not timed: a round of runs, done over and
 * over. A run is RUN_EVENTS updates of one kind at one place (memcg, node, list, CPU): a task that
 * touches memory charges page after page to the same counters, which is what makes batches spill.
 * Runs are kept, not single updates: a round is half a million of them, and a list of that length
 * would itself be what the writer waits for.
 *
 * Each run is undone LAG runs later, and at the end of a round all are: so no round differs from
 * the one before, and the truth is known at any moment from the number of slices done. A writer
 * takes away only what it added itself, so no list of any memcg falls below 0 whatever the others
 * do. What it moves, it charges before it starts (the setup).
 *
 * Kinds: page and huge are charges of 1 or 512 pages, undone by uncharges. lru takes a page off one
 * list and puts it on another, migrate takes it off one node and puts it on another: two updates
 * each. Of the runs of `mixed`, half are page, a quarter lru, an eighth huge and an eighth migrate;
 * on a single node the latter are page.
 */
#ifndef MEMCGBENCH_DRIVER_WRITER_LIST_H
#define MEMCGBENCH_DRIVER_WRITER_LIST_H

#include "backend/backend.h"
#include "place/placement.h"

#include <stdbool.h>
#include <stdint.h>

#define SLICE_EVENTS 256u /* updates that are done in one go */
#define RUN_SLICES   4u
#define RUN_EVENTS   (RUN_SLICES * SLICE_EVENTS)
#define ROUND_RUNS   512u /* half of them undo the others */
#define ROUND_SLICES (ROUND_RUNS * RUN_SLICES)

struct run {
	/* Done in turn. Of a charge both are the same. */
	struct update step[2];
	bool takes; /* takes away what no run before it brought: the setup does */
};

/* Modelled CPUs first..end-1, all on one modelled node: nobody else uses them. */
struct writer_cpus {
	unsigned first, end;
};

/*
 * The CPUs that readers leave are dealt to the writers in blocks as equal as can be; a block ends
 * where its node does. Never empty.
 */
struct writer_cpus writer_cpus(const struct placement *placement, const struct point *point,
			       unsigned writer);

/*
 * Who may be written to, by writer. Dying memcgs are left alone: nobody runs in them. all: every
 * other memcg. own: the subtrees below the root's children are dealt out in turn; where a writer
 * would get none, memcgs are instead. one: the last memcg in creation order, which is a leaf.
 *
 * Of these each run takes any. By counters.distribution zipf or captured it takes them in proportion to the
 * pages that they hold: a memcg with many pages is a busy one.
 */
struct writer_targets {
	unsigned nr_writers;
	uint32_t *memcgs; /* grouped by writer */
	uint32_t *start; /* [nr_writers + 1] index of the first of each writer's */
	/* Pages of the writer's memcgs up to and with this one. NULL: each is chosen as often. */
	uint64_t *held;
};

/* -ENOMEM, or -EINVAL where a writer has no memcg. */
int writer_targets_new(const struct memcg_tree *tree, const struct point *point,
		       struct writer_targets *targets);
void writer_targets_free(struct writer_targets *targets);

/* Fill runs[0..ROUND_RUNS): the same for the same point and writer. */
void writer_draw(const struct placement *placement, const struct point *point,
		 const struct writer_targets *targets, unsigned writer, struct run *runs);

/* Call `visit` for each update of the setup, and for each of slice `slice` of the round. */
void writer_each_setup(const struct run *runs,
		       void (*visit)(void *arg, const struct update *update), void *arg);
void writer_each_of_slice(const struct run *runs, uint64_t slice,
			  void (*visit)(void *arg, const struct update *update), void *arg);

#endif
