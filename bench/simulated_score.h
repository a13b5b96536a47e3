/* SPDX-License-Identifier: MIT */
/*
 * Watches a simulated series through a gate as somebody would who looks after every run, and counts
 * what is right and what is wrong.
 *
 * - The whole series so far is searched again after each run. An alarm within NEAR runs of one
 *   raised before, in the same direction, is the same alarm: its place becomes the newer one.
 * - Found: an alarm in the right direction within CLOSE runs of the true place, not later than
 *   SOON runs after it (the run of the step is the first). Gates name no place: any alarm in the
 *   right direction in these SOON runs will do. A drift is found by an alarm in its direction, at
 *   any time, from CLOSE runs before it began.
 * - False: a new alarm which is not within NEAR runs of the step and in its direction; for gates
 *   and drifts, one that is not one of those that find it. And each before the change has begun.
 */
#ifndef MEMCGBENCH_BENCH_SIMULATED_SCORE_H
#define MEMCGBENCH_BENCH_SIMULATED_SCORE_H

#include "simulated_gates.h"
#include "simulated_series.h"

#include <stddef.h>

#define SIMULATED_CLOSE 3
#define SIMULATED_NEAR  5
#define SIMULATED_SOON  10

struct score {
	size_t series, runs;
	size_t alarms_false;
	size_t found;
	size_t runs_until_found; /* sum; 1 is the run of the step itself */
};

/* Adds to `score`. 0 or -errno. */
int simulated_watch(const struct gate *gate, const struct simulated_series *series,
		    const struct simulated_plan *plan, struct score *score);

#endif
