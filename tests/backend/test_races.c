// SPDX-License-Identifier: MIT
/*
 * Readers while writers update: what a thread sanitizer watches. What is read meanwhile is
 * within the bound of any moment's truth or not; after the writers have ended it must be.
 */
#include "backend/model.h"
#include "base/rng.h"
#include "fixture.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WRITERS 3
#define READERS 3
#define UPDATES 20000

struct worker {
	struct fixture *f;
	unsigned cpu;
	pthread_t thread;
};

/* A CPU's own charges and uncharges: a batch full at a time, from its own CPU only. */
static struct update nth_update(unsigned cpu, unsigned n)
{
	struct rng rng = rng_for(5, cpu, n / 2);
	long size = rng_below(&rng, 4) ? 1 + (long)rng_below(&rng, 40) : 512;

	return (struct update){
		.memcg = (uint32_t)rng_below(&rng, 31),
		.node = (unsigned)rng_below(&rng, 2),
		.lru = (enum lru_list)rng_below(&rng, NR_LRU_LISTS),
		.cpu = cpu,
		/* Every other pair is taken back at once. */
		.delta = n % 4 == 1 ? -size : size,
	};
}

static void *write_main(void *arg)
{
	struct worker *worker = arg;

	for (unsigned n = 0; n < UPDATES; n++) {
		struct update update = nth_update(worker->cpu, n);

		worker->f->backend->update(worker->f->instance, &update);
	}
	return NULL;
}

static void *read_main(void *arg)
{
	struct worker *worker = arg;
	struct read_request request = {.cpu = worker->cpu, .rows = ROWS_ALL};
	struct numa_counts counts;

	if (numa_counts_init(&counts, 2, worker->f->point.machine.nids))
		return NULL;
	for (unsigned n = 0; n < 100; n++)
		worker->f->backend->read_counts(worker->f->instance, &request, &counts);
	numa_counts_fini(&counts);
	return NULL;
}

static void check_references(const struct fixture *f)
{
	const struct model *model = f->instance;

	for (uint32_t i = 0; i < model->layout.memcgs; i++) {
		const struct memcg *memcg = model_memcg(model, i);

		assert_int_equal(atomic_load(&memcg->css_count), 0);
		for (unsigned cpu = 0; !f->tree->dying[i] && cpu < model->layout.cpus; cpu++)
			assert_int_equal(
				atomic_load(area_counter(model->area[cpu], memcg->css_ref, 0)), 0);
	}
}

/* Leaves `f` to the caller. */
static void race(struct fixture *f, const char *backend)
{
	struct point point = small_point(30, 2, WRITERS + READERS);
	struct worker workers[WRITERS + READERS];

	point.tree.dying_ppm = 500000;
	fixture_init(f, &point, backend);
	fixture_populate(f);
	for (unsigned i = 0; i < WRITERS + READERS; i++) {
		workers[i] = (struct worker){.f = f, .cpu = i};
		assert_int_equal(pthread_create(&workers[i].thread, NULL,
						i < WRITERS ? write_main : read_main, &workers[i]),
				 0);
	}
	for (unsigned i = 0; i < WRITERS + READERS; i++)
		pthread_join(workers[i].thread, NULL);

	for (unsigned cpu = 0; cpu < WRITERS; cpu++)
		for (unsigned n = 0; n < UPDATES; n++) {
			struct update update = nth_update(cpu, n);

			oracle_update(f->oracle, &update);
		}
	for (uint32_t memcg = 0; memcg < f->tree->nr; memcg++)
		fixture_compare(f, memcg);
}

static void run(const char *backend)
{
	struct fixture f;

	race(&f, backend);
	check_references(&f);
	fixture_fini(&f);
}

static void walkers_and_writers_lose_nothing(void **state)
{
	run("walk");
}

static void readers_by_pointer_and_writers_lose_nothing(void **state)
{
	run("cached-fnptr");
}

static void exact_walkers_and_writers_lose_nothing(void **state)
{
	run("walk-415");
}

static void walkers_of_one_pass_and_writers_lose_nothing(void **state)
{
	run("walk-once");
}

static void cached_readers_and_writers_lose_nothing(void **state)
{
	run("cached");
}

/* Its memory is not a model's, and its readers take no references. */
static void readers_of_packed_lines_and_writers_lose_nothing(void **state)
{
	struct fixture f;

	race(&f, "packed");
	fixture_fini(&f);
}

static void readers_of_shares_and_writers_lose_nothing(void **state)
{
	struct fixture f;

	race(&f, "bounded");
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walkers_and_writers_lose_nothing),
		cmocka_unit_test(readers_by_pointer_and_writers_lose_nothing),
		cmocka_unit_test(exact_walkers_and_writers_lose_nothing),
		cmocka_unit_test(walkers_of_one_pass_and_writers_lose_nothing),
		cmocka_unit_test(cached_readers_and_writers_lose_nothing),
		cmocka_unit_test(readers_of_packed_lines_and_writers_lose_nothing),
		cmocka_unit_test(readers_of_shares_and_writers_lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
