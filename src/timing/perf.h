/* SPDX-License-Identifier: MIT */
/*
 * Hardware counters of this process over an interval, where the machine has them and lets us:
 * cycles, instructions, last-level cache and data TLB misses. Virtual machines often have none.
 */
#ifndef MEMCGBENCH_TIMING_PERF_H
#define MEMCGBENCH_TIMING_PERF_H

#include <jansson.h>

#define NR_PERF_EVENTS 4

struct perf_counters {
	int fd[NR_PERF_EVENTS]; /* -1: not available */
};

/* Opens what there is, not counting yet; user mode only, threads started later included. */
void perf_counters_open(struct perf_counters *counters);
/* Count in this thread and in those started since. */
void perf_counters_start(const struct perf_counters *counters);
void perf_counters_stop(const struct perf_counters *counters);
/*
 * Closes, and says what was counted: {"cycles":..,"instructions":..,"llc_misses":..,
 * "dtlb_misses":..}, those not available null, scaled up where the counters were shared in time
 * ("running_share" below 1 then). NULL where there are none at all. The caller owns it.
 */
json_t *perf_counters_close(struct perf_counters *counters);

#endif
