/* SPDX-License-Identifier: MIT */
/*
 * Names of a tree's cgroups, as they really look for shapes of real machines: for people, and for
 * who makes directories of a tree. Captured trees have the names of their file; of the others each
 * is a function of the tree and the memcg. Names of one parent's children differ, have no '/', and
 * 255 bytes at most.
 */
#ifndef MEMCGBENCH_MEMCG_TREE_NAME_H
#define MEMCGBENCH_MEMCG_TREE_NAME_H

#include "memcg/tree.h"

#include <stddef.h>

#define MEMCG_NAME_MAX 256 /* the NUL included */

/* The name of a memcg but the root, whose directory has a name of its own maker's. */
const char *memcg_tree_name(const struct memcg_tree *tree, uint32_t memcg,
			    char buffer[MEMCG_NAME_MAX]);

/*
 * The path below the root of the tree, "" for the root itself. It lies somewhere in `buffer`. NULL
 * where it does not fit; (depth + 1) x MEMCG_NAME_MAX bytes are always enough.
 */
const char *memcg_tree_path(const struct memcg_tree *tree, uint32_t memcg, char *buffer,
			    size_t size);

#endif
