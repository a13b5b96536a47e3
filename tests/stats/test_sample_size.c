// SPDX-License-Identifier: MIT
/* Sample sizes held against simulation: what they promise is found as often as promised. */
#include "stats/sample_size.h"

#include "base/rng.h"
#include "stats/rank_test.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static void fill(struct rng *rng, double *v, size_t n, double level, double sigma)
{
	for (size_t i = 0; i < n; i++) {
		double u = ((double)rng_below(rng, UINT64_C(1) << 53) + 0.5) * 0x1p-53;
		double angle = (double)rng_below(rng, UINT64_C(1) << 53) * 0x1p-53;

		v[i] = level * exp(sigma * sqrt(-2 * log(u)) * cos(2 * M_PI * angle));
	}
}

static size_t needed_of(const double *x, size_t n, const double *y, size_t m, double effect,
			double alpha, double power)
{
	return values_needed(log_spread(x, n, y, m), effect, alpha, power);
}

/* From large samples, so that the spread seen is the true one. */
static size_t needed_at(double sigma, double effect, double power)
{
	enum {
		n = 20000
	};
	double *v = malloc(2 * n * sizeof(*v));
	struct rng rng = rng_for(2, 0, 0);
	size_t needed;

	assert_non_null(v);
	fill(&rng, v, 2 * n, 5000, sigma);
	needed = needed_of(v, n, v + n, n, effect, 0.05, power);
	free(v);
	return needed;
}

static double power_of(size_t n, double sigma, double effect, unsigned rounds)
{
	double *v = malloc(2 * n * sizeof(*v));
	unsigned found = 0;

	assert_non_null(v);
	for (uint64_t round = 0; round < rounds; round++) {
		struct rng rng = rng_for(8, n, round);
		struct rank_test test;

		fill(&rng, v, n, 5000, sigma);
		fill(&rng, v + n, n, 5000 * (1 + effect), sigma);
		assert_int_equal(rank_test(v, n, v + n, n, &test), 0);
		found += test.p < 0.05;
	}
	free(v);
	return (double)found / rounds;
}

static void the_power_promised_is_reached(void **state)
{
	static const struct {
		double sigma, effect, power;
	} cases[] = {{0.03, 0.03, 0.8}, {0.03, 0.05, 0.8},  {0.02, 0.03, 0.9},
		     {0.05, 0.03, 0.8}, {0.10, 0.10, 0.9},  {0.03, -0.03, 0.8},
		     {0.03, 0.10, 0.8}, {0.01, 0.015, 0.8}, {0.03, 0.03, 0.5}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double sigma = cases[i].sigma, effect = cases[i].effect, power = cases[i].power;
		size_t n = needed_at(sigma, effect, power);
		double reached = power_of(n, sigma, effect, 2000), half = 0;

		if (n / 2 >= values_needed_at_least(0.05))
			half = power_of(n / 2, sigma, effect, 2000);
		print_message("# spread %g, effect %g: %zu find %.3f, half of them %.3f\n", sigma,
			      effect, n, reached, half);
		assert_true(reached >= power - 0.03);
		assert_true(half < power); /* nor is half of it enough */
	}
}

/* Ten values on each side are what people have: the estimate from them is right in the middle. */
static void small_samples_do_not_understate_the_need(void **state)
{
	enum {
		rounds = 2000
	};
	double truth = (double)needed_at(0.03, 0.02, 0.8);
	unsigned fewer = 0;

	for (uint64_t round = 0; round < rounds; round++) {
		struct rng rng = rng_for(4, 0, round);
		double v[20];

		fill(&rng, v, 20, 5000, 0.03);
		fewer += (double)needed_of(v, 10, v + 10, 10, 0.02, 0.05, 0.8) < truth;
	}
	NEAR(fewer / (double)rounds, 0.5, 0.08);
}

static void never_fewer_than_can_be_significant(void **state)
{
	double x[] = {100, 100.1, 99.9, 100}, y[] = {200, 200.1, 199.9, 200};

	assert_int_equal(values_needed_at_least(0.05), 4); /* 2 / 70; 3 against 3 have 0.1 */
	assert_int_equal(values_needed_at_least(0.1), 4); /* below 0.1, not at it */
	assert_int_equal(values_needed_at_least(0.11), 3);
	assert_int_equal(values_needed_at_least(0.001), 7); /* 2 / 3432 */
	assert_int_equal(values_needed_at_least(0), 1000000);
	assert_true(needed_of(x, 4, y, 4, 1, 0.05, 0.1) >= 4);
	assert_true(needed_of(x, 4, y, 4, 1, 0.001, 0.1) >= 7);
}

static void an_unknown_spread_is_said(void **state)
{
	double x[] = {100, 101, 102}, zero[] = {0, 1, 2};

	assert_int_equal(needed_of(x, 1, x, 1, 0.03, 0.05, 0.8), 0);
	assert_int_equal(needed_of(x, 0, x, 0, 0.03, 0.05, 0.8), 0);
	assert_int_equal(needed_of(x, 3, zero, 3, 0.03, 0.05, 0.8), 0);
	assert_int_not_equal(needed_of(x, 3, x, 1, 0.03, 0.05, 0.8), 0);
	assert_int_not_equal(needed_of(x, 1, x, 3, 0.03, 0.05, 0.8), 0);
}

static void values_that_are_mostly_equal_still_have_a_spread(void **state)
{
	double x[] = {100, 100, 100, 100, 100, 100, 130}, same[] = {100, 100, 100, 100};

	assert_true(needed_of(x, 7, x, 7, 0.01, 0.05, 0.8) > 20);
	assert_in_range(needed_of(same, 4, same, 4, 0.01, 0.05, 0.8), 4, 6);
}

static void what_no_sample_can_show_is_capped(void **state)
{
	double x[] = {100, 150, 200, 300};

	assert_int_equal(needed_of(x, 4, x, 4, 1e-9, 0.05, 0.8), 1000000);
	assert_int_equal(needed_of(x, 4, x, 4, 0, 0.05, 0.8), 1000000);
	assert_int_equal(needed_of(x, 4, x, 4, 0.03, 0, 0.8), 1000000);
	assert_int_equal(needed_of(x, 4, x, 4, 0.03, 0.05, 1), 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_power_promised_is_reached),
		cmocka_unit_test(small_samples_do_not_understate_the_need),
		cmocka_unit_test(never_fewer_than_can_be_significant),
		cmocka_unit_test(an_unknown_spread_is_said),
		cmocka_unit_test(values_that_are_mostly_equal_still_have_a_spread),
		cmocka_unit_test(what_no_sample_can_show_is_capped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
