// SPDX-License-Identifier: MIT
/*
 * The locks of rstat: what is known of them is what was done, each model keeps and gives up the
 * lock as it says, and readers, writers and flushers that meet under any of them lose nothing.
 */
#include "backend/rstat.h"
#include "racers.h"
#include "timing/clock.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const enum flush_rules all_rules[] = {FLUSH_V5_13, FLUSH_V5_16, FLUSH_V6_8, FLUSH_V6_16};
#define NR_RULES (sizeof(all_rules) / sizeof(all_rules[0]))

static const enum flush_lock_model all_models[] = {FLUSH_LOCK_HELD, FLUSH_LOCK_WANTED,
						   FLUSH_LOCK_ALWAYS, FLUSH_LOCK_MUTEX};
#define NR_MODELS (sizeof(all_models) / sizeof(all_models[0]))

#define CPUS 6
#define HELD 5000000u /* ns */

static void init(struct test_model *f, struct point point, enum flush_rules rules,
		 enum flush_lock_model model)
{
	point.counters.flush = rules;
	point.counters.lock = model;
	fixture_init(f, &point, "rstat");
}

static struct lock_times *times_of(struct test_model *f)
{
	struct lock_times *times;
	size_t nr;

	times = f->backend->locks(f->instance, &nr);
	assert_int_equal(nr, 1);
	assert_string_equal(times->name, "flush");
	return times;
}

static void nap(uint64_t ns)
{
	struct timespec time = {.tv_nsec = (long)ns};

	nanosleep(&time, NULL);
}

static void each_model_takes_the_lock_as_often_as_it_says(void **state)
{
	for (size_t k = 0; k < NR_RULES; k++)
		for (size_t m = 0; m < NR_MODELS; m++) {
			bool always = all_models[m] == FLUSH_LOCK_ALWAYS;
			struct lock_times *times;
			struct test_model f;

			init(&f, small_point(20, 1, CPUS), all_rules[k], all_models[m]);
			times = times_of(&f);
			assert_int_equal(times->taken, 0);
			f.backend->flush(f.instance, 0);
			f.backend->flush(f.instance, 3);
			assert_int_equal(times->taken, 2 * (always ? 1 + CPUS : 1));
			assert_int_equal(histogram_count(times->hold), times->taken);
			assert_int_equal(times->contended, 0);
			assert_int_equal(times->wait_ns, 0);
			assert_true(lock_times_wait_quantile_ns(times, 1) == 0);
			assert_int_equal(lock_times_reset(times), 0);
			assert_int_equal(times->taken, 0);
			assert_int_equal(histogram_count(times->hold), 0);
			fixture_fini(&f);
		}
}

static void the_rules_stand_for_what_their_kernels_do(void **state)
{
	assert_int_equal(flush_lock_model(FLUSH_V5_13, FLUSH_LOCK_RULES), FLUSH_LOCK_WANTED);
	assert_int_equal(flush_lock_model(FLUSH_V5_16, FLUSH_LOCK_RULES), FLUSH_LOCK_HELD);
	assert_int_equal(flush_lock_model(FLUSH_V6_8, FLUSH_LOCK_RULES), FLUSH_LOCK_WANTED);
	assert_int_equal(flush_lock_model(FLUSH_V6_16, FLUSH_LOCK_RULES), FLUSH_LOCK_ALWAYS);
	for (size_t k = 0; k < NR_RULES; k++)
		for (size_t m = 0; m < NR_MODELS; m++)
			assert_int_equal(flush_lock_model(all_rules[k], all_models[m]),
					 all_models[m]);
}

struct holder {
	struct flush_lock lock;
	struct lock_times times;
	_Atomic int stage; /* 1: held; 2: the other has had it */
	pthread_t thread;
};

static void holder_init(struct holder *holder, enum flush_lock_model model)
{
	memset(holder, 0, sizeof(*holder));
	assert_int_equal(flush_lock_init(&holder->lock, model), 0);
	assert_int_equal(lock_times_init(&holder->times, "test"), 0);
}

static void holder_fini(struct holder *holder)
{
	flush_lock_fini(&holder->lock);
	lock_times_fini(&holder->times);
}

/* Until the other has found it taken, and then for a while. */
static void *hold_main(void *arg)
{
	struct holder *holder = arg;

	flush_lock_take(&holder->lock, &holder->times);
	atomic_store(&holder->stage, 1);
	while (atomic_load(&holder->stage) != 2)
		sched_yield();
	nap(HELD);
	flush_lock_drop(&holder->lock, &holder->times);
	return NULL;
}

/* How long the second waited, who may have come too late on a busy machine. */
static uint64_t take_behind_holder(struct holder *holder)
{
	uint64_t begin, waited;

	assert_int_equal(pthread_create(&holder->thread, NULL, hold_main, holder), 0);
	while (!atomic_load(&holder->stage))
		sched_yield();
	assert_false(flush_lock_try(&holder->lock, &holder->times));
	begin = clock_now();
	atomic_store(&holder->stage, 2);
	flush_lock_take(&holder->lock, &holder->times);
	waited = clock_now() - begin;
	flush_lock_drop(&holder->lock, &holder->times);
	pthread_join(holder->thread, NULL);
	return waited;
}

static void who_holds_for_5_ms_and_who_waits_for_it_shows(void **state)
{
	for (size_t m = 0; m < NR_MODELS; m++) {
		struct holder holder;
		uint64_t waited;

		holder_init(&holder, all_models[m]);
		waited = take_behind_holder(&holder);
		for (unsigned i = 0; i < 100 && !holder.times.contended; i++) {
			holder_fini(&holder);
			holder_init(&holder, all_models[m]);
			waited = take_behind_holder(&holder);
		}
		assert_int_equal(holder.times.taken, 2);
		assert_int_equal(holder.times.contended, 1);
		assert_int_equal(atomic_load(&holder.times.passed_by), 1);
		assert_true(holder.times.hold_ns >= HELD);
		assert_true(histogram_max_ps(holder.times.hold) >= HELD * UINT64_C(1000));
		assert_true(holder.times.wait_ns > 0 && holder.times.wait_ns <= waited);
		/* One of two did not wait. */
		assert_true(lock_times_wait_quantile_ns(&holder.times, 0.5) == 0);
		assert_true(lock_times_wait_quantile_ns(&holder.times, 1) ==
			    (double)holder.times.wait_ns);
		assert_int_equal(holder.times.lost, 0);
		holder_fini(&holder);
	}
}

static void *want_main(void *arg)
{
	struct holder *holder = arg;

	flush_lock_take(&holder->lock, &holder->times);
	atomic_store(&holder->stage, 2);
	flush_lock_drop(&holder->lock, &holder->times);
	return NULL;
}

/* Long flushes: one that gives up lets the other in, after a bounded number of CPUs. */
static void who_waits_gets_a_lock_that_is_given_up_and_no_other(void **state)
{
	for (size_t m = 0; m < NR_MODELS; m++) {
		bool gives_up =
			all_models[m] == FLUSH_LOCK_WANTED || all_models[m] == FLUSH_LOCK_ALWAYS;
		struct holder holder;
		unsigned between = 0;

		holder_init(&holder, all_models[m]);
		flush_lock_take(&holder.lock, &holder.times);
		assert_true(flush_lock_between(&holder.lock, &holder.times) ==
			    (all_models[m] == FLUSH_LOCK_ALWAYS));
		assert_int_equal(pthread_create(&holder.thread, NULL, want_main, &holder), 0);
		if (gives_up) {
			while (atomic_load(&holder.stage) != 2) {
				flush_lock_between(&holder.lock, &holder.times);
				nap(10000);
				assert_true(++between < 100000);
			}
		} else {
			nap(HELD);
			assert_false(flush_lock_between(&holder.lock, &holder.times));
			assert_int_equal(atomic_load(&holder.stage), 0);
		}
		flush_lock_drop(&holder.lock, &holder.times);
		pthread_join(holder.thread, NULL);
		assert_int_equal(atomic_load(&holder.stage), 2);
		assert_int_equal(holder.times.taken, histogram_count(holder.times.hold));
		holder_fini(&holder);
	}
}

static void *flush_main(void *arg)
{
	const struct test_model *f = arg;

	f->backend->flush(f->instance, f->tree->nr - 1);
	return NULL;
}

/*
 * A flush has been at the first CPU and waits at the second one, which has the memcg in its tree;
 * the first updates the memcg and counts that. Its pages are pending, and so must their count be.
 */
static void what_is_counted_behind_a_flush_stays_counted(void **state)
{
	for (size_t k = 2; k < NR_RULES; k++) {
		struct update update = {.memcg = 5, .cpu = 1, .delta = 100};
		struct rstat_cpu *second;
		struct rstat_memcg *memcg;
		pthread_t thread;
		struct test_model f;

		init(&f, small_point(5, 1, 2), all_rules[k], FLUSH_LOCK_HELD);
		memcg = rstat_memcg(f.instance, 5);
		second = (struct rstat_cpu *)((struct rstat *)f.instance)->area[1];
		fixture_update(&f, &update);
		rstat_lock_take(&second->lock);
		assert_int_equal(pthread_create(&thread, NULL, flush_main, &f), 0);
		while (!rstat_lock_is_wanted(&second->lock))
			sched_yield();
		update.cpu = 0;
		fixture_update(&f, &update);
		rstat_lock_drop(&second->lock);
		pthread_join(thread, NULL);
		assert_int_equal(atomic_load(&memcg->updates), 100);
		fixture_fini(&f);
	}
}

static const struct race the_race = {.writers = 4, .readers = 3, .flushers = 1, .updates = 2000};

/*
 * A flush that meets an update may leave it for the CPU's next one of that memcg, as in the
 * kernel: so each CPU makes one more of each.
 */
static void settle(struct test_model *f)
{
	for (unsigned cpu = 0; cpu < the_race.writers; cpu++)
		for (uint32_t memcg = 0; memcg < f->tree->nr; memcg++)
			fixture_update(f, &(struct update){.memcg = memcg,
							   .cpu = cpu,
							   .lru = LRU_UNEVICTABLE,
							   .delta = 1});
}

static void lose_nothing(enum flush_rules rules, enum flush_lock_model model)
{
	struct point point = small_point(30, 2, race_threads(&the_race));
	const struct lock_times *times;
	struct test_model f;

	init(&f, point, rules, model);
	fixture_populate(&f);
	race_run(&f, &the_race);
	settle(&f);
	f.backend->flush(f.instance, 0);
	for (uint32_t memcg = 0; memcg < f.tree->nr; memcg++) {
		fixture_read(&f, memcg);
		assert_memory_equal(f.counts.cells, f.truth.cells,
				    numa_nr_cells(f.counts.nr_nodes) * sizeof(uint64_t));
	}
	times = times_of(&f);
	assert_true(times->taken > 100 && times->contended <= times->taken);
	assert_int_equal(histogram_count(times->hold), times->taken);
	assert_int_equal(histogram_count(times->wait), times->contended);
	assert_true(times->hold_ns > 0);
	assert_true(times->contended || !times->wait_ns);
	assert_int_equal(times->lost, 0);
	fixture_fini(&f);
}

static void readers_writers_and_flushers_lose_nothing(void **state)
{
	for (size_t k = 0; k < NR_RULES; k++) {
		lose_nothing(all_rules[k], FLUSH_LOCK_RULES);
		for (size_t m = 0; m < NR_MODELS; m++)
			lose_nothing(all_rules[k], all_models[m]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_model_takes_the_lock_as_often_as_it_says),
		cmocka_unit_test(the_rules_stand_for_what_their_kernels_do),
		cmocka_unit_test(who_holds_for_5_ms_and_who_waits_for_it_shows),
		cmocka_unit_test(who_waits_gets_a_lock_that_is_given_up_and_no_other),
		cmocka_unit_test(what_is_counted_behind_a_flush_stays_counted),
		cmocka_unit_test(readers_writers_and_flushers_lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
