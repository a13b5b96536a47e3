// SPDX-License-Identifier: MIT
/*
 * Memcgs that come and go while others write and read: what a thread sanitizer watches, and what is
 * left when all have gone. The churner is the one of `run`.
 */
#include "backend/model.h"
#include "backend/model_walk.h"
#include "base/rng.h"
#include "driver/churn.h"

#include "fixture.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MEMCGS  30u
#define NODES   2u
#define WRITERS 8u
#define READERS 4u
#define CPUS    (READERS + WRITERS + 1)
#define LINGER  16u
#define LARGEST 40 /* update of a writer; more than a batch */
#define OFTEN   1000000u /* a second: as fast as it can */

static struct point point_of(uint32_t batch, uint32_t linger)
{
	struct point point = small_point(MEMCGS, NODES, CPUS);

	point.tree.dying_ppm = 300000;
	point.machine.layout = LAYOUT_LEAN; /* a sanitizer is slow, and blocks are as many */
	point.counters.batch = batch;
	point.read.readers = READERS;
	point.write.writers = WRITERS;
	point.write.churn = OFTEN;
	point.write.linger = linger;
	return point;
}

static struct churn *new_churn(struct fixture *f)
{
	struct churn_env env = {f->backend, f->instance, &f->point, f->tree, f->placement};
	struct error err = {.text = ""};
	struct churn *churn;

	if (churn_new(&env, &churn, &err))
		fail_msg("%s", err.text);
	assert_int_equal(churn_account(churn, f->oracle), 0);
	return churn;
}

/* As fixture_compare(), with those beside the tree. */
static void compare(struct fixture *f, const struct churn *churn, uint32_t memcg)
{
	struct cell_error worst;
	char name[CELL_NAME_MAX];

	fixture_read(f, memcg);
	if (oracle_compare(f->backend, &f->point, &f->counts, &f->truth, ROWS_ALL,
			   memcg_tree_size(f->tree, memcg) + churn_below(churn, memcg), &worst))
		fail_msg("%s, memcg %u: %s is %llu, truth %llu, bound %llu", f->backend->name,
			 memcg, cell_error_name(name, &worst, &f->point),
			 (unsigned long long)worst.value, (unsigned long long)worst.truth,
			 (unsigned long long)worst.bound);
}

static void compare_all(struct fixture *f, const struct churn *churn)
{
	for (uint32_t memcg = 0; memcg < f->tree->nr; memcg++)
		compare(f, churn, memcg);
}

/* Everybody at work, and what they found. */
struct stage {
	struct fixture *f;
	struct churn *churn;
	struct gate gate;
	struct numa_counts rest; /* truth, when nobody is at work */
	uint64_t slack; /* pages that a hierarchical cell may be above that */
	uint64_t visited; /* by a read of the root, before anything came or went */
	unsigned long updates, reads;
	atomic_uint reading; /* readers that are not done */
};

struct worker {
	struct stage *stage;
	unsigned index, wrong;
	uint64_t most_visited;
	char found[160];
	pthread_t thread;
};

/* Charged and given back at once: in the end there is as much as in the beginning. */
static void *write_main(void *arg)
{
	struct worker *worker = arg;
	struct stage *stage = worker->stage;
	struct rng rng = rng_for(7, worker->index, 0);

	if (!gate_wait(&stage->gate))
		return NULL;
	for (unsigned long n = 0; n < stage->updates || atomic_load(&stage->reading); n++) {
		struct update update = {
			.memcg = (uint32_t)rng_below(&rng, MEMCGS + 1),
			.node = (unsigned)rng_below(&rng, NODES),
			.lru = (enum lru_list)rng_below(&rng, NR_LRU_LISTS),
			.cpu = READERS + worker->index,
			.delta = 1 + (long)rng_below(&rng, LARGEST),
		};

		stage->f->backend->update(stage->f->instance, &update);
		update.delta = -update.delta;
		stage->f->backend->update(stage->f->instance, &update);
	}
	return NULL;
}

/* Nobody charges what was there, and nobody more than `slack`. */
static void check_cells(struct worker *worker, const struct numa_counts *counts)
{
	const struct stage *stage = worker->stage;
	const struct fixture *f = stage->f;
	uint32_t most = MEMCGS + 1 + point_spare(&f->point);

	for (unsigned row = 0; row < NR_NUMA_ROWS; row++)
		for (unsigned column = 0; column <= NODES; column++) {
			unsigned cell = numa_cell(NODES, SCOPE_HIERARCHICAL, row, column);
			uint64_t value = counts->cells[cell], rest = stage->rest.cells[cell];
			uint64_t bound = f->backend->bound(&f->point, SCOPE_HIERARCHICAL, row,
							   column, most, rest + stage->slack);

			if (value + bound >= rest && value <= rest + stage->slack + bound)
				continue;
			worker->wrong++;
			snprintf(worker->found, sizeof(worker->found),
				 "row %u, column %u is %llu, %llu at rest", row, column,
				 (unsigned long long)value, (unsigned long long)rest);
		}
}

static void *read_main(void *arg)
{
	struct worker *worker = arg;
	struct stage *stage = worker->stage;
	const struct fixture *f = stage->f;
	struct read_request request = {.cpu = worker->index, .rows = ROWS_ALL};
	struct grace *grace = churn_grace(stage->churn);
	struct numa_counts counts;

	if (numa_counts_init(&counts, NODES, f->point.machine.nids))
		worker->wrong++;
	if (gate_wait(&stage->gate))
		churn_await(stage->churn);
	for (unsigned long n = 0; !worker->wrong && n < stage->reads; n++) {
		struct op_probe probe = {.lines = NULL};

		grace_enter(grace, worker->index);
		if (n % 2)
			f->backend->read_counts(f->instance, &request, &counts);
		else
			f->backend->count_read(f->instance, &request, &counts, &probe);
		grace_leave(grace, worker->index);
		check_cells(worker, &counts);
		if (probe.counts.memcgs_visited > worker->most_visited)
			worker->most_visited = probe.counts.memcgs_visited;
	}
	atomic_fetch_sub(&stage->reading, 1);
	numa_counts_fini(&counts);
	return NULL;
}

/*
 * An update that met a flush may be left behind until its CPU's next one of the memcg (see
 * rstat_update.c): here that is.
 */
static void settle(struct fixture *f)
{
	for (unsigned cpu = READERS; cpu < READERS + WRITERS; cpu++)
		for (uint32_t memcg = 0; memcg < f->tree->nr; memcg++) {
			struct update update = {.memcg = memcg, .cpu = cpu, .delta = 1};

			f->backend->update(f->instance, &update);
			update.delta = -1;
			f->backend->update(f->instance, &update);
		}
}

/* Of each memcg, also of those that came and went, as many references were dropped as taken. */
static void check_references(const struct fixture *f)
{
	const struct model *model = f->instance;

	if (f->backend->regions != model_regions)
		return;
	for (uint32_t i = 0; i < model->layout.slots; i++) {
		struct memcg *memcg = model_memcg(model, i);
		long refs = atomic_load(&memcg->css_count);

		for (unsigned cpu = 0; cpu < model->layout.cpus; cpu++)
			refs += atomic_load(area_counter(
				model->area[cpu], memcg->local + model->layout.css_offset, 0));
		assert_int_equal(refs, 0);
	}
}

static void run_stage(struct stage *stage, struct worker *workers)
{
	struct error err = {.text = ""};

	if (churn_start(stage->churn, &stage->gate, &err))
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < READERS + WRITERS; i++) {
		bool reads = i < READERS;

		workers[i] = (struct worker){.stage = stage, .index = reads ? i : i - READERS};
		assert_int_equal(pthread_create(&workers[i].thread, NULL,
						reads ? read_main : write_main, &workers[i]),
				 0);
	}
	gate_open(&stage->gate, READERS + WRITERS + churn_nr(stage->churn));
	for (unsigned i = 0; i < READERS + WRITERS; i++)
		pthread_join(workers[i].thread, NULL);
	if (churn_stop(stage->churn, &err))
		fail_msg("%s", err.text);
}

static void check_stage(struct stage *stage, const struct worker *workers)
{
	struct fixture *f = stage->f;
	struct churn_cost cost;

	for (unsigned i = 0; i < READERS; i++) {
		uint64_t walks = stage->visited / f->tree->nr;

		if (workers[i].wrong)
			fail_msg("%s: %s", f->backend->name, workers[i].found);
		assert_true(workers[i].most_visited <=
			    walks * (f->tree->nr + point_spare(&f->point)) +
				    CPUS * CPUS * f->tree->nr);
	}
	churn_digest(stage->churn, &cost);
	assert_true(cost.created > 0 && cost.created == cost.removed);
	assert_int_equal(cost.lingering, f->point.write.linger);
	settle(f);
	assert_int_equal(churn_account(stage->churn, f->oracle), 0);
	compare_all(f, stage->churn);
}

/* All gone: as if nobody had ever been there. */
static void check_gone(struct stage *stage)
{
	struct fixture *f = stage->f;
	long least, most;

	churn_drain(stage->churn);
	assert_int_equal(churn_account(stage->churn, f->oracle), 0);
	assert_int_equal(churn_below(stage->churn, 0), 0);
	churn_held(stage->churn, &least, &most);
	assert_int_equal(least, 0);
	assert_int_equal(most, 0);
	if (f->backend->flush)
		f->backend->flush(f->instance, 0);
	for (uint32_t memcg = 0; memcg < f->tree->nr; memcg++)
		fixture_compare(f, memcg);
	assert_int_equal(fixture_count(f, 0, NULL).memcgs_visited, stage->visited);
	check_references(f);
}

static bool is_walked(const struct fixture *f)
{
	return !strncmp(f->backend->name, "walk", strlen("walk"));
}

static void race(const char *backend, enum flush_rules rules, uint32_t batch, uint32_t linger)
{
	static struct worker workers[READERS + WRITERS];
	bool many = many_updates() > 1000000;
	struct stage stage = {
		.gate = GATE_INITIALIZER,
		.updates = many ? 100000 : 500,
		.reads = many ? 20000 : 100,
		.reading = READERS,
	};
	struct point point = point_of(batch, linger);
	struct fixture f;

	alarm(many ? 1200 : 120); /* who hangs has failed */
	point.counters.flush = rules;
	fixture_init(&f, &point, backend);
	fixture_populate(&f);
	stage.f = &f;
	/* rstat's first read flushes and visits more: this one does not count */
	if (f.backend->flush)
		f.backend->flush(f.instance, 0);
	stage.visited = fixture_count(&f, 0, NULL).memcgs_visited;
	assert_true(!is_walked(&f) || stage.visited % f.tree->nr == 0);
	oracle_read(f.oracle, 0, ROWS_ALL, &f.truth);
	stage.rest = f.truth;
	/* A read takes time: a writer may be met in every memcg and list of it. */
	stage.slack = (uint64_t)WRITERS * LARGEST * NR_LRU_LISTS * f.tree->nr +
		      (uint64_t)CHURN_PAGES * point_spare(&point);
	stage.churn = new_churn(&f);
	run_stage(&stage, workers);
	check_stage(&stage, workers);
	check_gone(&stage);
	churn_free(stage.churn);
	fixture_fini(&f);
	alarm(0);
}

static void walk_survives(void **state)
{
	race("walk", FLUSH_V6_8, 32, LINGER);
	race("walk", FLUSH_V6_8, 0, 0);
}

static void walk_once_survives(void **state)
{
	race("walk-once", FLUSH_V6_8, 32, LINGER);
	race("walk-once", FLUSH_V6_8, 32, 0);
}

static void walk_415_survives(void **state)
{
	race("walk-415", FLUSH_V6_8, 32, LINGER);
}

static void cached_survives(void **state)
{
	race("cached", FLUSH_V6_8, 32, LINGER);
	race("cached", FLUSH_V6_8, 0, LINGER);
	race("cached-fnptr", FLUSH_V6_8, 32, 0);
}

static void rstat_survives(void **state)
{
	race("rstat", FLUSH_V5_13, 32, LINGER);
	race("rstat", FLUSH_V5_16, 32, 0);
	race("rstat", FLUSH_V6_8, 32, LINGER);
}

static void packed_survives(void **state)
{
	race("packed", FLUSH_V6_8, 32, LINGER);
	race("packed", FLUSH_V6_8, 0, 0);
}

static void bounded_survives(void **state)
{
	race("bounded", FLUSH_V6_8, 32, LINGER);
	race("bounded", FLUSH_V6_8, 32, 0);
}

static const char *const able[] = {"walk", "walk-once", "cached", "rstat", "packed", "bounded"};

/*
 * What is held back when a memcg goes is not lost, nor kept for ever: with a batch of 20 a memcg
 * that was charged 30 pages at once and gave them back one by one left -9 in its batch, and 9 with
 * its ancestors.
 */
static void what_was_held_back_comes_home(void **state)
{
	for (size_t i = 0; i < sizeof(able) / sizeof(able[0]); i++) {
		struct point point = point_of(20, 0);
		struct fixture f;
		uint64_t before;

		point.write.writers = 0;
		fixture_init(&f, &point, able[i]);
		if (f.backend->flush)
			f.backend->flush(f.instance, 0);
		fixture_read(&f, 0);
		before = f.counts.cells[numa_cell(NODES, SCOPE_HIERARCHICAL, 0, 0)];
		for (unsigned n = 0; n < 50; n++) {
			struct update update = {.memcg = MEMCGS + 1, .cpu = 3, .delta = 1};

			f.backend->memcg_add(f.instance, MEMCGS + 1, MEMCGS / 2);
			for (unsigned k = 0; k <= 30; k++) {
				update.delta = k ? -1 : 30;
				f.backend->update(f.instance, &update);
			}
			if (f.backend->memcg_offline)
				f.backend->memcg_offline(f.instance, MEMCGS + 1);
			f.backend->memcg_remove(f.instance, MEMCGS + 1);
		}
		if (f.backend->flush)
			f.backend->flush(f.instance, 0);
		fixture_read(&f, 0);
		for (unsigned column = 0; column <= NODES; column++)
			assert_int_equal(
				f.counts.cells[numa_cell(NODES, SCOPE_HIERARCHICAL, 0, column)],
				before);
		fixture_fini(&f);
	}
}

/* By links, as a walk goes. */
static struct memcg *step(const struct model *model, struct memcg *at)
{
	return walk_step(model, model_memcg(model, 0), at, 0, NULL);
}

static void who_stands_on_a_removed_memcg_finds_the_way_back(void **state)
{
	struct point point = point_of(32, 0);
	struct memcg *first, *second, *third, *at;
	const uint32_t parent = MEMCGS; /* a leaf, and the last in the walk's order */
	struct model *model;
	struct fixture f;
	unsigned met = 0;

	point.tree.shape = TREE_CHAIN;
	fixture_init(&f, &point, "walk");
	model = f.instance;
	first = model_memcg(model, MEMCGS + 1);
	second = model_memcg(model, MEMCGS + 2);
	third = model_memcg(model, MEMCGS + 3);
	for (uint32_t i = 1; i <= 3; i++)
		f.backend->memcg_add(f.instance, MEMCGS + i, parent);

	/* in the order of their creation */
	assert_ptr_equal(step(model, model_memcg(model, parent)), first);
	assert_ptr_equal(step(model, first), second);
	assert_ptr_equal(step(model, second), third);
	assert_null(step(model, third));

	/* a walk stands on the first; it goes, then the second, then the third comes anew */
	f.backend->memcg_remove(f.instance, MEMCGS + 1);
	f.backend->memcg_remove(f.instance, MEMCGS + 2);
	for (at = first; at && met < 10; at = step(model, at))
		met++;
	assert_int_equal(met, 3);
	assert_ptr_equal(step(model, model_memcg(model, parent)), third);
	f.backend->memcg_add(f.instance, MEMCGS + 4, parent);
	assert_ptr_equal(step(model, third), model_memcg(model, MEMCGS + 4));
	f.backend->memcg_remove(f.instance, MEMCGS + 3);
	f.backend->memcg_remove(f.instance, MEMCGS + 4);
	assert_null(step(model, model_memcg(model, parent)));
	fixture_fini(&f);
}

static void run_for(struct churn *churn, struct gate *gate, unsigned ms, struct churn_cost *cost)
{
	struct error err;

	gate_close(gate);
	assert_int_equal(churn_start(churn, gate, &err), 0);
	gate_open(gate, 1);
	churn_await(churn);
	usleep(ms * 1000);
	assert_int_equal(churn_stop(churn, &err), 0);
	churn_digest(churn, cost);
}

static void a_place_is_not_used_again_while_a_reader_may_stand_on_it(void **state)
{
	struct gate gate = GATE_INITIALIZER;
	struct point point = point_of(32, LINGER);
	struct churn_cost cost = {.created = 0};
	struct churn *churn;
	struct fixture f;
	uint64_t created = 0;

	fixture_init(&f, &point, "cached");
	fixture_populate(&f);
	churn = new_churn(&f);
	grace_enter(churn_grace(churn), READERS - 1);
	for (unsigned i = 0; i < 1000 && !cost.waits; i++) {
		run_for(churn, &gate, 10, &cost);
		created += cost.created;
	}
	assert_int_equal(cost.waits, 1);
	assert_true(created <= SPARE_FLOATING);
	/* another reader comes and goes: that is no help */
	grace_enter(churn_grace(churn), 0);
	grace_leave(churn_grace(churn), 0);
	run_for(churn, &gate, 10, &cost);
	assert_int_equal(cost.created, 0);
	/* nor is one that is under way since: it began after all of them had gone */
	grace_leave(churn_grace(churn), READERS - 1);
	for (created = 0; created <= 2 * SPARE_FLOATING; created += cost.created)
		run_for(churn, &gate, 10, &cost);
	assert_int_equal(churn_account(churn, f.oracle), 0);
	compare_all(&f, churn);
	churn_free(churn);
	fixture_fini(&f);
}

static void a_rate_is_held(void **state)
{
	struct gate gate = GATE_INITIALIZER;
	struct point point = point_of(32, LINGER);
	struct churn_cost cost;
	struct churn *churn;
	struct fixture f;

	point.write.churn = 200;
	fixture_init(&f, &point, "packed");
	fixture_populate(&f);
	churn = new_churn(&f);
	run_for(churn, &gate, 200, &cost);
	/* A busy machine makes it late, and what is late is made up for; never is there too much.
	 */
	assert_true((double)cost.created <= 200 * cost.seconds + 1);
	assert_true((double)cost.created >= 200 * cost.seconds / 4);
	assert_true(cost.create_ns > 0 && cost.remove_ns > 0);
	assert_true(cost.create_p99_ns != cost.create_p99_ns); /* too few for it */
	assert_int_equal(cost.pages, CHURN_PAGES);
	churn_free(churn);
	fixture_fini(&f);
}

static void without_churn_there_is_no_room_and_no_churner(void **state)
{
	struct point point = point_of(32, 0), churning = point;
	struct churn *churn = (struct churn *)&point;
	struct churn_cost cost;
	struct fixture f;

	point.write.churn = 0;
	fixture_init(&f, &point, "cached");
	assert_true(f.backend->bytes(&point) < f.backend->bytes(&churning));
	assert_int_equal(((struct model *)f.instance)->layout.slots, MEMCGS + 1);
	churn = new_churn(&f);
	assert_null(churn);
	assert_int_equal(churn_nr(churn), 0);
	churn_digest(churn, &cost);
	assert_false(cost.any);
	assert_true(churn_guess_ns(&point) == 0 && churn_guess_bytes(&point) == 0);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walk_survives),
		cmocka_unit_test(walk_once_survives),
		cmocka_unit_test(walk_415_survives),
		cmocka_unit_test(cached_survives),
		cmocka_unit_test(rstat_survives),
		cmocka_unit_test(packed_survives),
		cmocka_unit_test(bounded_survives),
		cmocka_unit_test(what_was_held_back_comes_home),
		cmocka_unit_test(who_stands_on_a_removed_memcg_finds_the_way_back),
		cmocka_unit_test(a_place_is_not_used_again_while_a_reader_may_stand_on_it),
		cmocka_unit_test(a_rate_is_held),
		cmocka_unit_test(without_churn_there_is_no_room_and_no_churner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
