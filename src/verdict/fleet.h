/* SPDX-License-Identifier: MIT */
/*
 * What a fleet pays for collectors: agents that read the file of every memcg once in an interval.
 * Worked out from measured sweeps (read.cgroup: all) and from nothing else; what was not measured
 * is left out with the reason, and what lies between or beyond measured sizes says so.
 *
 * The time of a sweep is the median over processes of their means: what costs is the sum of all
 * sweeps, the slow ones included. It is time on the wall of a reader that had a CPU, taken for CPU
 * time: a reader that sleeps or is preempted would be charged for it.
 */
#ifndef MEMCGBENCH_VERDICT_FLEET_H
#define MEMCGBENCH_VERDICT_FLEET_H

#include "result/summary.h"
#include "scenario/point.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fleet_basis {
	FLEET_MEASURED,
	FLEET_BETWEEN, /* two measured sizes of the tree, on a straight line of logarithms */
	FLEET_BEYOND, /* all measured sizes, by their slope */
};

/* At most so many times larger or smaller than what was measured; from so many sizes, whose slope
 * is known as well as this. */
#define FLEET_FURTHEST    10
#define FLEET_LEAST_SIZES 3
#define FLEET_SLOPE_ERROR 0.1

/* A sweep of one back end. */
struct fleet_sweep {
	struct point point; /* with the memcgs that it is for */
	const struct backend_summary *backend; /* not owned; of other sizes, the nearest one's */
	uint64_t files;
	double mean_ns;
	/* Of the median over processes; NAN below 6 of them, and where nothing was measured. */
	double low_ns, high_ns, level;
	double p50_ns; /* of all sweeps; NAN where nothing was measured */
	enum fleet_basis basis;
	uint32_t from, to; /* memcgs that it was worked out from; `to` 0: measured */
	double slope; /* of log time on log memcgs; NAN: measured */
	uint32_t cpus; /* of the machine: of a live back end those online, of a model its own */
};

struct fleet_left_out {
	const struct point *point; /* not owned */
	const char *backend; /* not owned; NULL: all of them */
	char reason[160];
};

struct fleet {
	const struct run_summary *summary; /* not owned */
	size_t nr, nr_left_out;
	struct fleet_sweep *sweeps; /* in the run's order */
	struct fleet_left_out *left_out;
};

/* `memcgs` 0: the sizes that were measured; else this one. 0 or -ENOMEM; both may be empty. */
int fleet_new(const struct run_summary *summary, uint32_t memcgs, struct fleet **out);
void fleet_free(struct fleet *fleet);

struct fleet_cost {
	double cpu_s_per_hour, low, high; /* of all agents; NAN as those of the sweep */
	double share_of_cpu; /* of one CPU: above 1 it is more than one */
	double share_of_host; /* NAN: its CPUs are not known */
	bool late; /* a sweep takes longer than the interval: the agents read without a pause */
};
struct fleet_cost fleet_cost(const struct fleet_sweep *sweep, uint64_t interval_ns,
			     uint32_t agents);

#endif
