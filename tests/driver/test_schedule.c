// SPDX-License-Identifier: MIT
/* What the schedule promises: complete, seeded, and back ends of a point side by side. */
#include "driver/schedule.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define POINTS      7
#define BACKENDS    3
#define REPETITIONS 5

static void holds_every_task_once(void **state)
{
	unsigned seen[POINTS][BACKENDS][REPETITIONS + 1] = {0};
	struct task *tasks;
	size_t nr;

	(void)state;
	assert_int_equal(schedule_new(POINTS, BACKENDS, REPETITIONS, 1, &tasks, &nr), 0);
	assert_int_equal(nr, POINTS * BACKENDS * REPETITIONS);
	for (size_t i = 0; i < nr; i++)
		seen[tasks[i].point][tasks[i].backend][tasks[i].repetition]++;
	for (size_t p = 0; p < POINTS; p++)
		for (size_t b = 0; b < BACKENDS; b++)
			for (size_t r = 1; r <= REPETITIONS; r++)
				assert_int_equal(seen[p][b][r], 1);
	free(tasks);
}

static void keeps_the_backends_of_a_point_side_by_side(void **state)
{
	struct task *tasks;
	size_t nr;

	(void)state;
	assert_int_equal(schedule_new(POINTS, BACKENDS, REPETITIONS, 9, &tasks, &nr), 0);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(tasks[i].point, tasks[i / BACKENDS * BACKENDS].point);
		/* a round is of one repetition */
		assert_int_equal(tasks[i].repetition,
				 tasks[i / (POINTS * BACKENDS) * POINTS * BACKENDS].repetition);
	}
	free(tasks);
}

/* How much later even repetitions run than odd ones, on average, in rounds. */
static double lag_of_even(uint32_t repetitions)
{
	double sum[2] = {0}, count[2] = {0};
	struct task *tasks;
	size_t nr;

	assert_int_equal(schedule_new(1, 1, repetitions, 1, &tasks, &nr), 0);
	for (size_t i = 0; i < nr; i++) {
		sum[tasks[i].repetition % 2] += (double)i;
		count[tasks[i].repetition % 2]++;
	}
	free(tasks);
	return sum[0] / count[0] - sum[1] / count[1];
}

static void odd_and_even_repetitions_are_at_the_same_time_on_average(void **state)
{
	(void)state;
	for (uint32_t repetitions = 4; repetitions <= 400; repetitions += 4)
		assert_true(lag_of_even(repetitions) == 0);
	/* One pair is left over: its even one runs a round later. */
	for (uint32_t repetitions = 6; repetitions <= 400; repetitions += 4)
		assert_float_equal(lag_of_even(repetitions), 2.0 / repetitions, 1e-9);
	assert_true(lag_of_even(2) == 1);
	assert_true(lag_of_even(3) == 0); /* 1 and 3 around 2 */
}

static void is_the_same_for_a_seed_and_differs_between_seeds(void **state)
{
	struct task *a, *b, *c;
	size_t nr;

	(void)state;
	assert_int_equal(schedule_new(POINTS, BACKENDS, REPETITIONS, 1, &a, &nr), 0);
	assert_int_equal(schedule_new(POINTS, BACKENDS, REPETITIONS, 1, &b, &nr), 0);
	assert_int_equal(schedule_new(POINTS, BACKENDS, REPETITIONS, 2, &c, &nr), 0);
	assert_memory_equal(a, b, nr * sizeof(*a));
	assert_memory_not_equal(a, c, nr * sizeof(*a));
	free(a);
	free(b);
	free(c);
}

static void does_not_favour_a_backend(void **state)
{
	size_t nr, first[2] = {0};
	struct task *tasks;

	(void)state;
	assert_int_equal(schedule_new(1, 2, 2000, 1, &tasks, &nr), 0);
	for (size_t i = 0; i < nr; i += 2)
		first[tasks[i].backend]++;
	/* A fair coin is within 5 sigma: 1000 +- 112. */
	assert_in_range(first[0], 888, 1112);
	free(tasks);
}

static void refuses_more_than_it_can_hold(void **state)
{
	struct task *tasks;
	size_t nr;

	(void)state;
	assert_int_equal(schedule_new(100000, 1000, 10000, 1, &tasks, &nr), -E2BIG);
	assert_int_equal(schedule_new(SIZE_MAX, 2, 1, 1, &tasks, &nr), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_every_task_once),
		cmocka_unit_test(odd_and_even_repetitions_are_at_the_same_time_on_average),
		cmocka_unit_test(keeps_the_backends_of_a_point_side_by_side),
		cmocka_unit_test(is_the_same_for_a_seed_and_differs_between_seeds),
		cmocka_unit_test(does_not_favour_a_backend),
		cmocka_unit_test(refuses_more_than_it_can_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
