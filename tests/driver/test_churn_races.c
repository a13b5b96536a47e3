// SPDX-License-Identifier: MIT
/*
 * Memcgs that come and go while others write and read: what a thread sanitizer watches, and what is
 * left when all have gone. The churner is the one of `run`.
 */
#include "backend/model.h"
#include "base/rng.h"

#include "churn_fixture.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define LARGEST 40 /* update of a writer; more than a batch */

/* Everybody at work, and what they found. */
struct stage {
	struct test_model *f;
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
	const struct test_model *f = stage->f;
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
	const struct test_model *f = stage->f;
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
static void settle(struct test_model *f)
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
static void check_references(const struct test_model *f)
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
	struct test_model *f = stage->f;
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
	churn_compare(f, stage->churn);
}

/* All gone: as if nobody had ever been there. */
static void check_gone(struct stage *stage)
{
	struct test_model *f = stage->f;
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

static bool is_walked(const struct test_model *f)
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
	struct point point = churn_point(batch, linger);
	struct test_model f;

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
	stage.churn = churn_over(&f);
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
	race("rstat", FLUSH_V6_16, 32, LINGER);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walk_survives),     cmocka_unit_test(walk_once_survives),
		cmocka_unit_test(walk_415_survives), cmocka_unit_test(cached_survives),
		cmocka_unit_test(rstat_survives),    cmocka_unit_test(packed_survives),
		cmocka_unit_test(bounded_survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
