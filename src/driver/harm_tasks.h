/* SPDX-License-Identifier: MIT */
/*
 * The tasks that charge pages while harm is looked at (harm.tasks): each is a child of this process
 * and is moved into a leaf of the live tree that is not dying, spread over all of them by
 * tree.seed, the same in every process of a point.
 *
 * They take CPUs in turn, those first that no reader has. There a task shares with readers what the
 * whole machine shares: locks, lines, memory. On a reader's CPU it shares the CPU as well, and
 * loses what the scheduler takes from it, whatever the read is. So both are counted apart (enum
 * harm_place), and one task alone is on a CPU of its own where there is one.
 *
 * Only knobs of these leaves are written: cgroup.procs, and where harm.limit asks for it, the
 * limit: what the leaf holds by then and the share of the task's pages, which is taken back in the
 * end.
 */
#ifndef MEMCGBENCH_DRIVER_HARM_TASKS_H
#define MEMCGBENCH_DRIVER_HARM_TASKS_H

#include "driver/harm.h"
#include "kernel/load_task.h"

/* Two periods of the kernel's flusher: by then files know that the tasks' pages are gone. */
#define HARM_SETTLE_NS 4100000000u

struct harm_tasks;

/* Start them, move them, let them begin. `*out` is NULL where there are none to start. */
int harm_tasks_start(const struct sampler *sampler, const json_t *fixture, struct harm_tasks **out,
		     struct error *err);
/* Fill in how many there are, and under which limit. */
void harm_tasks_describe(const struct harm_tasks *tasks, struct harm *harm);
/* Added up by place; all 0 without tasks. */
void harm_tasks_count(const struct harm_tasks *tasks, struct load_count counts[NR_HARM_PLACES]);
/* -ECHILD where one has ended. */
int harm_tasks_check(struct harm_tasks *tasks, struct error *err);
/*
 * End them, take limits back, and wait until the files know of it: the next process may read them.
 * With `err` NULL, there was an error before: nothing is said, all is done the same.
 */
int harm_tasks_stop(struct harm_tasks *tasks, struct error *err);

#endif
