// SPDX-License-Identifier: MIT
/* What timing updates does to a back end, seen by one that notes each of them, and by a real one.
 */
#include "driver/update_cost.h"

#include "fixture.h"

#include "scenario/parameter.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MEMCGS 50u /* below the root */
#define NODES  2u
#define CPUS   3u
#define PLACES ((MEMCGS + 1) * NODES * NR_LRU_LISTS)
#define MS     1000000u

/* A back end that holds pages and notes what it is told. */
struct noted {
	int64_t pages[PLACES], lowest;
	uint64_t updates, away; /* away: of updates that are no single page, or of nowhere */
	unsigned cpus, nodes, lists; /* bit masks of those seen */
	uint64_t slow_ns; /* of each update */
};

static size_t place_of(uint32_t memcg, unsigned node, unsigned lru)
{
	return ((size_t)memcg * NODES + node) * NR_LRU_LISTS + lru;
}

static void note(void *instance, const struct update *update)
{
	struct noted *noted = instance;
	uint64_t until = noted->slow_ns ? clock_now() + noted->slow_ns : 0;
	int64_t *pages;

	noted->updates++;
	if (update->memcg > MEMCGS || update->node >= NODES || update->cpu >= CPUS ||
	    update->lru >= NR_LRU_LISTS || labs(update->delta) != 1) {
		noted->away++;
		return;
	}
	pages = &noted->pages[place_of(update->memcg, update->node, update->lru)];
	*pages += update->delta;
	if (*pages < noted->lowest)
		noted->lowest = *pages;
	noted->cpus |= 1u << update->cpu;
	noted->nodes |= 1u << update->node;
	noted->lists |= 1u << update->lru;
	while (until && clock_now() < until)
		;
}

static const struct backend noting = {
	.name = "noting", .capabilities = BACKEND_UPDATE, .update = note};
static const struct backend deaf = {.name = "deaf"};

struct bench {
	struct test_model fixture; /* a real back end on the same point */
	struct noted noted;
	struct sampler sampler;
};

static int open_bench(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct point point = small_point(MEMCGS, NODES, CPUS);

	if (!bench)
		return -1;
	point.counters.pages = 20; /* lists run empty */
	fixture_init(&bench->fixture, &point, "cached");
	fixture_populate(&bench->fixture);
	bench->sampler = (struct sampler){
		.backend = &noting,
		.instance = &bench->noted,
		.point = &bench->fixture.point,
		.placement = bench->fixture.placement,
		.floor = {.median_ns = 20},
	};
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

static void take_pages(int64_t *pages, const struct oracle *oracle)
{
	for (uint32_t memcg = 0; memcg <= MEMCGS; memcg++)
		for (unsigned node = 0; node < NODES; node++)
			for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
				pages[place_of(memcg, node, lru)] =
					oracle_pages(oracle, memcg, node, (enum lru_list)lru);
}

static struct update_cost measured(struct bench *bench)
{
	struct error err = {.text = ""};
	struct update_cost cost;

	if (update_cost_measure(&bench->sampler, bench->fixture.oracle, &cost, &err))
		fail_msg("%s", err.text);
	return cost;
}

static void single_pages_come_and_go_everywhere(void **state)
{
	struct bench *bench = *state;
	struct update_cost cost;

	take_pages(bench->noted.pages, bench->fixture.oracle);
	cost = measured(bench);
	assert_int_equal(bench->noted.away, 0);
	assert_int_equal(bench->noted.cpus, (1u << CPUS) - 1);
	assert_int_equal(bench->noted.nodes, (1u << NODES) - 1);
	assert_int_equal(bench->noted.lists, (1u << NR_LRU_LISTS) - 1);
	/* beside the timed ones only those that made caches warm */
	assert_true(cost.updates >= 5 * cost.updates_per_sample);
	assert_int_equal(cost.updates % cost.updates_per_sample, 0);
	assert_int_equal(bench->noted.updates, cost.updates + cost.updates_per_sample);
	assert_true(cost.median_ns > 0 && isfinite(cost.median_ns));
}

static void no_list_falls_below_nothing_and_all_is_undone(void **state)
{
	struct bench *bench = *state;
	int64_t before[PLACES], after[PLACES];

	take_pages(before, bench->fixture.oracle);
	memcpy(bench->noted.pages, before, sizeof(before));
	measured(bench);
	take_pages(after, bench->fixture.oracle);
	assert_int_equal(bench->noted.lowest, 0);
	assert_memory_equal(before, after, sizeof(before));
	assert_memory_equal(before, bench->noted.pages, sizeof(before));
}

static void a_slow_back_end_is_given_five_batches(void **state)
{
	struct bench *bench = *state;
	struct update_cost cost;

	bench->fixture.point.read.time_ns = 10 * MS;
	bench->noted.slow_ns = 3000; /* of a batch, more than 10 ms */
	cost = measured(bench);
	assert_int_equal(cost.updates, 5 * cost.updates_per_sample);
	assert_true(cost.median_ns >= 3000);
}

static void batches_are_a_hundred_floors_of_a_coarse_clock(void **state)
{
	struct bench *bench = *state;
	struct update_cost fine = measured(bench), coarse;

	bench->sampler.floor.median_ns =
		16 * fine.median_ns * (double)fine.updates_per_sample / FLOORS_PER_SAMPLE;
	coarse = measured(bench);
	assert_true(coarse.updates_per_sample > fine.updates_per_sample);
	assert_true(coarse.median_ns * (double)coarse.updates_per_sample >=
		    FLOORS_PER_SAMPLE * bench->sampler.floor.median_ns);
}

static void a_back_end_without_updates_has_no_cost_of_them(void **state)
{
	struct bench *bench = *state;
	struct update_cost cost;

	bench->sampler.backend = &deaf;
	cost = measured(bench);
	assert_int_equal(cost.updates, 0);
	assert_true(update_cost_guess_ns(bench->sampler.point, &deaf) == 0);
	assert_true(update_cost_guess_ns(bench->sampler.point, &noting) > 0);
}

/* Spilled or still in batches: what the real one reads stays within its bounds. */
static void reads_are_as_true_as_before(void **state)
{
	struct bench *bench = *state;
	struct update_cost cost;

	bench->sampler.backend = bench->fixture.backend;
	bench->sampler.instance = bench->fixture.instance;
	cost = measured(bench);
	assert_true(cost.median_ns > 0);
	for (uint32_t memcg = 0; memcg <= MEMCGS; memcg++)
		fixture_compare(&bench->fixture, memcg);
}

int main(void)
{
#define ON_A_BENCH(test) cmocka_unit_test_setup_teardown(test, open_bench, close_bench)
	const struct CMUnitTest tests[] = {
		ON_A_BENCH(single_pages_come_and_go_everywhere),
		ON_A_BENCH(no_list_falls_below_nothing_and_all_is_undone),
		ON_A_BENCH(a_slow_back_end_is_given_five_batches),
		ON_A_BENCH(batches_are_a_hundred_floors_of_a_coarse_clock),
		ON_A_BENCH(a_back_end_without_updates_has_no_cost_of_them),
		ON_A_BENCH(reads_are_as_true_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
