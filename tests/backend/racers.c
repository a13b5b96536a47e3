// SPDX-License-Identifier: MIT
/* See racers.h. */
#include "racers.h"

#include "base/rng.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define READS 100 /* of a reader, and flushes of a flusher */

struct racer {
	struct test_model *f;
	const struct race *race;
	void (*work)(struct racer *racer);
	pthread_barrier_t *start;
	unsigned cpu;
	pthread_t thread;
};

/* A CPU's own charges and uncharges, a batch full at a time. Two after one another belong together:
 * pages come, and those of every other pair are taken back at once. */
static struct update random_update(const struct test_model *f, unsigned cpu, unsigned n)
{
	struct rng rng = rng_for(5, cpu, n / 2);
	long size = rng_below(&rng, 4) ? 1 + (long)rng_below(&rng, 40) : 512;

	return (struct update){
		.memcg = (uint32_t)rng_below(&rng, f->tree->nr),
		.node = (unsigned)rng_below(&rng, f->point.machine.nodes),
		.lru = (enum lru_list)rng_below(&rng, NR_LRU_LISTS),
		.cpu = cpu,
		.delta = n % 4 == 1 ? -size : size,
	};
}

static struct update nth_update(const struct test_model *f, const struct race *race, unsigned cpu,
				unsigned n)
{
	return race->update ? race->update(race->arg, cpu, n) : random_update(f, cpu, n);
}

static void write_updates(struct racer *racer)
{
	for (unsigned n = 0; n < racer->race->updates; n++) {
		struct update update = nth_update(racer->f, racer->race, racer->cpu, n);

		racer->f->backend->update(racer->f->instance, &update);
	}
}

/* The root every other time. */
static uint32_t nth_memcg(const struct test_model *f, unsigned n)
{
	return n % 2 ? n % f->tree->nr : 0;
}

static void read_memcgs(struct racer *racer)
{
	const struct test_model *f = racer->f;
	struct numa_counts counts;
	struct cpu_stat stat;

	if (numa_counts_init(&counts, f->point.machine.nodes, f->point.machine.nids))
		return;
	for (unsigned n = 0; n < READS; n++) {
		struct read_request request = {
			.memcg = nth_memcg(f, n), .cpu = racer->cpu, .rows = ROWS_ALL};

		if (f->point.read.with == WITH_CPU_STAT)
			f->backend->read_cpu_stat(f->instance, &request, &stat);
		f->backend->read_counts(f->instance, &request, &counts);
	}
	numa_counts_fini(&counts);
}

static void flush_memcgs(struct racer *racer)
{
	for (unsigned n = 0; n < READS; n++)
		racer->f->backend->flush(racer->f->instance, nth_memcg(racer->f, n));
}

static void *racer_main(void *arg)
{
	struct racer *racer = arg;

	pthread_barrier_wait(racer->start);
	racer->work(racer);
	return NULL;
}

void race_run(struct test_model *f, const struct race *race)
{
	unsigned nr = race_threads(race);
	struct racer *racers = calloc(nr, sizeof(*racers));
	pthread_barrier_t start;

	assert_non_null(racers);
	assert_int_equal(pthread_barrier_init(&start, NULL, nr), 0);
	for (unsigned i = 0; i < nr; i++) {
		racers[i] = (struct racer){.f = f, .race = race, .start = &start, .cpu = i};
		racers[i].work = i < race->writers                   ? write_updates
				 : i < race->writers + race->readers ? read_memcgs
								     : flush_memcgs;
		assert_int_equal(pthread_create(&racers[i].thread, NULL, racer_main, &racers[i]),
				 0);
	}
	for (unsigned i = 0; i < nr; i++)
		pthread_join(racers[i].thread, NULL);
	pthread_barrier_destroy(&start);
	free(racers);

	for (unsigned cpu = 0; cpu < race->writers; cpu++)
		for (unsigned n = 0; n < race->updates; n++) {
			struct update update = nth_update(f, race, cpu, n);

			oracle_update(f->oracle, &update);
		}
}
