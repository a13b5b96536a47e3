// SPDX-License-Identifier: MIT
/* What points that changed have in common: constructed sweeps of which the answer is known. */
#include "made_record.h"

#include "verdict/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const unsigned fanouts[] = {10, 100}, batches[] = {16, 32, 64, 128};
static const char *const caches[] = {"hot", "cold"};

struct sweep {
	struct record *base, *new;
	struct compare *compare;
};

static void add_point(struct sweep *sweep, unsigned fanout, unsigned batch, bool cold,
		      double factor)
{
	static const double values[] = {100, 100.1, 100.2, 100.3, 100.4, 100.5, 100.6, 100.7};
	double changed[8];
	char point[128];

	for (unsigned i = 0; i < 8; i++)
		changed[i] = values[i] * factor;
	snprintf(point, sizeof(point),
		 "tree.memcgs=1000 tree.fanout=%u counters.batch=%u read.cache=%s", fanout, batch,
		 caches[cold]);
	made_point(sweep->base, point);
	made_cell(sweep->base, "cached", values, 8);
	made_point(sweep->new, point);
	made_cell(sweep->new, "cached", changed, 8);
}

static void compare_sides(struct sweep *sweep)
{
	struct compare_options options = {&metrics[0], 0.05, 0.03, false};
	struct error err = {0};

	if (compare_new(sweep->base, sweep->new, &options, &sweep->compare, &err))
		fail_msg("%s", err.text);
}

/* 16 points: two fan-outs, four batches, hot and cold. `change`: by what factor, 1 not at all. */
static struct sweep swept(double (*change)(unsigned fanout, unsigned batch, bool cold))
{
	struct sweep sweep = {made_record(MADE_HOST), made_record(MADE_HOST), NULL};

	for (unsigned f = 0; f < 2; f++)
		for (unsigned b = 0; b < 4; b++)
			for (unsigned c = 0; c < 2; c++)
				add_point(&sweep, fanouts[f], batches[b], c,
					  change(fanouts[f], batches[b], c));
	compare_sides(&sweep);
	return sweep;
}

static void swept_end(struct sweep *sweep)
{
	compare_free(sweep->compare);
	record_free(sweep->base);
	record_free(sweep->new);
}

static void expect(const struct sweep *sweep, size_t index, const char *parameter, uint64_t value,
		   enum verdict verdict, size_t changed, size_t points, double factor)
{
	const struct family *family;

	assert_true(index < sweep->compare->nr_families);
	family = &sweep->compare->families[index];
	assert_string_equal(family->backend, "cached");
	if (parameter) {
		assert_non_null(family->parameter);
		assert_string_equal(family->parameter->name, parameter);
		assert_int_equal(parameter_get(family->parameter, family->example), value);
	} else {
		assert_null(family->parameter);
	}
	assert_int_equal(family->verdict, verdict);
	assert_int_equal(family->changed, changed);
	assert_int_equal(family->points, points);
	assert_true(fabs(family->factor - factor) < 1e-6);
}

static double none(unsigned fanout, unsigned batch, bool cold)
{
	return 1;
}

static double all(unsigned fanout, unsigned batch, bool cold)
{
	return 1.12;
}

static double all_but_one(unsigned fanout, unsigned batch, bool cold)
{
	return fanout == 10 && batch == 16 && !cold ? 1 : 0.8;
}

static double wide_trees_but_one(unsigned fanout, unsigned batch, bool cold)
{
	return fanout == 100 && !(batch == 64 && cold) ? 1.12 : 1;
}

static double wide_and_large_batches(unsigned fanout, unsigned batch, bool cold)
{
	return fanout == 100 || batch == 128 ? 1.2 : 1;
}

static double one_batch_and_half_of_a_fanout(unsigned fanout, unsigned batch, bool cold)
{
	return batch == 64 || (fanout == 100 && batch == 16) ? 1.2 : 1;
}

static double one_point(unsigned fanout, unsigned batch, bool cold)
{
	return fanout == 100 && batch == 16 && cold ? 2 : 1;
}

static double unrelated(unsigned fanout, unsigned batch, bool cold)
{
	return (fanout == 10 && batch == 16 && !cold) || (fanout == 100 && batch == 64 && cold)
		       ? 1.3
		       : 1;
}

/* Three of the eight points with fan-out 100, and no other. */
static double a_few_wide(unsigned fanout, unsigned batch, bool cold)
{
	return fanout == 100 && batch != 128 && cold == (batch == 32) ? 1.3 : 1;
}

/* Four of the eight points with fan-out 100, and three of the others. */
static double everywhere(unsigned fanout, unsigned batch, bool cold)
{
	bool odd = batch == 32 || batch == 128;

	if (fanout == 100)
		return cold == odd ? 1.3 : 1;
	return cold != odd && batch != 128 ? 1.3 : 1;
}

static double both_ways(unsigned fanout, unsigned batch, bool cold)
{
	return cold ? 1.3 : 0.5;
}

static void no_change_has_no_family(void **state)
{
	struct sweep sweep = swept(none);

	assert_int_equal(sweep.compare->nr_families, 0);
	swept_end(&sweep);
}

static void all_points_are_one_family_of_no_parameter(void **state)
{
	struct sweep sweep = swept(all);

	assert_int_equal(sweep.compare->nr_families, 1);
	expect(&sweep, 0, NULL, 0, VERDICT_REGRESSION, 16, 16, 1.12);
	swept_end(&sweep);
}

static void almost_all_points_are_one_family_too(void **state)
{
	struct sweep sweep = swept(all_but_one);

	assert_int_equal(sweep.compare->nr_families, 1);
	expect(&sweep, 0, NULL, 0, VERDICT_IMPROVEMENT, 15, 16, 0.8);
	swept_end(&sweep);
}

static void a_value_that_most_changed_points_share_is_found(void **state)
{
	struct sweep sweep = swept(wide_trees_but_one);

	assert_int_equal(sweep.compare->nr_families, 1);
	expect(&sweep, 0, "tree.fanout", 100, VERDICT_REGRESSION, 7, 8, 1.12);
	swept_end(&sweep);
}

/* Points with both are explained by the first, and not counted by the second. */
static void a_point_is_explained_once(void **state)
{
	struct sweep sweep = swept(wide_and_large_batches);

	assert_int_equal(sweep.compare->nr_families, 2);
	expect(&sweep, 0, "tree.fanout", 100, VERDICT_REGRESSION, 8, 8, 1.2);
	expect(&sweep, 1, "counters.batch", 128, VERDICT_REGRESSION, 2, 2, 1.2);
	swept_end(&sweep);
}

/* Four have changed of either; of the batch that is all. */
static void of_two_that_explain_as_much_the_one_with_fewer_others_is_taken(void **state)
{
	struct sweep sweep = swept(one_batch_and_half_of_a_fanout);

	assert_int_equal(sweep.compare->nr_families, 2);
	expect(&sweep, 0, "counters.batch", 64, VERDICT_REGRESSION, 4, 4, 1.2);
	expect(&sweep, 1, "counters.batch", 16, VERDICT_REGRESSION, 2, 4, 1.2);
	swept_end(&sweep);
}

static void a_single_point_is_no_family(void **state)
{
	struct sweep sweep = swept(one_point);

	assert_int_equal(sweep.compare->nr_families, 0);
	swept_end(&sweep);
}

static void points_without_anything_common_are_no_family(void **state)
{
	struct sweep sweep = swept(unrelated);

	assert_int_equal(sweep.compare->nr_families, 0);
	swept_end(&sweep);
}

static void fewer_than_half_of_a_value_are_no_family(void **state)
{
	struct sweep sweep = swept(a_few_wide);

	assert_int_equal(sweep.compare->nr_families, 0);
	swept_end(&sweep);
}

static void a_value_that_is_hardly_set_apart_is_no_family(void **state)
{
	struct sweep sweep = swept(everywhere);

	assert_int_equal(sweep.compare->nr_families, 0);
	swept_end(&sweep);
}

static void better_and_worse_are_kept_apart(void **state)
{
	struct sweep sweep = swept(both_ways);

	assert_int_equal(sweep.compare->nr_families, 2);
	expect(&sweep, 0, "read.cache", CACHE_COLD, VERDICT_REGRESSION, 8, 8, 1.3);
	expect(&sweep, 1, "read.cache", CACHE_HOT, VERDICT_IMPROVEMENT, 8, 8, 0.5);
	swept_end(&sweep);
}

/* Half of 40 values, each of a hot and a cold point: nobody reads twenty sentences. */
static void of_many_families_the_first_few_are_said(void **state)
{
	struct sweep sweep = {made_record(MADE_HOST), made_record(MADE_HOST), NULL};

	for (unsigned batch = 1; batch <= 40; batch++)
		for (unsigned cold = 0; cold < 2; cold++)
			add_point(&sweep, 10, batch, cold, batch % 2 ? 1.3 : 1);
	compare_sides(&sweep);
	assert_int_equal(sweep.compare->nr_families, 8);
	for (size_t i = 0; i < 8; i++)
		expect(&sweep, i, "counters.batch", 2 * i + 1, VERDICT_REGRESSION, 2, 2, 1.3);
	swept_end(&sweep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_change_has_no_family),
		cmocka_unit_test(all_points_are_one_family_of_no_parameter),
		cmocka_unit_test(almost_all_points_are_one_family_too),
		cmocka_unit_test(a_value_that_most_changed_points_share_is_found),
		cmocka_unit_test(a_point_is_explained_once),
		cmocka_unit_test(of_two_that_explain_as_much_the_one_with_fewer_others_is_taken),
		cmocka_unit_test(a_single_point_is_no_family),
		cmocka_unit_test(points_without_anything_common_are_no_family),
		cmocka_unit_test(fewer_than_half_of_a_value_are_no_family),
		cmocka_unit_test(a_value_that_is_hardly_set_apart_is_no_family),
		cmocka_unit_test(better_and_worse_are_kept_apart),
		cmocka_unit_test(of_many_families_the_first_few_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
