// SPDX-License-Identifier: MIT
/*
 * See compare_parts.h: back ends held against each other, process by process. Processes of one
 * repetition ran close together, so that what slows the machine down is in both and falls out.
 */
#include "verdict/compare_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ratios of the repetitions that both have; returns how many. */
static size_t ratios_of(const struct record_cell *numerator, const struct record_cell *denominator,
			const struct metric *metric, double *ratios)
{
	size_t nr = 0;

	/* both are in order of repetitions */
	for (unsigned i = 0, k = 0; i < numerator->processes; i++) {
		double above, below;

		while (k < denominator->processes &&
		       denominator->repetition[k] < numerator->repetition[i])
			k++;
		if (k == denominator->processes)
			break;
		if (denominator->repetition[k] != numerator->repetition[i])
			continue;
		above = metric_of(metric, &numerator->figures[i]);
		below = metric_of(metric, &denominator->figures[k]);
		if (!isnan(above) && below > 0)
			ratios[nr++] = above / below;
	}
	return nr;
}

static int compare_pair(struct comparison *ratio, const struct comparison *above,
			const struct comparison *below, const struct compare_options *options)
{
	const struct record_cell *base = above->base_cell, *new = above->new_cell;
	double *values = malloc((base->processes + new->processes + 1) * sizeof(*values));
	size_t nr_base, nr_new;
	int r;

	if (!values)
		return -ENOMEM;
	*ratio = (struct comparison){
		.base_cell = base, .new_cell = new, .other = below->new_cell->backend};
	ratio->base.failed = base->failed;
	ratio->new.failed = new->failed;
	nr_base = ratios_of(base, below->base_cell, options->metric, values);
	nr_new = ratios_of(new, below->new_cell, options->metric, values + nr_base);
	r = compare_values(ratio, values, nr_base, values + nr_base, nr_new);
	free(values);
	return r;
}

static bool same_point(const struct comparison *a, const struct comparison *b)
{
	return a->new_cell->point == b->new_cell->point;
}

static size_t count_pairs(const struct compare *compare)
{
	size_t nr = 0;

	for (size_t i = 0; i < compare->nr; i++) {
		const struct comparison *above = &compare->comparisons[i];

		for (size_t k = i + 1; k < compare->nr; k++, nr++) {
			if (!same_point(above, &compare->comparisons[k]))
				break;
		}
	}
	return nr;
}

static int by_cell(const void *cell, const void *item)
{
	const struct comparison *comparison = item;
	const struct record_cell *wanted = cell;

	return (wanted > comparison->new_cell) - (wanted < comparison->new_cell);
}

const struct comparison *compare_find(const struct compare *compare, const struct record_cell *cell)
{
	/* comparisons and cells of NEW are in the same order */
	return bsearch(cell, compare->comparisons, compare->nr, sizeof(*compare->comparisons),
		       by_cell);
}

static const struct comparison *denominator_of(const struct compare *compare,
					       const struct comparison *ratio)
{
	const struct comparison *end = compare->comparisons + compare->nr;
	const struct comparison *at = compare_find(compare, ratio->new_cell);

	while (at < end && strcmp(at->new_cell->backend, ratio->other))
		at++;
	return at;
}

const struct record_cell *compare_ratio_denominator(const struct compare *compare,
						    const struct comparison *ratio)
{
	return denominator_of(compare, ratio)->new_cell;
}

/* A logarithm, above 0 where the back end got worse; infinite to or from 0. */
static double worsening(const struct comparison *comparison, bool lower_is_better)
{
	double change = log1p(comparison_change(comparison).estimate);

	return lower_is_better ? change : -change;
}

struct ratio_cause compare_ratio_cause(const struct compare *compare,
				       const struct comparison *ratio)
{
	const struct comparison *above = compare_find(compare, ratio->new_cell);
	const struct comparison *below = denominator_of(compare, ratio);
	bool lower = compare->options.metric->better == BETTER_LOWER, swap;
	double gained, lost;

	swap = (comparison_change(ratio).estimate > 0) != lower;
	lost = worsening(swap ? below : above, lower);
	gained = worsening(swap ? above : below, lower);
	if (isnan(lost) || isnan(gained))
		return (struct ratio_cause){NULL, true};
	/* `lost` is the larger one: half of the change or more is its own where it outweighs what
	 * the other gained */
	if (lost >= -gained)
		return (struct ratio_cause){swap ? below : above, true};
	return (struct ratio_cause){swap ? above : below, false};
}

/* A ratio has no better direction of its own: what moved it has. */
static void judge_causes(struct compare *compare)
{
	for (size_t i = 0; i < compare->nr_ratios; i++) {
		struct comparison *ratio = &compare->ratios[i];

		if (ratio->verdict >= VERDICT_IMPROVEMENT)
			ratio->verdict = compare_ratio_cause(compare, ratio).worse
						 ? VERDICT_REGRESSION
						 : VERDICT_IMPROVEMENT;
	}
}

int compare_ratios(struct compare *compare)
{
	int r = 0;

	compare->ratios = calloc(count_pairs(compare) + 1, sizeof(*compare->ratios));
	if (!compare->ratios)
		return -ENOMEM;
	for (size_t i = 0; !r && i < compare->nr; i++) {
		const struct comparison *above = &compare->comparisons[i];

		for (size_t k = i + 1; !r && k < compare->nr; k++) {
			const struct comparison *below = &compare->comparisons[k];

			if (!same_point(above, below))
				break;
			r = compare_pair(&compare->ratios[compare->nr_ratios++], above, below,
					 &compare->options);
		}
	}
	if (!r)
		r = compare_judge(compare->ratios, compare->nr_ratios, &compare->options);
	if (!r)
		judge_causes(compare);
	return r;
}
