// SPDX-License-Identifier: MIT
/* Order statistics against known values, and intervals against the binomial sums by brute force. */
#include "stats/order.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static void fill_ranks(double *v, size_t n)
{
	/* 1..n, in an order that is not sorted. */
	for (size_t i = 0; i < n; i++)
		v[(i * 7919) % n] = (double)(i + 1);
}

static void median_is_the_middle_value_or_the_mean_of_two(void **state)
{
	double one[] = {5}, two[] = {4, 1}, three[] = {9, 1, 2}, four[] = {8, 1, 2, 4};
	double large[] = {1.7e308, 1.6e308};

	assert_true(median(one, 1) == 5);
	assert_true(median(two, 2) == 2.5);
	assert_true(median(three, 3) == 2);
	assert_true(median(four, 4) == 3);
	NEAR(median(large, 2), 1.65e308, 1e295); /* the sum of the two would overflow */
}

static void below_six_values_there_is_no_interval(void **state)
{
	for (size_t n = 1; n < 6; n++) {
		double v[5];
		struct median_interval interval;

		fill_ranks(v, n);
		assert_false(median_interval(v, n, &interval));
		assert_true(interval.median == (double)(n + 1) / 2);
		assert_true(isnan(interval.low) && isnan(interval.high) && isnan(interval.level));
	}
}

static void intervals_are_those_of_the_published_tables(void **state)
{
	/* David & Nagaraja, Order Statistics, 3rd edition, 7.1: coverage by binomial(n, 1/2). */
	static const struct {
		size_t n;
		double low, high, level;
	} known[] = {
		{6, 1, 6, 0.96875},           {7, 1, 7, 0.984375},
		{8, 1, 8, 0.9921875},         {9, 2, 8, 0.9609375},
		{10, 2, 9, 0.978515625},      {11, 2, 10, 0.98828125},
		{12, 3, 10, 0.96142578125},   {20, 6, 15, 0.958610534668},
		{30, 10, 21, 0.957226054743},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		double v[30];
		struct median_interval interval;

		fill_ranks(v, known[i].n);
		assert_true(median_interval(v, known[i].n, &interval));
		assert_true(interval.low == known[i].low);
		assert_true(interval.high == known[i].high);
		NEAR(interval.level, known[i].level, 1e-9);
	}
}

/* P(X < k) for X of binomial(n, 1/2), by logarithms: another way than the one under test. */
static double binomial_below(size_t n, size_t k)
{
	double sum = 0;

	for (size_t i = 0; i < k; i++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) -
			   lgamma((double)(n - i) + 1) - (double)n * M_LN2);
	return sum;
}

static void intervals_are_the_narrowest_that_reach_their_level(void **state)
{
	static const size_t sizes[] = {6,    17,   64,   100,  999,  1000,
				       1074, 1075, 1100, 2047, 5000, 10000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		static double v[10000];
		size_t n = sizes[i], k;
		struct median_interval interval;

		fill_ranks(v, n);
		assert_true(median_interval(v, n, &interval));
		k = (size_t)interval.low;
		assert_true(interval.high == (double)(n + 1 - k));
		assert_true(interval.level >= 0.95);
		NEAR(interval.level, 1 - 2 * binomial_below(n, k), 1e-7);
		assert_true(1 - 2 * binomial_below(n, k + 1) < 0.95);
	}
}

static void intervals_cover_the_true_median_as_often_as_they_say(void **state)
{
	struct rng rng = {1};
	unsigned covered = 0, rounds = 20000;
	struct median_interval interval;

	for (unsigned round = 0; round < rounds; round++) {
		double v[10];

		for (size_t i = 0; i < 10; i++)
			v[i] = -log(((double)rng_below(&rng, 1u << 30) + 0.5) / (1u << 30));
		assert_true(median_interval(v, 10, &interval));
		covered += interval.low <= M_LN2 && M_LN2 <= interval.high;
	}
	/* 0.9785 with a standard deviation of 0.001 over 20,000 rounds. */
	NEAR((double)covered / rounds, interval.level, 0.005);
}

static void percentiles_need_ten_samples_beyond_them(void **state)
{
	assert_int_equal(samples_needed(0.5), 20);
	assert_int_equal(samples_needed(0.75), 40);
	assert_int_equal(samples_needed(0.9), 100);
	assert_int_equal(samples_needed(0.95), 200);
	assert_int_equal(samples_needed(0.99), 1000);
	assert_int_equal(samples_needed(0.999), 10000);
	assert_int_equal(samples_needed(0.9999), 100000);
	assert_true(samples_needed(1) == UINT64_MAX);
}

static void slope_of_a_power_law_is_its_exponent(void **state)
{
	static const double exponents[] = {-2, 0, 0.5, 1, 3};
	static const double x[] = {10, 100, 1000, 10000, 41000};

	for (size_t i = 0; i < sizeof(exponents) / sizeof(exponents[0]); i++) {
		double y[5], error;

		for (size_t k = 0; k < 5; k++)
			y[k] = 70 * pow(x[k], exponents[i]);
		NEAR(log_log_slope(x, y, 5, &error), exponents[i], 1e-12);
		NEAR(error, 0, 1e-9);
	}
}

static void slope_has_the_standard_error_of_least_squares(void **state)
{
	/* ln x = 0 1 2 3, ln y = 0 1 1 2: slope 0.6, residual sum 0.2, Sxx 5, error sqrt(0.1/5). */
	const double x[] = {1, M_E, M_E * M_E, M_E * M_E * M_E};
	const double y[] = {1, M_E, M_E, M_E * M_E};
	double error;

	NEAR(log_log_slope(x, y, 4, &error), 0.6, 1e-12);
	NEAR(error, sqrt(0.1 / 5), 1e-12);
	NEAR(log_log_slope(x, y, 2, &error), 1, 1e-12);
	assert_true(isnan(error));
	NEAR(log_log_slope(x, y, 2, NULL), 1, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_is_the_middle_value_or_the_mean_of_two),
		cmocka_unit_test(below_six_values_there_is_no_interval),
		cmocka_unit_test(intervals_are_those_of_the_published_tables),
		cmocka_unit_test(intervals_are_the_narrowest_that_reach_their_level),
		cmocka_unit_test(intervals_cover_the_true_median_as_often_as_they_say),
		cmocka_unit_test(percentiles_need_ten_samples_beyond_them),
		cmocka_unit_test(slope_of_a_power_law_is_its_exponent),
		cmocka_unit_test(slope_has_the_standard_error_of_least_squares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
