// SPDX-License-Identifier: MIT
/* Every file that a back end reads, against the oracle; and what reading it takes. */
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const enum read_file files[] = {READ_NUMA_STAT, READ_MEMORY_STAT, READ_MEMORY_STAT};
static const enum read_version versions[] = {READ_V2, READ_V1, READ_V2};
#define NR_FILES 3

static struct point file_point(unsigned file, uint32_t memcgs, uint32_t nodes, uint32_t cpus)
{
	struct point point = small_point(memcgs, nodes, cpus);

	point.read.file = files[file];
	point.read.version = versions[file];
	return point;
}

/* Cells of items that no update changes are exact wherever they are read. */
static void assert_static_rows_exact(struct test_model *f)
{
	const struct stat_format *format = f->counts.format;

	for (unsigned scope = 0; scope < NR_SCOPES; scope++) {
		for (unsigned row = 0; row < format->nr_rows; row++) {
			size_t first = stat_cell(&f->counts, scope, row, stat_first_column(format));

			if (!(format->scopes & (1u << scope)) || stat_row_lists(&format->rows[row]))
				continue;
			assert_memory_equal(&f->counts.cells[first], &f->truth.cells[first],
					    stat_nr_columns(format, f->counts.nr_nodes) *
						    sizeof(uint64_t));
		}
	}
}

/* Call for every back end, file that it can read, and rules where it has any. */
static void each_case(struct point (*make)(unsigned file), void (*check)(struct test_model *f))
{
	unsigned cases = 0;

	for (size_t i = 0; backends[i] && !backends[i]->fixture; i++) {
		unsigned last = strcmp(backends[i]->name, "rstat") ? FLUSH_V5_13 : FLUSH_V6_16;

		for (unsigned file = 0; file < NR_FILES; file++) {
			struct point point = make(file);

			if (!backend_can_read(backends[i], point_format(&point)))
				continue;
			for (unsigned rules = FLUSH_V5_13; rules <= last; rules++) {
				struct test_model f;

				point.counters.flush = rules;
				fixture_init(&f, &point, backends[i]->name);
				fixture_populate(&f);
				check(&f);
				fixture_fini(&f);
				cases++;
			}
		}
	}
	assert_true(cases >= (4 + 4) * NR_FILES);
}

static struct point batched(unsigned file)
{
	struct point point = file_point(file, 35, 3, 6);

	point.tree.shape = TREE_RANDOM;
	point.tree.dying_ppm = 200000;
	point.counters.spread_nodes = 2;
	return point;
}

static void check_within_bounds(struct test_model *f)
{
	for (unsigned round = 0; round < 2; round++) {
		for (uint32_t memcg = 0; memcg < f->tree->nr; memcg++) {
			fixture_compare(f, memcg);
			assert_static_rows_exact(f);
		}
		fixture_random_updates(f, 5, 2000);
	}
}

static void lists_stay_within_bounds_and_the_rest_is_exact(void **state)
{
	each_case(batched, check_within_bounds);
}

static struct point unbatched(unsigned file)
{
	struct point point = batched(file);

	point.counters.batch = 0;
	return point;
}

static void check_exact(struct test_model *f)
{
	fixture_random_updates(f, 5, 2000);
	for (uint32_t memcg = 0; memcg < f->tree->nr; memcg++)
		assert_int_equal(fixture_compare(f, memcg).pages, 0);
}

static void without_batches_every_cell_is_exact(void **state)
{
	each_case(unbatched, check_exact);
}

static void check_counted_the_same(struct test_model *f)
{
	size_t bytes = stat_nr_cells(&f->counts) * sizeof(uint64_t);
	struct read_request request = {.rows = point_rows(&f->point)};
	struct op_counts counts;
	char text[8192];
	long length;

	fixture_read(f, 0);
	memcpy(f->truth.cells, f->counts.cells, bytes);
	counts = fixture_count(f, 0, NULL);
	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
		if (f->counts.format->scopes == ROWS_ALL || i >= bytes / sizeof(uint64_t) / 2)
			assert_true(f->counts.cells[i] == f->truth.cells[i]);
	length = backend_read(f->backend, f->instance, &request, &f->counts, FORM_TEXT,
			      TEXT_SEQ_PRINTF, text, sizeof(text));
	assert_true(length > 0);
	assert_int_equal(counts.text_bytes, length);
}

static void counted_reads_give_the_same_cells_and_text(void **state)
{
	each_case(batched, check_counted_the_same);
}

static struct op_counts count_file(unsigned file, const char *name, unsigned n, unsigned c)
{
	struct point point = file_point(file, 30, n, c);
	struct op_counts counts;
	struct test_model f;

	fixture_init(&f, &point, name);
	fixture_populate(&f);
	counts = fixture_count(&f, 0, NULL);
	fixture_fini(&f);
	return counts;
}

/* v1 memory.stat has 17 rows, of the memcg and of its subtree; v2's 31 rows read 34 items. */
static void a_row_of_memory_stat_is_a_walk_or_a_read(void **state)
{
	for (unsigned c = 1; c <= 70; c += 23) {
		struct op_counts counts = count_file(1, "walk", 2, c);

		assert_true(counts.loads_hierarchical == 17 * c * 31);
		assert_true(counts.loads_local == 17 * c);
		assert_true(counts.memcgs_visited == 17 * 31 && counts.css_gets == 17 * 30);
		counts = count_file(1, "walk-once", 2, c);
		assert_true(counts.loads_hierarchical == 17 * c * 31);
		assert_true(counts.loads_local == 17 * c);
		assert_true(counts.memcgs_visited == 31 && counts.css_gets == 30);
		counts = count_file(1, "cached", 2, c);
		assert_true(counts.loads_hierarchical == 0 && counts.atomics == 17);
		assert_true(counts.loads_local == 17 * c);
		counts = count_file(2, "walk", 2, c);
		assert_true(counts.loads_hierarchical == 34 * c * 31 && counts.loads_local == 0);
		assert_true(counts.memcgs_visited == 31 * 31);
		counts = count_file(2, "cached", 2, c);
		assert_true(counts.atomics == 34 && counts.loads_local == 0);
	}
}

static void a_cell_of_v2_numa_stat_is_a_walk_or_a_read(void **state)
{
	for (unsigned n = 1; n <= 4; n++) {
		struct op_counts counts = count_file(0, "walk", n, 5);

		assert_true(counts.loads_hierarchical == 15 * n * 5 * 31);
		assert_true(counts.memcgs_visited == 15 * n * 31);
		counts = count_file(0, "walk-once", n, 5);
		assert_true(counts.loads_hierarchical == 15 * n * 5 * 31);
		assert_true(counts.memcgs_visited == 31);
		counts = count_file(0, "cached", n, 5);
		assert_true(counts.atomics == 15 * n && counts.loads_local == 0);
	}
}

/* v2's files have the memcg's and its lruvecs' counters in common: a node's cells add up. */
static void columns_add_up_to_the_row_of_the_other_file(void **state)
{
	struct test_model f[2];

	for (unsigned i = 0; i < 2; i++) {
		struct point point = file_point(i ? 2 : 0, 25, 3, 4);

		fixture_init(&f[i], &point, "walk-415");
		fixture_populate(&f[i]);
		fixture_read(&f[i], 0);
	}
	for (unsigned row = 0; row < stat_formats[STAT_NUMA_V2].nr_rows; row++) {
		const char *name = stat_formats[STAT_NUMA_V2].rows[row].name;
		const struct stat_format *other = &stat_formats[STAT_MEMORY_V2];
		uint64_t sum = 0;
		unsigned k = 0;

		for (unsigned column = 1; column <= 3; column++)
			sum += f[0].counts.cells[stat_cell(&f[0].counts, SCOPE_HIERARCHICAL, row,
							   column)];
		while (strcmp(other->rows[k].name, name))
			assert_true(++k < other->nr_rows);
		assert_true(sum > 0 && sum == f[1].counts.cells[stat_cell(
						      &f[1].counts, SCOPE_HIERARCHICAL, k, 0)]);
	}
	fixture_fini(&f[0]);
	fixture_fini(&f[1]);
}

/* The default file's counters are filled with what it shows, and nothing else. */
static void numa_stat_needs_no_other_items(void **state)
{
	const struct read_request request = {.rows = ROWS_ALL};
	struct point point = small_point(5, 1, 2);
	struct numa_counts counts;
	struct test_model f;

	fixture_init(&f, &point, "cached");
	fixture_populate(&f);
	assert_int_equal(
		stat_counts_init(&counts, &stat_formats[STAT_MEMORY_V1], 1, f.point.machine.nids),
		0);
	assert_int_equal(f.backend->read_stat(f.instance, &request, &counts), 0);
	/* total_cache and total_unevictable */
	assert_true(counts.cells[stat_cell(&counts, SCOPE_HIERARCHICAL, 0, 0)] == 0);
	assert_true(counts.cells[stat_cell(&counts, SCOPE_HIERARCHICAL, 16, 0)] > 0);
	numa_counts_fini(&counts);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_stay_within_bounds_and_the_rest_is_exact),
		cmocka_unit_test(without_batches_every_cell_is_exact),
		cmocka_unit_test(counted_reads_give_the_same_cells_and_text),
		cmocka_unit_test(a_row_of_memory_stat_is_a_walk_or_a_read),
		cmocka_unit_test(a_cell_of_v2_numa_stat_is_a_walk_or_a_read),
		cmocka_unit_test(columns_add_up_to_the_row_of_the_other_file),
		cmocka_unit_test(numa_stat_needs_no_other_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
