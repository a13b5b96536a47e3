// SPDX-License-Identifier: MIT
/*
 * Tasks that stand on one fixture run in a row, and everything else of the schedule stays; one
 * fixture is up at a time, made once, and taken down before the next.
 */
#include "driver/fixtures.h"

#include "backend/backend.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define POINTS      6
#define REPETITIONS 3

/* Points 0, 2, 4 have one tree and 1, 3, 5 another; they differ in how they are read. */
static void make_points(struct point *points)
{
	for (unsigned i = 0; i < POINTS; i++) {
		point_init(&points[i]);
		points[i].tree.memcgs = i % 2 ? 20 : 10;
		points[i].read.readers = 1 + i / 2;
	}
}

struct made {
	struct point points[POINTS];
	char *names[2];
	struct scenario scenario;
	bool left_out[POINTS * 2];
	struct task *tasks;
	size_t nr;
	struct fixtures fixtures;
};

static void make(struct made *made, const char *first, const char *second)
{
	static const struct fixture_options nothing;

	make_points(made->points);
	made->names[0] = strdup(first);
	made->names[1] = strdup(second);
	made->scenario = (struct scenario){
		.nr_points = POINTS,
		.points = made->points,
		.nr_backends = 2,
		.backends = made->names,
	};
	assert_int_equal(schedule_new(POINTS, 2, REPETITIONS, 7, &made->tasks, &made->nr), 0);
	assert_int_equal(fixtures_init(&made->fixtures, &made->scenario, NULL, &nothing,
				       made->left_out, made->tasks, made->nr),
			 0);
}

static void unmake(struct made *made)
{
	struct error err;

	assert_int_equal(fixtures_fini(&made->fixtures, &err), 0);
	free(made->tasks);
	free(made->names[0]);
	free(made->names[1]);
}

static bool same_task(const struct task *a, const struct task *b)
{
	return a->point == b->point && a->backend == b->backend && a->repetition == b->repetition;
}

static void models_alone_stay_as_scheduled(void **state)
{
	struct made made = {.nr = 0};
	struct task *plain;
	size_t nr;

	(void)state;
	make(&made, "walk", "cached");
	assert_int_equal(schedule_new(POINTS, 2, REPETITIONS, 7, &plain, &nr), 0);
	assert_int_equal(nr, made.nr);
	for (size_t i = 0; i < nr; i++)
		assert_true(same_task(&plain[i], &made.tasks[i]));
	free(plain);
	unmake(&made);
}

/* How often the tree changes from one task to the next. */
static unsigned changes(const struct made *made)
{
	unsigned nr = 0;

	for (size_t i = 1; i < made->nr; i++)
		nr += made->tasks[i].point % 2 != made->tasks[i - 1].point % 2;
	return nr;
}

static void a_tree_is_made_once(void **state)
{
	struct made made = {.nr = 0};
	struct task *plain;
	size_t nr, at = 0;

	(void)state;
	make(&made, "walk", "kernel");
	assert_int_equal(changes(&made), 1);
	/* Of each tree the tasks are in the order of the schedule. */
	assert_int_equal(schedule_new(POINTS, 2, REPETITIONS, 7, &plain, &nr), 0);
	for (unsigned half = 0; half < 2; half++) {
		uint32_t parity = made.tasks[at].point % 2;

		for (size_t i = 0; i < nr; i++)
			if (plain[i].point % 2 == parity)
				assert_true(same_task(&plain[i], &made.tasks[at++]));
	}
	assert_int_equal(at, nr);
	free(plain);
	unmake(&made);
}

static void what_is_left_out_needs_no_fixture(void **state)
{
	struct made made = {.nr = 0};

	(void)state;
	for (size_t p = 0; p < POINTS; p += 2)
		made.left_out[p * 2 + 1] = true;
	make(&made, "walk", "kernel");
	for (uint32_t p = 0; p < POINTS; p++) {
		assert_int_equal(made.fixtures.kind[p] != NULL, p % 2);
		assert_int_equal(made.fixtures.group[p], p % 2 ? 1 : FIXTURE_NONE);
	}
	unmake(&made);
}

/* A fixture of this test's own. */
static unsigned set_up, taken_down;
static int setup_code;

static int count_setup(const struct fixture_env *env, void **instance, struct error *err)
{
	(void)env;
	if (setup_code)
		return error_set(err, setup_code, "it cannot stand");
	*instance = &set_up;
	set_up++;
	return 0;
}

static json_t *describe_it(const void *instance)
{
	assert_ptr_equal(instance, &set_up);
	return json_object();
}

static int count_teardown(void *instance, struct error *err)
{
	(void)err;
	assert_ptr_equal(instance, &set_up);
	taken_down++;
	return 0;
}

static int check_code;

static int tell_check(void *instance, struct error *err)
{
	assert_ptr_equal(instance, &set_up);
	return check_code ? error_set(err, check_code, "it has fallen") : 0;
}

static const struct fixture counted = {.setup = count_setup,
				       .check = tell_check,
				       .describe = describe_it,
				       .teardown = count_teardown};

static void one_is_up_at_a_time(void **state)
{
	struct fixture_progress silent = {NULL, NULL};
	struct made made = {.nr = 0};
	struct error err;

	(void)state;
	set_up = taken_down = 0;
	setup_code = 0;
	make(&made, "walk", "kernel");
	for (uint32_t p = 0; p < POINTS; p++)
		made.fixtures.kind[p] = &counted;
	for (size_t i = 0; i < made.nr; i++) {
		assert_int_equal(fixtures_raise(&made.fixtures, &made.tasks[i], &silent, &err), 0);
		assert_int_equal(set_up, taken_down + 1);
		assert_non_null(made.fixtures.described);
	}
	assert_int_equal(set_up, 2);
	unmake(&made);
	assert_int_equal(taken_down, 2);
}

static void what_cannot_stand_is_said_and_not_taken_down(void **state)
{
	struct fixture_progress silent = {NULL, NULL};
	struct made made = {.nr = 0};
	struct error err;

	(void)state;
	set_up = taken_down = 0;
	setup_code = -ENOSPC;
	make(&made, "walk", "kernel");
	for (uint32_t p = 0; p < POINTS; p++)
		made.fixtures.kind[p] = &counted;
	assert_int_equal(fixtures_raise(&made.fixtures, &made.tasks[0], &silent, &err), -ENOSPC);
	assert_string_equal(err.text, "it cannot stand");
	unmake(&made);
	assert_int_equal(taken_down, 0);
}

static void what_has_fallen_is_made_anew(void **state)
{
	struct fixture_progress silent = {NULL, NULL};
	struct made made = {.nr = 0};
	struct error err;

	(void)state;
	set_up = taken_down = 0;
	setup_code = check_code = 0;
	make(&made, "walk", "kernel");
	for (uint32_t p = 0; p < POINTS; p++)
		made.fixtures.kind[p] = &counted;
	assert_int_equal(fixtures_check(&made.fixtures, &err), 0);
	assert_int_equal(fixtures_raise(&made.fixtures, &made.tasks[0], &silent, &err), 0);
	assert_int_equal(fixtures_check(&made.fixtures, &err), 0);
	assert_int_equal(taken_down, 0);
	check_code = -ECHILD;
	assert_int_equal(fixtures_check(&made.fixtures, &err), -ECHILD);
	assert_string_equal(err.text, "it has fallen");
	assert_int_equal(taken_down, 1);
	assert_int_equal(fixtures_check(&made.fixtures, &err), 0);
	check_code = 0;
	assert_int_equal(fixtures_raise(&made.fixtures, &made.tasks[0], &silent, &err), 0);
	assert_int_equal(set_up, 2);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(models_alone_stay_as_scheduled),
		cmocka_unit_test(a_tree_is_made_once),
		cmocka_unit_test(what_is_left_out_needs_no_fixture),
		cmocka_unit_test(one_is_up_at_a_time),
		cmocka_unit_test(what_has_fallen_is_made_anew),
		cmocka_unit_test(what_cannot_stand_is_said_and_not_taken_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
