/* SPDX-License-Identifier: MIT */
/*
 * What is true while writers are at work: between which two values each cell of a file was while it
 * was being read.
 *
 * A row is a sum of items, each loaded at a moment of its own, so the bracket is made item by item:
 * of each writer the least and the most that the item had at any moment of the slices that it was
 * in during the read; these summed over the writers, who are at any moment of theirs, and then over
 * the items of the row. Whatever a design returns that loads each item once, from a counter that is
 * exact, lies within it. A sum over many memcgs or CPUs that takes long may not: it never was true.
 *
 * Pure: from the writers' lists and how far they were. Slices are undone again, so that a whole
 * round brings nothing, and no read has to look at more than one.
 */
#ifndef MEMCGBENCH_DRIVER_TRUTH_H
#define MEMCGBENCH_DRIVER_TRUTH_H

#include "backend/oracle.h"
#include "driver/writer_list.h"

#include <stdint.h>

struct truth;

/*
 * Of the file of `memcg`. `oracle` has all that is in the counters, but for what the writers have
 * done, their setups included. runs[writer] are writer_draw()'s; tree and runs are looked at here
 * only. NULL: no memory.
 */
struct truth *truth_new(const struct memcg_tree *tree, const struct oracle *oracle,
			unsigned nr_nodes, uint32_t memcg, unsigned nr_writers,
			const struct run *const *runs);
void truth_free(struct truth *truth);

/*
 * All cells of both scopes: the least and the most that each was while writer i's progress
 * (writer_record.h) went from from[i] to to[i]. Not below 0. Faster when `from` does not go back.
 */
void truth_during(struct truth *truth, const uint64_t *from, const uint64_t *to,
		  struct numa_counts *low, struct numa_counts *high);

/*
 * What one writer brings to the sum of a hierarchical row at one moment, beside what it is at rest,
 * given its progress: between *low and *high, which are the same between slices.
 */
struct truth_share {
	int64_t low, high;
};
/* Fill shares[0..2 * ROUND_SLICES): by progress modulo that. */
void truth_shares(const struct truth *truth, unsigned writer, enum numa_row row,
		  struct truth_share *shares);
/* The row's sum when no writer has done anything but its setup. */
int64_t truth_base(const struct truth *truth, enum numa_row row);

#endif
