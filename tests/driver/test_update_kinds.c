// SPDX-License-Identifier: MIT
/*
 * What telling kinds of updates apart does to a back end, seen by one that notes each of them, and
 * by real ones. Times are looked at only where a back end is made slow on purpose.
 */
#include "driver/update_kinds.h"

#include "fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MEMCGS 30u /* below the root */
#define NODES  3u
#define CPUS   6u
#define PLACES ((MEMCGS + 1) * NODES * NR_LRU_LISTS)
#define ROUND  (2 * UPDATE_KIND_LONGEST)
#define MS     1000000u

/* Holds pages, and batches of its own that spill, slowly, as a back end's do. */
struct noted {
	int64_t pages[PLACES], lowest;
	long held[PLACES][CPUS];
	uint64_t updates, huge, spills, away, in_a_row,
		longest; /* away: of nowhere, or in the dying; spills: of single pages */
	size_t last;
	const struct memcg_tree *tree;
	uint64_t spill_ns;
	long batch;
};

static size_t place_of(const struct update *update)
{
	return ((size_t)update->memcg * NODES + update->node) * NR_LRU_LISTS + update->lru;
}

static void spill(struct noted *noted)
{
	uint64_t until = clock_now() + noted->spill_ns;

	while (noted->spill_ns && clock_now() < until)
		;
}

static void note(void *instance, const struct update *update)
{
	struct noted *noted = instance;
	size_t place = place_of(update);
	long *held;

	noted->updates++;
	noted->huge += labs(update->delta) == 512;
	if (update->memcg > MEMCGS || update->node >= NODES || update->cpu >= CPUS ||
	    update->lru >= NR_LRU_LISTS || noted->tree->dying[update->memcg]) {
		noted->away++;
		return;
	}
	noted->pages[place] += update->delta;
	if (noted->pages[place] < noted->lowest)
		noted->lowest = noted->pages[place];
	noted->in_a_row = place == noted->last ? noted->in_a_row + 1 : 1;
	noted->last = place;
	if (noted->in_a_row > noted->longest)
		noted->longest = noted->in_a_row;
	held = &noted->held[place][update->cpu];
	*held += update->delta;
	if (labs(*held) <= noted->batch)
		return;
	noted->spills += labs(update->delta) == 1;
	*held = 0;
	spill(noted);
}

static const struct backend noting = {
	.name = "noting", .capabilities = BACKEND_UPDATE, .update = note};
static const struct backend deaf = {.name = "deaf"};

struct bench {
	struct test_model fixture; /* a real back end on the same point */
	struct noted noted;
	struct sampler sampler;
};

static void open_at(struct bench *bench, uint32_t nodes, const char *backend)
{
	struct point point = small_point(MEMCGS, nodes, CPUS);

	memset(bench, 0, sizeof(*bench));
	point.counters.pages = 20; /* far fewer than what is moved */
	point.tree.dying_ppm = 300000;
	point.read.time_ns = 4 * MS;
	fixture_init(&bench->fixture, &point, backend);
	fixture_populate(&bench->fixture);
	bench->noted.tree = bench->fixture.tree;
	bench->noted.batch = point.counters.batch;
	bench->sampler = (struct sampler){
		.backend = &noting,
		.instance = &bench->noted,
		.point = &bench->fixture.point,
		.tree = bench->fixture.tree,
		.placement = bench->fixture.placement,
		.floor = {.median_ns = 20},
	};
}

static int open_bench(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	if (!bench)
		return -1;
	open_at(bench, NODES, "cached");
	*state = bench;
	return 0;
}

static int close_bench(void **state)
{
	struct bench *bench = *state;

	fixture_fini(&bench->fixture);
	free(bench);
	return 0;
}

static struct update_kinds measured(const struct bench *bench)
{
	struct error err = {.text = ""};
	struct update_kinds kinds;

	if (update_kinds_measure(&bench->sampler, &kinds, &err))
		fail_msg("%s", err.text);
	return kinds;
}

static void every_kind_is_undone_and_takes_only_what_it_brought(void **state)
{
	struct bench *bench = *state;
	const int64_t nothing[PLACES] = {0};

	measured(bench);
	assert_int_equal(bench->noted.away, 0);
	assert_memory_equal(bench->noted.pages, nothing, sizeof(nothing));
	assert_int_equal(bench->noted.lowest, 0);
	assert_true(bench->noted.longest >= 4 * (32 + 1));
}

static void every_update_is_accounted_for(void **state)
{
	struct bench *bench = *state;
	struct update_kinds kinds = measured(bench);
	uint64_t events = 0, huge = 0;

	for (unsigned i = 0; i < NR_UPDATE_KINDS; i++) {
		const struct update_kind_cost *cost = &kinds.kind[i];
		bool moves = i == MIX_LRU || i == MIX_MIGRATE;
		/* beside the timed ones those that made caches warm */
		uint64_t done = cost->updates + cost->alone + cost->updates_per_sample;

		assert_true(cost->updates >= 5 * cost->updates_per_sample);
		assert_int_equal(cost->updates % cost->updates_per_sample, 0);
		assert_true(cost->alone >= ROUND && cost->alone % ROUND == 0);
		assert_true(cost->median_ns > 0 && isfinite(cost->median_ns));
		assert_true(cost->alone_median_ns <= cost->p99_ns && cost->p99_ns <= cost->max_ns);
		/* what is moved is charged before, and uncharged in the end */
		events += moves ? 2 * done + 2 * ROUND / 2 : done;
		huge += i == MIX_HUGE ? done : 0;
	}
	assert_int_equal(bench->noted.updates, events);
	assert_int_equal(bench->noted.huge, huge);
}

/* One page in 33 spills here: of a hundred three do. */
static void the_slowest_of_a_hundred_pages_is_a_spill(void **state)
{
	struct bench *bench = *state;
	struct update_kinds kinds;

	bench->noted.spill_ns = 5000;
	kinds = measured(bench);
	assert_true(kinds.kind[MIX_PAGE].p99_ns >= 5000);
	assert_true(kinds.kind[MIX_PAGE].alone_median_ns < 5000);
	assert_true(kinds.kind[MIX_PAGE].median_ns >= 5000 / 40.0);
	assert_true(kinds.kind[MIX_HUGE].alone_median_ns >= 5000);
}

/* The runs are long enough for a batch of 1023 to spill several times. */
static void long_batches_spill_too(void **state)
{
	struct bench *bench = *state;

	bench->fixture.point.counters.batch = 1023;
	bench->noted.batch = 1023;
	measured(bench);
	assert_true(bench->noted.longest >= UPDATE_KIND_LONGEST);
	assert_true(bench->noted.spills >= (bench->noted.updates - bench->noted.huge) / 1100);
}

static void of_one_node_there_is_no_migration(void **state)
{
	struct bench *bench = *state;
	struct update_kinds kinds;

	fixture_fini(&bench->fixture);
	open_at(bench, 1, "cached");
	kinds = measured(bench);
	assert_int_equal(kinds.kind[MIX_MIGRATE].updates, 0);
	assert_true(kinds.kind[MIX_LRU].updates > 0);
}

static void a_back_end_without_updates_has_no_kinds(void **state)
{
	struct bench *bench = *state;
	struct update_kinds kinds;

	bench->sampler.backend = &deaf;
	kinds = measured(bench);
	for (unsigned i = 0; i < NR_UPDATE_KINDS; i++)
		assert_int_equal(kinds.kind[i].updates, 0);
}

/* Nothing is told to the oracle, for everything is undone. */
static void reads_of_all_back_ends_are_as_true_as_before(void **state)
{
	struct bench *bench = *state;

	for (size_t i = 0; backends[i] && !backends[i]->fixture; i++) {
		fixture_fini(&bench->fixture);
		open_at(bench, NODES, backends[i]->name);
		bench->sampler.backend = bench->fixture.backend;
		bench->sampler.instance = bench->fixture.instance;
		measured(bench);
		for (uint32_t memcg = 0; memcg <= MEMCGS; memcg++)
			fixture_compare(&bench->fixture, memcg);
	}
}

int main(void)
{
#define ON_A_BENCH(test) cmocka_unit_test_setup_teardown(test, open_bench, close_bench)
	const struct CMUnitTest tests[] = {
		ON_A_BENCH(every_kind_is_undone_and_takes_only_what_it_brought),
		ON_A_BENCH(every_update_is_accounted_for),
		ON_A_BENCH(the_slowest_of_a_hundred_pages_is_a_spill),
		ON_A_BENCH(long_batches_spill_too),
		ON_A_BENCH(of_one_node_there_is_no_migration),
		ON_A_BENCH(a_back_end_without_updates_has_no_kinds),
		ON_A_BENCH(reads_of_all_back_ends_are_as_true_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
