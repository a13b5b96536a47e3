// SPDX-License-Identifier: MIT
/*
 * See change_points.h. Three steps:
 *
 * 1. Split. Of all pairs of neighbouring windows [from, at) and [at, end) in a segment, the one
 * with the largest energy statistic; `end` may lie before the segment's, so that a level that came
 *    and went is found. Where the rank test calls the two windows different the segment is cut at
 *    `at`, and both parts are searched in turn.
 * 2. Merge. A window is not yet a segment: each change is held against its final neighbours, and
 *    the one with the largest p is dropped, until all are below alpha.
 * 3. Drop what is too small to matter, smallest first, with both conditions looked at again.
 *
 * All on logarithms: 10 % weigh the same at every level, and no sum of distances overflows.
 */
#include "stats/change_points.h"

#include "stats/order.h"
#include "stats/rank_test.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * alpha is not the chance of a false alarm: the split was chosen as the best of many, and a series
 * is searched after every run. The simulation (bench/simulate_history.c) chose it: 0.001 gave 0.35
 * false alarms per 100 runs at 3 % noise, 0.0003 gives 0.1 and still finds nine of ten steps of
 * 10 % in ten runs.
 */
const struct change_rules change_rules_default = {
	.alpha = 0.0003,
	.min_segment = 3,
	.min_effect = 0.03,
};

struct search {
	const struct change_rules *rules;
	size_t min_segment; /* at least 2: there is no distance inside a single value */
	size_t n;
	double *log; /* [n] of the values */
	double *all, *left; /* [n] see best_split() */
	double *sorted; /* [n] scratch for medians */
	size_t *bounds; /* [n + 1] where segments begin, and n */
	size_t nr_bounds;
	struct change *changes; /* [n] of bounds[1..nr_bounds - 1) */
	size_t nr;
};

struct split {
	size_t at, end;
	double energy; /* below 0: there is none */
};

/*
 * Twice the mean distance between two windows of n and m values less the mean distances inside
 * each, weighed by nm / (n + m) (Matteson and James, section 2, with exponent 1). `between`
 * and `inside_y` are sums over pairs; inside_x is one, divided by n - 1. Multiplied out, because
 * this is the innermost loop.
 */
static double energy(double between, double inside_x, double inside_y, double n, double m)
{
	return 2 * (between - m * inside_x - n * inside_y / (m - 1)) / (n + m);
}

/*
 * In O(length^2): all[j] is the sum of distances of j to all before it in the segment, left[j] to
 * those before `at`; their difference is that to the values between `at` and j. A step of `at` or
 * of `end` then costs one addition for each sum.
 */
static struct split best_split(struct search *s, size_t from, size_t to)
{
	const size_t min = s->min_segment;
	const double *x = s->log;
	struct split best = {.energy = -1};
	double inside_x = 0;

	for (size_t j = from; j < to; j++)
		s->all[j] = s->left[j] = 0;
	for (size_t i = from; i < to; i++) {
		for (size_t j = i + 1; j < to; j++)
			s->all[j] += fabs(x[i] - x[j]);
	}
	for (size_t at = from + 1; at + min <= to; at++) {
		double between = 0, inside_y = 0, n = (double)(at - from);

		inside_x += s->left[at - 1];
		for (size_t j = at; j < to; j++)
			s->left[j] += fabs(x[at - 1] - x[j]);
		if (at - from < min)
			continue;
		for (size_t end = at + 1; end <= to; end++) {
			double e;

			between += s->left[end - 1];
			inside_y += s->all[end - 1] - s->left[end - 1];
			if (end - at < min)
				continue;
			e = energy(between, inside_x / (n - 1), inside_y, n, (double)(end - at));
			if (e > best.energy)
				best = (struct split){at, end, e};
		}
	}
	return best;
}

static int tested(const double *x, size_t n, size_t m, double *p)
{
	struct rank_test test = {.p = 1};
	int ret = rank_test(x, n, x + n, m, &test);

	*p = test.p;
	return ret;
}

/* Cut segments from the left until no split of any is significant. */
static int split_all(struct search *s)
{
	size_t k = 0;

	s->bounds[0] = 0;
	s->bounds[1] = s->n;
	s->nr_bounds = 2;
	while (k + 1 < s->nr_bounds) {
		size_t from = s->bounds[k], to = s->bounds[k + 1];
		struct split split = best_split(s, from, to);
		double p = 1;
		int ret;

		if (split.energy > 0) {
			ret = tested(s->log + from, split.at - from, split.end - split.at, &p);
			if (ret < 0)
				return ret;
		}
		if (p >= s->rules->alpha) {
			k++;
			continue;
		}
		memmove(&s->bounds[k + 2], &s->bounds[k + 1],
			(s->nr_bounds - k - 1) * sizeof(*s->bounds));
		s->bounds[k + 1] = split.at;
		s->nr_bounds++;
	}
	return 0;
}

static double median_of(struct search *s, const double *v, size_t from, size_t to)
{
	memcpy(s->sorted, v + from, (to - from) * sizeof(*v));
	return median(s->sorted, to - from);
}

/* The change at bounds[k], k >= 1, as its final neighbours show it. */
static int measure(struct search *s, const double *v, size_t k)
{
	size_t from = s->bounds[k - 1], at = s->bounds[k], to = s->bounds[k + 1];
	struct change *change = &s->changes[k - 1];

	*change = (struct change){
		.at = at,
		.before = median_of(s, v, from, at),
		.after = median_of(s, v, at, to),
		.nr_before = at - from,
		.nr_after = to - at,
	};
	return tested(s->log + from, at - from, to - at, &change->p);
}

/* The factor between the levels, whichever way: 1 or more. */
static double effect_of(const struct change *change)
{
	return fmax(change->before, change->after) / fmin(change->before, change->after);
}

/* Of all changes the one to drop next; nr where all may stay. */
static size_t weakest(const struct search *s)
{
	const double least = 1 + s->rules->min_effect;
	size_t by_p = 0, by_effect = 0;

	for (size_t i = 1; i < s->nr; i++) {
		if (s->changes[i].p > s->changes[by_p].p)
			by_p = i;
		if (effect_of(&s->changes[i]) < effect_of(&s->changes[by_effect]))
			by_effect = i;
	}
	if (s->nr && s->changes[by_p].p >= s->rules->alpha)
		return by_p;
	if (s->nr && effect_of(&s->changes[by_effect]) < least)
		return by_effect;
	return s->nr;
}

static int drop(struct search *s, const double *v, size_t i)
{
	int ret = 0;

	memmove(&s->bounds[i + 1], &s->bounds[i + 2], (s->nr_bounds - i - 2) * sizeof(*s->bounds));
	memmove(&s->changes[i], &s->changes[i + 1], (s->nr - i - 1) * sizeof(*s->changes));
	s->nr_bounds--;
	s->nr--;
	if (i > 0)
		ret = measure(s, v, i);
	if (!ret && i < s->nr)
		ret = measure(s, v, i + 1);
	return ret;
}

static int search(struct search *s, const double *v)
{
	size_t i;
	int ret = split_all(s);

	s->nr = ret ? 0 : s->nr_bounds - 2;
	for (size_t k = 1; k <= s->nr && !ret; k++)
		ret = measure(s, v, k);
	while (!ret && (i = weakest(s)) < s->nr)
		ret = drop(s, v, i);
	return ret;
}

int change_points(const double *v, size_t n, const struct change_rules *rules, struct change **out,
		  size_t *nr)
{
	struct search s = {.rules = rules, .n = n};
	double *room = NULL;
	int ret = -ENOMEM;

	*out = NULL;
	*nr = 0;
	for (size_t i = 0; i < n; i++) {
		if (!(v[i] > 0) || isinf(v[i]))
			return -EDOM;
	}
	s.min_segment = rules->min_segment < 2 ? 2 : rules->min_segment;
	if (n / 2 < s.min_segment)
		return 0;
	room = calloc(n, 4 * sizeof(*room));
	s.bounds = calloc(n + 1, sizeof(*s.bounds));
	s.changes = calloc(n, sizeof(*s.changes));
	if (!room || !s.bounds || !s.changes)
		goto out;
	s.log = room;
	s.all = room + n;
	s.left = room + 2 * n;
	s.sorted = room + 3 * n;
	for (size_t i = 0; i < n; i++)
		s.log[i] = log(v[i]);
	ret = search(&s, v);
	if (!ret && s.nr) {
		*nr = s.nr;
		*out = s.changes;
		s.changes = NULL;
	}
out:
	free(room);
	free(s.bounds);
	free(s.changes);
	return ret;
}
