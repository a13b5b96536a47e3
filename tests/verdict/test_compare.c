// SPDX-License-Identifier: MIT
/* What is concluded from two runs: each verdict, from values that leave no other. */
#include "made_record.h"

#include "stats/rank_test.h"
#include "verdict/compare.h"

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

static struct compare_options options_of(const char *metric)
{
	struct compare_options options = {metric_find(metric, strlen(metric)), 0.05, 0.03, false};

	assert_non_null(options.metric);
	return options;
}

static struct compare *compared(const struct record *base, const struct record *new,
				const struct compare_options *options)
{
	struct compare *compare;
	struct error err = {0};

	if (compare_new(base, new, options, &compare, &err))
		fail_msg("%s", err.text);
	return compare;
}

static struct record *one_cell(const double *values, unsigned processes)
{
	struct record *record = made_record(MADE_HOST);

	made_point(record, "tree.memcgs=10");
	made_cell(record, "walk", values, processes);
	return record;
}

/* The only comparison of two records of one cell each. */
static struct comparison compare_one(struct record *base, struct record *new,
				     const struct compare_options *options)
{
	struct compare *compare = compared(base, new, options);
	struct comparison found;

	assert_int_equal(compare->nr, 1);
	found = compare->comparisons[0];
	assert_int_equal(compare->worse, found.verdict == VERDICT_REGRESSION);
	compare_free(compare);
	record_free(base);
	record_free(new);
	return found;
}

static struct comparison compare_values(const double *base, unsigned n, const double *new,
					unsigned m)
{
	struct compare_options options = options_of("p50");

	return compare_one(one_cell(base, n), one_cell(new, m), &options);
}

static const double hundred[] = {100.0, 100.2, 100.4, 100.6, 100.8, 101.0, 101.2, 101.4};

static void times(double *to, double factor)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = hundred[i] * factor;
}

static void slower_by_more_than_matters_is_a_regression(void **state)
{
	double slower[8];
	struct comparison c;

	times(slower, 1.1);
	c = compare_values(hundred, 8, slower, 8);
	assert_int_equal(c.verdict, VERDICT_REGRESSION);
	assert_true(fabs(c.factor.estimate - 1.1) < 1e-9);
	assert_true(c.factor.low <= 1.1 && c.factor.high >= 1.1 && c.factor.low > 1.03);
	assert_true(fabs(c.p - 2.0 / 12870) < 1e-12); /* 16 over 8 */
	assert_true(c.q == c.p && c.exact);
	assert_int_equal(c.needed, 0);
	assert_true(fabs(c.base.median - 100.7) < 1e-9 && c.base.processes == 8);
}

static void faster_by_more_than_matters_is_an_improvement(void **state)
{
	double faster[8];

	times(faster, 0.9);
	assert_int_equal(compare_values(hundred, 8, faster, 8).verdict, VERDICT_IMPROVEMENT);
}

static void a_change_that_is_shown_and_does_not_matter_is_small(void **state)
{
	double slower[8];

	times(slower, 1.02);
	assert_int_equal(compare_values(hundred, 8, slower, 8).verdict, VERDICT_SMALL);
}

static void values_that_mix_within_what_matters_are_no_difference(void **state)
{
	double same[8];

	times(same, 1.0005);
	assert_int_equal(compare_values(hundred, 8, same, 8).verdict, VERDICT_NO_DIFFERENCE);
}

static void equal_values_are_no_difference(void **state)
{
	const double same[8] = {7, 7, 7, 7, 7, 7, 7, 7};
	struct comparison c = compare_values(same, 8, same, 8);

	assert_int_equal(c.verdict, VERDICT_NO_DIFFERENCE);
	assert_true(c.p == 1 && c.factor.low == 1 && c.factor.high == 1);
}

static void a_wide_interval_is_undecided_and_says_how_many_it_takes(void **state)
{
	const double a[8] = {80, 90, 100, 110, 120, 95, 105, 99};
	const double b[8] = {84, 91, 102, 108, 125, 97, 101, 103};
	struct comparison c = compare_values(a, 8, b, 8);

	assert_int_equal(c.verdict, VERDICT_UNDECIDED);
	assert_true(c.needed > 50);
}

static void too_few_processes_need_at_least_what_the_test_needs(void **state)
{
	const double a[] = {100, 100.01, 100.02}, b[] = {200, 200.01, 200.02};
	struct comparison c = compare_values(a, 3, b, 3);

	assert_int_equal(c.verdict, VERDICT_UNDECIDED);
	assert_true(rank_test_least_p(3, 3) > 0.05 && rank_test_least_p(4, 4) < 0.05);
	assert_true(c.needed >= 1 && c.needed < 10);
	assert_true(isnan(c.base.low) && isnan(c.factor.low));
	c = compare_values(a, 1, b, 1);
	assert_int_equal(c.verdict, VERDICT_UNDECIDED);
	assert_int_equal(c.needed, 3);
}

/* At each point but the last `shown`, which take ten times as long. */
static size_t needed_where(unsigned points, unsigned shown, const double *a, const double *b,
			   unsigned nr)
{
	struct record *base = made_record(MADE_HOST), *new = made_record(MADE_HOST);
	struct compare_options options = options_of("p50");
	struct compare *compare;
	size_t needed;

	for (unsigned i = 0; i < points; i++) {
		double values[8];
		char point[40];

		snprintf(point, sizeof(point), "tree.memcgs=%u", 10 + i);
		made_point(base, point);
		made_cell(base, "walk", a, nr);
		made_point(new, point);
		for (unsigned k = 0; k < nr; k++)
			values[k] = i < points - shown ? b[k] : 10 * b[k];
		made_cell(new, "walk", values, nr);
	}
	compare = compared(base, new, &options);
	assert_int_equal(compare->comparisons[0].verdict, VERDICT_UNDECIDED);
	needed = compare->comparisons[0].needed;
	compare_free(compare);
	record_free(base);
	record_free(new);
	return needed;
}

static size_t needed_at_each_of(unsigned points, const double *a, const double *b, unsigned nr)
{
	return needed_where(points, 0, a, b, nr);
}

/* A change at one of 40 points needs p < 0.05 / 40: z of 3.23 + 1.28 for 1.96 + 1.28. */
static void among_many_points_one_needs_more(void **state)
{
	const double a[8] = {80, 90, 100, 110, 120, 95, 105, 99};
	const double b[8] = {84, 91, 102, 108, 125, 97, 101, 103};
	double alone = 8 + (double)needed_at_each_of(1, a, b, 8);
	double among_40 = 8 + (double)needed_at_each_of(40, a, b, 8);

	assert_true(fabs(among_40 / alone - 1.934) < 0.01);
	/* with 19 shown, the next is held against 0.05 / 2 */
	assert_int_equal(needed_where(40, 19, a, b, 8), needed_at_each_of(2, a, b, 8));
	/* what p cannot reach in three processes, four do not where there are ten points */
	assert_int_equal(needed_at_each_of(1, a, b, 1), 4 - 1);
	assert_int_equal(needed_at_each_of(10, a, b, 1), 6 - 1);
}

static void a_side_without_values_is_no_data(void **state)
{
	const double none[] = {NAN, NAN};
	struct comparison c = compare_values(hundred, 8, none, 2);

	assert_int_equal(c.verdict, VERDICT_NO_DATA);
	assert_true(isnan(c.p) && isnan(c.q) && isnan(c.factor.estimate));
	assert_int_equal(c.new.processes, 0);
	assert_int_equal(c.needed, 0);
	assert_int_equal(compare_values(none, 0, hundred, 8).verdict, VERDICT_NO_DATA);
}

static void processes_without_the_metric_do_not_count(void **state)
{
	const double some[] = {NAN, 100, 101, NAN};
	struct comparison c = compare_values(hundred, 8, some, 4);

	assert_int_equal(c.new.processes, 2);
	assert_true(c.new.median == 100.5);
}

static void more_is_better_where_the_metric_says_so(void **state)
{
	struct compare_options options = options_of("rate");
	struct record *base = one_cell(hundred, 8), *new = one_cell(hundred, 8);

	made_metric(&base->cells[0], "rate", 1);
	made_metric(&new->cells[0], "rate", 1.1);
	assert_int_equal(compare_one(base, new, &options).verdict, VERDICT_IMPROVEMENT);
	base = one_cell(hundred, 8);
	new = one_cell(hundred, 8);
	made_metric(&base->cells[0], "rate", 1);
	made_metric(&new->cells[0], "rate", 0.9);
	assert_int_equal(compare_one(base, new, &options).verdict, VERDICT_REGRESSION);
}

/* error_pages is 0 where a read is exact. */
static void zeros_are_compared_by_their_shift(void **state)
{
	const double zero[8] = {0}, some[8] = {1, 2, 3, 4, 5, 6, 7, 8}, few[8] = {0, 0, 1, 0, 2, 0};
	struct comparison c = compare_values(zero, 8, zero, 8);

	assert_int_equal(c.verdict, VERDICT_NO_DIFFERENCE);
	assert_true(isnan(c.factor.estimate) && c.shift.estimate == 0);
	c = compare_values(zero, 8, some, 8);
	assert_int_equal(c.verdict, VERDICT_REGRESSION);
	assert_true(isinf(comparison_change(&c).estimate));
	c = compare_values(some, 8, zero, 8);
	assert_int_equal(c.verdict, VERDICT_IMPROVEMENT);
	assert_true(fabs(comparison_change(&c).estimate + 1) < 1e-9);
	c = compare_values(zero, 8, few, 8);
	assert_int_equal(c.verdict, VERDICT_UNDECIDED);
}

/* Twenty rows, of which one has a p below 0.05 by chance: that is what chance does. */
static void one_small_p_among_many_is_no_change(void **state)
{
	const double a[5] = {100, 101, 102, 103, 104}, b[5] = {103.5, 104.5, 105, 106, 107};
	struct record *base = made_record(MADE_HOST), *new = made_record(MADE_HOST);
	struct compare_options options = options_of("p50");
	struct compare *compare;
	char point[32];

	for (unsigned i = 0; i < 20; i++) {
		snprintf(point, sizeof(point), "tree.memcgs=%u", i + 1);
		made_point(base, point);
		made_point(new, point);
		made_cell(base, "walk", a, 5);
		made_cell(new, "walk", i ? a : b, 5);
	}
	compare = compared(base, new, &options);
	assert_true(compare->comparisons[0].p < 0.05);
	assert_true(compare->comparisons[0].q > 0.05);
	assert_true(compare->comparisons[0].verdict < VERDICT_SMALL);
	assert_false(compare->worse);
	compare_free(compare);
	record_free(base);
	record_free(new);
}

static void classes_of_hosts_are_not_mixed(void **state)
{
	struct record *base = one_cell(hundred, 8), *new = made_record("another CPU");
	struct compare_options options = options_of("p50");
	struct compare *compare;
	struct error err = {0};

	made_point(new, "tree.memcgs=10");
	made_cell(new, "walk", hundred, 8);
	assert_int_equal(compare_new(base, new, &options, &compare, &err), -EXDEV);
	assert_null(compare);
	assert_non_null(strstr(err.text, MADE_HOST));
	assert_non_null(strstr(err.text, "another CPU"));
	/* a gate compares what no host changes */
	options.gate = true;
	compare = compared(base, new, &options);
	assert_int_equal(compare->nr + compare->nr_ratios, 0);
	assert_int_equal(compare->nr_counted, 1);
	assert_false(compare->same_class);
	assert_false(compare->worse);
	compare_free(compare);
	record_free(base);
	record_free(new);
}

static void what_one_side_has_is_kept_apart(void **state)
{
	struct record *base = one_cell(hundred, 8), *new = one_cell(hundred, 8);
	struct compare_options options = options_of("p50");
	struct compare *compare;

	made_cell(base, "cached", hundred, 8);
	made_point(new, "tree.memcgs=20");
	made_cell(new, "walk", hundred, 8);
	compare = compared(base, new, &options);
	assert_int_equal(compare->nr, 1);
	assert_int_equal(compare->nr_unmatched, 2);
	assert_false(compare->unmatched[0].in_base);
	assert_ptr_equal(compare->unmatched[0].cell, &new->cells[1]);
	assert_true(compare->unmatched[1].in_base);
	assert_string_equal(compare->unmatched[1].cell->backend, "cached");
	compare_free(compare);
	record_free(base);
	record_free(new);
}

static void nothing_common_is_said_with_what_there_is(void **state)
{
	struct record *base = one_cell(hundred, 8), *new = made_record(MADE_HOST);
	struct compare_options options = options_of("p50");
	struct compare *compare;
	struct error err = {0};

	made_point(new, "tree.memcgs=20");
	made_cell(new, "cached", hundred, 8);
	assert_int_equal(compare_new(base, new, &options, &compare, &err), -ENODATA);
	assert_non_null(strstr(err.text, "walk"));
	assert_non_null(strstr(err.text, "cached"));
	assert_non_null(strstr(err.text, base->points[0].id));
	assert_non_null(strstr(err.text, new->points[0].id));
	record_free(base);
	record_free(new);
}

static void counts_that_differ_are_all_reported(void **state)
{
	struct record *base = one_cell(hundred, 8), *new = one_cell(hundred, 8);
	struct compare_options options = options_of("p50");
	struct compare *compare;

	base->cells[0].counts.atomics = 30;
	new->cells[0].counts.atomics = 31;
	base->cells[0].bytes_touched = 640;
	new->cells[0].bytes_touched = 576;
	compare = compared(base, new, &options);
	assert_int_equal(compare->nr_counted, 1);
	assert_int_equal(compare->nr_counts, 2);
	assert_string_equal(compare->counts[0].name, "atomics");
	assert_int_equal(compare->counts[0].base, 30);
	assert_int_equal(compare->counts[0].new, 31);
	assert_string_equal(compare->counts[1].name, "bytes_touched");
	assert_false(compare->worse); /* without a gate */
	compare_free(compare);
	new->cells[0].counted = false;
	compare = compared(base, new, &options);
	assert_int_equal(compare->nr_counted + compare->nr_counts, 0);
	compare_free(compare);
	record_free(base);
	record_free(new);
}

/* The machine gets slower by half in the course of the run, for both back ends alike. */
static void ratios_are_of_processes_of_the_same_repetition(void **state)
{
	struct record *base = made_record(MADE_HOST), *new = made_record(MADE_HOST);
	struct compare_options options = options_of("p50");
	struct record *sides[] = {base, new};
	struct compare *compare;
	double walk[8], cached[8];

	for (unsigned s = 0; s < 2; s++) {
		for (unsigned i = 0; i < 8; i++) {
			walk[i] = (300 + hundred[i] / 100) * (1 + 0.5 * i);
			cached[i] = (s ? 12 : 10) * (1 + 0.5 * i);
		}
		made_point(sides[s], "tree.memcgs=10");
		made_cell(sides[s], "walk", walk, 8);
		made_cell(sides[s], "cached", cached, 8);
	}
	/* one repetition is missing on one side: that pair is left out, and no other is paired up
	 */
	new->cells[0].processes = 7;
	memmove(new->cells[0].figures, new->cells[0].figures + 1,
		7 * sizeof(struct process_figures));
	memmove(new->cells[0].repetition, new->cells[0].repetition + 1, 7 * sizeof(unsigned));
	compare = compared(base, new, &options);
	assert_int_equal(compare->nr_ratios, 1);
	assert_string_equal(compare->ratios[0].new_cell->backend, "walk");
	assert_string_equal(compare->ratios[0].other, "cached");
	assert_int_equal(compare->ratios[0].base.processes, 8);
	assert_int_equal(compare->ratios[0].new.processes, 7);
	assert_true(fabs(compare->ratios[0].factor.estimate - 10.0 / 12) < 0.01);
	/* times alone show nothing, so much do they vary */
	assert_true(compare->comparisons[0].verdict < VERDICT_SMALL);
	assert_true(compare->comparisons[1].verdict < VERDICT_SMALL);
	compare_free(compare);
	record_free(base);
	record_free(new);
}

static void every_pair_of_back_ends_has_a_ratio_and_a_cause(void **state)
{
	struct record *base = made_record(MADE_HOST), *new = made_record(MADE_HOST);
	static const char *const names[] = {"walk", "cached", "rstat"};
	struct compare_options options = options_of("p50");
	struct compare *compare;

	made_point(base, "tree.memcgs=10");
	made_point(new, "tree.memcgs=10");
	for (unsigned i = 0; i < 3; i++) {
		made_noise(base, names[i], 100, 0.005, 10, 1);
		made_noise(new, names[i], i == 1 ? 150 : i == 2 ? 80 : 100, 0.005, 10, 2);
	}
	compare = compared(base, new, &options);
	assert_int_equal(compare->nr_ratios, 3);
	/* walk / cached fell, because cached got worse */
	assert_int_equal(compare->ratios[0].verdict, VERDICT_REGRESSION);
	assert_string_equal(
		compare_ratio_cause(compare, &compare->ratios[0]).mover->new_cell->backend,
		"cached");
	assert_string_equal(compare_ratio_denominator(compare, &compare->ratios[0])->backend,
			    "cached");
	/* walk / rstat rose, because rstat got better */
	assert_int_equal(compare->ratios[1].verdict, VERDICT_IMPROVEMENT);
	assert_string_equal(
		compare_ratio_cause(compare, &compare->ratios[1]).mover->new_cell->backend,
		"rstat");
	/* cached / rstat rose: cached lost more than rstat gained */
	assert_int_equal(compare->ratios[2].verdict, VERDICT_REGRESSION);
	assert_string_equal(
		compare_ratio_cause(compare, &compare->ratios[2]).mover->new_cell->backend,
		"cached");
	compare_free(compare);
	record_free(base);
	record_free(new);
}

static void every_verdict_has_a_word(void **state)
{
	for (enum verdict v = VERDICT_NO_DATA; v <= VERDICT_REGRESSION; v++)
		assert_true(strlen(verdict_word(v)) > 4);
	assert_string_equal(verdict_word(VERDICT_SMALL), "below_min_effect");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slower_by_more_than_matters_is_a_regression),
		cmocka_unit_test(faster_by_more_than_matters_is_an_improvement),
		cmocka_unit_test(a_change_that_is_shown_and_does_not_matter_is_small),
		cmocka_unit_test(values_that_mix_within_what_matters_are_no_difference),
		cmocka_unit_test(equal_values_are_no_difference),
		cmocka_unit_test(a_wide_interval_is_undecided_and_says_how_many_it_takes),
		cmocka_unit_test(too_few_processes_need_at_least_what_the_test_needs),
		cmocka_unit_test(among_many_points_one_needs_more),
		cmocka_unit_test(a_side_without_values_is_no_data),
		cmocka_unit_test(processes_without_the_metric_do_not_count),
		cmocka_unit_test(more_is_better_where_the_metric_says_so),
		cmocka_unit_test(zeros_are_compared_by_their_shift),
		cmocka_unit_test(one_small_p_among_many_is_no_change),
		cmocka_unit_test(classes_of_hosts_are_not_mixed),
		cmocka_unit_test(what_one_side_has_is_kept_apart),
		cmocka_unit_test(nothing_common_is_said_with_what_there_is),
		cmocka_unit_test(counts_that_differ_are_all_reported),
		cmocka_unit_test(ratios_are_of_processes_of_the_same_repetition),
		cmocka_unit_test(every_pair_of_back_ends_has_a_ratio_and_a_cause),
		cmocka_unit_test(every_verdict_has_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
