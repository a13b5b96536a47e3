/* SPDX-License-Identifier: MIT */
/*
 * One or two threads, each on a real CPU of its own, that update counters for a short while, and
 * how long an update took each of them.
 *
 * Two of them begin together. A thread that was off its CPU meanwhile has measured nobody's
 * counters, and for that time the other one ran alone: such an interval is marked, and the caller
 * takes it again.
 */
#ifndef MEMCGBENCH_BENCH_SCALING_THREADS_H
#define MEMCGBENCH_BENCH_SCALING_THREADS_H

#include "backend/backend.h"
#include "base/error.h"
#include "place/placement.h"

#include <stdbool.h>
#include <stdint.h>

#define SCALING_THREADS 2u

/* What a thread does over and over. */
struct load {
	void (*update)(void *instance, const struct update *update);
	void *instance;
	struct update event;
};

enum {
	FIRST_ALONE = 1u << 0,
	SECOND_ALONE = 1u << 1,
	BOTH = FIRST_ALONE | SECOND_ALONE,
};

struct interval {
	double ns[SCALING_THREADS]; /* of an update, of each thread that ran */
	unsigned os_cpu[SCALING_THREADS];
	bool disturbed;
};

/* Let the threads of `which` run for `ns`. 0, or an error with its message. */
int scaling_interval(const struct placement *placement, const struct load loads[SCALING_THREADS],
		     unsigned which, uint64_t ns, struct interval *interval, struct error *err);

#endif
