// SPDX-License-Identifier: MIT
/* What reads and updates say they did. */
#include "backend/model.h"
#include "backend/update_stream.h"
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct op_counts count_point(const struct point *point, const char *name, uint32_t memcg)
{
	struct op_counts counts;
	struct test_model f;

	fixture_init(&f, point, name);
	fixture_populate(&f);
	counts = fixture_count(&f, memcg, NULL);
	fixture_fini(&f);
	return counts;
}

static void walk_loads_every_cpu_of_every_memcg_in_every_walk(void **state)
{
	for (unsigned n = 1; n <= 4; n++) {
		for (unsigned c = 1; c <= 70; c += 23) {
			struct point point = small_point(10 * n, n, c);
			struct op_counts counts = count_point(&point, "walk", 0);
			uint64_t memcgs = 10 * n + 1;

			assert_true(counts.loads_hierarchical == 10 * (1 + n) * c * memcgs);
			assert_true(counts.loads_local == 10 * (1 + n) * c);
			assert_true(counts.memcgs_visited == 4 * (1 + n) * memcgs);
			assert_true(counts.css_gets == 4 * (1 + n) * (memcgs - 1));
			assert_true(counts.atomics == 0);
		}
	}
}

static void walk_of_a_subtree_visits_that_subtree_only(void **state)
{
	struct point point = small_point(110, 2, 3);
	/* Balanced, fanout 10: memcg 1 has children 11..20, and those 111.. do not exist. */
	struct op_counts counts = count_point(&point, "walk", 1);

	assert_true(counts.memcgs_visited == 4 * 3 * 11);
	assert_true(count_point(&point, "walk", 110).memcgs_visited == 4 * 3);
	assert_true(count_point(&point, "walk", 110).css_gets == 0);
}

static void references_of_dying_memcgs_are_shared_atomics(void **state)
{
	struct point point = small_point(20, 2, 3);
	struct op_counts counts;

	point.tree.dying_ppm = 250000;
	counts = count_point(&point, "walk", 0);
	/* 5 of 20 dying, taken and dropped once a walk. */
	assert_true(counts.atomics == 2 * 5 * 4 * 3);
	assert_true(counts.css_gets == 20 * 4 * 3);
}

/* Same loads as walk: what differs is who wrote what is loaded. */
static void walk_415_reads_what_walk_reads(void **state)
{
	for (unsigned n = 1; n <= 3; n++) {
		struct point point = small_point(25, n, 5);
		struct op_counts counts = count_point(&point, "walk-415", 0);

		assert_true(counts.loads_hierarchical == 10 * (1 + n) * 5 * 26);
		assert_true(counts.loads_local == 10 * (1 + n) * 5);
		assert_true(counts.memcgs_visited == 4 * (1 + n) * 26);
		assert_true(counts.css_gets == 4 * (1 + n) * 25);
		assert_true(counts.atomics == 0);
	}
}

/* Node counts on both sides of how many columns are summed at a time. */
static void walk_once_loads_every_counter_once_in_one_walk(void **state)
{
	static const unsigned nodes[] = {1, 2, 7, 8, 20};

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		for (unsigned c = 1; c <= 70; c += 23) {
			unsigned n = nodes[i];
			struct point point = small_point(30, n, c);
			struct op_counts counts = count_point(&point, "walk-once", 0);

			assert_true(counts.loads_hierarchical == 5 * (1 + n) * c * 31);
			assert_true(counts.loads_local == 0);
			assert_true(counts.memcgs_visited == 31);
			assert_true(counts.css_gets == 30);
			assert_true(counts.atomics == 0);
		}
	}
}

static void walk_once_walks_no_more_than_is_asked_for(void **state)
{
	struct point point = small_point(110, 2, 3);
	struct read_request request = {.memcg = 1, .rows = ROWS_LOCAL};
	struct op_probe probe = {.lines = NULL};
	struct op_counts counts;
	struct test_model f;

	/* Local rows: the memcg alone. */
	fixture_init(&f, &point, "walk-once");
	assert_int_equal(f.backend->count_read(f.instance, &request, &f.counts, &probe), 0);
	assert_true(probe.counts.loads_local == 5 * 3 * 3);
	assert_true(probe.counts.loads_hierarchical == 0);
	assert_true(probe.counts.memcgs_visited == 0 && probe.counts.css_gets == 0);
	fixture_fini(&f);

	/* A subtree of 11, all but the root dying, and a leaf. */
	point.tree.dying_ppm = 1000000;
	counts = count_point(&point, "walk-once", 1);
	assert_true(counts.memcgs_visited == 11 && counts.css_gets == 10);
	assert_true(counts.atomics == 2 * 10);
	counts = count_point(&point, "walk-once", 110);
	assert_true(counts.memcgs_visited == 1 && counts.css_gets == 0);
}

static void walk_once_touches_the_lines_that_walk_touches(void **state)
{
	struct point point = small_point(40, 3, 9);
	uint64_t walk_bytes, once_bytes;
	struct test_model f;

	fixture_init(&f, &point, "walk");
	fixture_count(&f, 0, &walk_bytes);
	fixture_fini(&f);
	fixture_init(&f, &point, "walk-once");
	fixture_count(&f, 0, &once_bytes);
	fixture_fini(&f);
	assert_true(once_bytes == walk_bytes);
}

static void cached_reads_only_maintained_counters_for_hierarchical_rows(void **state)
{
	for (unsigned n = 1; n <= 4; n++) {
		struct point point = small_point(30, n, 7);
		struct op_counts counts = count_point(&point, "cached", 0);

		assert_true(counts.loads_hierarchical == 0);
		assert_true(counts.atomics == 10 * (1 + n));
		assert_true(counts.loads_local == 10 * (1 + n) * 7);
		assert_true(counts.memcgs_visited == 0);
		assert_true(counts.css_gets == 0);
	}
}

/* How a counter is reached is all that differs. */
static void cached_fnptr_does_and_answers_what_cached_does(void **state)
{
	static const char *const names[] = {"cached", "cached-fnptr"};

	for (unsigned n = 1; n <= 4; n++) {
		struct point point = small_point(30, n, 7);
		struct op_counts counts[2];
		uint64_t bytes[2];
		struct test_model f[2];

		for (unsigned i = 0; i < 2; i++) {
			fixture_init(&f[i], &point, names[i]);
			fixture_populate(&f[i]);
			counts[i] = fixture_count(&f[i], 2, &bytes[i]);
			fixture_compare(&f[i], 2);
		}
		assert_true(counts[1].atomics == 10 * (1 + n));
		assert_true(counts[1].loads_local == 10 * (1 + n) * 7);
		assert_memory_equal(&counts[0], &counts[1], sizeof(counts[0]));
		assert_true(bytes[0] == bytes[1]);
		assert_memory_equal(f[0].counts.cells, f[1].counts.cells,
				    numa_nr_cells(n) * sizeof(uint64_t));
		assert_ptr_equal(f[0].backend->update, f[1].backend->update);
		fixture_fini(&f[0]);
		fixture_fini(&f[1]);
	}
}

static void counted_reads_give_the_same_cells_and_their_text(void **state)
{
	for (size_t i = 0; backends[i] && !backends[i]->fixture; i++) {
		struct point point = small_point(25, 3, 4);
		struct read_request request = {.rows = ROWS_ALL};
		struct op_counts counts;
		struct test_model f;
		char text[4096];

		fixture_init(&f, &point, backends[i]->name);
		fixture_populate(&f);
		fixture_read(&f, 0);
		memcpy(f.truth.cells, f.counts.cells, numa_nr_cells(3) * sizeof(uint64_t));
		memset(f.counts.cells, 0, numa_nr_cells(3) * sizeof(uint64_t));
		counts = fixture_count(&f, 0, NULL);
		assert_memory_equal(f.counts.cells, f.truth.cells,
				    numa_nr_cells(3) * sizeof(uint64_t));
		backend_read(f.backend, f.instance, &request, &f.counts, FORM_TEXT, TEXT_SEQ_PRINTF,
			     text, sizeof(text));
		assert_int_equal(counts.text_bytes, strlen(text));
		fixture_fini(&f);
	}
}

static void bytes_touched_are_the_lines_of_the_counters_read(void **state)
{
	struct point point = small_point(1, 1, 64);
	uint64_t walk_bytes, cached_bytes;
	struct test_model f;

	point.counters.batch = 0;
	fixture_init(&f, &point, "walk");
	fixture_count(&f, 1, &walk_bytes);
	fixture_fini(&f);
	fixture_init(&f, &point, "cached");
	fixture_count(&f, 1, &cached_bytes);
	fixture_fini(&f);

	/*
	 * v5.6, one node: an object has 2048 + 576 + 8 = 2632 bytes. So memcg 1's LRU counters lie
	 * at 2632..2671 of each area, in line 41, and its lruvec's at 4680..4719, in line 73.
	 * Beside them: the bases of 64 areas, the mask of CPUs, the memcg's line of handles, the
	 * line of its pointer to its one memcg_node, and that struct's line of handles.
	 */
	assert_true(walk_bytes == 64 * (2 * 64 + 8 + 1 + 1 + 1 + 1));
	/* And the maintained counters: one line of the memcg's; the node's share that of its
	 * handles. */
	assert_true(cached_bytes == walk_bytes + 64);
}

static void without_batches_the_counters_read_lie_closer(void **state)
{
	struct point point = small_point(1, 1, 64);
	uint64_t bytes;
	struct test_model f;

	fixture_init(&f, &point, "walk-415");
	fixture_count(&f, 1, &bytes);
	fixture_fini(&f);
	/*
	 * An object has 1024 + 288 + 8 = 1320 bytes. Memcg 1's counters lie at 1320..1359, its
	 * lruvec's at 2344..2383: both on two lines. Beside them what `walk` touches above.
	 */
	assert_true(bytes == 64 * (4 * 64 + 8 + 1 + 1 + 1 + 1));
}

static void walk_and_cached_share_one_update_path(void **state)
{
	struct point point = small_point(60, 3, 6);
	struct op_probe probes[2] = {{.lines = NULL}, {.lines = NULL}};
	struct test_model f[2];
	struct update_stream stream;
	struct update update;

	point.tree.shape = TREE_RANDOM;
	fixture_init(&f[0], &point, "walk");
	fixture_init(&f[1], &point, "cached");
	assert_ptr_equal(f[0].backend->update, f[1].backend->update);
	assert_ptr_equal(f[0].backend->create, f[1].backend->create);
	assert_ptr_equal(f[0].backend->populate, f[1].backend->populate);
	fixture_populate(&f[0]);
	fixture_populate(&f[1]);
	update_stream_init(&stream, 4, &f[0].point, f[0].oracle);
	for (unsigned i = 0; i < 20000; i++) {
		update_stream_next(&stream, &update);
		for (unsigned j = 0; j < 2; j++) {
			f[j].backend->count_update(f[j].instance, &update, &probes[j]);
			oracle_update(f[j].oracle, &update);
		}
		assert_memory_equal(&probes[0].counts, &probes[1].counts, sizeof(probes[0].counts));
	}
	/* Three adds an event at least, and one more where the memcg's batch spilled. */
	assert_true(probes[0].counts.adds > 3 * 20000 && probes[0].counts.adds < 4 * 20000);
	assert_true(probes[0].counts.atomics > 0);
	assert_true(probes[0].counts.loads_local == 0);
	for (unsigned j = 0; j < 2; j++) {
		for (uint32_t memcg = 0; memcg <= 60; memcg++)
			fixture_compare(&f[j], memcg);
		fixture_fini(&f[j]);
	}
}

static void an_update_of_walk_415_is_two_adds_whatever_the_depth(void **state)
{
	struct point point = small_point(40, 2, 3);
	struct op_probe probe = {.lines = NULL};
	struct update_stream stream;
	struct update update;
	struct test_model f;

	point.tree.shape = TREE_CHAIN;
	fixture_init(&f, &point, "walk-415");
	fixture_populate(&f);
	update_stream_init(&stream, 4, &f.point, f.oracle);
	for (unsigned i = 0; i < 1000; i++) {
		update_stream_next(&stream, &update);
		f.backend->count_update(f.instance, &update, &probe);
		oracle_update(f.oracle, &update);
	}
	assert_true(probe.counts.adds == 2 * 1000);
	assert_true(probe.counts.atomics == 0);
	for (uint32_t memcg = 0; memcg <= 40; memcg++)
		fixture_compare(&f, memcg);
	fixture_fini(&f);
}

static void a_spill_costs_one_atomic_per_ancestor_and_level(void **state)
{
	struct point point = small_point(9, 1, 1);
	struct update update = {.memcg = 9, .delta = 32};
	struct op_probe probe = {.lines = NULL};
	struct test_model f;

	point.tree.shape = TREE_CHAIN;
	fixture_init(&f, &point, "cached");
	f.backend->count_update(f.instance, &update, &probe);
	assert_int_equal(probe.counts.adds, 3);
	assert_int_equal(probe.counts.atomics, 0);
	/* 33 is beyond the batch of 32: memcg and lruvec spill into 10 levels each. */
	update.delta = 1;
	f.backend->count_update(f.instance, &update, &probe);
	assert_int_equal(probe.counts.adds, 3 + 4);
	assert_int_equal(probe.counts.atomics, 2 * 10);
	/* A huge page spills at once. */
	update.delta = -512;
	f.backend->count_update(f.instance, &update, &probe);
	assert_int_equal(probe.counts.atomics, 4 * 10);
	fixture_fini(&f);
}

/* One page after the other at the leaf of a chain: once in B + 1 the memcg's batch spills, and once
 * the lruvec's, into each of the D + 1 levels. */
static void shared_accesses_are_linear_in_depth_and_go_by_the_batch(void **state)
{
	static const char *const names[] = {"cached", "cached-fnptr", "walk", "packed"};
	static const unsigned depths[] = {1, 2, 4, 8, 16, 32}, batches[] = {8, 32, 64, 1024};

	for (size_t i = 0; i < 4 * 6 * 4; i++) {
		unsigned depth = depths[i / 4 % 6], batch = batches[i % 4];
		struct point point = small_point(depth, 2, 2);
		struct update update = {.memcg = depth, .cpu = 1, .node = 1, .delta = 1};
		struct op_probe probe = {.lines = NULL};
		struct test_model f;

		point.tree.shape = TREE_CHAIN;
		point.counters.batch = batch;
		fixture_init(&f, &point, names[i / 24]);
		/* packed notes the first time that a CPU holds anything at all */
		f.backend->update(f.instance, &update);
		update.delta = -1;
		f.backend->update(f.instance, &update);
		update.delta = 1;
		for (unsigned k = 0; k < 3 * (batch + 1); k++)
			f.backend->count_update(f.instance, &update, &probe);
		assert_true(probe.counts.atomics == 3 * 2 * (depth + 1));
		/* and none of it is a per-CPU counter of an ancestor */
		assert_true(probe.counts.adds >= 3 * 3 * (batch + 1));
		assert_true(probe.counts.adds <= 3 * (3 * (batch + 1) + 1));
		fixture_fini(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walk_loads_every_cpu_of_every_memcg_in_every_walk),
		cmocka_unit_test(walk_of_a_subtree_visits_that_subtree_only),
		cmocka_unit_test(references_of_dying_memcgs_are_shared_atomics),
		cmocka_unit_test(walk_415_reads_what_walk_reads),
		cmocka_unit_test(walk_once_loads_every_counter_once_in_one_walk),
		cmocka_unit_test(walk_once_walks_no_more_than_is_asked_for),
		cmocka_unit_test(walk_once_touches_the_lines_that_walk_touches),
		cmocka_unit_test(cached_reads_only_maintained_counters_for_hierarchical_rows),
		cmocka_unit_test(cached_fnptr_does_and_answers_what_cached_does),
		cmocka_unit_test(counted_reads_give_the_same_cells_and_their_text),
		cmocka_unit_test(bytes_touched_are_the_lines_of_the_counters_read),
		cmocka_unit_test(without_batches_the_counters_read_lie_closer),
		cmocka_unit_test(walk_and_cached_share_one_update_path),
		cmocka_unit_test(an_update_of_walk_415_is_two_adds_whatever_the_depth),
		cmocka_unit_test(a_spill_costs_one_atomic_per_ancestor_and_level),
		cmocka_unit_test(shared_accesses_are_linear_in_depth_and_go_by_the_batch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
