/* SPDX-License-Identifier: MIT */
/*
 * Ways to watch a series, all asked alike: after each run, given all runs so far. `history`'s own,
 * and what is common in its place.
 */
#ifndef MEMCGBENCH_BENCH_SIMULATED_GATES_H
#define MEMCGBENCH_BENCH_SIMULATED_GATES_H

#include <stdbool.h>
#include <stddef.h>

struct alarm {
	size_t at; /* the first run of what is called a new level */
	bool up;
};

struct gate {
	const char *title;
	bool ours; /* change points: what is promised holds for these */
	bool once; /* asked at the end only */
	double limit; /* the gate's own: share, or factor of the interval's half width */
	/* Up to n alarms; 0 or -errno. */
	int (*look)(const struct gate *gate, const double *v, size_t n, struct alarm *alarms,
		    size_t *nr);
};

#define NR_GATES 7
extern const struct gate gates[NR_GATES];

#endif
