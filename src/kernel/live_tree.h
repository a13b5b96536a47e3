/* SPDX-License-Identifier: MIT */
/*
 * A tree of memcgs as real cgroups, below this process's own directory:
 *
 *     memcgbench-.../tree       memcg 0, and below it the others by their names
 *     memcgbench-.../parking    where a task waits that charges pages to them
 *
 * They are made in creation order; a cgroup that cannot be made (the ids are used up, no memory)
 * takes all that were made down again.
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_TREE_H
#define MEMCGBENCH_KERNEL_LIVE_TREE_H

#include "base/error.h"
#include "kernel/live_dirs.h"
#include "kernel/own_cgroup.h"
#include "memcg/tree.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LIVE_TREE_TOP     "tree"
#define LIVE_TREE_PARKING "parking"

/* Told now and then how far it is. True: stop, as for a signal. */
struct live_progress {
	bool (*each)(void *arg, uint32_t done, uint32_t of);
	void *arg;
};

struct live_tree {
	const struct memcg_tree *tree; /* outlives it */
	struct own_cgroup own;
	int top, parking; /* directories; owned */
	struct live_dirs dirs;
	uint64_t make_ns; /* how long it took to make the memcgs below the root */
};

/*
 * -EINTR where it was stopped; on any error nothing is left but what the message says.
 */
int live_tree_make(const struct hierarchy *hierarchy, const char *notes,
		   const struct memcg_tree *tree, const struct live_progress *progress,
		   struct live_tree *live, struct error *err);
/* Remove it, processes in it being gone. See own_cgroup_remove(). */
int live_tree_remove(struct live_tree *live, struct error *err);

/* Move a child of ours out of the tree. */
int live_tree_park(const struct live_tree *live, pid_t pid, struct error *err);

/* rmdir of the dying ones, deepest first: what they hold keeps their memcgs. After charging. */
int live_tree_let_die(struct live_tree *live, struct error *err);

#endif
