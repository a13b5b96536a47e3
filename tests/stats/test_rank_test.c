// SPDX-License-Identifier: MIT
/*
 * The rank test against every arrangement of small samples counted out, known figures, and what
 * must hold for all samples. Agreement with R is in test_vectors.c.
 */
#include "stats/rank_test.h"

#include "base/rng.h"
#include "stats/rank_distribution.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))
#define MOST                  12

static double twice_u_of(const double *v, size_t total, unsigned in_x)
{
	double twice_u = 0;

	for (size_t i = 0; i < total; i++) {
		for (size_t j = 0; j < total; j++) {
			if ((in_x >> i & 1) && !(in_x >> j & 1))
				twice_u += v[i] > v[j] ? 2 : v[i] == v[j];
		}
	}
	return twice_u;
}

/* Both tails at the arrangement where v[0..n) is x, over all choices of n among the pooled. */
static double counted_p(const double *v, size_t n, size_t total)
{
	double seen = twice_u_of(v, total, (1u << n) - 1), all = 0, below = 0, above = 0, p;

	for (unsigned set = 0; set < 1u << total; set++) {
		double twice_u;

		if ((size_t)__builtin_popcount(set) != n)
			continue;
		twice_u = twice_u_of(v, total, set);
		all++;
		below += twice_u <= seen;
		above += twice_u >= seen;
	}
	p = 2 * (below < above ? below : above) / all;
	return p < 1 ? p : 1;
}

/* Values from a few levels are tied, from many they are not. */
static void compare_with_counting(uint64_t levels)
{
	for (uint64_t round = 0; round < 150; round++) {
		struct rng rng = rng_for(17, levels, round);
		size_t total = 2 + rng_below(&rng, MOST - 1), n = 1 + rng_below(&rng, total - 1);
		double v[MOST];
		struct rank_test test;

		for (size_t i = 0; i < total; i++)
			v[i] = (double)rng_below(&rng, levels);
		assert_int_equal(rank_test(v, n, v + n, total - n, &test), 0);
		assert_true(test.exact);
		assert_true(2 * test.u == twice_u_of(v, total, (1u << n) - 1));
		NEAR(test.p, counted_p(v, n, total), 1e-14);
	}
}

static void p_is_that_of_all_arrangements_counted_out(void **state)
{
	compare_with_counting(UINT64_C(1) << 50);
}

static void with_ties_too(void **state)
{
	for (uint64_t levels = 1; levels <= 8; levels++)
		compare_with_counting(levels);
}

/* Of the 21 choices of two, 13 have a U of at most 5, which is its mean, and 9 of at least 5. */
static void the_smaller_tail_may_lie_beyond_the_mean(void **state)
{
	double x[] = {1, 4}, y[] = {2, 2, 3, 3, 3};
	struct rank_test test;

	assert_int_equal(rank_test(x, 2, y, 5, &test), 0);
	assert_true(test.u == 5);
	NEAR(test.p, 18.0 / 21, 1e-15);
	NEAR(test.p, counted_p((double[]){1, 4, 2, 2, 3, 3, 3}, 2, 7), 1e-15);
}

static void normal_values(struct rng *rng, double *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double u = ((double)rng_below(rng, UINT64_C(1) << 53) + 0.5) * 0x1p-53;
		double angle = (double)rng_below(rng, UINT64_C(1) << 53) * 0x1p-53;

		v[i] = sqrt(-2 * log(u)) * cos(2 * M_PI * angle);
	}
}

static void three_against_sixty_is_exact(void **state)
{
	double x[] = {101, 102, 103}, y[60];
	struct rank_test test;

	for (size_t i = 0; i < 60; i++)
		y[i] = (double)i;
	assert_int_equal(rank_test(x, 3, y, 60, &test), 0);
	assert_true(test.exact && test.u == 180);
	NEAR(test.p, 2.0 / 39711, 1e-19); /* the normal approximation says 0.004 */
	NEAR(rank_test_least_p(3, 60), 2.0 / 39711, 1e-19);
}

static void samples_that_say_nothing_have_p_1(void **state)
{
	double one[] = {1}, two[] = {2}, same[20];
	struct rank_test test;

	for (size_t i = 0; i < 20; i++)
		same[i] = 7;
	assert_int_equal(rank_test(one, 1, two, 1, &test), 0);
	assert_true(test.p == 1 && test.exact && test.u == 0);
	assert_int_equal(rank_test(same, 10, same + 10, 10, &test), 0);
	assert_true(test.p == 1 && test.exact && test.u == 50);
}

static void no_value_and_no_number_are_errors(void **state)
{
	double x[] = {1, 2}, bad[] = {1, NAN};
	struct rank_test test;

	assert_int_equal(rank_test(x, 0, x, 2, &test), -EDOM);
	assert_int_equal(rank_test(x, 2, x, 0, &test), -EDOM);
	assert_int_equal(rank_test(bad, 2, x, 2, &test), -EDOM);
	assert_int_equal(rank_test(x, 2, bad, 2, &test), -EDOM);
}

static void infinite_and_huge_values_are_ranked(void **state)
{
	double x[] = {-INFINITY, 1e300, 0x1p63}, y[] = {INFINITY, 1.7e308, INFINITY};
	double zeros[] = {0.0, -0.0};
	struct rank_test test;

	assert_int_equal(rank_test(x, 3, y, 3, &test), 0);
	assert_true(test.u == 0);
	NEAR(test.p, 0.1, 1e-15);
	assert_int_equal(rank_test(zeros, 1, zeros + 1, 1, &test), 0);
	assert_true(test.u == 0.5); /* the two zeros are equal */
}

static void swapping_the_samples_keeps_p(void **state)
{
	for (uint64_t round = 0; round < 100; round++) {
		struct rng rng = rng_for(23, 0, round);
		size_t n = 1 + rng_below(&rng, 15), m = 1 + rng_below(&rng, 15);
		double x[15], y[15];
		struct rank_test there, back;

		for (size_t i = 0; i < 15; i++) {
			x[i] = (double)rng_below(&rng, 12);
			y[i] = (double)rng_below(&rng, 12);
		}
		assert_int_equal(rank_test(x, n, y, m, &there), 0);
		assert_int_equal(rank_test(y, m, x, n, &back), 0);
		NEAR(there.p, back.p, 1e-13);
		assert_true(there.u + back.u == (double)(n * m));
	}
}

/* The distribution is symmetric, so that the lower half of it, with half of the middle, is 1/2.
 * What subtractions lose on the way would show there. */
static void distributions_are_accurate_as_far_as_they_are_used(void **state)
{
	static const size_t sizes[][2] = {{1, 2},   {10, 10},   {28, 28},   {3, 1000},
					  {50, 51}, {100, 100}, {100, 900}, {150, 150}};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t n = sizes[i][0], m = sizes[i][1], middle = n * m / 2;
		double *below = malloc((middle + 1) * sizeof(*below));

		assert_non_null(below);
		assert_int_equal(n * m % 2, 0);
		assert_true(rank_untied_affordable(n, m, middle));
		rank_untied_below(n, m, middle, below);
		NEAR(below[middle - 1] + below[middle], 1, 1e-11);
		NEAR(below[0] * binomial(n + m, n), 1, 1e-11);
		for (size_t u = 1; u <= middle; u++)
			assert_true(below[u] > below[u - 1] || below[u] == 0);
		free(below);
	}
	assert_false(rank_untied_affordable(151, 151, 1));
	assert_false(rank_untied_affordable(140, 100000, 7000000));
	assert_false(rank_untied_affordable(100, 1000000, 10)); /* more than 1e308 arrangements */
}

static void large_samples_agree_with_the_normal_approximation(void **state)
{
	static double x[1500], y[1500];
	struct rng rng = rng_for(9, 0, 0);
	struct rank_test exact, tied, large;

	normal_values(&rng, x, 1500);
	for (size_t i = 0; i < 1500; i++)
		y[i] = x[i] + (i % 2 ? 0.6 : -0.1);
	assert_int_equal(rank_test(x, 150, y, 150, &exact), 0);
	assert_true(exact.exact && exact.p > 0.001 && exact.p < 0.1);
	NEAR(rank_normal_p(150, 150, exact.u, 0) / exact.p, 1, 0.01);
	assert_int_equal(rank_test(x, 1500, y, 1500, &large), 0);
	assert_false(large.exact);
	for (size_t i = 0; i < 1500; i++)
		y[i] = x[i] + (i % 2 ? 0.1 : -0.08);
	assert_int_equal(rank_test(x, 1500, y, 1500, &large), 0);
	y[0] = x[0]; /* one tie: little changes */
	assert_int_equal(rank_test(x, 1500, y, 1500, &tied), 0);
	assert_false(tied.exact);
	NEAR(large.p, tied.p, 0.01);
}

static void fifty_against_fifty_with_ties_are_exact(void **state)
{
	double v[100];
	struct rng rng = rng_for(10, 0, 0);
	struct rank_test test;

	for (size_t i = 0; i < 100; i++)
		v[i] = (double)rng_below(&rng, 30);
	assert_int_equal(rank_test(v, 50, v + 50, 50, &test), 0);
	assert_true(test.exact && test.p > 0.1); /* near the middle, where counting takes longest */
	assert_int_equal(rank_test(v, 1, v + 1, 99, &test), 0);
	assert_true(test.exact);
}

static void critical_u_is_the_last_that_is_significant(void **state)
{
	/* Published tables: two-sided 5 %. */
	static const struct {
		size_t n, m;
		long u;
	} known[] = {{3, 3, -1}, {4, 4, 0},    {5, 5, 2},     {6, 6, 5},
		     {8, 8, 13}, {10, 10, 23}, {20, 20, 127}, {3, 20, 8}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_int_equal(rank_test_critical_u(known[i].n, known[i].m, 0.05), known[i].u);
		assert_int_equal(rank_test_critical_u(known[i].m, known[i].n, 0.05), known[i].u);
	}
	assert_int_equal(rank_test_critical_u(1, 39, 0.05), 0); /* exactly 1 in 40 */
	assert_int_equal(rank_test_critical_u(1, 38, 0.05), -1);
	assert_int_equal(rank_test_critical_u(1, 19, 1 - 0.9), 0);
	assert_int_equal(rank_test_critical_u(0, 10, 0.05), -1);
	/* Too large to count out: 2,000 x 2,000 / 2 - 1.96 standard deviations. */
	NEAR((double)rank_test_critical_u(2000, 2000, 0.05), 2000000 - 1.959964 * 36519.4, 2);
}

/* 2,000 pairs of 10 + 10 process medians with 3 % of log-normal noise, the same on both sides. */
static void equal_samples_are_called_different_as_often_as_promised(void **state)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		unsigned different = 0;

		for (uint64_t pair = 0; pair < 2000; pair++) {
			struct rng rng = rng_for(seed, 10, pair);
			double v[20];
			struct rank_test test;

			normal_values(&rng, v, 20);
			for (size_t i = 0; i < 20; i++)
				v[i] = 700e3 * exp(0.03 * v[i]);
			assert_int_equal(rank_test(v, 10, v + 10, 10, &test), 0);
			different += test.p < 0.05;
		}
		print_message("# seed %u: %.2f %% called different\n", (unsigned)seed,
			      different / 20.0);
		assert_in_range(different, 60, 120); /* 3 to 6 % */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(p_is_that_of_all_arrangements_counted_out),
		cmocka_unit_test(with_ties_too),
		cmocka_unit_test(the_smaller_tail_may_lie_beyond_the_mean),
		cmocka_unit_test(three_against_sixty_is_exact),
		cmocka_unit_test(samples_that_say_nothing_have_p_1),
		cmocka_unit_test(no_value_and_no_number_are_errors),
		cmocka_unit_test(infinite_and_huge_values_are_ranked),
		cmocka_unit_test(swapping_the_samples_keeps_p),
		cmocka_unit_test(distributions_are_accurate_as_far_as_they_are_used),
		cmocka_unit_test(fifty_against_fifty_with_ties_are_exact),
		cmocka_unit_test(large_samples_agree_with_the_normal_approximation),
		cmocka_unit_test(critical_u_is_the_last_that_is_significant),
		cmocka_unit_test(equal_samples_are_called_different_as_often_as_promised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
