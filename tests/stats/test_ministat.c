// SPDX-License-Identifier: MIT
/*
 * test_ministat MINISTAT.txt DIRECTORY: on stored data sets, the program describes samples and
 * tells them apart as ministat does. The text is what make_ministat.sh printed. ministat judges by
 * Student's t and we by ranks: on samples as these both have to come to the same verdict.
 */
#include "stats/histogram.h"
#include "stats/hodges_lehmann.h"
#include "stats/order.h"
#include "stats/rank_test.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_VALUES 64
#define MOST_PAIRS  32

/* A data set as we read it, and what ministat said of it. */
struct set {
	char name[32];
	double v[MOST_VALUES];
	size_t n;
	double said_n, min, max, median, average, deviation;
};

struct pair {
	struct set x, y;
	bool differ;
	double shift, margin; /* where they differ */
};

struct pairs {
	struct pair pair[MOST_PAIRS];
	size_t nr;
};

static bool read_set(const char *directory, struct set *set)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, set->name);
	file = fopen(path, "re");
	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	for (set->n = 0; set->n < MOST_VALUES; set->n++) {
		if (fscanf(file, "%lf", &set->v[set->n]) != 1)
			break;
	}
	fclose(file);
	return set->n > 0;
}

static bool parse_row(const char *line, struct set *set)
{
	return sscanf(line + 1, "%lf %lf %lf %lf %lf %lf", &set->said_n, &set->min, &set->max,
		      &set->median, &set->average, &set->deviation) == 6;
}

/* One line of ministat's; names come first, then both rows of figures, then the verdict. */
static bool parse_line(const char *line, struct pairs *pairs)
{
	struct pair *pair;
	char name[sizeof(pair->x.name)];

	if (sscanf(line, "x %31[a-z]", name) == 1) {
		if (pairs->nr == MOST_PAIRS)
			return false;
		strcpy(pairs->pair[pairs->nr++].x.name, name);
		return true;
	}
	if (pairs->nr == 0)
		return false;
	pair = &pairs->pair[pairs->nr - 1];
	if (sscanf(line, "+ %31[a-z]", name) == 1)
		strcpy(pair->y.name, name);
	else if (*line == 'x')
		return parse_row(line, &pair->x);
	else if (*line == '+')
		return parse_row(line, &pair->y);
	else if (strncmp(line, "Difference at 95.0%", 19) == 0)
		pair->differ = true;
	else if (*line == '\t' && pair->margin == 0)
		return sscanf(line, "%lf +/- %lf", &pair->shift, &pair->margin) == 2;
	return true;
}

static struct pairs *load(const char *path, const char *directory)
{
	struct pairs *pairs = calloc(1, sizeof(*pairs));
	FILE *file = fopen(path, "re");
	char line[256];
	bool good = pairs && file;

	while (good && fgets(line, sizeof(line), file))
		good = parse_line(line, pairs);
	for (size_t i = 0; good && i < pairs->nr; i++)
		good = read_set(directory, &pairs->pair[i].x) &&
		       read_set(directory, &pairs->pair[i].y);
	if (file)
		fclose(file);
	if (good)
		return pairs;
	fprintf(stderr, "%s: not what ministat prints, or a data set is missing\n", path);
	free(pairs);
	return NULL;
}

/* ministat prints eight digits of what it works out. */
static void expect_near(const struct set *set, const char *what, double found, double wanted)
{
	if (fabs(found - wanted) > 1e-7 * fabs(wanted))
		fail_msg("%s: %s is %.17g, ministat says %.17g", set->name, what, found, wanted);
}

static void expect_same_figures(const struct set *set)
{
	struct histogram *h = histogram_new();
	double v[MOST_VALUES], sum = 0, squares = 0, average, middle;

	assert_non_null(h);
	assert_true((double)set->n == set->said_n);
	memcpy(v, set->v, sizeof(v));
	for (size_t i = 0; i < set->n; i++) {
		assert_int_equal(histogram_record(h, (uint64_t)v[i]), 0);
		sum += v[i];
	}
	average = sum / (double)set->n;
	for (size_t i = 0; i < set->n; i++)
		squares += (v[i] - average) * (v[i] - average);
	middle = median(v, set->n);
	/* Of an even number of values ministat takes the upper one of the two in the middle. */
	expect_near(set, "median", set->n % 2 ? middle : v[set->n / 2], set->median);
	expect_near(set, "minimum", (double)histogram_min_ps(h), set->min);
	expect_near(set, "maximum", (double)histogram_max_ps(h), set->max);
	assert_int_equal(histogram_count(h), set->n);
	/* These say that both have read the same values; and buckets are off by less than 0.2 %. */
	expect_near(set, "average", average, set->average);
	expect_near(set, "deviation", sqrt(squares / (double)(set->n - 1)), set->deviation);
	assert_true(fabs(histogram_mean_ns(h) * 1000 / set->average - 1) < 1.0 / 512);
	histogram_free(h);
}

static void samples_are_described_alike(void **state)
{
	const struct pairs *pairs = *state;

	assert_in_range(pairs->nr, 10, MOST_PAIRS);
	for (size_t i = 0; i < pairs->nr; i++) {
		expect_same_figures(&pairs->pair[i].x);
		expect_same_figures(&pairs->pair[i].y);
	}
}

static void verdicts_are_the_same(void **state)
{
	const struct pairs *pairs = *state;
	size_t different = 0;

	for (size_t i = 0; i < pairs->nr; i++) {
		const struct pair *pair = &pairs->pair[i];
		struct rank_test test;

		assert_int_equal(rank_test(pair->y.v, pair->y.n, pair->x.v, pair->x.n, &test), 0);
		if ((test.p < 0.05) != pair->differ)
			fail_msg("%s and %s: p is %g, ministat says %s", pair->x.name, pair->y.name,
				 test.p, pair->differ ? "they differ" : "no difference");
		different += pair->differ;
		if (pair->differ)
			assert_true((test.u > (double)(pair->x.n * pair->y.n) / 2) ==
				    (pair->shift > 0));
	}
	assert_in_range(different, 3, pairs->nr - 3); /* both verdicts were seen */
}

static void shifts_lie_in_each_others_intervals(void **state)
{
	const struct pairs *pairs = *state;

	for (size_t i = 0; i < pairs->nr; i++) {
		const struct pair *pair = &pairs->pair[i];
		struct shift shift;

		assert_int_equal(
			shift_between(pair->x.v, pair->x.n, pair->y.v, pair->y.n, 0.95, &shift), 0);
		if (!pair->differ) {
			assert_true(shift.low <= 0 && 0 <= shift.high);
			continue;
		}
		assert_true(fabs(shift.estimate - pair->shift) < pair->margin);
		assert_true(shift.low <= pair->shift && pair->shift <= shift.high);
	}
}

int main(int argc, char **argv)
{
	struct pairs *pairs;
	int ret;

	if (argc != 3) {
		fprintf(stderr, "usage: test_ministat MINISTAT.txt DIRECTORY\n");
		return 2;
	}
	pairs = load(argv[1], argv[2]);
	if (!pairs)
		return 2;

	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(samples_are_described_alike, pairs),
		cmocka_unit_test_prestate(verdicts_are_the_same, pairs),
		cmocka_unit_test_prestate(shifts_lie_in_each_others_intervals, pairs),
	};

	ret = cmocka_run_group_tests(tests, NULL, NULL);
	free(pairs);
	return ret;
}
