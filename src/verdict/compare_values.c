// SPDX-License-Identifier: MIT
/* See compare_parts.h: two samples of processes, and what is concluded from them. */
#include "verdict/compare_parts.h"

#include "stats/false_discovery.h"
#include "stats/order.h"
#include "stats/rank_test.h"
#include "stats/sample_size.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.95 /* of intervals */
#define POWER 0.9 /* with which `needed` more processes find the least effect that matters */

const char *verdict_word(enum verdict verdict)
{
	static const char *const words[] = {
		[VERDICT_NO_DATA] = "no_data",
		[VERDICT_UNDECIDED] = "undecided",
		[VERDICT_NO_DIFFERENCE] = "no_difference",
		[VERDICT_SMALL] = "below_min_effect",
		[VERDICT_IMPROVEMENT] = "improvement",
		[VERDICT_REGRESSION] = "regression",
	};

	return words[verdict];
}

static void describe(struct compared_side *side, double *values, size_t nr)
{
	struct median_interval interval;

	side->processes = (unsigned)nr;
	side->median = side->low = side->high = side->level = NAN;
	if (!nr)
		return;
	if (median_interval(values, nr, &interval)) {
		side->low = interval.low;
		side->high = interval.high;
		side->level = interval.level;
	}
	side->median = interval.median;
}

int compare_values(struct comparison *comparison, double *base, size_t nr_base, double *new,
		   size_t nr_new)
{
	const struct shift none = {NAN, NAN, NAN, NAN};
	struct rank_test test;
	int r;

	describe(&comparison->base, base, nr_base);
	describe(&comparison->new, new, nr_new);
	comparison->shift = comparison->factor = none;
	comparison->p = comparison->q = NAN;
	comparison->exact = false;
	comparison->spread = NAN;
	comparison->needed = 0;
	comparison->verdict = VERDICT_NO_DATA;
	if (!nr_base || !nr_new)
		return 0;
	r = rank_test(new, nr_new, base, nr_base, &test);
	if (!r)
		r = shift_between(base, nr_base, new, nr_new, LEVEL, &comparison->shift);
	if (!r)
		r = shift_factor(base, nr_base, new, nr_new, LEVEL, &comparison->factor);
	if (r)
		return r;
	comparison->p = test.p;
	comparison->exact = test.exact;
	comparison->spread = log_spread(base, nr_base, new, nr_new);
	return 0;
}

/* A shift as a share of the median that it starts from. */
static double share_of(double shift, double median)
{
	if (isnan(shift))
		return NAN;
	return shift == 0 ? 0 : shift / fabs(median);
}

struct relative_change comparison_change(const struct comparison *comparison)
{
	const struct shift *factor = &comparison->factor, *shift = &comparison->shift;
	double median = comparison->base.median;

	if (!isnan(factor->estimate))
		return (struct relative_change){factor->estimate - 1, factor->low - 1,
						factor->high - 1};
	return (struct relative_change){share_of(shift->estimate, median),
					share_of(shift->low, median),
					share_of(shift->high, median)};
}

/*
 * What does not matter lies above low and below high. A ratio of back ends may be written either
 * way round, and it must not matter which of the two falls behind: 25 % more is also 20 % less.
 */
static struct relative_change too_small(const struct comparison *comparison, double least)
{
	return (struct relative_change){.low = comparison->other ? 1 / (1 + least) - 1 : -least,
					.high = least};
}

static enum verdict verdict_of(const struct comparison *comparison,
			       const struct compare_options *options)
{
	struct relative_change change = comparison_change(comparison);
	struct relative_change small = too_small(comparison, options->min_effect);

	if (isnan(comparison->p))
		return VERDICT_NO_DATA;
	if (comparison->q < options->alpha) {
		if (change.estimate == 0 ||
		    (change.estimate > small.low && change.estimate < small.high))
			return VERDICT_SMALL;
		return (change.estimate > 0) == (options->metric->better == BETTER_LOWER)
			       ? VERDICT_REGRESSION
			       : VERDICT_IMPROVEMENT;
	}
	/* an interval that is not known holds everything */
	return change.low >= small.low && change.high <= small.high ? VERDICT_NO_DIFFERENCE
								    : VERDICT_UNDECIDED;
}

/*
 * The p that shows one more change than q did: what the next in the order of p is held against
 * (Benjamini and Hochberg). An undecided comparison needs that, should it be the only one of them.
 */
static double alpha_of_next(const struct comparison *comparisons, size_t nr, double alpha)
{
	size_t made = 0, shown = 0;

	for (size_t i = 0; i < nr; i++) {
		made += !isnan(comparisons[i].p);
		shown += comparisons[i].q < alpha;
	}
	return shown < made ? alpha * (double)(shown + 1) / (double)made : alpha;
}

/* How many more values the smaller side needs; 0: enough, or nobody knows. */
static size_t more_needed(const struct comparison *comparison,
			  const struct compare_options *options, double alpha)
{
	size_t base = comparison->base.processes, new = comparison->new.processes;
	size_t has = base < new ? base : new, wanted = 0, least;

	if (options->min_effect > 0)
		wanted = values_needed(comparison->spread, options->min_effect, alpha, POWER);
	if (rank_test_least_p(base, new) >= alpha) {
		least = values_needed_at_least(alpha);
		if (wanted < least)
			wanted = least;
	}
	return wanted > has ? wanted - has : 0;
}

int compare_judge(struct comparison *comparisons, size_t nr, const struct compare_options *options)
{
	double *p = calloc(nr + 1, sizeof(*p)), alpha;
	int r = p ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i < nr; i++)
		p[i] = comparisons[i].p;
	if (!r)
		r = false_discovery_rates(p, nr, p);
	for (size_t i = 0; !r && i < nr; i++)
		comparisons[i].q = p[i];
	alpha = alpha_of_next(comparisons, nr, options->alpha);
	for (size_t i = 0; !r && i < nr; i++) {
		struct comparison *comparison = &comparisons[i];

		comparison->verdict = verdict_of(comparison, options);
		if (comparison->verdict == VERDICT_UNDECIDED)
			comparison->needed = more_needed(comparison, options, alpha);
	}
	free(p);
	return r;
}
