/* SPDX-License-Identifier: MIT */
/*
 * Google Benchmark behind C functions: the program's only C++.
 *
 * Two uses. gb_time() times one loop with a fixed number of iterations, as the driver's independent
 * stopwatch. gb_suite_main() runs a suite under the usual --benchmark_* flags, for compare.py.
 * No exception crosses; a failing loop becomes an error.
 */
#ifndef MEMCGBENCH_TIMING_GB_SHIM_H
#define MEMCGBENCH_TIMING_GB_SHIM_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"

/*
 * Runs `loop(arg, iterations, &manual_ns)` exactly once, inside one KeepRunningBatch(iterations) of
 * one registered case with Iterations(iterations)->Repetitions(1). With `manual` the time is the
 * *manual_ns that the loop reports (UseManualTime), otherwise Google Benchmark's own wall clock
 * around the whole loop. No --benchmark_* flag or BENCHMARK_* variable has a say, nothing is
 * printed. The library keeps its cases in one global list: one caller at a time. `*total_ns` is
 * what Google Benchmark reports: time per iteration x iterations. A negative return of `loop` is
 * passed on (SkipWithError inside).
 */
typedef int (*gb_loop)(void *arg, uint64_t iterations, double *manual_ns);
int gb_time(const char *name, uint64_t iterations, int manual, gb_loop loop, void *arg,
	    double *total_ns, struct error *err);

/* One case of a suite. `run` does `iterations` operations; setup and teardown are untimed, once
 * per run of the case: the library calls `run` several times to find a number of iterations, on one
 * state, and no two cases have a state at a time. Counters are added to the case's line and JSON;
 * no NaN, no clash with a field name. */
struct gb_counter {
	const char *name;
	double value; /* of one operation */
	int per_second; /* a rate: divided by the time of one operation */
};
#define GB_MAX_COUNTERS 8
struct gb_case {
	const char *name; /* "read/walk/memcgs:10000/nodes:2" */
	int (*setup)(const struct gb_case *self, void **state);
	int (*run)(void *state, uint64_t iterations);
	void (*teardown)(void *state);
	/* may be NULL; fills at most GB_MAX_COUNTERS and returns how many */
	unsigned (*counters)(void *state, struct gb_counter *counters);
	const void *parameters; /* for setup */
	/* Instead of `run`: reports the time of what it measures, where parts are untimed. */
	int (*run_timed)(void *state, uint64_t iterations, double *ns);
	uint64_t iterations; /* fixed; 0: as many as --benchmark_min_time asks for */
};
/*
 * Returns the exit code: 0, or 2 on unrecognised flags, a failed case, or a filter that no case
 * matches. --benchmark_min_time takes 0.1 and 0.1s, whatever the library's version.
 */
int gb_suite_main(int argc, char **argv, const struct gb_case *cases, unsigned nr_cases);

const char *gb_version(void); /* of the library linked, where known */

#ifdef __cplusplus
}
#endif
#endif
