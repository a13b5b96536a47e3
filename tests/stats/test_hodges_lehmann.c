// SPDX-License-Identifier: MIT
/* Shifts against all differences sorted, and what their intervals promise. R: test_vectors.c. */
#include "stats/hodges_lehmann.h"

#include "base/rng.h"
#include "stats/order.h"
#include "stats/rank_test.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))
#define MOST                  25

static double normal_value(struct rng *rng)
{
	double u = ((double)rng_below(rng, UINT64_C(1) << 53) + 0.5) * 0x1p-53;
	double angle = (double)rng_below(rng, UINT64_C(1) << 53) * 0x1p-53;

	return sqrt(-2 * log(u)) * cos(2 * M_PI * angle);
}

static void bounds_are_order_statistics_of_all_differences(void **state)
{
	double x[MOST], y[MOST], all[MOST * MOST];

	for (uint64_t round = 0; round < 300; round++) {
		struct rng rng = rng_for(31, 0, round);
		size_t n = 1 + rng_below(&rng, MOST), m = 1 + rng_below(&rng, MOST);
		uint64_t levels = round % 2 ? 5 : UINT64_C(1) << 40; /* with ties, and without */
		long u = rank_test_critical_u(n, m, 0.05);
		struct shift shift;

		for (size_t i = 0; i < n; i++)
			x[i] = (double)rng_below(&rng, levels);
		for (size_t i = 0; i < m; i++)
			y[i] = (double)rng_below(&rng, levels);
		for (size_t i = 0; i < n * m; i++)
			all[i] = y[i / n] - x[i % n];
		sort_values(all, n * m);
		assert_int_equal(shift_between(x, n, y, m, 0.95, &shift), 0);
		assert_true(shift.estimate == median(all, n * m));
		if (u < 0) {
			assert_true(isnan(shift.low) && isnan(shift.high) && isnan(shift.level));
			continue;
		}
		assert_true(shift.low == all[u] && shift.high == all[n * m - 1 - (size_t)u]);
		assert_true(shift.level >= 0.95 && shift.level < 1);
	}
}

static void intervals_and_the_test_say_the_same(void **state)
{
	/* 0 lies outside exactly where p is at most what the interval leaves out. */
	unsigned outside = 0;

	for (uint64_t round = 0; round < 500; round++) {
		struct rng rng = rng_for(37, 0, round);
		double x[10], y[10];
		struct shift shift;
		struct rank_test test;

		for (size_t i = 0; i < 10; i++) {
			x[i] = normal_value(&rng);
			y[i] = normal_value(&rng) + 1;
		}
		assert_int_equal(shift_between(x, 10, y, 10, 0.95, &shift), 0);
		assert_int_equal(rank_test(x, 10, y, 10, &test), 0);
		assert_true((shift.low > 0 || shift.high < 0) == (test.p <= 0.05));
		outside += shift.low > 0;
	}
	assert_in_range(outside, 150, 400); /* both cases were seen */
}

static void intervals_hold_the_shift_as_often_as_they_say(void **state)
{
	unsigned held = 0;
	double level = 0;

	for (uint64_t round = 0; round < 4000; round++) {
		struct rng rng = rng_for(41, 0, round);
		double x[8], y[10];
		struct shift shift;

		for (size_t i = 0; i < 8; i++)
			x[i] = 100 * exp(0.03 * normal_value(&rng));
		for (size_t i = 0; i < 10; i++)
			y[i] = 107 * exp(0.03 * normal_value(&rng));
		assert_int_equal(shift_factor(x, 8, y, 10, 0.95, &shift), 0);
		held += shift.low <= 1.07 && 1.07 <= shift.high;
		level = shift.level;
	}
	assert_true(level >= 0.95 && level < 0.96);
	NEAR(held / 4000.0, level, 0.011); /* three standard deviations */
}

static void halving_and_doubling_weigh_the_same(void **state)
{
	double x[10], y[10];
	struct shift there, back;

	for (size_t i = 0; i < 10; i++) {
		x[i] = 100 + (double)(i * i);
		y[i] = 2 * x[i];
	}
	assert_int_equal(shift_factor(x, 10, y, 10, 0.95, &there), 0);
	assert_int_equal(shift_factor(y, 10, x, 10, 0.95, &back), 0);
	NEAR(there.estimate, 2, 1e-14);
	NEAR(there.estimate * back.estimate, 1, 1e-14);
	NEAR(there.low * back.high, 1, 1e-14);
	NEAR(there.high * back.low, 1, 1e-14);
}

static void what_cannot_be_said_is_not_a_number(void **state)
{
	double x[] = {1, 2, 3}, with_zero[] = {0, 1, 2}, negative[] = {-1, 1, 2};
	struct shift shift;

	assert_int_equal(shift_between(x, 0, x, 3, 0.95, &shift), 0);
	assert_true(isnan(shift.estimate) && isnan(shift.low));
	assert_int_equal(shift_between(x, 3, x, 3, 0.95, &shift), 0); /* p is 0.1 at the least */
	assert_true(shift.estimate == 0 && isnan(shift.low) && isnan(shift.high));
	assert_false(signbit(shift.estimate)); /* nobody wants to read -0 */
	assert_int_equal(shift_between(x, 3, x, 3, 0.9, &shift), 0);
	assert_true(shift.low == -2 && shift.high == 2);
	NEAR(shift.level, 0.9, 1e-12);
	assert_int_equal(shift_factor(x, 3, with_zero, 3, 0.9, &shift), 0);
	assert_true(isnan(shift.estimate) && isnan(shift.low) && isnan(shift.level));
	assert_int_equal(shift_factor(negative, 3, x, 3, 0.9, &shift), 0);
	assert_true(isnan(shift.estimate));
}

static void equal_samples_are_shifted_by_zero(void **state)
{
	double same[20];
	struct shift shift;

	for (size_t i = 0; i < 20; i++)
		same[i] = 700;
	assert_int_equal(shift_between(same, 10, same + 10, 10, 0.95, &shift), 0);
	assert_true(shift.estimate == 0 && shift.low == 0 && shift.high == 0);
	assert_false(signbit(shift.estimate));
	assert_int_equal(shift_factor(same, 10, same + 10, 10, 0.95, &shift), 0);
	assert_true(shift.estimate == 1 && shift.low == 1 && shift.high == 1);
}

static void huge_and_tiny_values_do_not_overflow(void **state)
{
	double huge[] = {1e300, 1.7e308, 1e308, 1.2e308}, low[] = {-1.7e308, -1e308, -1e300, 0};
	double tiny[] = {0x1p-1074, 0x1p-1073, 0x1p-1072, 0x1p-1022};
	struct shift shift;

	assert_int_equal(shift_between(tiny, 4, huge, 4, 0.95, &shift), 0);
	NEAR(shift.estimate, 1.1e308, 1e293);
	assert_int_equal(shift_between(low, 4, huge, 4, 0.95, &shift), 0);
	assert_false(isnan(shift.estimate));
	assert_true(shift.high == INFINITY); /* 3.4e308 is more than a double holds */
	assert_int_equal(shift_factor(tiny, 4, huge, 4, 0.95, &shift), 0);
	assert_true(shift.estimate == INFINITY && shift.low > 1e307);
	assert_int_equal(shift_between(tiny, 4, tiny, 4, 0.95, &shift), 0);
	assert_true(shift.estimate == 0 && shift.low < 0 && shift.high > 0);
}

static void ten_thousand_against_ten_thousand_need_no_gigabytes(void **state)
{
	enum {
		n = 10000
	};
	double *x = malloc(2 * n * sizeof(*x)), *y = x + n;
	struct shift shift;

	assert_non_null(x);
	/* Evenly spread, so that all is known: differences lie evenly around 7 n / 20. */
	for (size_t i = 0; i < n; i++) {
		x[i] = (double)((i * 7919) % n);
		y[i] = (double)((i * 7907) % n) + 0.35 * n;
	}
	assert_int_equal(shift_between(x, n, y, n, 0.95, &shift), 0);
	NEAR(shift.estimate, 0.35 * n, 1e-9);
	NEAR(shift.level, 0.95, 1e-6);
	/* U is off its middle by 1.96 n^1.5 / sqrt(6), and n differences have the value there. */
	NEAR(shift.high, 0.35 * n + 1.959964 * sqrt(n / 6.0), 2);
	NEAR(shift.low, 0.35 * n - 1.959964 * sqrt(n / 6.0), 2);
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_order_statistics_of_all_differences),
		cmocka_unit_test(intervals_and_the_test_say_the_same),
		cmocka_unit_test(intervals_hold_the_shift_as_often_as_they_say),
		cmocka_unit_test(halving_and_doubling_weigh_the_same),
		cmocka_unit_test(what_cannot_be_said_is_not_a_number),
		cmocka_unit_test(equal_samples_are_shifted_by_zero),
		cmocka_unit_test(huge_and_tiny_values_do_not_overflow),
		cmocka_unit_test(ten_thousand_against_ten_thousand_need_no_gigabytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
