/* SPDX-License-Identifier: MIT */
/*
 * Captures a tree of memcgs (memcg/captured.h) from the directories of a memory hierarchy, or of a
 * saved copy of them. Only ever reads; opens one name at a time and follows no symbolic link; holds
 * three descriptors, whatever the depth.
 *
 * Of a machine at work nothing stands still: cgroups that vanish on the way are left out, counters
 * that move between the read of a parent and that of its child are cut at 0, and both are counted.
 */
#ifndef MEMCGBENCH_KERNEL_CAPTURE_H
#define MEMCGBENCH_KERNEL_CAPTURE_H

#include "base/error.h"
#include "base/siphash.h"
#include "memcg/captured.h"

#include <limits.h>

struct capture {
	int top; /* the directory that becomes the top; not owned */
	unsigned version; /* of cgroup: 1 or 2 */
	uint64_t page_size; /* of the machine captured */
	uint64_t cpus; /* possible; CAPTURED_UNKNOWN */
	/* Of cgroup v1: cgroups of the whole hierarchy, dying ones included, as /proc/cgroups says
	 * after the walk; CAPTURED_UNKNOWN also where not all of it is captured. */
	uint64_t (*all_cgroups)(void *arg);
	void *arg;
	bool names; /* keep names */
	unsigned char
		key[SIPHASH_KEY_BYTES]; /* names are hashed under it, and it is kept nowhere */
	/* Outcome, for people: what was at fault first, of those that are counted as unreadable. */
	struct error first_unreadable;
	uint64_t no_memory; /* directories of v2 that have no memory controller: no memcgs */
};

/* -EINVAL with a message where there is nothing of a memcg at the top, ... Free with
 * captured_free(). */
int capture_tree(struct capture *capture, struct captured **out, struct error *err);

/* 1 or 2, by what the files at the top look like; -EINVAL where they do not tell. */
int capture_version(int top, struct error *err);

#endif
