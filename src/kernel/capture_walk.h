/* SPDX-License-Identifier: MIT */
/* Going through directories below one, parents first, siblings by name; part of capture.c. */
#ifndef MEMCGBENCH_KERNEL_CAPTURE_WALK_H
#define MEMCGBENCH_KERNEL_CAPTURE_WALK_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct capture_walk {
	/*
	 * Told of every directory: how deep below the first, and its name there. `directory` is -1
	 * where it is there but may not be opened. Returns 1 to go into it, 0 to leave out what is
	 * below, or a negative errno to end the walk.
	 */
	int (*visit)(void *arg, int directory, uint32_t depth, const char *name, struct error *err);
	void *arg;
	uint64_t vanished; /* listed, and gone when their turn came */
};

/*
 * Visits the directory `top`, which is not owned, as "." at depth 0, and all below it. Each name is
 * opened in the directory that it was listed in, by O_NOFOLLOW, on the file system of `top` alone.
 */
int capture_walk(struct capture_walk *walk, int top, struct error *err);

#endif
