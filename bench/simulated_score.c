// SPDX-License-Identifier: MIT
/* See simulated_score.h. */
#include "simulated_score.h"

#include <errno.h>
#include <stdlib.h>

struct watch {
	const struct simulated_series *series;
	const struct simulated_plan *plan;
	struct score *score;
	struct alarm *known; /* [nr_known] */
	size_t nr_known, room;
	size_t found_after; /* runs; 0: not yet */
};

static size_t apart(size_t a, size_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * In the direction of the change, and at most so many runs from its place. A drift has no one
 * place, and a gate names none: it only says that the newest run is off. What was said when there
 * were n runs, none of them changed yet, is wrong wherever the change then comes.
 */
static bool is_right(const struct watch *watch, const struct gate *gate, const struct alarm *alarm,
		     size_t n, size_t runs)
{
	const struct simulated_series *series = watch->series;

	if (!series->changes || n <= series->at || alarm->up != series->up)
		return false;
	if (watch->plan->kind == SERIES_DRIFT)
		return alarm->at + runs >= series->at;
	if (!gate->ours)
		return alarm->at >= series->at && alarm->at - series->at < SIMULATED_SOON;
	return apart(alarm->at, series->at) <= runs;
}

/* Whether it is one of the known, which then moves. */
static bool is_known(struct watch *watch, const struct alarm *alarm)
{
	for (size_t i = 0; i < watch->nr_known; i++) {
		struct alarm *known = &watch->known[i];

		if (known->up == alarm->up && apart(known->at, alarm->at) <= SIMULATED_NEAR) {
			known->at = alarm->at;
			return true;
		}
	}
	return false;
}

static int remember(struct watch *watch, const struct alarm *alarm)
{
	if (watch->nr_known == watch->room) {
		size_t room = watch->room ? 2 * watch->room : 16;
		struct alarm *grown = realloc(watch->known, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		watch->known = grown;
		watch->room = room;
	}
	watch->known[watch->nr_known++] = *alarm;
	return 0;
}

/* An alarm raised when there were n runs. */
static int judge(struct watch *watch, const struct gate *gate, const struct alarm *alarm, size_t n)
{
	const bool drift = watch->plan->kind == SERIES_DRIFT;
	size_t after = n - watch->series->at;
	bool in_time = gate->once || drift || after <= SIMULATED_SOON;

	if (!watch->found_after && in_time && is_right(watch, gate, alarm, n, SIMULATED_CLOSE))
		watch->found_after = after;
	if (is_known(watch, alarm))
		return 0;
	if (!is_right(watch, gate, alarm, n, drift ? SIMULATED_CLOSE : SIMULATED_NEAR))
		watch->score->alarms_false++;
	return remember(watch, alarm);
}

int simulated_watch(const struct gate *gate, const struct simulated_series *series,
		    const struct simulated_plan *plan, struct score *score)
{
	struct watch watch = {.series = series, .plan = plan, .score = score};
	struct alarm *alarms = calloc(series->runs, sizeof(*alarms));
	int ret = alarms ? 0 : -ENOMEM;

	for (size_t n = gate->once ? series->runs : 1; n <= series->runs && !ret; n++) {
		size_t nr;

		ret = gate->look(gate, series->v, n, alarms, &nr);
		for (size_t i = 0; i < nr && !ret; i++)
			ret = judge(&watch, gate, &alarms[i], n);
	}
	score->series++;
	score->runs += series->runs;
	score->found += watch.found_after > 0;
	score->runs_until_found += watch.found_after;
	free(alarms);
	free(watch.known);
	return ret;
}
