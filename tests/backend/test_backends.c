// SPDX-License-Identifier: MIT
/*
 * Back ends against the exact oracle: equal where they must be, within bounds everywhere. What
 * holds for all is asked of every back end in the table.
 */
#include "backend/update_stream.h"
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void random_updates(struct test_model *f, uint64_t seed, uint64_t updates)
{
	struct update_stream stream;
	struct update update;

	update_stream_init(&stream, seed, &f->point, f->oracle);
	for (uint64_t i = 0; i < updates; i++) {
		update_stream_next(&stream, &update);
		fixture_update(f, &update);
	}
}

/* A random small machine and tree; half of them with batches that hardly ever spill. */
static struct point random_point(struct rng *rng)
{
	static const uint32_t batches[] = {0, 1, 32, 1000};
	static const uint32_t errors[] = {0, 1000, 10000, 1000000};
	struct point point =
		small_point(1 + (uint32_t)rng_below(rng, 60), 1 + (uint32_t)rng_below(rng, 4),
			    1 + (uint32_t)rng_below(rng, 9));

	point.tree.shape = (enum tree_shape)rng_below(rng, 4);
	point.tree.fanout = 1 + (uint32_t)rng_below(rng, 5);
	point.tree.dying_ppm = (uint32_t)rng_below(rng, 1000001);
	point.tree.seed = rng_next(rng);
	point.machine.layout = rng_next(rng) & 1 ? LAYOUT_LEAN : LAYOUT_V5_6;
	point.machine.skew = 8 * rng_below(rng, 2000);
	point.counters.batch = batches[rng_below(rng, 4)];
	point.counters.pages = rng_next(rng) & 1 ? rng_below(rng, 100) : 25000;
	point.counters.spread_cpus = 1 + (uint32_t)rng_below(rng, 9);
	point.counters.spread_nodes = 1 + (uint32_t)rng_below(rng, 4);
	point.counters.error_ppm = errors[rng_below(rng, 4)];
	return point;
}

/* Nothing may be held back, be it a number of pages or a share. */
static void batch_0_makes_every_cell_equal(void **state)
{
	struct point point = small_point(100, 3, 5);

	point.tree.shape = TREE_RANDOM;
	point.tree.dying_ppm = 500000;
	point.counters.batch = 0;
	point.counters.error_ppm = 0;
	for (size_t i = 0; backends[i] && !backends[i]->fixture; i++) {
		struct test_model f;

		fixture_init(&f, &point, backends[i]->name);
		fixture_populate(&f);
		random_updates(&f, 1, 20000);
		for (uint32_t memcg = 0; memcg < f.tree->nr; memcg++)
			assert_int_equal(fixture_compare(&f, memcg).pages, 0);
		assert_true(f.truth.cells[0] > 0);
		fixture_fini(&f);
	}
}

static void node_columns_of_local_rows_are_exact(void **state)
{
	struct point point = small_point(50, 3, 6);

	/* Since Linux 6.6 those of rstat are as old as its last flush. */
	point.counters.flush = FLUSH_V5_16;
	for (size_t i = 0; backends[i] && !backends[i]->fixture; i++) {
		struct test_model f;

		fixture_init(&f, &point, backends[i]->name);
		fixture_populate(&f);
		random_updates(&f, 2, 20000);
		for (uint32_t memcg = 0; memcg < f.tree->nr; memcg++) {
			fixture_read(&f, memcg);
			for (unsigned row = 0; row < NR_NUMA_ROWS; row++)
				for (unsigned column = 1; column <= 3; column++) {
					size_t cell = numa_cell(3, SCOPE_LOCAL, row, column);

					assert_true(f.counts.cells[cell] == f.truth.cells[cell]);
				}
		}
		fixture_fini(&f);
	}
}

/* Fill every batch of the tree with B pages of unevictable, one by one: nothing has spilled. */
static void fill_batches(struct test_model *f, long pages)
{
	for (uint32_t memcg = 0; memcg < f->tree->nr; memcg++)
		for (unsigned cpu = 0; cpu < f->point.machine.cpus; cpu++)
			for (long i = 0; i < pages; i++)
				fixture_update(f, &(struct update){.memcg = memcg,
								   .cpu = cpu,
								   .lru = LRU_UNEVICTABLE,
								   .delta = 1});
}

static void walked_node_columns_are_exact_and_row_sums_are_not(void **state)
{
	struct point point = small_point(30, 2, 6);
	struct test_model f;

	fixture_init(&f, &point, "walk");
	fill_batches(&f, 32);
	fixture_compare(&f, 0);
	assert_true(f.counts.cells[numa_cell(2, SCOPE_HIERARCHICAL, NUMA_ROW_TOTAL, 0)] == 0);
	assert_true(f.counts.cells[numa_cell(2, SCOPE_HIERARCHICAL, NUMA_ROW_TOTAL, 1)] ==
		    32 * 6 * 31);
	fixture_fini(&f);
}

static void walk_415_is_exact_and_says_so(void **state)
{
	struct point point = small_point(30, 2, 6);
	struct test_model f;

	fixture_init(&f, &point, "walk-415");
	fixture_populate(&f);
	random_updates(&f, 6, 20000);
	fill_batches(&f, 31);
	for (uint32_t memcg = 0; memcg <= 30; memcg++) {
		fixture_compare(&f, memcg);
		assert_memory_equal(f.counts.cells, f.truth.cells,
				    numa_nr_cells(2) * sizeof(*f.counts.cells));
	}
	for (unsigned scope = 0; scope < NR_SCOPES; scope++)
		for (unsigned column = 0; column <= 2; column++)
			assert_true(f.backend->bound(&point, scope, NUMA_ROW_TOTAL, column, 31,
						     0) == 0);
	fixture_fini(&f);
}

/* Rows, clamping and columns beyond those summed at a time: not a cell differs. */
static void walk_once_answers_as_walk_does(void **state)
{
	static const char *const names[] = {"walk", "walk-once"};
	struct rng rng = {415};

	for (unsigned round = 0; round < 10; round++) {
		struct point point = random_point(&rng);
		struct test_model f[2];

		point.machine.nodes = 1 + round * 2;
		for (unsigned i = 0; i < point.machine.nodes; i++)
			point.machine.nids[i] = (uint16_t)i;
		for (unsigned i = 0; i < 2; i++) {
			fixture_init(&f[i], &point, names[i]);
			fixture_populate(&f[i]);
			random_updates(&f[i], round, 5000);
		}
		for (uint32_t memcg = 0; memcg < f[0].tree->nr; memcg++) {
			fixture_compare(&f[0], memcg);
			fixture_compare(&f[1], memcg);
			assert_memory_equal(f[0].counts.cells, f[1].counts.cells,
					    numa_nr_cells(point.machine.nodes) * sizeof(uint64_t));
		}
		fixture_fini(&f[0]);
		fixture_fini(&f[1]);
	}
}

static void bounds_follow_items_batch_cpus_and_subtree(void **state)
{
	static const uint64_t items[NR_NUMA_ROWS] = {5, 2, 2, 1};
	struct point point = small_point(10000, 2, 72);
	const struct backend *walk = backend_find("walk"), *cached = backend_find("cached");

	for (unsigned row = 0; row < NR_NUMA_ROWS; row++) {
		uint64_t one = items[row] * 32 * 72;

		assert_true(cached->bound(&point, SCOPE_HIERARCHICAL, row, 0, 10001, 0) ==
			    one * 10001);
		assert_true(cached->bound(&point, SCOPE_HIERARCHICAL, row, 2, 10001, 0) ==
			    one * 10001);
		assert_true(walk->bound(&point, SCOPE_HIERARCHICAL, row, 0, 10001, 0) ==
			    one * 10001);
		assert_true(walk->bound(&point, SCOPE_HIERARCHICAL, row, 2, 10001, 0) == 0);
		assert_true(walk->bound(&point, SCOPE_LOCAL, row, 0, 10001, 0) == one);
		assert_true(cached->bound(&point, SCOPE_LOCAL, row, 0, 10001, 0) == one);
		assert_true(cached->bound(&point, SCOPE_LOCAL, row, 1, 10001, 0) == 0);
	}
}

static void default_counters_keep_maintained_rows_within_5_percent(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 10, 1000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (uint64_t seed = 0; seed < 20; seed++) {
			struct point point = small_point(sizes[i], 2, 8);
			struct test_model f;

			point.tree.seed = seed;
			point.machine.layout = LAYOUT_LEAN;
			fixture_init(&f, &point, "cached");
			fixture_populate(&f);
			fixture_read(&f, 0);
			for (size_t cell = numa_cell(2, SCOPE_HIERARCHICAL, 0, 0);
			     cell < numa_nr_cells(2); cell++) {
				int64_t value = (int64_t)f.counts.cells[cell];
				int64_t truth = (int64_t)f.truth.cells[cell];

				assert_true(20 * llabs(value - truth) <= truth);
			}
			fixture_fini(&f);
			if (sizes[i] == 1000)
				break;
		}
	}
}

/* All cells of all memcgs of a point, folded into one number. */
static uint64_t answers(const struct point *point, const char *name)
{
	struct test_model f;
	uint64_t hash = 0;

	fixture_init(&f, point, name);
	fixture_populate(&f);
	random_updates(&f, 3, 20000);
	for (uint32_t memcg = 0; memcg < f.tree->nr; memcg++) {
		fixture_compare(&f, memcg);
		for (size_t i = 0; i < numa_nr_cells(f.point.machine.nodes); i++)
			hash = rng_mix(hash ^ f.counts.cells[i]);
	}
	fixture_fini(&f);
	return hash;
}

static void layout_skew_and_node_ids_change_no_answer(void **state)
{
	static const uint16_t nids[] = {0, 8, 252, 255};

	for (size_t i = 0; backends[i] && !backends[i]->fixture; i++) {
		struct point point = small_point(40, 4, 6);
		uint64_t expected = answers(&point, backends[i]->name);

		point.machine.skew = 64;
		assert_true(answers(&point, backends[i]->name) == expected);
		point.machine.skew = 4096 * 3 + 4088;
		assert_true(answers(&point, backends[i]->name) == expected);
		point.machine.layout = LAYOUT_LEAN;
		assert_true(answers(&point, backends[i]->name) == expected);
		memcpy(point.machine.nids, nids, sizeof(nids));
		assert_true(answers(&point, backends[i]->name) == expected);
		/* A kernel without them refuses, which is tested where pages are mapped. */
		if (!access("/sys/kernel/mm/transparent_hugepage", F_OK))
			point.machine.pages = PAGES_HUGE;
		assert_true(answers(&point, backends[i]->name) == expected);
		/* And that it is the counters that the number is of: */
		point.counters.pages++;
		assert_true(answers(&point, backends[i]->name) != expected);
	}
}

static void text_carries_the_node_ids_of_the_point(void **state)
{
	struct read_request request = {.rows = ROWS_ALL};
	struct point point = small_point(3, 2, 2);
	struct test_model f;
	char text[4096];

	point.machine.nids[1] = 255;
	fixture_init(&f, &point, "cached");
	fixture_populate(&f);
	assert_true(backend_read(f.backend, f.instance, &request, &f.counts, FORM_TEXT,
				 TEXT_SEQ_PRINTF, text, sizeof(text)) == (long)strlen(text));
	assert_non_null(strstr(text, " N0="));
	assert_non_null(strstr(text, "\nhierarchical_total="));
	assert_non_null(strstr(text, " N255="));
	assert_true(backend_read(f.backend, f.instance, &request, &f.counts, FORM_TEXT, TEXT_FAST,
				 text, 10) < 0);
	fixture_fini(&f);
}

static void rows_not_asked_for_are_left_alone(void **state)
{
	struct point point = small_point(3, 2, 2);

	for (size_t i = 0; backends[i] && !backends[i]->fixture; i++) {
		struct read_request request = {.rows = ROWS_HIERARCHICAL};
		struct test_model f;

		fixture_init(&f, &point, backends[i]->name);
		fixture_populate(&f);
		f.counts.cells[0] = 12345;
		f.backend->read_counts(f.instance, &request, &f.counts);
		assert_true(f.counts.cells[0] == 12345);
		request.rows = ROWS_LOCAL;
		f.counts.cells[numa_cell(2, SCOPE_HIERARCHICAL, 0, 0)] = 54321;
		f.backend->read_counts(f.instance, &request, &f.counts);
		assert_true(f.counts.cells[numa_cell(2, SCOPE_HIERARCHICAL, 0, 0)] == 54321);
		assert_true(f.counts.cells[0] != 12345);
		fixture_fini(&f);
	}
}

/* Large memcgs, empty ones, and nodes that are charged from CPUs of others. */
static void however_pages_are_spread_all_cells_are_within_bounds(void **state)
{
	struct point point = small_point(60, 3, 7);

	point.counters.distribution = DISTRIBUTION_ZIPF;
	point.counters.hot_ppm = 600000;
	point.counters.spread_cpus = 3;
	for (size_t i = 0; backends[i] && !backends[i]->fixture; i++) {
		for (unsigned pages = 5; pages <= 5000; pages *= 10) {
			struct test_model f;

			point.counters.pages = pages;
			fixture_init(&f, &point, backends[i]->name);
			fixture_populate(&f);
			for (uint32_t memcg = 0; memcg <= 60; memcg++)
				fixture_compare(&f, memcg);
			fixture_fini(&f);
		}
	}
}

static void populating_twice_is_refused(void **state)
{
	struct point point = small_point(3, 1, 1);
	struct charge_plan plan = {.point = &point};
	struct error err = {.text = ""};
	struct test_model f;

	fixture_init(&f, &point, "walk");
	fixture_populate(&f);
	assert_true(f.backend->populate(f.instance, &plan, &err) < 0);
	assert_non_null(strstr(err.text, "populated already"));
	fixture_compare(&f, 0);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batch_0_makes_every_cell_equal),
		cmocka_unit_test(node_columns_of_local_rows_are_exact),
		cmocka_unit_test(walked_node_columns_are_exact_and_row_sums_are_not),
		cmocka_unit_test(walk_415_is_exact_and_says_so),
		cmocka_unit_test(walk_once_answers_as_walk_does),
		cmocka_unit_test(bounds_follow_items_batch_cpus_and_subtree),
		cmocka_unit_test(default_counters_keep_maintained_rows_within_5_percent),
		cmocka_unit_test(layout_skew_and_node_ids_change_no_answer),
		cmocka_unit_test(text_carries_the_node_ids_of_the_point),
		cmocka_unit_test(rows_not_asked_for_are_left_alone),
		cmocka_unit_test(however_pages_are_spread_all_cells_are_within_bounds),
		cmocka_unit_test(populating_twice_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
