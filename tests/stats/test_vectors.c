// SPDX-License-Identifier: MIT
/*
 * test_vectors VECTORS.json: the statistics agree with R to nine digits on stored samples. The file
 * is what make_vectors.R printed.
 */
#include "stats/false_discovery.h"
#include "stats/histogram.h"
#include "stats/hodges_lehmann.h"
#include "stats/order.h"
#include "stats/rank_test.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TOLERANCE 1e-9

struct sample {
	double *v;
	size_t n;
};

/* Infinite values are texts, and null is not a number. */
static double number_of(const json_t *value)
{
	if (json_is_string(value))
		return strtod(json_string_value(value), NULL);
	return json_is_number(value) ? json_number_value(value) : NAN;
}

static double number_at(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!value)
		fail_msg("no \"%s\" in a vector", key);
	return number_of(value);
}

static struct sample sample_at(const json_t *object, const char *key)
{
	const json_t *array = json_object_get(object, key);
	struct sample sample = {.n = json_array_size(array)};

	assert_true(json_is_array(array));
	sample.v = malloc((sample.n + 1) * sizeof(*sample.v));
	assert_non_null(sample.v);
	for (size_t i = 0; i < sample.n; i++)
		sample.v[i] = number_of(json_array_get(array, i));
	return sample;
}

static void expect_near(const char *name, const char *what, double found, double wanted)
{
	bool both_missing = isnan(found) && isnan(wanted);

	/* Of the value itself, however small: 1e-24 is a p like any other. */
	if (both_missing || found == wanted || fabs(found - wanted) <= TOLERANCE * fabs(wanted))
		return;
	fail_msg("%s: %s is %.17g, R says %.17g", name, what, found, wanted);
}

/* The section `name` of the file, with some vectors in it. */
static const json_t *section(void **state, const char *name, size_t at_least)
{
	const json_t *array = json_object_get(*state, name);

	assert_true(json_array_size(array) >= at_least);
	return array;
}

static const char *name_of(const json_t *vector)
{
	const char *name = json_string_value(json_object_get(vector, "name"));

	return name ? name : "a vector without a name";
}

static void rank_tests_agree(void **state)
{
	size_t i;
	json_t *vector;

	json_array_foreach (section(state, "rank_tests", 30), i, vector) {
		struct sample x = sample_at(vector, "x"), y = sample_at(vector, "y");
		struct rank_test test;
		int ret = rank_test(x.v, x.n, y.v, y.n, &test);

		if (json_object_get(vector, "error")) {
			assert_int_equal(ret, -EDOM);
		} else {
			assert_int_equal(ret, 0);
			expect_near(name_of(vector), "U", test.u, number_at(vector, "u"));
			expect_near(name_of(vector), "p", test.p, number_at(vector, "p"));
			assert_int_equal(test.exact,
					 json_is_true(json_object_get(vector, "exact")));
		}
		free(x.v);
		free(y.v);
	}
}

static void expect_shift(const json_t *vector, const char *key, const struct shift *shift)
{
	struct sample wanted = sample_at(vector, key);
	const char *name = name_of(vector);

	assert_int_equal(wanted.n, 3);
	expect_near(name, key, shift->estimate, wanted.v[0]);
	expect_near(name, "lower end", shift->low, wanted.v[1]);
	expect_near(name, "upper end", shift->high, wanted.v[2]);
	expect_near(name, "level", shift->level, number_at(vector, "level"));
	free(wanted.v);
}

static void shifts_and_their_intervals_agree(void **state)
{
	size_t i;
	json_t *vector;

	json_array_foreach (section(state, "shifts", 20), i, vector) {
		struct sample from = sample_at(vector, "from"), to = sample_at(vector, "to");
		double wanted = number_at(vector, "wanted");
		struct shift shift;

		assert_int_equal(shift_between(from.v, from.n, to.v, to.n, wanted, &shift), 0);
		expect_shift(vector, "shift", &shift);
		assert_int_equal(shift_factor(from.v, from.n, to.v, to.n, wanted, &shift), 0);
		expect_shift(vector, "factor", &shift);
		free(from.v);
		free(to.v);
	}
}

static void false_discovery_rates_agree(void **state)
{
	size_t i;
	json_t *vector;

	json_array_foreach (section(state, "false_discovery", 5), i, vector) {
		struct sample p = sample_at(vector, "p"), q = sample_at(vector, "q");

		assert_int_equal(p.n, q.n);
		assert_int_equal(false_discovery_rates(p.v, p.n, p.v), 0);
		for (size_t j = 0; j < p.n; j++)
			expect_near("rates", "q", p.v[j], q.v[j]);
		free(p.v);
		free(q.v);
	}
}

/* Buckets are 1/256 of their octave wide and give their middle: values below 256 ps are exact, and
 * the largest always is. */
static void expect_quantile(const struct histogram *h, double share, double wanted_ps)
{
	double found_ps = histogram_quantile_ns(h, share) * 1000;
	double tolerance = wanted_ps < 256 || share == 1 ? TOLERANCE : 1.0 / 512;

	if (fabs(found_ps - wanted_ps) > tolerance * wanted_ps)
		fail_msg("quantile %g is %.17g ps, R says %.17g", share, found_ps, wanted_ps);
}

static void medians_and_quantiles_agree(void **state)
{
	size_t i;
	json_t *vector;

	json_array_foreach (section(state, "quantiles", 5), i, vector) {
		struct sample v = sample_at(vector, "v"), shares = sample_at(vector, "shares"),
			      quantiles = sample_at(vector, "quantiles");
		struct histogram *h = histogram_new();

		assert_non_null(h);
		for (size_t j = 0; j < v.n; j++)
			assert_int_equal(histogram_record(h, (uint64_t)v.v[j]), 0);
		for (size_t j = 0; j < shares.n; j++)
			expect_quantile(h, shares.v[j], quantiles.v[j]);
		expect_near("quantiles", "median", median(v.v, v.n), number_at(vector, "median"));
		histogram_free(h);
		free(v.v);
		free(shares.v);
		free(quantiles.v);
	}
}

static void intervals_of_medians_agree(void **state)
{
	size_t i;
	json_t *vector;

	json_array_foreach (section(state, "median_intervals", 10), i, vector) {
		struct sample v = sample_at(vector, "v");
		struct median_interval interval;

		assert_true(median_interval(v.v, v.n, &interval));
		expect_near("interval", "median", interval.median, number_at(vector, "median"));
		expect_near("interval", "low", interval.low, number_at(vector, "low"));
		expect_near("interval", "high", interval.high, number_at(vector, "high"));
		expect_near("interval", "level", interval.level, number_at(vector, "level"));
		free(v.v);
	}
}

static void critical_values_agree(void **state)
{
	size_t i;
	json_t *vector;

	json_array_foreach (section(state, "critical_u", 10), i, vector)
		expect_near("critical U", "u",
			    (double)rank_test_critical_u((size_t)number_at(vector, "n"),
							 (size_t)number_at(vector, "m"),
							 number_at(vector, "alpha")),
			    number_at(vector, "u"));
}

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *vectors;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: test_vectors VECTORS.json\n");
		return 2;
	}
	vectors = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error);
	if (!vectors) {
		fprintf(stderr, "%s:%d: %s\n", argv[1], error.line, error.text);
		return 2;
	}

	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(rank_tests_agree, vectors),
		cmocka_unit_test_prestate(shifts_and_their_intervals_agree, vectors),
		cmocka_unit_test_prestate(false_discovery_rates_agree, vectors),
		cmocka_unit_test_prestate(medians_and_quantiles_agree, vectors),
		cmocka_unit_test_prestate(intervals_of_medians_agree, vectors),
		cmocka_unit_test_prestate(critical_values_agree, vectors),
	};

	ret = cmocka_run_group_tests(tests, NULL, NULL);
	json_decref(vectors);
	return ret;
}
