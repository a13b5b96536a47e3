/* SPDX-License-Identifier: MIT */
/*
 * A history that nobody measured: records made from a formula and a seed, the same everywhere, for
 * tests of what is made of records. Two points (10 and 10,000 memcgs) and two back ends by default,
 * one run a day, another build every second run.
 */
#ifndef MEMCGBENCH_TESTS_VERDICT_MADE_HISTORY_H
#define MEMCGBENCH_TESTS_VERDICT_MADE_HISTORY_H

#include "result/record.h"

#define MADE_HISTORY_START 1767582000 /* 2026-01-05T03:00:00Z */
#define MADE_HOST_CLASS    "made CPU, 1 socket, 1 node, 2 CPUs, virtual, cgroup v1"

struct made_history {
	unsigned points; /* with 10, 100, 1k, .. memcgs; beyond 6 with another batch */
	unsigned processes; /* of each point and back end */
	double run_noise, process_noise; /* standard deviations of the logarithm */
	unsigned step_at; /* the first run, from 0, that takes `step` times as long */
	double step; /* of `backend`, at every point */
	const char *backend;
	const char *host_class;
	unsigned every; /* seconds between runs */
	uint64_t seed;
};

/* What the fields mean where nobody sets them: 1 % between runs and between processes, no step. */
extern const struct made_history made_history_default;

/* Run `i`, from 0: 0 or -ENOMEM. The caller owns it. */
int made_history_record(const struct made_history *made, unsigned i, struct record **out);

#endif
