/* SPDX-License-Identifier: MIT */
/* What is simulated, what came out, and what is promised of it. */
#ifndef MEMCGBENCH_BENCH_SIMULATED_OUTCOME_H
#define MEMCGBENCH_BENCH_SIMULATED_OUTCOME_H

#include "simulated_score.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NR_NOISES 6
extern const struct simulated_noise noises[NR_NOISES];

enum {
	PLAN_LEVEL,
	PLAN_STEP,
	PLAN_SMALL_STEP,
	PLAN_DRIFT,
	NR_PLANS
};
extern const struct simulated_plan plans[NR_PLANS];

/* How fast change points are searched is measured on so many series, whatever else is asked. */
#define SPEED_SERIES 1000
#define SPEED_RUNS   200

#define SEEDS_MAX 16
struct outcome {
	uint64_t seeds[SEEDS_MAX], nr_seeds, series, runs;
	struct score scores[SEEDS_MAX][NR_NOISES][NR_GATES][NR_PLANS];
	double seconds; /* of one CPU, for the search of SPEED_SERIES */
};

/* What is promised of change points: of each seed by itself, each noise, and both ways to look. */
struct promise {
	double alarms_false; /* at most so many per 100 runs, with no step and with one of 10 % */
	double found; /* at least this share of the steps of 10 % */
	double seconds; /* less than this */
};
extern const struct promise promised;

/* The worst of what is promised. */
struct promise outcome_worst(const struct outcome *outcome);
bool outcome_keeps_promise(const struct outcome *outcome);

double score_per_100_runs(const struct score *score);
double score_share_found(const struct score *score);

/* On stdout: all seeds together for people, each by itself in JSON. 0 or -errno. */
int outcome_print_table(const struct outcome *outcome);
int outcome_print_json(const struct outcome *outcome);

#endif
