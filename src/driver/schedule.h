/* SPDX-License-Identifier: MIT */
/*
 * The order in which processes run. Round by round of repetitions; in a round the points in a
 * seeded random order; at each point its back ends one after the other in a seeded random order. So
 * a drift of the machine falls on all alike, and the back ends of a point and repetition, whose
 * ratio is asked for, run close together.
 *
 * Odd and even repetitions, which are two runs to whoever asks for noise, take turns at going
 * first: rounds are 1, 2, 4, 3, 5, 6, 8, 7 and so on. A machine that drifts steadily treats both
 * alike.
 */
#ifndef MEMCGBENCH_DRIVER_SCHEDULE_H
#define MEMCGBENCH_DRIVER_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

struct task {
	uint32_t point; /* index into the scenario's points */
	uint32_t backend; /* index into the scenario's back ends */
	uint32_t repetition; /* from 1 */
};

/* All points x back ends x repetitions; `*tasks` is the caller's to free. 0, -ENOMEM or -E2BIG. */
int schedule_new(size_t nr_points, size_t nr_backends, uint32_t repetitions, uint64_t seed,
		 struct task **tasks, size_t *nr_tasks);

#endif
