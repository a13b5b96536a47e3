// SPDX-License-Identifier: MIT
/*
 * What writers do to a back end: lists that undo themselves and never take what is not there, CPUs
 * that nobody shares, and, with readers at work meanwhile, counters that are exact in the end.
 */
#include "driver/writer.h"
#include "driver/writer_list.h"

#include "backend/charge.h"
#include "fixture.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MEMCGS  40u /* below the root */
#define NODES   2u
#define CPUS    12u
#define WRITERS 3u
#define MS      1000000u

static const enum write_mix mixes[] = {MIX_PAGE, MIX_HUGE, MIX_LRU, MIX_MIGRATE, MIX_MIXED};
#define NR_MIXES (sizeof(mixes) / sizeof(mixes[0]))

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

static struct point point_of(enum write_mix mix, unsigned writers, unsigned readers)
{
	struct point point = small_point(MEMCGS, NODES, CPUS);

	point.counters.pages = 20; /* lists would soon run empty */
	point.read.readers = readers;
	point.read.form = FORM_COUNTS;
	point.read.time_ns = 5 * MS;
	point.write.writers = writers;
	point.write.mix = mix;
	return point;
}

static struct sampler sampler_of(struct test_model *f)
{
	return (struct sampler){
		.backend = f->backend,
		.instance = f->instance,
		.point = &f->point,
		.tree = f->tree,
		.placement = f->placement,
		.floor = {.median_ns = 20},
	};
}

/* Updates of one writer, added up by place. */
struct held {
	int64_t pages[MEMCGS + 1][NODES][NR_LRU_LISTS], lowest, all;
	struct writer_cpus cpus;
	uint64_t updates, astray, huge, single;
};

static void hold(void *arg, const struct update *update)
{
	struct held *held = arg;
	int64_t *pages;

	held->updates++;
	if (update->memcg > MEMCGS || update->node >= NODES || update->cpu < held->cpus.first ||
	    update->cpu >= held->cpus.end) {
		held->astray++;
		return;
	}
	held->huge += labs(update->delta) == 512;
	held->single += labs(update->delta) == 1;
	pages = &held->pages[update->memcg][update->node][update->lru];
	*pages += update->delta;
	held->all += update->delta;
	if (*pages < held->lowest)
		held->lowest = *pages;
}

static void draw(struct test_model *f, unsigned writer, struct run *runs)
{
	struct writer_targets targets;

	assert_int_equal(writer_targets_new(f->tree, &f->point, &targets), 0);
	writer_draw(f->placement, &f->point, &targets, writer, runs);
	writer_targets_free(&targets);
}

static void a_round_undoes_itself_and_takes_only_what_it_brought(void **state)
{
	static struct run runs[ROUND_RUNS];

	for (size_t i = 0; i < NR_MIXES; i++) {
		struct point point = point_of(mixes[i], WRITERS, 1);
		static struct held held, before;
		struct test_model f;

		fixture_init(&f, &point, "cached");
		draw(&f, 1, runs);
		memset(&held, 0, sizeof(held));
		held.cpus = writer_cpus(f.placement, &f.point, 1);
		writer_each_setup(runs, hold, &held);
		before = held;
		for (uint64_t slice = 0; slice < ROUND_SLICES; slice++) {
			writer_each_of_slice(runs, slice, hold, &held);
			/* what moves is as much before and after */
			if (mixes[i] == MIX_LRU || mixes[i] == MIX_MIGRATE)
				assert_int_equal(held.all, before.all);
		}
		assert_int_equal(held.updates - before.updates, ROUND_SLICES * SLICE_EVENTS);
		assert_int_equal(held.astray, 0);
		assert_int_equal(held.lowest, 0);
		assert_memory_equal(held.pages, before.pages, sizeof(held.pages));
		assert_true((before.updates > 0) == (mixes[i] >= MIX_LRU));
		assert_true((held.huge > 0) == (mixes[i] == MIX_HUGE || mixes[i] == MIX_MIXED));
		assert_true((held.single > 0) == (mixes[i] != MIX_HUGE));
		fixture_fini(&f);
	}
}

static void no_two_threads_share_a_modelled_cpu(void **state)
{
	for (unsigned writers = 1; writers <= CPUS - 2; writers++) {
		struct point point = point_of(MIX_PAGE, writers, 2);
		unsigned after = 2; /* the readers' */
		struct test_model f;

		fixture_init(&f, &point, "cached");
		for (unsigned i = 0; i < writers; i++) {
			struct writer_cpus cpus = writer_cpus(f.placement, &f.point, i);

			assert_true(cpus.first >= after && cpus.end > cpus.first);
			assert_int_equal(f.placement->node_of_cpu[cpus.first],
					 f.placement->node_of_cpu[cpus.end - 1]);
			after = cpus.end;
		}
		assert_true(after <= CPUS);
		fixture_fini(&f);
	}
}

static uint32_t below_root(const struct memcg_tree *tree, uint32_t memcg)
{
	while (tree->parent[memcg])
		memcg = tree->parent[memcg];
	return memcg;
}

static void own_memcgs_are_subtrees_and_nobody_elses(void **state)
{
	struct point point = point_of(MIX_PAGE, WRITERS, 1);
	struct writer_targets targets;
	int owner[MEMCGS + 1];
	struct test_model f;

	point.write.target = WRITE_OWN;
	point.tree.dying_ppm = 200000;
	fixture_init(&f, &point, "cached");
	memset(owner, -1, sizeof(owner));
	assert_int_equal(writer_targets_new(f.tree, &f.point, &targets), 0);
	for (unsigned i = 0; i < WRITERS; i++)
		for (uint32_t k = targets.start[i]; k < targets.start[i + 1]; k++) {
			assert_int_equal(owner[targets.memcgs[k]], -1);
			owner[targets.memcgs[k]] = (int)i;
		}
	assert_int_equal(owner[0], -1);
	for (uint32_t a = 1; a <= MEMCGS; a++) {
		assert_true((owner[a] < 0) == f.tree->dying[a]);
		for (uint32_t b = 1; b < a; b++)
			if (owner[a] >= 0 && owner[b] >= 0 &&
			    below_root(f.tree, a) == below_root(f.tree, b))
				assert_int_equal(owner[a], owner[b]);
	}
	writer_targets_free(&targets);
	fixture_fini(&f);
}

static void of_a_chain_each_writer_has_memcgs_too(void **state)
{
	struct point point = point_of(MIX_PAGE, WRITERS, 1);
	struct writer_targets targets;
	struct test_model f;

	point.write.target = WRITE_OWN;
	point.tree.shape = TREE_CHAIN;
	fixture_init(&f, &point, "cached");
	assert_int_equal(writer_targets_new(f.tree, &f.point, &targets), 0);
	assert_int_equal(targets.start[WRITERS], MEMCGS);
	for (unsigned i = 0; i < WRITERS; i++)
		assert_true(targets.start[i + 1] - targets.start[i] >= MEMCGS / WRITERS);
	writer_targets_free(&targets);
	fixture_fini(&f);
}

/* Runs are drawn in proportion to pages: here the busiest two of 41 hold a third of them. */
static void by_zipf_busy_memcgs_are_those_with_many_pages(void **state)
{
	struct point point = point_of(MIX_PAGE, 1, 1);
	struct charge_plan plan = {.point = &point};
	uint64_t largest = 0, runs_of[MEMCGS + 1] = {0}, pages = 0, drawn = 0;
	static struct run runs[ROUND_RUNS];
	struct test_model f;

	point.counters.distribution = DISTRIBUTION_ZIPF;
	point.counters.pages = 1000;
	fixture_init(&f, &point, "cached");
	draw(&f, 0, runs);
	for (unsigned i = 0; i < ROUND_RUNS; i++)
		runs_of[runs[i].step[0].memcg]++;
	for (uint32_t memcg = 0; memcg <= MEMCGS; memcg++) {
		largest =
			charge_pages(&plan, memcg) > largest ? charge_pages(&plan, memcg) : largest;
	}
	for (uint32_t memcg = 0; memcg <= MEMCGS; memcg++) {
		if (charge_pages(&plan, memcg) < largest / 2)
			continue;
		pages += charge_pages(&plan, memcg);
		drawn += runs_of[memcg];
	}
	assert_true(3 * pages > 1000 * (MEMCGS + 1));
	assert_true(4 * drawn > ROUND_RUNS && 2 * drawn < ROUND_RUNS);
	fixture_fini(&f);
}

static void one_is_a_living_leaf(void **state)
{
	struct point point = point_of(MIX_PAGE, WRITERS, 1);
	struct writer_targets targets;
	struct test_model f;

	point.write.target = WRITE_ONE;
	fixture_init(&f, &point, "cached");
	f.tree->dying[MEMCGS] = true;
	assert_int_equal(writer_targets_new(f.tree, &f.point, &targets), 0);
	assert_int_equal(targets.start[1], 1);
	assert_int_equal(targets.memcgs[0], MEMCGS - 1);
	writer_targets_free(&targets);
	fixture_fini(&f);
}

/* Readers and writers at once; then every memcg against the truth. */
static struct writers_cost run(struct test_model *f, const struct sampling *sampling, int wanted)
{
	struct sampler sampler = sampler_of(f);
	struct error err = {.text = ""};
	struct writers *writers = NULL;
	struct writers_cost cost = {.writers = 0};
	struct sampled sampled;
	int r;

	alarm(120); /* who hangs has failed */
	assert_int_equal(writers_new(&sampler, &writers, &err), 0);
	sampler.writers = writers;
	created = 0;
	r = sampler_run(&sampler, sampling, &sampled, &err);
	if (r != wanted)
		fail_msg("%d: %s", r, err.text);
	if (!r) {
		assert_int_equal(writers_digest(writers, &cost, &err), 0);
		sampled_fini(&sampled);
	}
	writers_account(writers, f->oracle);
	writers_free(writers);
	for (uint32_t memcg = 0; memcg < f->tree->nr; memcg++)
		fixture_compare(f, memcg);
	alarm(0);
	return cost;
}

static const struct sampling sampling_of_reads = {
	.samples = 100, .reads_per_sample = 20, .loop_ns = 1};

/* With batches of 0 pages, a cell may not be off by one page. */
static void the_truth_is_exact_when_writers_have_ended(const char *backend,
						       enum write_target target)
{
	for (size_t i = 0; i < NR_MIXES; i++) {
		struct point point = point_of(mixes[i], WRITERS, 2);
		struct writers_cost cost;
		struct test_model f;

		point.counters.batch = 0;
		point.write.target = target;
		fixture_init(&f, &point, backend);
		fixture_populate(&f);
		cost = run(&f, &sampling_of_reads, 0);
		assert_int_equal(cost.writers, WRITERS);
		assert_true(cost.updates >= 5 * WRITERS * cost.updates_per_sample);
		assert_int_equal(cost.updates % cost.updates_per_sample, 0);
		assert_true(cost.median_ns > 0 && cost.updates_per_s > 0 && cost.seconds > 0);
		assert_int_equal(cost.behind, 0);
		writers_cost_fini(&cost);
		fixture_fini(&f);
	}
}

static void walk_is_exact_after_load(void **state)
{
	the_truth_is_exact_when_writers_have_ended("walk", WRITE_ALL);
}

static void cached_is_exact_after_load(void **state)
{
	the_truth_is_exact_when_writers_have_ended("cached", WRITE_ONE);
}

static void batches_stay_within_their_bound(void **state)
{
	struct point point = point_of(MIX_MIXED, WRITERS, 2);
	struct writers_cost cost;
	struct test_model f;

	point.write.target = WRITE_OWN;
	fixture_init(&f, &point, "cached");
	fixture_populate(&f);
	cost = run(&f, &sampling_of_reads, 0);
	writers_cost_fini(&cost);
	fixture_fini(&f);
}

static void a_paced_writer_holds_its_rate(void **state)
{
	struct point point = point_of(MIX_PAGE, 2, 1);
	struct writers_cost cost;
	struct test_model f;
	double asked;

	point.read.time_ns = 100 * MS; /* that long writers are at work */
	point.write.rate = 50000;
	fixture_init(&f, &point, "cached");
	fixture_populate(&f);
	cost = run(&f, &sampling_of_reads, 0);
	/* Each may have done one batch more than its time had room for. A machine that is busy with
	 * others delays batches, which are then made up for. */
	asked = 2 * 50000 * cost.seconds;
	assert_true((double)cost.updates <= asked + 2 * (double)cost.updates_per_sample);
	assert_true((double)cost.updates >= asked / 2 - 2 * (double)cost.updates_per_sample);
	assert_true(cost.seconds >= 0.09);
	writers_cost_fini(&cost);
	fixture_fini(&f);
}

static void more_writers_than_real_cpus_all_write(void **state)
{
	struct point point = point_of(MIX_PAGE, CPUS - 1, 1);
	struct writers_cost cost;
	struct test_model f;

	fixture_init(&f, &point, "walk");
	fixture_populate(&f);
	cost = run(&f, &sampling_of_reads, 0);
	assert_int_equal(cost.writers, CPUS - 1);
	for (unsigned i = 0; i < cost.writers; i++)
		assert_true(cost.share[i].updates_per_s > 0);
	writers_cost_fini(&cost);
	fixture_fini(&f);
}

static void a_writer_has_a_real_cpu_of_its_own_while_there_are_any(void **state)
{
	struct point point = point_of(MIX_PAGE, 1, 1);
	struct writers_cost cost;
	struct test_model f;
	unsigned readers_cpu, allowed = 0;
	struct error err;

	fixture_init(&f, &point, "cached");
	fixture_populate(&f);
	readers_cpu = (unsigned)placement_os_cpu(f.placement, 0, &err);
	cost = run(&f, &sampling_of_reads, 0);
	for (unsigned i = 0; i < f.machine->nr_nodes; i++)
		allowed += f.machine->nodes[i].nr_allowed;
	if (f.machine->nr_nodes == 1 && allowed > 1)
		assert_int_not_equal(cost.share[0].os_cpu, readers_cpu);
	writers_cost_fini(&cost);
	fixture_fini(&f);
}

/* Some writers wait at the gate already; the counters must be left as the oracle is told. */
static void threads_that_cannot_start_leave_nobody_behind(void **state)
{
	for (unsigned fails = 1; fails <= WRITERS + 1; fails++) {
		struct point point = point_of(MIX_PAGE, WRITERS, 2);
		struct test_model f;

		fixture_init(&f, &point, "cached");
		fixture_populate(&f);
		create_fails_from = fails;
		run(&f, &sampling_of_reads, -EAGAIN);
		create_fails_from = 0;
		fixture_fini(&f);
	}
}

static void without_writers_there_is_no_cost(void **state)
{
	struct point point = point_of(MIX_PAGE, 0, 1);
	struct writers_cost cost;
	struct test_model f;

	fixture_init(&f, &point, "cached");
	fixture_populate(&f);
	cost = run(&f, &sampling_of_reads, 0);
	assert_int_equal(cost.writers, 0);
	assert_true(writers_guess_ns(&f.point) == 0 && writers_guess_bytes(&f.point) == 0);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_undoes_itself_and_takes_only_what_it_brought),
		cmocka_unit_test(no_two_threads_share_a_modelled_cpu),
		cmocka_unit_test(own_memcgs_are_subtrees_and_nobody_elses),
		cmocka_unit_test(of_a_chain_each_writer_has_memcgs_too),
		cmocka_unit_test(by_zipf_busy_memcgs_are_those_with_many_pages),
		cmocka_unit_test(one_is_a_living_leaf),
		/* before any other run binds this thread, and so what may be used, to one CPU */
		cmocka_unit_test(a_writer_has_a_real_cpu_of_its_own_while_there_are_any),
		cmocka_unit_test(walk_is_exact_after_load),
		cmocka_unit_test(cached_is_exact_after_load),
		cmocka_unit_test(batches_stay_within_their_bound),
		cmocka_unit_test(a_paced_writer_holds_its_rate),
		cmocka_unit_test(more_writers_than_real_cpus_all_write),
		cmocka_unit_test(threads_that_cannot_start_leave_nobody_behind),
		cmocka_unit_test(without_writers_there_is_no_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
