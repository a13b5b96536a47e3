/* SPDX-License-Identifier: MIT */
/* Many independent items worked on by as many threads as there are CPUs to run them. */
#ifndef MEMCGBENCH_BASE_PARALLEL_H
#define MEMCGBENCH_BASE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

struct parallel;

/* Take the next of the items 0..nr-1, each given out once; false: none is left. */
bool parallel_next(struct parallel *parallel, size_t *item);

/*
 * Call `work` in up to `most` threads (the caller's is one of them; never more than there are items
 * or CPUs that the process may run on, or PARALLEL_MAX), each of which takes items until none is
 * left. What `work` returns other than 0 is returned, when all have ended. Threads that cannot be
 * started are done without.
 */
#define PARALLEL_MAX 8
int parallel_run(int (*work)(void *arg, struct parallel *parallel), void *arg, size_t nr,
		 unsigned most);

#endif
