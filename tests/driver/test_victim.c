// SPDX-License-Identifier: MIT
/* The victim: it counts every millisecond of a slice, and a long delay for as long as it was. */
#include "driver/victim.h"

#include "timing/clock.h"

#include "fixture.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SLICE_NS 50000000u
#define WAKEUPS  (SLICE_NS / VICTIM_PERIOD_NS)

static void start(struct test_model *f, struct victim **victim)
{
	struct point point = small_point(10, 1, 2);
	struct error err = {.text = ""};

	fixture_init(f, &point, "cached");
	assert_int_equal(victim_start(f->placement, 0, victim, &err), 0);
}

static void take(struct victim *victim, uint64_t from, struct histogram *late)
{
	struct error err;

	victim_begin(victim, from, from + SLICE_NS, late);
	assert_int_equal(victim_end(victim, &err), 0);
}

static void each_millisecond_of_a_slice_counts_once(void **state)
{
	struct histogram *late = histogram_new();
	struct victim *victim;
	struct test_model f;
	uint64_t from;

	(void)state;
	start(&f, &victim);
	for (unsigned slice = 1; slice <= 3; slice++) {
		from = clock_now() + 1000000;
		take(victim, from, late);
		assert_true(clock_now() >= from + SLICE_NS - VICTIM_PERIOD_NS);
		assert_int_equal(histogram_count(late), slice * WAKEUPS);
	}
	/* None of them was early, and none on time to the nanosecond. */
	assert_true(histogram_min_ps(late) > 0);
	victim_stop(victim);
	histogram_free(late);
	fixture_fini(&f);
}

static void a_delay_counts_for_each_time_that_passed(void **state)
{
	struct histogram *late = histogram_new();
	struct victim *victim;
	struct test_model f;

	(void)state;
	start(&f, &victim);
	/* As if it had been kept off its CPU for the whole slice, to the last turn. */
	take(victim, clock_now() - SLICE_NS, late);
	assert_int_equal(histogram_count(late), WAKEUPS);
	assert_true(histogram_max_ps(late) >= (uint64_t)SLICE_NS * 1000);
	assert_true(histogram_min_ps(late) >= (uint64_t)VICTIM_PERIOD_NS * 1000);
	assert_true(histogram_quantile_ns(late, 0.5) >= 0.45 * SLICE_NS);
	victim_stop(victim);
	histogram_free(late);
	fixture_fini(&f);
}

static void it_is_where_the_first_reader_is_and_ordinary(void **state)
{
	struct victim *victim;
	struct error err;
	struct test_model f;

	(void)state;
	start(&f, &victim);
	assert_int_equal(victim_cpu(victim), placement_os_cpu(f.placement, 0, &err));
	assert_string_equal(victim_policy(victim), "other");
	victim_stop(victim);
	victim_stop(NULL);
	fixture_fini(&f);
}

/* Keeps a CPU busy that it does not give up, at a real-time policy. */
static void *hog_main(void *arg)
{
	uint64_t *until = arg;

	while (clock_now() < *until)
		;
	return NULL;
}

static void it_is_late_where_somebody_keeps_the_cpu(void **state)
{
	static const struct sched_param first = {.sched_priority = 1};
	struct histogram *late = histogram_new();
	uint64_t from = clock_now() + 5000000, until = from + SLICE_NS / 2;
	struct victim *victim;
	pthread_attr_t attributes;
	pthread_t hog;
	struct test_model f;
	cpu_set_t cpus;
	int r;

	(void)state;
	start(&f, &victim);
	CPU_ZERO(&cpus);
	CPU_SET(victim_cpu(victim), &cpus);
	pthread_attr_init(&attributes);
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
	pthread_attr_setschedparam(&attributes, &first);
	pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
	from = clock_now() + 5000000;
	until = from + SLICE_NS / 2;
	r = pthread_create(&hog, &attributes, hog_main, &until);
	pthread_attr_destroy(&attributes);
	if (!r) {
		take(victim, from, late);
		pthread_join(hog, NULL);
		/* The first turn was due when the hog had half of the slice to go. */
		assert_true(histogram_max_ps(late) >= (uint64_t)(SLICE_NS / 2) * 1000);
	}
	victim_stop(victim);
	histogram_free(late);
	fixture_fini(&f);
	if (r)
		skip(); /* no real-time priority for this user */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_millisecond_of_a_slice_counts_once),
		cmocka_unit_test(a_delay_counts_for_each_time_that_passed),
		cmocka_unit_test(it_is_where_the_first_reader_is_and_ordinary),
		cmocka_unit_test(it_is_late_where_somebody_keeps_the_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
