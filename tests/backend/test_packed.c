// SPDX-License-Identifier: MIT
/*
 * What only `packed` promises: exact local rows, its bound and how a cell reaches it, one load of
 * each counter in use, its text, and that no read finds anything that was kept.
 */
#include "backend/packed.h"
#include "base/rng.h"
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_SIZE 8192

static void local_rows_are_exact_and_so_are_their_sums(void **state)
{
	struct point point = small_point(50, 3, 70);

	for (uint32_t batch = 0; batch <= 1000; batch += 500) {
		struct test_model f;

		point.counters.batch = batch;
		fixture_init(&f, &point, "packed");
		fixture_populate(&f);
		fixture_random_updates(&f, batch, 20000);
		for (uint32_t memcg = 0; memcg <= 50; memcg++) {
			fixture_compare(&f, memcg);
			assert_memory_equal(f.counts.cells, f.truth.cells,
					    numa_cell(3, SCOPE_HIERARCHICAL, 0, 0) *
						    sizeof(*f.counts.cells));
		}
		fixture_fini(&f);
	}
}

/* Every batch of the tree holds B pages of one list on one node: nothing has spilled. */
static void a_cell_can_reach_its_bound_exactly(void **state)
{
	const uint32_t memcgs = 31, cpus = 6, batch = 32;
	struct point point = small_point(memcgs - 1, 2, cpus);
	unsigned rows[] = {NUMA_ROW_TOTAL, NUMA_ROW_UNEVICTABLE};
	struct test_model f;

	fixture_init(&f, &point, "packed");
	for (uint32_t i = 0; i < memcgs * cpus * batch; i++)
		fixture_update(&f, &(struct update){.memcg = i / batch / cpus,
						    .cpu = i / batch % cpus,
						    .node = 1,
						    .lru = LRU_UNEVICTABLE,
						    .delta = 1});
	fixture_compare(&f, 0);
	assert_true(f.backend->bound(&f.point, SCOPE_HIERARCHICAL, NUMA_ROW_UNEVICTABLE, 2, memcgs,
				     0) == memcgs * cpus * batch);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned column = 0; column <= 2; column += 2) {
			size_t cell = numa_cell(2, SCOPE_HIERARCHICAL, rows[i], column);

			assert_true(f.truth.cells[cell] == memcgs * cpus * batch);
			assert_true(f.counts.cells[cell] == 0);
		}
	/* One page more spills what its CPU held, at both levels. */
	fixture_update(&f,
		       &(struct update){.memcg = 7, .node = 1, .lru = LRU_UNEVICTABLE, .delta = 1});
	fixture_compare(&f, 0);
	for (unsigned column = 0; column <= 2; column += 2)
		assert_true(
			f.counts.cells[numa_cell(2, SCOPE_HIERARCHICAL, NUMA_ROW_TOTAL, column)] ==
			batch + 1);
	fixture_fini(&f);
}

static void no_bound_is_larger_than_that_of_cached(void **state)
{
	const struct backend *packed = backend_find("packed"), *cached = backend_find("cached");
	struct point point = small_point(10, 4, 9);

	for (int scope = 0; scope < NR_SCOPES; scope++)
		for (int row = 0; row < NR_NUMA_ROWS; row++)
			for (unsigned column = 0; column <= 4; column++)
				assert_true(packed->bound(&point, (enum numa_scope)scope,
							  (enum numa_row)row, column, 11, 0) <=
					    cached->bound(&point, (enum numa_scope)scope,
							  (enum numa_row)row, column, 11, 0));
}

/* 130 CPUs: three words of the mask. One after the other, and none twice. */
static void every_cpu_in_use_is_read_and_no_other(void **state)
{
	struct point point = small_point(3, 2, 130);
	struct test_model f;

	fixture_init(&f, &point, "packed");
	for (unsigned i = 0; i < 130; i++) {
		struct update update = {.memcg = 2, .cpu = (i * 37 + 5) % 130, .node = 1};
		uint64_t bytes;
		struct op_counts counts;

		update.lru = (enum lru_list)(i % NR_LRU_LISTS);
		update.delta = 1 + (long)i;
		fixture_update(&f, &update);
		fixture_update(&f, &update);
		counts = fixture_count(&f, 2, &bytes);
		assert_true(counts.loads_local == NR_LRU_LISTS * (i + 1));
		assert_true(counts.loads_hierarchical == 0 && counts.memcgs_visited == 0);
		assert_true(counts.atomics == NR_LRU_LISTS * (1 + 2));
		/* Their lines, each node's, the memcg's, and pointers and masks on two. */
		assert_true(bytes == 64 * (i + 1 + 2 + 1 + 2));
		fixture_compare(&f, 2);
	}
	fixture_fini(&f);
}

/* What docs/packed.md says of a whole read in the kernel's shape, and cached beside it. */
static void a_read_touches_what_is_written_of_it(void **state)
{
	static const struct {
		unsigned spread, lines, loads;
	} told[] = {{1, 5, 5}, {2, 6, 10}, {72, 76, 360}};

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		struct point point = small_point(20, 2, 72);
		uint64_t bytes, cached_bytes;
		struct op_counts counts, cached_counts;
		struct test_model f;

		point.counters.spread_cpus = told[i].spread;
		fixture_init(&f, &point, "cached");
		fixture_populate(&f);
		cached_counts = fixture_count(&f, 0, &cached_bytes);
		fixture_fini(&f);
		fixture_init(&f, &point, "packed");
		fixture_populate(&f);
		counts = fixture_count(&f, 0, &bytes);
		fixture_fini(&f);

		assert_true(bytes == 64 * told[i].lines);
		assert_true(counts.loads_local == told[i].loads);
		assert_true(counts.atomics == NR_LRU_LISTS * 3);
		assert_true(cached_counts.loads_local == 10 * 3 * 72);
		assert_true(cached_counts.atomics == 10 * 3);
		/* A line for each CPU and block, and the bases of the areas. */
		assert_true(cached_bytes >= 64 * 3 * 72);
		assert_true(counts.css_gets == 0 && counts.memcgs_visited == 0);
	}
}

/* Of a memcg and of a node, one line an ancestor: what `cached` needs two or three for. */
static void a_spill_writes_one_line_an_ancestor(void **state)
{
	struct update spill = {.memcg = 9, .cpu = 1, .node = 1, .delta = 33};
	struct point point = small_point(9, 2, 72);
	struct op_probe probe = {.lines = NULL};
	const struct region *regions;
	struct test_model f;
	size_t nr;

	point.tree.shape = TREE_CHAIN;
	fixture_init(&f, &point, "packed");
	fixture_update(&f, &spill); /* sets the CPU's bit */
	regions = f.backend->regions(f.instance, &nr);
	probe.lines = line_set_new(regions, nr);
	assert_non_null(probe.lines);
	f.backend->count_update(f.instance, &spill, &probe);
	/* The CPU's line and batch, where its area is, the memcg's handles; then up the chain. */
	assert_true(line_set_bytes(probe.lines) == 64 * (4 + 2 * 10));
	line_set_free(probe.lines);
	fixture_fini(&f);
}

static void an_update_meets_two_lines_of_its_cpu(void **state)
{
	struct point point = small_point(9, 2, 3);
	struct update update = {.memcg = 9, .cpu = 1, .node = 1, .delta = 32};
	struct op_probe probe = {.lines = NULL};
	struct test_model f;

	point.tree.shape = TREE_CHAIN;
	fixture_init(&f, &point, "packed");
	f.backend->count_update(f.instance, &update, &probe);
	/* Batch, local counter, batch; and the CPU's bit, the first time. */
	assert_int_equal(probe.counts.adds, 3);
	assert_int_equal(probe.counts.atomics, 1);
	update.delta = 1;
	f.backend->count_update(f.instance, &update, &probe);
	assert_int_equal(probe.counts.adds, 3 + 3);
	/* 33 is beyond the batch of 32: both levels spill into 10 memcgs each. */
	assert_int_equal(probe.counts.atomics, 1 + 2 * 10);
	update.delta = -512;
	f.backend->count_update(f.instance, &update, &probe);
	assert_int_equal(probe.counts.atomics, 1 + 4 * 10);
	fixture_fini(&f);
}

/* What packed prints against the one formatter over the truth; batch 0 leaves no error. */
static void assert_text(struct test_model *f, uint32_t memcg, unsigned rows)
{
	static char wanted[TEXT_SIZE], found[TEXT_SIZE];
	struct read_request request = {.memcg = memcg, .rows = rows};
	long length;

	oracle_read(f->oracle, memcg, ROWS_ALL, &f->truth);
	length = numa_stat_text(&f->truth, rows, TEXT_SEQ_PRINTF, wanted, sizeof(wanted));
	for (int style = TEXT_SEQ_PRINTF; style <= TEXT_FAST; style++) {
		memset(found, 'x', sizeof(found));
		assert_true(f->backend->read_text(f->instance, &request, &f->counts,
						  (enum text_style)style, found,
						  sizeof(found)) == length);
		assert_string_equal(found, wanted);
	}
	assert_true(f->backend->read_text(f->instance, &request, &f->counts, TEXT_FAST, found,
					  (size_t)length) < 0);
}

static void texts_are_those_of_the_one_formatter(void **state)
{
	struct rng rng = {99};

	for (unsigned round = 0; round < 40; round++) {
		uint32_t nodes = 1 + (uint32_t)rng_below(&rng, 9);
		struct point point = small_point(12, nodes, 1 + (uint32_t)rng_below(&rng, 9));
		struct test_model f;

		point.counters.batch = 0;
		for (unsigned i = 0; i < nodes; i++)
			point.machine.nids[i] =
				(uint16_t)(i * (1 + rng_below(&rng, 100)) +
					   (i ? point.machine.nids[i - 1] + 1u : 0));
		fixture_init(&f, &point, "packed");
		/* Numbers of all lengths. */
		for (unsigned i = 0; i < 60; i++)
			fixture_update(&f,
				       &(struct update){
					       .memcg = (uint32_t)rng_below(&rng, 13),
					       .node = (unsigned)rng_below(&rng, nodes),
					       .lru = (enum lru_list)rng_below(&rng, NR_LRU_LISTS),
					       .delta = (long)(rng_next(&rng) >>
							       (8 + rng_below(&rng, 56)))});
		for (uint32_t memcg = 0; memcg <= 12; memcg++) {
			assert_text(&f, memcg, ROWS_ALL);
			assert_text(&f, memcg, ROWS_HIERARCHICAL);
		}
		fixture_fini(&f);
	}
}

/* Around every power of ten, in the longest text there is; nothing is written beyond its room. */
static void numbers_of_every_length_are_written_in_their_room(void **state)
{
	static const uint16_t nids[] = {7, 12, 65535};
	struct packed_label labels[NR_SCOPES * NR_NUMA_ROWS + 3];
	struct numa_counts counts;
	char wanted[TEXT_SIZE], found[TEXT_SIZE];
	uint64_t power = 1;
	size_t room;

	assert_int_equal(packed_nr_labels(3), sizeof(labels) / sizeof(labels[0]));
	packed_labels_init(labels, 3, nids);
	room = packed_text_room(labels, 3);
	/* So that the driver's buffer is always enough. */
	assert_true(room <= numa_stat_text_max(3));
	assert_int_equal(numa_counts_init(&counts, 3, nids), 0);
	for (unsigned digits = 0; digits <= 20; digits++, power *= 10)
		for (uint64_t off = 0; off < 4; off++) {
			long length;
			char *end;

			for (size_t i = 0; i < numa_nr_cells(3); i++)
				counts.cells[i] = digits == 20 ? UINT64_MAX - off * i
							       : power - 1 + off + (i % 2);
			length = numa_stat_text(&counts, ROWS_ALL, TEXT_SEQ_PRINTF, wanted,
						sizeof(wanted));
			memset(found, 'x', sizeof(found));
			end = packed_put_text(labels, &counts, ROWS_ALL, found);
			assert_true(end - found == length);
			assert_memory_equal(found, wanted, (size_t)length);
			for (size_t i = room; i < sizeof(found); i++)
				assert_true(found[i] == 'x');
		}
	numa_counts_fini(&counts);
}

/* After each single update anywhere, every memcg's text is that of now. */
static void no_text_outlives_an_update(void **state)
{
	struct point point = small_point(14, 2, 3);
	struct test_model f;

	point.tree.fanout = 2;
	point.counters.batch = 0;
	fixture_init(&f, &point, "packed");
	fixture_populate(&f);
	for (uint32_t updated = 0; updated <= 14; updated++)
		for (unsigned place = 0; place < 2 * 3 * NR_LRU_LISTS; place++) {
			struct update update = {.memcg = updated,
						.node = place % 2,
						.cpu = place / 2 % 3,
						.lru = (enum lru_list)(place / 6),
						.delta = place & 1 ? 1 : 700};

			fixture_update(&f, &update);
			for (uint32_t memcg = 0; memcg <= 14; memcg++)
				assert_text(&f, memcg, ROWS_ALL);
		}
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(local_rows_are_exact_and_so_are_their_sums),
		cmocka_unit_test(a_cell_can_reach_its_bound_exactly),
		cmocka_unit_test(no_bound_is_larger_than_that_of_cached),
		cmocka_unit_test(every_cpu_in_use_is_read_and_no_other),
		cmocka_unit_test(a_read_touches_what_is_written_of_it),
		cmocka_unit_test(a_spill_writes_one_line_an_ancestor),
		cmocka_unit_test(an_update_meets_two_lines_of_its_cpu),
		cmocka_unit_test(texts_are_those_of_the_one_formatter),
		cmocka_unit_test(numbers_of_every_length_are_written_in_their_room),
		cmocka_unit_test(no_text_outlives_an_update),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
