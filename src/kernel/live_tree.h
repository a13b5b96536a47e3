/* SPDX-License-Identifier: MIT */
/*
 * A tree of memcgs as real cgroups, below this process's own directory:
 *
 *     memcgbench-.../tree       memcg 0, and below it the others by their names
 *     memcgbench-.../parking    where a task waits that charges pages to them
 *
 * They are made in creation order; a cgroup that cannot be made (the ids are used up, no memory)
 * takes all that were made down again.
 *
 * With v2 a cgroup that has handed the memory controller down takes no process any more, so that
 * pages can be charged to a memcg with children only before it gets the first of them.
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
	/* v2: the last moment for a process in this memcg; it has to be out of it on return. Not in
	 * the time that making takes. NULL: there shall be none. */
	int (*before_children)(void *arg, uint32_t memcg, struct error *err);
	/* v2: it failed, and cgroups are about to be removed that may hold processes of the
	 * above. NULL: there are none. */
	void (*let_go)(void *arg);
	void *arg;
};

struct live_tree {
	const struct memcg_tree *tree; /* outlives it */
	struct own_cgroup own;
	unsigned version; /* of the hierarchy: 1 or 2 */
	int top, parking; /* directories; owned */
	struct live_dirs dirs;
	uint64_t make_ns; /* how long it took to make the memcgs below the root */
	uint64_t elsewhere_ns; /* and in between, in before_children() */
};

/*
 * -EINTR where it was stopped; on any error nothing is left but what the message says.
 */
int live_tree_make(const struct hierarchy *hierarchy, const char *notes,
		   const struct memcg_tree *tree, const struct live_progress *progress,
		   struct live_tree *live, struct error *err);
/* Remove it, processes in it being gone. See own_cgroup_remove(). */
int live_tree_remove(struct live_tree *live, struct error *err);

/* Can a process be moved into it, once the tree is made? */
bool live_tree_takes_processes(const struct live_tree *live, uint32_t memcg);

/* Move a child of ours out of the tree. */
int live_tree_park(const struct live_tree *live, pid_t pid, struct error *err);

/* rmdir of the dying ones, deepest first: what they hold keeps their memcgs. After charging. */
int live_tree_let_die(struct live_tree *live, struct error *err);

#endif
