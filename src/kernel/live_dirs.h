/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of the directories of a tree's cgroups, opened by name from the nearest one above
 * that is open. A few stay open, so that making ten thousand cgroups opens each parent about once;
 * no path is ever longer than a name, whatever the depth.
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_DIRS_H
#define MEMCGBENCH_KERNEL_LIVE_DIRS_H

#include "base/error.h"
#include "memcg/tree.h"

#define LIVE_DIRS_OPEN 64u

struct live_dirs {
	const struct memcg_tree *tree; /* outlives it */
	int top; /* of memcg 0; not owned */
	struct {
		uint32_t memcg; /* MEMCG_NONE: free */
		int fd;
	} slot[LIVE_DIRS_OPEN];
	uint32_t *way; /* [max_depth + 1] scratch; owned */
};

int live_dirs_init(struct live_dirs *dirs, const struct memcg_tree *tree, int top,
		   struct error *err);
void live_dirs_fini(struct live_dirs *dirs);

/* The directory of a memcg; the descriptor is theirs, and good until the next call. -errno. */
int live_dirs_open(struct live_dirs *dirs, uint32_t memcg, struct error *err);

/* Open, write and close one file of a memcg's directory. */
int live_dirs_write(struct live_dirs *dirs, uint32_t memcg, const char *file, const char *text,
		    struct error *err);

#endif
