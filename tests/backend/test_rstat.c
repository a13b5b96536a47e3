// SPDX-License-Identifier: MIT
/*
 * What is particular to rstat: exact after a flush under all rules, errors that reach their bound
 * and do not exceed it, what updates and flushes do. Threads that meet in it: test_rstat_locks.c.
 */
#include "backend/rstat.h"
#include "base/rng.h"
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const enum flush_rules all_rules[] = {FLUSH_V5_13, FLUSH_V5_16, FLUSH_V6_8, FLUSH_V6_16};
#define NR_RULES (sizeof(all_rules) / sizeof(all_rules[0]))

/* Items of a v5.6 layout: 40 states and 31 events, and of each node 33. */
#define MEMCG_ITEMS 71
#define NODE_ITEMS  33

static void init(struct test_model *f, struct point point, enum flush_rules rules)
{
	point.counters.flush = rules;
	fixture_init(f, &point, "rstat");
}

static void charge(struct test_model *f, uint32_t memcg, unsigned cpu, long pages)
{
	fixture_update(f,
		       &(struct update){
			       .memcg = memcg, .cpu = cpu, .lru = LRU_UNEVICTABLE, .delta = pages});
}

static struct op_counts count_update(struct test_model *f, uint32_t memcg, long delta)
{
	struct update update = {.memcg = memcg, .delta = delta};
	struct op_probe probe = {.lines = NULL};

	f->backend->count_update(f->instance, &update, &probe);
	oracle_update(f->oracle, &update);
	return probe.counts;
}

static void assert_exact(struct test_model *f, uint32_t memcg)
{
	fixture_read(f, memcg);
	assert_memory_equal(f->counts.cells, f->truth.cells,
			    numa_nr_cells(f->counts.nr_nodes) * sizeof(uint64_t));
}

static struct point random_point(struct rng *rng)
{
	static const uint32_t batches[] = {0, 1, 2, 32, 500};
	struct point point =
		small_point(1 + (uint32_t)rng_below(rng, 40), 1 + (uint32_t)rng_below(rng, 3),
			    1 + (uint32_t)rng_below(rng, 7));

	point.tree.shape = (enum tree_shape)rng_below(rng, 4);
	point.tree.fanout = 1 + (uint32_t)rng_below(rng, 4);
	point.tree.seed = rng_next(rng);
	point.counters.batch = batches[rng_below(rng, 5)];
	return point;
}

/* Reads of random memcgs between updates: flushes of subtrees in any order, all within bounds. */
static void updates_and_reads_in_any_order_stay_within_bounds(void **state)
{
	struct rng rng = {513};
	unsigned rounds = 30;

	for (unsigned round = 0; round < rounds; round++) {
		struct point point = random_point(&rng);
		struct test_model f;

		init(&f, point, all_rules[round % NR_RULES]);
		fixture_populate(&f);
		for (uint64_t done = 0; done < many_updates() / rounds;) {
			uint64_t burst = 1 + rng_below(&rng, 60);

			fixture_random_updates(&f, rng_next(&rng), burst);
			done += burst;
			fixture_compare(&f, (uint32_t)rng_below(&rng, f.tree->nr));
		}
		fixture_fini(&f);
	}
}

static void a_flush_makes_its_subtree_exact(void **state)
{
	struct rng rng = {16};

	for (unsigned round = 0; round < 60; round++) {
		struct point point = random_point(&rng);
		struct test_model f;

		init(&f, point, all_rules[round % NR_RULES]);
		fixture_populate(&f);
		/* Parts of the tree first, so that some counts wait at parents. */
		for (unsigned i = 0; i < 20; i++) {
			uint32_t memcg = (uint32_t)rng_below(&rng, f.tree->nr);

			fixture_random_updates(&f, rng_next(&rng), rng_below(&rng, 100));
			f.backend->flush(f.instance, memcg);
			for (uint32_t at = memcg; at != MEMCG_NONE;
			     at = memcg_tree_next(f.tree, memcg, at))
				assert_exact(&f, at);
		}
		f.backend->flush(f.instance, 0);
		for (uint32_t memcg = 0; memcg < f.tree->nr; memcg++)
			assert_exact(&f, memcg);
		fixture_fini(&f);
	}
}

static void every_read_by_the_rules_of_5_13_is_exact(void **state)
{
	struct point point = small_point(40, 2, 5);
	struct test_model f;

	point.tree.shape = TREE_RANDOM;
	init(&f, point, FLUSH_V5_13);
	assert_true(f.backend->bound(&f.point, SCOPE_HIERARCHICAL, NUMA_ROW_TOTAL, 0, 41, 0) == 0);
	fixture_populate(&f);
	for (unsigned i = 0; i < 200; i++) {
		fixture_random_updates(&f, i, 30);
		assert_exact(&f, i % f.tree->nr);
	}
	fixture_fini(&f);
}

static size_t unevictable(enum numa_scope scope, unsigned column)
{
	return numa_cell(2, scope, NUMA_ROW_UNEVICTABLE, column);
}

static uint64_t error_of(const struct test_model *f, size_t cell)
{
	return f->truth.cells[cell] - f->counts.cells[cell];
}

/* Each CPU moves a full batch to the memcg's count, and one page less than a batch stays. */
static void by_the_rules_of_6_8_a_cell_reaches_its_bound_and_one_page_more_flushes(void **state)
{
	struct point point = small_point(30, 2, 6);
	const uint64_t bound = 6 * 32 + 6 * 31;
	struct test_model f;

	init(&f, point, FLUSH_V6_8);
	for (unsigned cpu = 0; cpu < 6; cpu++)
		for (unsigned i = 0; i < 63; i++)
			charge(&f, 30, cpu, 1);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t memcg = i == 0 ? 30 : i == 1 ? f.tree->parent[30] : 0;

		fixture_compare(&f, memcg);
		assert_true(f.backend->bound(&f.point, SCOPE_HIERARCHICAL, NUMA_ROW_TOTAL, 0, 31,
					     0) == bound);
		assert_true(error_of(&f, unevictable(SCOPE_HIERARCHICAL, 0)) == bound);
		assert_true(error_of(&f, unevictable(SCOPE_HIERARCHICAL, 1)) == bound);
		assert_true(error_of(&f, unevictable(SCOPE_LOCAL, 1)) == (i ? 0 : bound));
	}
	charge(&f, 30, 0, 1);
	/* The memcg alone: its ancestor's threshold is as full, and it reads the flushed counts. */
	assert_int_equal(fixture_count(&f, 30, NULL).flushes, 1);
	assert_exact(&f, 30);
	assert_int_equal(fixture_count(&f, 0, NULL).flushes, 1);
	assert_exact(&f, 0);
	fixture_fini(&f);
}

/* 2B-1 pages are counted as one batch; B more stay with the CPU; all over the tree. */
static void by_the_rules_of_5_16_a_cell_reaches_its_bound_and_one_page_more_flushes(void **state)
{
	struct point point = small_point(30, 2, 6);
	const uint64_t bound = 6 * (3 * 32 - 1);
	struct test_model f;

	init(&f, point, FLUSH_V5_16);
	for (unsigned cpu = 0; cpu < 6; cpu++) {
		charge(&f, cpu, cpu, 32);
		charge(&f, 30 - cpu, cpu, 31);
		charge(&f, 7, cpu, 32);
	}
	fixture_compare(&f, 0);
	assert_true(f.backend->bound(&f.point, SCOPE_HIERARCHICAL, NUMA_ROW_TOTAL, 0, 31, 0) ==
		    bound);
	assert_true(f.backend->bound(&f.point, SCOPE_LOCAL, NUMA_ROW_TOTAL, 0, 31, 0) == 0);
	assert_true(error_of(&f, unevictable(SCOPE_HIERARCHICAL, 0)) == bound);
	assert_true(error_of(&f, unevictable(SCOPE_HIERARCHICAL, 1)) == bound);
	charge(&f, 7, 0, 1);
	/* Any memcg's read flushes all of them. */
	assert_int_equal(fixture_count(&f, 30, NULL).flushes, 1);
	assert_exact(&f, 0);
	fixture_fini(&f);
}

static void updates_cost_what_the_rules_say_at_every_depth(void **state)
{
	static const unsigned depths[] = {1, 2, 3, 8, 31, 32};

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
		for (size_t k = 0; k < NR_RULES; k++) {
			unsigned depth = depths[i];
			struct point point = small_point(depth, 1, 1);
			/* thresholds: none, one, one for each level */
			uint64_t counted[] = {0, 1, depth + 1, depth + 1};
			struct op_counts first, next, other;
			struct test_model f;

			point.tree.shape = TREE_CHAIN;
			init(&f, point, all_rules[k]);
			first = count_update(&f, depth, 1);
			next = count_update(&f, depth, 1);
			/* Its ancestors are in the tree already. */
			other = count_update(&f, 0, 1);
			assert_true(first.adds == 2 + counted[k]);
			assert_true(next.adds == 2 + counted[k]);
			/* Links of all levels under one lock, once. */
			assert_int_equal(first.memcgs_visited, depth + 1);
			assert_int_equal(first.atomics, 1);
			assert_int_equal(next.memcgs_visited + next.atomics, 0);
			assert_int_equal(other.memcgs_visited + other.atomics, 0);
			/* After a flush the links are made again. */
			f.backend->flush(f.instance, 0);
			first = count_update(&f, depth, 1);
			assert_int_equal(first.memcgs_visited, depth + 1);
			assert_int_equal(first.atomics, 1);
			/* After a flush of the memcg alone, its own. */
			f.backend->flush(f.instance, depth);
			assert_int_equal(count_update(&f, depth, 1).memcgs_visited, 1);
			fixture_fini(&f);
		}
}

static void a_full_batch_is_counted_once_for_each_threshold(void **state)
{
	struct point point = small_point(9, 1, 1);
	struct test_model f;

	point.tree.shape = TREE_CHAIN;
	for (size_t k = 0; k < NR_RULES; k++) {
		static const uint64_t thresholds[] = {0, 1, 10, 10};

		init(&f, point, all_rules[k]);
		count_update(&f, 9, 1);
		assert_true(count_update(&f, 9, 512).atomics == thresholds[k]);
		fixture_fini(&f);
	}
}

static void a_flush_scans_every_item_of_each_pending_pair_and_no_other(void **state)
{
	for (unsigned nodes = 1; nodes <= 3; nodes++) {
		struct point point = small_point(110, nodes, 5);
		uint64_t items = MEMCG_ITEMS + nodes * NODE_ITEMS;
		struct op_counts counts;
		struct test_model f;

		init(&f, point, FLUSH_V5_13);
		assert_true(fixture_count(&f, 0, NULL).items_scanned == 0);
		/* Balanced: 110 is below 10, below the root. */
		charge(&f, 110, 0, 1);
		charge(&f, 110, 0, 1);
		charge(&f, 110, 3, 1);
		charge(&f, 5, 4, 1);
		/* Of memcg 10: two CPUs, two levels. */
		counts = fixture_count(&f, 10, NULL);
		assert_int_equal(counts.flushes, 1);
		assert_true(counts.items_scanned == 4 * items);
		assert_int_equal(counts.memcgs_visited, 4);
		/* The root of three CPUs, and memcg 5 of one. */
		counts = fixture_count(&f, 0, NULL);
		assert_true(counts.items_scanned == 4 * items);
		/* Idle: a lock for each CPU and one for the flush, and the cells. */
		counts = fixture_count(&f, 0, NULL);
		assert_int_equal(counts.flushes, 1);
		assert_true(counts.items_scanned == 0 && counts.memcgs_visited == 0);
		assert_true(counts.atomics == 1 + 5 + 10 * (1 + nodes));
		assert_true(counts.loads_local == 10 * (1 + nodes) * 5);
		fixture_fini(&f);
	}
}

static void below_its_threshold_a_read_only_reads_counters(void **state)
{
	for (size_t k = 1; k < NR_RULES; k++) {
		struct point point = small_point(300, 2, 7);
		bool local = all_rules[k] >= FLUSH_V6_8;
		struct op_counts counts;
		struct test_model f;

		init(&f, point, all_rules[k]);
		fixture_populate(&f);
		counts = fixture_count(&f, 0, NULL);
		assert_int_equal(counts.flushes, 0);
		assert_int_equal(counts.items_scanned, 0);
		assert_int_equal(counts.atomics, 1 + (local ? 2 : 1) * 30);
		assert_int_equal(counts.loads_local, local ? 0 : 30 * 7);
		fixture_fini(&f);
	}
}

static void local_rows_of_each_file_are_kept_by_flushes_from_6_8_on(void **state)
{
	static const enum read_file files[] = {READ_NUMA_STAT, READ_MEMORY_STAT};

	for (size_t k = 0; k < NR_RULES; k++)
		for (size_t i = 0; i < 2; i++) {
			struct point point = small_point(30, 2, 5);
			struct test_model f;

			point.read.file = files[i];
			init(&f, point, all_rules[k]);
			fixture_populate(&f);
			assert_true((fixture_count(&f, 0, NULL).loads_local == 0) ==
				    (all_rules[k] >= FLUSH_V6_8));
			f.backend->flush(f.instance, 0);
			fixture_read(&f, 7);
			assert_memory_equal(f.counts.cells, f.truth.cells,
					    stat_nr_cells(&f.counts) * sizeof(uint64_t));
			fixture_fini(&f);
		}
}

static void a_long_run_leaves_something_pending_and_no_more_than_a_threshold(void **state)
{
	unsigned pending = 0;

	for (uint64_t seed = 0; seed < 20; seed++) {
		struct point point = small_point(300, 2, 8);
		struct test_model f;

		point.tree.seed = seed;
		init(&f, point, FLUSH_V6_8);
		fixture_populate(&f);
		fixture_compare(&f, 0);
		assert_int_equal(fixture_count(&f, 0, NULL).flushes, 0);
		pending += memcmp(f.counts.cells, f.truth.cells,
				  numa_nr_cells(2) * sizeof(uint64_t)) != 0;
		f.backend->flush(f.instance, 0);
		assert_exact(&f, 0);
		fixture_fini(&f);
	}
	assert_true(pending > 10);
}

static void bytes_are_what_create_maps_and_areas_are_congruent(void **state)
{
	static const uint64_t skews[] = {0, 64, 4088};

	for (unsigned i = 0; i < 3; i++) {
		struct point point = small_point(50 * i + 1, 1 + i, 5);
		const struct region *regions;
		const struct rstat *rstat;
		uint64_t bytes = 0;
		struct test_model f;
		size_t nr;

		point.machine.skew = skews[i];
		point.machine.layout = i == 1 ? LAYOUT_LEAN : LAYOUT_V5_6;
		init(&f, point, FLUSH_V6_8);
		rstat = f.instance;
		regions = f.backend->regions(f.instance, &nr);
		for (size_t k = 0; k < nr; k++)
			bytes += regions[k].bytes;
		assert_true(bytes == f.backend->bytes(&f.point));
		for (unsigned cpu = 0; cpu < 5; cpu++)
			assert_int_equal((uintptr_t)rstat->area[cpu] % AREA_ALIGN,
					 cpu * skews[i] % AREA_ALIGN);
		fixture_fini(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(updates_and_reads_in_any_order_stay_within_bounds),
		cmocka_unit_test(a_flush_makes_its_subtree_exact),
		cmocka_unit_test(every_read_by_the_rules_of_5_13_is_exact),
		cmocka_unit_test(
			by_the_rules_of_6_8_a_cell_reaches_its_bound_and_one_page_more_flushes),
		cmocka_unit_test(
			by_the_rules_of_5_16_a_cell_reaches_its_bound_and_one_page_more_flushes),
		cmocka_unit_test(updates_cost_what_the_rules_say_at_every_depth),
		cmocka_unit_test(a_full_batch_is_counted_once_for_each_threshold),
		cmocka_unit_test(a_flush_scans_every_item_of_each_pending_pair_and_no_other),
		cmocka_unit_test(below_its_threshold_a_read_only_reads_counters),
		cmocka_unit_test(local_rows_of_each_file_are_kept_by_flushes_from_6_8_on),
		cmocka_unit_test(a_long_run_leaves_something_pending_and_no_more_than_a_threshold),
		cmocka_unit_test(bytes_are_what_create_maps_and_areas_are_congruent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
