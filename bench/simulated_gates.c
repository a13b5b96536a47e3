// SPDX-License-Identifier: MIT
/* See simulated_gates.h. */
#include "simulated_gates.h"

#include "stats/change_points.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 10 /* runs before the newest that a gate looks at */

static int look_change_points(const struct gate *gate, const double *v, size_t n,
			      struct alarm *alarms, size_t *nr)
{
	struct change *changes;
	int ret = change_points(v, n, &change_rules_default, &changes, nr);

	for (size_t i = 0; i < *nr; i++)
		alarms[i] = (struct alarm){changes[i].at, changes[i].after > changes[i].before};
	free(changes);
	return ret;
}

static void alarm_if(bool wanted, const double *v, size_t n, double usual, struct alarm *alarms,
		     size_t *nr)
{
	*nr = wanted;
	if (wanted)
		alarms[0] = (struct alarm){n - 1, v[n - 1] > usual};
}

/* As with steps: a share up or the same factor down. */
static bool is_off(double value, double usual, double limit)
{
	return fabs(log(value / usual)) > log1p(limit);
}

static int look_previous(const struct gate *gate, const double *v, size_t n, struct alarm *alarms,
			 size_t *nr)
{
	double usual = n > 1 ? v[n - 2] : v[n - 1];

	alarm_if(is_off(v[n - 1], usual, gate->limit), v, n, usual, alarms, nr);
	return 0;
}

static int look_median(const struct gate *gate, const double *v, size_t n, struct alarm *alarms,
		       size_t *nr)
{
	double before[WINDOW], usual;

	*nr = 0;
	if (n <= WINDOW)
		return 0;
	memcpy(before, v + n - 1 - WINDOW, sizeof(before));
	usual = median(before, WINDOW);
	alarm_if(is_off(v[n - 1], usual, gate->limit), v, n, usual, alarms, nr);
	return 0;
}

/* The newest run outside the interval that 95 % of such runs fall into, were they normal. */
static int look_t_interval(const struct gate *gate, const double *v, size_t n, struct alarm *alarms,
			   size_t *nr)
{
	const double *before = v + n - 1 - WINDOW;
	double mean = 0, squares = 0, half_width;

	*nr = 0;
	if (n <= WINDOW)
		return 0;
	for (size_t i = 0; i < WINDOW; i++)
		mean += before[i] / WINDOW;
	for (size_t i = 0; i < WINDOW; i++)
		squares += (before[i] - mean) * (before[i] - mean);
	half_width = gate->limit * sqrt(squares / (WINDOW - 1) * (1 + 1.0 / WINDOW));
	alarm_if(fabs(v[n - 1] - mean) > half_width, v, n, mean, alarms, nr);
	return 0;
}

const struct gate gates[NR_GATES] = {
	{.title = "change points, each run", .ours = true, .look = look_change_points},
	{.title = "change points, once", .ours = true, .once = true, .look = look_change_points},
	{.title = "10 % off the run before", .limit = 0.10, .look = look_previous},
	{.title = "5 % off the run before", .limit = 0.05, .look = look_previous},
	{.title = "10 % off the last 10", .limit = 0.10, .look = look_median},
	{.title = "5 % off the last 10", .limit = 0.05, .look = look_median},
	/* Student's t for 97.5 % and 9 degrees of freedom. */
	{.title = "t-interval of the last 10", .limit = 2.2621571628, .look = look_t_interval},
};
