// SPDX-License-Identifier: MIT
/* The clock goes forward, and its floor is what an empty interval costs. */
#include "timing/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void clock_never_goes_back(void **state)
{
	uint64_t before = clock_now();

	for (unsigned i = 0; i < 100000; i++) {
		uint64_t now = clock_now();

		assert_true(now >= before);
		before = now;
	}
}

/* The least of several loops, as the median leaves out what a neighbour took. */
static double cost_of_reading_the_clock(void)
{
	uint64_t start, best = UINT64_MAX;

	for (unsigned round = 0; round < 20; round++) {
		start = clock_now();
		for (unsigned i = 0; i < 1000; i++)
			clock_now();
		start = clock_now() - start;
		best = start < best ? start : best;
	}
	return (double)best / 1000;
}

/* Both are measured anew a few times: on a busy machine one may fall into a slow stretch that the
 * other missed. What is wrong by itself is so each time. */
static void floor_is_the_cost_of_reading_the_clock(void **state)
{
	struct timer_floor floor;
	bool agree = false;

	for (unsigned round = 0; round < 10 && !agree; round++) {
		double cost = cost_of_reading_the_clock();

		timer_floor_measure(&floor);
		assert_true(floor.intervals >= 1000);
		assert_true(floor.median_ns > 0);
		/* A single interval ticks in whole ns: its p99 is not below the median by more than
		 * a tick. */
		agree = floor.p99_ns >= floor.median_ns - 1 && floor.median_ns >= cost * 0.5 &&
			floor.median_ns <= cost * 4;
	}
	assert_true(agree);
}

static void measuring_the_floor_takes_milliseconds(void **state)
{
	uint64_t best = UINT64_MAX;

	for (unsigned round = 0; round < 5; round++) {
		struct timer_floor floor;
		uint64_t start = clock_now();

		timer_floor_measure(&floor);
		start = clock_now() - start;
		best = start < best ? start : best;
	}
	assert_true(best < 50 * 1000 * 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_never_goes_back),
		cmocka_unit_test(floor_is_the_cost_of_reading_the_clock),
		cmocka_unit_test(measuring_the_floor_takes_milliseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
