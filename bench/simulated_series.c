// SPDX-License-Identifier: MIT
/* See simulated_series.h. */
#include "simulated_series.h"

#include "base/rng.h"

#include <math.h>

/* Above 0, and below 1. */
static double uniform(struct rng *rng)
{
	return ((double)(rng_next(rng) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller, 1958; the second variate is not kept, so that streams stay simple. */
static double normal(struct rng *rng)
{
	double radius = sqrt(-2 * log(uniform(rng)));

	return radius * cos(2 * M_PI * uniform(rng));
}

/* How much of the change has happened at a run, 0..1. */
static double share_at(const struct simulated_plan *plan, const struct simulated_series *series,
		       size_t run)
{
	double span = plan->kind == SERIES_DRIFT ? (double)(series->runs / 2) : 1;

	if (!series->changes || run < series->at)
		return 0;
	return fmin(1, (double)(run - series->at + 1) / span);
}

void simulated_series_make(const struct simulated_noise *noise, const struct simulated_plan *plan,
			   uint64_t seed, uint64_t index, struct simulated_series *series)
{
	struct rng rng = rng_for(seed, (uint64_t)plan->kind, index);
	double size = log1p(plan->size);

	series->changes = plan->kind != SERIES_LEVEL;
	series->up = rng_below(&rng, 2);
	series->at = SIMULATED_MARGIN + rng_below(&rng, series->runs - 2 * SIMULATED_MARGIN + 1);
	if (plan->kind == SERIES_DRIFT)
		series->at = series->runs / 4;
	if (!series->changes)
		series->at = 0;
	for (size_t i = 0; i < series->runs; i++) {
		double level = size * share_at(plan, series, i);

		series->v[i] = exp((series->up ? level : -level) + noise->noise * normal(&rng));
		if (uniform(&rng) < noise->outliers)
			series->v[i] *= noise->slower_min +
					(noise->slower_max - noise->slower_min) * uniform(&rng);
	}
}
