// SPDX-License-Identifier: MIT
/* Harm to others: as much time without reads as with them, and the point's readers in between. */
#include "driver/harm.h"

#include "driver/victim.h"

#include "fixture.h"
#include "timing/clock.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TIME_NS 200000000u

static struct point harm_point(uint64_t time_ns)
{
	struct point point = small_point(30, 1, 2);

	point.harm.time_ns = time_ns;
	return point;
}

static int look(const struct backend *backend, const struct point *point, double read_ns,
		struct harm *harm, struct error *err)
{
	struct sampler sampler;
	struct test_model f;
	int r;

	fixture_init(&f, point, backend ? backend->name : "cached");
	fixture_populate(&f);
	sampler = (struct sampler){.backend = backend ? backend : f.backend,
				   .instance = f.instance,
				   .point = &f.point,
				   .tree = f.tree,
				   .placement = f.placement};
	r = harm_measure(&sampler, NULL, read_ns, 1, harm, err);
	fixture_fini(&f);
	return r;
}

static void time_is_as_long_without_reads_as_with_them(void **state)
{
	struct point point = harm_point(TIME_NS);
	struct error err;
	struct harm harm;
	json_t *json;

	(void)state;
	assert_int_equal(look(NULL, &point, 1000, &harm, &err), 0);
	assert_true(harm.any);
	assert_int_equal(harm.pairs, HARM_MOST_PAIRS);
	for (unsigned side = 0; side < NR_HARM_SIDES; side++) {
		/* Slices end at the earliest when they should; the sleep may begin late. */
		assert_true(harm.seconds[side] > 0.5 * TIME_NS / 1e9);
		assert_int_equal(histogram_count(harm.late[side]), TIME_NS / VICTIM_PERIOD_NS);
	}
	assert_true(harm.reads >= HARM_MOST_PAIRS);
	/* A model has nobody who charges. */
	assert_int_equal(harm.tasks[HARM_APART] + harm.tasks[HARM_BESIDE], 0);
	json = harm_json(&harm);
	assert_true(json_is_null(json_object_get(json, "tasks")));
	assert_true(json_is_object(json_object_get(json, "victim")));
	json_decref(json);
	harm_fini(&harm);
}

static void nothing_is_done_where_nobody_asks(void **state)
{
	struct point point = harm_point(0);
	struct error err;
	struct harm harm;
	json_t *json;

	(void)state;
	assert_int_equal(look(NULL, &point, 1000, &harm, &err), 0);
	assert_false(harm.any);
	assert_null(harm.late[HARM_WITH]);
	json = harm_json(&harm);
	assert_true(json_is_null(json));
	json_decref(json);
	harm_fini(&harm);
}

/* As many reads in each slice, as many as there are intervals in it. */
static void paced_readers_keep_their_pace(void **state)
{
	struct point point = harm_point(TIME_NS);
	struct error err;
	struct harm harm;

	(void)state;
	point.read.pacing_ns = TIME_NS / 8;
	point.read.readers = 2;
	assert_int_equal(look(NULL, &point, 1000, &harm, &err), 0);
	assert_int_equal(harm.pairs, 4);
	assert_int_equal(harm.reads, 2 * 8);
	harm_fini(&harm);
}

static void slices_hold_two_reads_where_there_is_time(void **state)
{
	static const struct {
		double read_ns;
		unsigned pairs;
	} cases[] = {{1000, 10}, {TIME_NS / 8.0, 4}, {TIME_NS / 4.0, 2}, {10.0 * TIME_NS, 2}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct point point = harm_point(TIME_NS);
		struct error err;
		struct harm harm;

		assert_int_equal(look(NULL, &point, cases[i].read_ns, &harm, &err), 0);
		assert_int_equal(harm.pairs, cases[i].pairs);
		harm_fini(&harm);
	}
}

#define SLOW_NS 400000000u

static const struct backend *slow_inner;
static atomic_bool was_slow;

/* The first read, for which a reader gets ready, takes far longer than any slice. */
static int read_slowly_at_first(void *instance, const struct read_request *request,
				struct numa_counts *out)
{
	if (!atomic_exchange(&was_slow, true))
		clock_sleep_until(clock_now() + SLOW_NS);
	return slow_inner->read_counts(instance, request, out);
}

static void no_slice_begins_before_readers_are_ready(void **state)
{
	struct backend slow = *backend_find("cached");
	struct point point = harm_point(TIME_NS);
	struct error err;
	struct harm harm;

	(void)state;
	slow_inner = backend_find("cached");
	slow.read_counts = read_slowly_at_first;
	atomic_store(&was_slow, false);
	assert_int_equal(look(&slow, &point, 1000, &harm, &err), 0);
	assert_true(atomic_load(&was_slow));
	/* With the time that a reader needs the victim would be late by nearly all of it. */
	assert_true(histogram_quantile_ns(harm.late[HARM_WITH], 1) < SLOW_NS / 2.0);
	harm_fini(&harm);
}

static int fail_to_read(void *instance, const struct read_request *request, struct numa_counts *out)
{
	(void)instance;
	(void)request;
	(void)out;
	return -EIO;
}

static void a_read_that_fails_ends_it_with_the_reason(void **state)
{
	struct backend broken = *backend_find("cached");
	struct point point = harm_point(TIME_NS);
	struct error err = {.text = ""};
	struct harm harm;

	(void)state;
	broken.read_counts = fail_to_read;
	point.read.readers = 2;
	assert_int_equal(look(&broken, &point, 1000, &harm, &err), -EIO);
	assert_non_null(strstr(err.text, "a read failed"));
	assert_false(harm.any);
	harm_fini(&harm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_as_long_without_reads_as_with_them),
		cmocka_unit_test(nothing_is_done_where_nobody_asks),
		cmocka_unit_test(paced_readers_keep_their_pace),
		cmocka_unit_test(slices_hold_two_reads_where_there_is_time),
		cmocka_unit_test(no_slice_begins_before_readers_are_ready),
		cmocka_unit_test(a_read_that_fails_ends_it_with_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
