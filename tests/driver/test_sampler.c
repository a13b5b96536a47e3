// SPDX-License-Identifier: MIT
/*
 * What a sampler does around the reads that it times, seen by a back end that notes who reads and
 * that is slow or fails where a test wants it to.
 */
#include "driver/sampler.h"

#include "scenario/parameter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define READERS 3
#define MS      1000000u

/* Per reader. */
struct script {
	atomic_uint reads;
	unsigned slow_from, slow_to; /* numbers of reads, from 1 */
	uint64_t slow_ns;
	int result; /* of reads from `fails_from` on */
	unsigned fails_from;
};

static struct script scripts[READERS];

static int scripted_read(void *instance, const struct read_request *request,
			 struct numa_counts *out)
{
	struct script *script = &scripts[request->cpu];
	unsigned nr = atomic_fetch_add(&script->reads, 1) + 1;

	if (nr >= script->slow_from && nr <= script->slow_to) {
		struct timespec pause = {.tv_nsec = (long)script->slow_ns};

		nanosleep(&pause, NULL);
	}
	return script->fails_from && nr >= script->fails_from ? script->result : 0;
}

static const struct backend scripted = {.name = "scripted", .read_counts = scripted_read};

/* Fails from the `create_fails_from`-th thread on; 0: never. */
static unsigned create_fails_from, created;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *arg)
{
	if (++created == create_fails_from)
		return EAGAIN;
	return __real_pthread_create(thread, attributes, start, arg);
}

struct bench {
	struct machine *machine;
	struct placement *placement;
	struct point point;
	struct sampler sampler;
	struct error err;
};

static int open_bench(void **state)
{
	static struct bench bench;
	struct error_list reasons = {.nr = 0};

	alarm(60); /* who hangs has failed */
	memset(&bench, 0, sizeof(bench));
	memset(scripts, 0, sizeof(scripts));
	create_fails_from = created = 0;
	point_init(&bench.point);
	bench.point.tree.memcgs = 1;
	bench.point.machine.cpus = READERS;
	bench.point.read.form = FORM_COUNTS;
	bench.point.read.time_ns = 3600u * UINT64_C(1000000000);
	if (machine_open(NULL, &bench.machine, &bench.err) ||
	    placement_new(bench.machine, &bench.point, &bench.placement, &reasons))
		return -1;
	bench.sampler = (struct sampler){
		.backend = &scripted,
		.point = &bench.point,
		.placement = bench.placement,
	};
	timer_floor_measure(&bench.sampler.floor);
	created = 0;
	*state = &bench;
	return 0;
}

static int close_bench(void **state)
{
	struct bench *bench = *state;

	placement_free(bench->placement);
	machine_free(bench->machine);
	alarm(0);
	return 0;
}

static void one_interruption_does_not_shorten_a_batch(void **state)
{
	struct bench *bench = *state;
	struct sampling sampling;

	/* In the midst of the doubling batches, which are 1, 2, 4, 8 reads and so on. */
	scripts[0].slow_from = scripts[0].slow_to = 20;
	scripts[0].slow_ns = 5 * MS;
	assert_int_equal(sampler_pilot(&bench->sampler, &sampling, &bench->err), 0);
	assert_true(sampling.reads_per_sample >= 5);
}

static void a_paced_loop_is_capped_by_time(void **state)
{
	struct bench *bench = *state;
	struct sampling sampling;

	bench->point.read.samples = 200;
	bench->point.read.time_ns = 100 * MS;
	bench->point.read.pacing_ns = 10 * MS;
	assert_int_equal(sampler_pilot(&bench->sampler, &sampling, &bench->err), 0);
	assert_int_equal(sampling.samples, 10);
	bench->point.read.pacing_ns = 50 * MS;
	assert_int_equal(sampler_pilot(&bench->sampler, &sampling, &bench->err), 0);
	assert_int_equal(sampling.samples, MIN_SAMPLES);
}

static void readers_that_share_cpus_take_fewer_samples(void **state)
{
	struct bench *bench = *state;
	struct sampling sampling;

	scripts[0] = (struct script){.slow_from = 1, .slow_to = 1000, .slow_ns = MS};
	bench->point.read.time_ns = 200 * MS;
	bench->point.read.readers = 20 * bench->machine->nr_cpus;
	bench->point.read.samples = 200 * bench->point.read.readers;
	assert_int_equal(sampler_pilot(&bench->sampler, &sampling, &bench->err), 0);
	assert_in_range(sampling.samples, 1, 10);
}

static void samples_of_a_process_are_shared_by_its_readers(void **state)
{
	struct bench *bench = *state;
	struct sampling sampling;

	bench->point.read.samples = 200;
	bench->point.read.time_ns = 10000 * MS;
	bench->point.read.readers = 3;
	assert_int_equal(sampler_pilot(&bench->sampler, &sampling, &bench->err), 0);
	assert_int_equal(sampling.samples, 67);
}

static void a_pilot_says_why_a_read_failed(void **state)
{
	struct bench *bench = *state;
	struct sampling sampling;

	scripts[0].fails_from = 1;
	scripts[0].result = -ENODATA;
	assert_int_equal(sampler_pilot(&bench->sampler, &sampling, &bench->err), -ENODATA);
	assert_non_null(strstr(bench->err.text, strerror(ENODATA)));
}

static void the_first_read_of_a_reader_is_no_sample(void **state)
{
	struct bench *bench = *state;
	struct sampling sampling = {.samples = 20, .reads_per_sample = 1};
	struct sampled out;

	bench->point.read.readers = READERS;
	for (unsigned i = 0; i < READERS; i++) {
		scripts[i].slow_from = scripts[i].slow_to = 1;
		scripts[i].slow_ns = 900 * MS;
	}
	assert_int_equal(sampler_run(&bench->sampler, &sampling, &out, &bench->err), 0);
	assert_int_equal(histogram_count(out.latency), 20 * READERS);
	assert_true(histogram_max_ps(out.latency) < 900 * MS * UINT64_C(1000));
	sampled_fini(&out);
}

/* A pilot among disturbers took a loop of microseconds for one of a second. */
static void a_loop_shorter_than_expected_gets_the_clock_of_short_ones(void **state)
{
	struct bench *bench = *state;
	struct sampling sampling = {.samples = 20, .reads_per_sample = 1, .loop_ns = 1e9};
	struct sampled out;

	if (sampler_run(&bench->sampler, &sampling, &out, &bench->err))
		fail_msg("%s", bench->err.text);
	assert_true(out.manual_clock);
	assert_true(out.tries > 1);
	sampled_fini(&out);
}

/* Paced at 2 ms, and one of them takes 8 ms a read: the others wait for it at their own pace. */
static void who_waits_for_the_last_reader_keeps_the_pace(void **state)
{
	struct bench *bench = *state;
	struct sampling sampling = {.samples = 20, .reads_per_sample = 1};
	struct sampled out;
	uint64_t begin = clock_now(), periods;

	bench->point.read.readers = 2;
	bench->point.read.pacing_ns = 2 * MS;
	scripts[1] = (struct script){.slow_from = 1, .slow_to = 1000, .slow_ns = 8 * MS};
	assert_int_equal(sampler_run(&bench->sampler, &sampling, &out, &bench->err), 0);
	periods = (clock_now() - begin) / (2 * MS);
	assert_true(scripts[0].reads > 20);
	assert_true(scripts[0].reads < periods + 10);
	assert_true(out.late >= 15);
	sampled_fini(&out);
}

static void a_failing_reader_ends_the_loop_of_all(void **state)
{
	struct bench *bench = *state;
	struct sampling sampling = {.samples = 20, .reads_per_sample = 1};
	struct sampled out;

	bench->point.read.readers = READERS;
	for (unsigned who = 0; who < READERS; who++) {
		for (unsigned from = 1; from <= 5; from += 4) {
			memset(scripts, 0, sizeof(scripts));
			scripts[who].fails_from = from;
			scripts[who].result = -ENODATA;
			assert_int_equal(sampler_run(&bench->sampler, &sampling, &out, &bench->err),
					 -ENODATA);
		}
	}
}

static void a_reader_that_cannot_start_is_an_error(void **state)
{
	struct bench *bench = *state;
	struct sampling sampling = {.samples = 20, .reads_per_sample = 1};
	struct sampled out;

	bench->point.read.readers = READERS;
	create_fails_from = 2;
	assert_int_equal(sampler_run(&bench->sampler, &sampling, &out, &bench->err), -EAGAIN);
	assert_non_null(strstr(bench->err.text, "cannot start reader 3 of 3"));
}

/* A collector: one read is the files of all memcgs that are not dying, and nothing else. */
static void a_sweep_reads_every_file_once(void **state)
{
	struct bench *bench = *state;
	struct sampling sampling = {.samples = 20, .reads_per_sample = 1};
	struct memcg_tree *tree;
	struct sampled out;

	bench->point.tree.memcgs = 50;
	bench->point.tree.dying_ppm = 200000;
	bench->point.read.cgroup = TARGET_ALL;
	assert_int_equal(memcg_tree_new(&bench->point.tree, &tree), 0);
	bench->sampler.tree = tree;
	if (sampler_run(&bench->sampler, &sampling, &out, &bench->err))
		fail_msg("%s", bench->err.text);
	assert_int_equal(histogram_count(out.latency), 20);
	/* one untimed, and the 20 of each try */
	assert_int_equal(scripts[0].reads, (51 - 10) * (1 + 20 * out.tries));
	sampled_fini(&out);

	memset(scripts, 0, sizeof(scripts));
	scripts[0].fails_from = 3;
	scripts[0].result = -ENODATA;
	assert_int_equal(sampler_run(&bench->sampler, &sampling, &out, &bench->err), -ENODATA);
	assert_int_equal(scripts[0].reads, 3);
	memcg_tree_free(tree);
}

#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, open_bench, close_bench)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_BENCH(one_interruption_does_not_shorten_a_batch),
		WITH_BENCH(a_paced_loop_is_capped_by_time),
		WITH_BENCH(readers_that_share_cpus_take_fewer_samples),
		WITH_BENCH(samples_of_a_process_are_shared_by_its_readers),
		WITH_BENCH(a_pilot_says_why_a_read_failed),
		WITH_BENCH(the_first_read_of_a_reader_is_no_sample),
		WITH_BENCH(a_loop_shorter_than_expected_gets_the_clock_of_short_ones),
		WITH_BENCH(who_waits_for_the_last_reader_keeps_the_pace),
		WITH_BENCH(a_failing_reader_ends_the_loop_of_all),
		WITH_BENCH(a_reader_that_cannot_start_is_an_error),
		WITH_BENCH(a_sweep_reads_every_file_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
