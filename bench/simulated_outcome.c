// SPDX-License-Identifier: MIT
/* See simulated_outcome.h. */
#include "simulated_outcome.h"

const struct simulated_noise noises[NR_NOISES] = {
	{"noise 1 %, no outliers", 0.01, 0, 1, 1},
	{"noise 1 %, 5 % of the runs slower by 5 to 30 %", 0.01, 0.05, 1.05, 1.30},
	{"noise 1 %, 5 % of the runs slower by half", 0.01, 0.05, 1.5, 1.5},
	{"noise 3 %, no outliers", 0.03, 0, 1, 1},
	{"noise 3 %, 5 % of the runs slower by 5 to 30 %", 0.03, 0.05, 1.05, 1.30},
	{"noise 3 %, 5 % of the runs slower by half", 0.03, 0.05, 1.5, 1.5},
};

const struct simulated_plan plans[NR_PLANS] = {
	[PLAN_LEVEL] = {"level", SERIES_LEVEL, 0},
	[PLAN_STEP] = {"step of 10 %", SERIES_STEP, 0.10},
	[PLAN_SMALL_STEP] = {"step of 5 %", SERIES_STEP, 0.05},
	[PLAN_DRIFT] = {"drift by 10 %", SERIES_DRIFT, 0.10},
};

const struct promise promised = {.alarms_false = 0.2, .found = 0.85, .seconds = 2.0};

double score_per_100_runs(const struct score *score)
{
	return 100 * (double)score->alarms_false / (double)score->runs;
}

double score_share_found(const struct score *score)
{
	return (double)score->found / (double)score->series;
}

static void take_worse(struct promise *worst, const struct score scores[NR_PLANS])
{
	static const unsigned counted[] = {PLAN_LEVEL, PLAN_STEP};
	double found = score_share_found(&scores[PLAN_STEP]);

	for (size_t k = 0; k < sizeof(counted) / sizeof(counted[0]); k++) {
		double alarms = score_per_100_runs(&scores[counted[k]]);

		if (alarms > worst->alarms_false)
			worst->alarms_false = alarms;
	}
	if (found < worst->found)
		worst->found = found;
}

struct promise outcome_worst(const struct outcome *outcome)
{
	struct promise worst = {.alarms_false = 0, .found = 1, .seconds = outcome->seconds};

	for (size_t s = 0; s < outcome->nr_seeds; s++) {
		for (size_t k = 0; k < NR_NOISES; k++) {
			for (size_t g = 0; g < NR_GATES; g++) {
				if (gates[g].ours)
					take_worse(&worst, outcome->scores[s][k][g]);
			}
		}
	}
	return worst;
}

bool outcome_keeps_promise(const struct outcome *outcome)
{
	struct promise worst = outcome_worst(outcome);

	return worst.alarms_false <= promised.alarms_false && worst.found >= promised.found &&
	       worst.seconds < promised.seconds;
}
