/* SPDX-License-Identifier: MIT */
/*
 * The one directory at the top of the hierarchy below which all cgroups of a run are made, and all
 * that is ever made, filled or removed in the hierarchy.
 *
 * Its name says whose it is: memcgbench-PID-START-BOOT, with the start time of that process (clock
 * ticks since the machine booted, as in /proc/PID/stat) and the boot id, so that no later process
 * of the same pid makes one of the same name. The proof that a directory is a run's is not its
 * name, but a note (own_note.h), which also tells whether that run lives.
 *
 * A directory is left over when its run is gone. It is removed where its note proves it to be ours,
 * and refused, with the reason, where there is no such note: also one that was made in a container
 * or by another user, whose notes lie elsewhere.
 */
#ifndef MEMCGBENCH_KERNEL_OWN_CGROUP_H
#define MEMCGBENCH_KERNEL_OWN_CGROUP_H

#include "base/error.h"
#include "kernel/hierarchy.h"
#include "kernel/own_note.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define OWN_CGROUP_NAME_MAX 80 /* the NUL included */

struct own_cgroup {
	const struct hierarchy *hierarchy; /* outlives it */
	char notes[PATH_MAX]; /* directory of notes */
	char name[OWN_CGROUP_NAME_MAX];
	int fd; /* of the directory; owned */
	int note; /* a descriptor, and with it the lock that says that we live; owned */
	struct own_note said; /* what it says */
};

/*
 * Make this process's directory. Nothing is left of it on error. -EEXIST: it has one already. With
 * v2, the hierarchy's top has to hand memory down (-ENODEV), or is made to where it may be
 * (hierarchy->may_enable).
 */
int own_cgroup_make(const struct hierarchy *hierarchy, const char *notes, struct own_cgroup *own,
		    struct error *err);
/*
 * Remove it and all below, and take back what the hierarchy's top was made to hand down. -EBUSY
 * where a process is in one of its cgroups and stays; then the directory stays, for a later try,
 * and the message names the cgroup. The same where memory stays handed down since others use it.
 */
int own_cgroup_remove(struct own_cgroup *own, struct error *err);

/* What is found of earlier runs. */
enum left_state {
	LEFT_REMOVED,
	LEFT_IN_USE, /* its process is alive */
	LEFT_NOT_OURS, /* only the name looks like it */
	LEFT_FAILED, /* ours, but it cannot be removed now */
};

struct left_over {
	const char *name;
	enum left_state state;
	uint64_t cgroups; /* removed, those below included */
	const struct error *err; /* of LEFT_FAILED; of LEFT_NOT_OURS the reason; of LEFT_REMOVED
				  * why memory stays handed down, "" where it does not */
};

/*
 * Remove what runs that are over have left, and tell `each` of every directory whose name looks
 * like one of ours. `dry` only looks; what would be removed is told as removed. -errno where the
 * hierarchy or the notes cannot be read.
 */
int own_cgroup_clean(const struct hierarchy *hierarchy, const char *notes, bool dry,
		     void (*each)(void *arg, const struct left_over *left), void *arg,
		     struct error *err);

#endif
