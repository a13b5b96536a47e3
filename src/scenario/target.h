/* SPDX-License-Identifier: MIT */
/*
 * Which memcgs one read of a point reads, by read.cgroup. Everything that reads as a point asks to
 * goes by this: samples, pilot, counted read, comparison with the oracle, guesses, tables.
 *
 * A removed cgroup has no directory and so no file: what is dying is never read by itself, only as
 * part of the subtrees above it.
 *
 * root: the root of the tree made. leaf: the last one created that is not dying. middle: on the
 * path to that leaf, at half its depth (rounded down), or the next one above that is not dying.
 * all: a collector's sweep, the file of every memcg once, in order of creation, the root first. The
 * model of a live back end's `machine` is the root.
 */
#ifndef MEMCGBENCH_SCENARIO_TARGET_H
#define MEMCGBENCH_SCENARIO_TARGET_H

#include "scenario/point.h"

struct target {
	uint32_t first, last; /* memcgs; the same but for a sweep */
};

struct target target_of(const struct point *point, const struct memcg_tree *tree);

/* The memcg whose file is read after that of `at`; MEMCG_NONE after the last. */
static inline uint32_t target_next(const struct target *target, const struct memcg_tree *tree,
				   uint32_t at)
{
	while (at++ < target->last)
		if (!tree->dying[at])
			return at;
	return MEMCG_NONE;
}

/* How much one read is. */
struct target_size {
	uint64_t files;
	/* In the subtrees of these files' memcgs, each as often as it is in one. 0: not known, where
	 * the tree is a captured one whose file is not there. */
	uint64_t memcgs;
	uint32_t most; /* in the largest of these subtrees */
};

struct target_size target_size_in(const struct target *target, const struct memcg_tree *tree);
/*
 * The same for who has no tree, for plans and tables. Makes one where neither the root nor a leaf
 * of a tree without dying memcgs is read: time and memory linear in its size. Without that memory,
 * as if the root were read.
 */
struct target_size target_size(const struct point *point);

/* Memcgs that the time of a read is divided by: of the subtree read; of a sweep, the files. */
static inline uint64_t target_share(const struct point *point, const struct target_size *size)
{
	return point->read.cgroup == TARGET_ALL ? size->files : size->memcgs;
}

#endif
