/* SPDX-License-Identifier: MIT */
/*
 * A task that charges pages to the memcg it is in and gives them back, round after round, and
 * counts both: what a workload does while somebody reads statistics.
 *
 * A round of anonymous pages maps them, touches each and unmaps them: each touch is a charge. A
 * round of a file's pages touches each through a shared mapping. Where `reclaimed`, they stay: the
 * memcg's limit is to be below them, so that the kernel has to take some away for others to come.
 * Otherwise the file's pages are dropped after each round. A page that was not there is a major
 * fault, and that many are charged; others only touched. The file is a hole without a name
 * (page_file.h).
 */
#ifndef MEMCGBENCH_KERNEL_LOAD_TASK_H
#define MEMCGBENCH_KERNEL_LOAD_TASK_H

#include "base/error.h"
#include "place/placement.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct load_work {
	bool of_file, reclaimed;
	uint64_t pages; /* a round */
	const char *const *directories; /* where the file may be; not used for anonymous pages */
	const struct placement *placement;
	unsigned cpu; /* index for placement_bind_thread() */
};

struct load_count {
	uint64_t charges, touches; /* pages, since it began */
};

struct load_task {
	pid_t pid; /* a child of ours; 0: none */
	int socket; /* owned */
	struct load_shared *shared; /* with the task; owned */
	unsigned os_cpu; /* where it was found */
};

/*
 * Fork it, bound to its CPU, ready but not at work: for its memcg to be chosen. No other thread of
 * ours may hold a lock then, so start tasks before threads. It is killed when this process ends,
 * however that ends.
 */
int load_task_start(const struct load_work *work, struct load_task *task, struct error *err);
int load_task_go(const struct load_task *task, struct error *err);
/* How far it is. */
struct load_count load_task_count(const struct load_task *task);
/* -ECHILD with a message where it has ended by itself, killed for want of memory perhaps. */
int load_task_check(struct load_task *task, struct error *err);
/* Kill it, and wait until it is gone, its pages given back. */
void load_task_stop(struct load_task *task);

#endif
