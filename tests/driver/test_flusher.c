// SPDX-License-Identifier: MIT
/* The periodic flusher makes what no read flushes exact, and says how often it was at work. */
#include "driver/flusher.h"

#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define PERIOD 20000000u /* ns */

static void init(struct test_model *f, uint64_t period)
{
	struct point point = small_point(30, 2, 4);

	point.counters.flush = FLUSH_V6_8;
	point.counters.flusher_ns = period;
	fixture_init(f, &point, "rstat");
}

static struct sampler sampler_of(struct test_model *f)
{
	return (struct sampler){
		.backend = f->backend,
		.instance = f->instance,
		.point = &f->point,
		.tree = f->tree,
		.placement = f->placement,
	};
}

static bool is_exact(struct test_model *f)
{
	fixture_read(f, 0);
	return !memcmp(f->counts.cells, f->truth.cells,
		       numa_nr_cells(f->counts.nr_nodes) * sizeof(uint64_t));
}

static void what_no_read_flushes_is_exact_after_a_period(void **state)
{
	struct gate gate = GATE_INITIALIZER;
	struct flusher *flusher;
	struct flusher_cost cost;
	struct sampler sampler;
	struct error err = {0};
	struct test_model f;
	unsigned naps = 0;

	init(&f, PERIOD);
	fixture_update(&f, &(struct update){.memcg = 30, .cpu = 1, .delta = 5});
	assert_false(is_exact(&f));
	sampler = sampler_of(&f);
	assert_int_equal(flusher_new(&sampler, &flusher, &err), 0);
	assert_int_equal(flusher_start(flusher, &gate, &err), 0);
	assert_int_equal(flusher_nr(flusher), 1);
	gate_open(&gate, 1);
	/* A period is enough where there is a CPU for it; a busy machine is given ten seconds. */
	while (!is_exact(&f) && ++naps < 10000) {
		struct timespec nap = {.tv_nsec = 1000000};

		nanosleep(&nap, NULL);
	}
	assert_int_equal(flusher_stop(flusher, &err), 0);
	assert_true(is_exact(&f));
	cost = flusher_digest(flusher);
	assert_int_equal(cost.period_ns, PERIOD);
	assert_true(cost.flushes >= 1);
	assert_true(cost.median_ns > 0 && cost.median_ns <= cost.max_ns * 1.01);
	assert_true(cost.total_ns >= cost.max_ns && cost.total_ns <= cost.seconds * 1e9);
	/* Never sooner than half a period, and no more than one a period. */
	assert_true(cost.seconds * 1e9 >= PERIOD / 2);
	assert_true((double)cost.flushes <= cost.seconds * 1e9 / PERIOD + 1);
	flusher_free(flusher);
	fixture_fini(&f);
}

static void one_that_is_stopped_or_cancelled_before_its_time_has_done_nothing(void **state)
{
	for (unsigned cancelled = 0; cancelled < 2; cancelled++) {
		struct gate gate = GATE_INITIALIZER;
		struct flusher *flusher;
		struct sampler sampler;
		struct error err = {0};
		struct test_model f;

		init(&f, UINT64_C(1000000000000));
		sampler = sampler_of(&f);
		assert_int_equal(flusher_new(&sampler, &flusher, &err), 0);
		assert_int_equal(flusher_start(flusher, &gate, &err), 0);
		if (cancelled)
			gate_cancel(&gate);
		else
			gate_open(&gate, 1);
		assert_int_equal(flusher_stop(flusher, &err), 0);
		assert_int_equal(flusher_digest(flusher).flushes, 0);
		assert_int_equal(flusher_nr(flusher), 0);
		flusher_free(flusher);
		fixture_fini(&f);
	}
}

static void there_is_none_where_none_is_asked_for_or_nothing_flushes(void **state)
{
	struct flusher *flusher;
	struct sampler sampler;
	struct error err = {0};
	struct test_model f;

	init(&f, 0);
	sampler = sampler_of(&f);
	assert_int_equal(flusher_new(&sampler, &flusher, &err), 0);
	assert_null(flusher);
	assert_int_equal(flusher_start(NULL, NULL, &err), 0);
	assert_int_equal(flusher_nr(NULL), 0);
	assert_int_equal(flusher_stop(NULL, &err), 0);
	assert_int_equal(flusher_digest(NULL).period_ns, 0);
	sampler.backend = backend_find("cached");
	f.point.counters.flusher_ns = PERIOD;
	assert_true(flusher_new(&sampler, &flusher, &err) < 0);
	assert_non_null(strstr(err.text, "cached has nothing to flush"));
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_no_read_flushes_is_exact_after_a_period),
		cmocka_unit_test(one_that_is_stopped_or_cancelled_before_its_time_has_done_nothing),
		cmocka_unit_test(there_is_none_where_none_is_asked_for_or_nothing_flushes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
