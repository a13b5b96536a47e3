// SPDX-License-Identifier: MIT
/*
 * What is known of batched counters at rest: that a value stays off by exactly a batch, that the
 * rows of a file need not agree with each other, nor a parent with its child. Figures as reports
 * have them.
 */
#include "driver/consistency.h"

#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGE_BYTES 4096
#define BATCH      32

/* Nothing is charged, and no batch holds anything. */
static struct point empty_point(uint32_t memcgs, uint32_t nodes, uint32_t cpus)
{
	struct point point = small_point(memcgs, nodes, cpus);

	point.counters.batch = BATCH;
	point.counters.pages = 0;
	return point;
}

static void charge(struct test_model *f, uint32_t memcg, unsigned cpu, enum lru_list lru, long delta,
		   unsigned times)
{
	struct update update = {.memcg = memcg, .cpu = cpu, .lru = lru, .delta = delta};

	while (times--)
		fixture_update(f, &update);
}

static uint64_t hierarchical(const struct numa_counts *counts, enum numa_row row, unsigned column)
{
	return counts->cells[numa_cell(counts->nr_nodes, SCOPE_HIERARCHICAL, row, column)];
}

static struct sampler sampler_of(struct test_model *f)
{
	return (struct sampler){
		.backend = f->backend,
		.instance = f->instance,
		.point = &f->point,
		.tree = f->tree,
		.placement = f->placement,
	};
}

static struct consistency look(struct test_model *f)
{
	struct consistency found = {.pairs = 0};
	struct sampler sampler = sampler_of(f);
	struct error err = {.text = ""};

	if (consistency_look(&sampler, f->oracle, &found, &err))
		fail_msg("%s", err.text);
	return found;
}

/* 4325376 bytes are read where 4194304 are charged. */
static void a_value_stays_off_by_exactly_32_pages(void **state)
{
	struct point point = empty_point(1, 1, 1);
	struct test_model f;

	fixture_init(&f, &point, "cached");
	charge(&f, 1, 0, LRU_ACTIVE_FILE, 1, 4325376 / PAGE_BYTES);
	fixture_read(&f, 1);
	assert_int_equal(hierarchical(&f.counts, NUMA_ROW_FILE, 0) * PAGE_BYTES, 4325376);
	charge(&f, 1, 0, LRU_ACTIVE_FILE, -1, BATCH);
	fixture_read(&f, 1);
	assert_int_equal(hierarchical(&f.truth, NUMA_ROW_FILE, 0) * PAGE_BYTES, 4194304);
	assert_int_equal(hierarchical(&f.counts, NUMA_ROW_FILE, 0) * PAGE_BYTES, 4325376);
	/* Nor does the parent know better, however long one waits. */
	fixture_read(&f, 0);
	assert_int_equal(hierarchical(&f.counts, NUMA_ROW_FILE, 0) * PAGE_BYTES, 4325376);
	/* One more, and it spills. */
	charge(&f, 1, 0, LRU_ACTIVE_FILE, -1, 1);
	fixture_read(&f, 0);
	assert_int_equal(hierarchical(&f.counts, NUMA_ROW_FILE, 0),
			 hierarchical(&f.truth, NUMA_ROW_FILE, 0));
	fixture_fini(&f);
}

static void thirty_two_cgroups_on_32_cpus_hide_128_mib_of_an_item(void **state)
{
	struct point point = empty_point(31, 1, 32); /* and the root */
	uint64_t bound;
	struct test_model f;

	fixture_init(&f, &point, "cached");
	bound = f.backend->bound(&f.point, SCOPE_HIERARCHICAL, NUMA_ROW_UNEVICTABLE, 0, f.tree->nr,
				 0);
	assert_int_equal(bound * PAGE_BYTES, 128u << 20);
	for (uint32_t memcg = 0; memcg < f.tree->nr; memcg++)
		for (unsigned cpu = 0; cpu < point.machine.cpus; cpu++)
			charge(&f, memcg, cpu, LRU_UNEVICTABLE, 1, BATCH);
	fixture_read(&f, 0);
	assert_int_equal(hierarchical(&f.counts, NUMA_ROW_UNEVICTABLE, 0), 0);
	assert_int_equal(hierarchical(&f.truth, NUMA_ROW_UNEVICTABLE, 0) * PAGE_BYTES, 128u << 20);
	fixture_fini(&f);
}

/* One huge page is 512 pages in one event: beyond any batch of up to 511. */
static void a_huge_page_shows_at_once(void **state)
{
	struct point point = empty_point(3, 1, 4);
	struct test_model f;

	fixture_init(&f, &point, "cached");
	charge(&f, 3, 2, LRU_ACTIVE_ANON, 1, BATCH);
	fixture_read(&f, 0);
	assert_int_equal(hierarchical(&f.counts, NUMA_ROW_ANON, 0), 0);
	charge(&f, 3, 2, LRU_ACTIVE_ANON, 512, 1);
	fixture_read(&f, 0);
	assert_int_equal(hierarchical(&f.counts, NUMA_ROW_ANON, 0), BATCH + 512);
	fixture_fini(&f);
}

/* The sum's batch has seen both nodes' pages, and spilled; those of the nodes have not. */
static void a_row_need_not_be_the_sum_of_its_columns(void **state)
{
	struct point point = empty_point(2, 2, 2);
	struct update update = {.memcg = 1, .lru = LRU_INACTIVE_FILE, .delta = 1};
	struct consistency found;
	struct test_model f;

	fixture_init(&f, &point, "cached");
	for (unsigned i = 0; i < 2 * 20; i++) {
		update.node = i % 2;
		fixture_update(&f, &update);
	}
	found = look(&f);
	assert_true(found.has_closure);
	assert_int_equal(found.closure.value, BATCH + 1);
	assert_int_equal(found.closure.truth, 0);
	assert_int_equal(found.closure.pages, BATCH + 1);
	/* the row's and two columns', of two lists, on two CPUs, of three memcgs */
	assert_int_equal(found.closure.row, NUMA_ROW_FILE);
	assert_int_equal(found.closure.bound, 3 * 2 * BATCH * 2 * 3);
	assert_int_equal(found.rows_beyond, 0);
	fixture_fini(&f);

	/* What is flushed before it is read does agree. */
	point.counters.flush = FLUSH_V5_13;
	fixture_init(&f, &point, "rstat");
	for (unsigned i = 0; i < 2 * 20; i++) {
		update.node = i % 2;
		fixture_update(&f, &update);
	}
	found = look(&f);
	assert_int_equal(found.closure.value, 40);
	assert_int_equal(found.closure.pages, 0);
	fixture_fini(&f);
}

/*
 * Memcg 2 charges from one CPU what it takes away from another: only the latter spills, as -33.
 * Its sibling's pages are gone from the parent, but not from the sibling.
 */
static void a_parent_may_be_below_its_child(void **state)
{
	struct point point = empty_point(2, 1, 2);
	struct consistency found;
	struct test_model f;

	fixture_init(&f, &point, "cached");
	charge(&f, 1, 0, LRU_ACTIVE_ANON, 1, BATCH + 1);
	found = look(&f);
	assert_int_equal(found.below, 0);
	assert_false(found.has_inversion);
	assert_int_equal(found.pairs, CONSISTENCY_PAIRS);
	assert_int_equal(found.cells, CONSISTENCY_PAIRS * NR_NUMA_ROWS * 2);
	charge(&f, 2, 0, LRU_ACTIVE_ANON, 1, BATCH);
	charge(&f, 2, 1, LRU_ACTIVE_ANON, -1, BATCH);
	charge(&f, 2, 0, LRU_ACTIVE_ANON, 1, 1); /* 33, spilled */
	charge(&f, 2, 0, LRU_ACTIVE_ANON, -1, BATCH);
	charge(&f, 2, 1, LRU_ACTIVE_ANON, -1, 1); /* -33, spilled */
	charge(&f, 2, 1, LRU_ACTIVE_ANON, 1, BATCH);
	charge(&f, 2, 0, LRU_ACTIVE_ANON, -1, 1); /* -33 once more: 32 still in a batch */
	fixture_read(&f, 0);
	assert_int_equal(hierarchical(&f.truth, NUMA_ROW_ANON, 0), BATCH);
	assert_int_equal(hierarchical(&f.counts, NUMA_ROW_ANON, 0), 0);
	found = look(&f);
	assert_true(found.has_inversion);
	assert_int_equal(found.inversion.value, 0);
	assert_int_equal(found.inversion.truth, BATCH + 1);
	assert_int_equal(found.inversion.pages, BATCH + 1);
	assert_true(found.below > 0 && found.below < found.cells);
	assert_int_equal(found.below_beyond, 0);
	fixture_fini(&f);
}

/* Who has no file is held against nobody. */
static void dying_memcgs_are_left_out(void **state)
{
	struct point point = empty_point(40, 1, 2);
	struct test_model f;

	point.tree.dying_ppm = TREE_ALL_PPM;
	fixture_init(&f, &point, "cached");
	assert_int_equal(look(&f).pairs, 0);
	fixture_fini(&f);
}

/* Counts that no design allows are counted as such. */
static void what_is_beyond_its_bound_is_counted(void **state)
{
	struct point point = empty_point(2, 1, 2);
	struct consistency found = {.pairs = 0};
	struct file_look full, empty;
	struct test_model f;

	fixture_init(&f, &point, "cached");
	fixture_read(&f, 0);
	memset(f.counts.cells, 0, numa_nr_cells(1) * sizeof(*f.counts.cells));
	memset(f.truth.cells, 0, numa_nr_cells(1) * sizeof(*f.truth.cells));
	f.counts.cells[numa_cell(1, SCOPE_HIERARCHICAL, NUMA_ROW_UNEVICTABLE, 1)] = 385;
	full = (struct file_look){f.counts, f.truth, f.tree->nr};
	empty = (struct file_look){f.truth, f.truth, f.tree->nr};
	closure_add(f.backend, &f.point, &full, &found);
	assert_int_equal(found.closure.bound, 2 * BATCH * 2 * 3);
	assert_int_equal(found.closure.pages, 385);
	assert_int_equal(found.rows_beyond, 1);
	full.subtree = 1;
	inversion_add(f.backend, &f.point, &empty, &full, &found);
	assert_int_equal(found.inversion.bound, BATCH * 2 * (3 + 1));
	assert_int_equal(found.below_beyond, 1);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_stays_off_by_exactly_32_pages),
		cmocka_unit_test(thirty_two_cgroups_on_32_cpus_hide_128_mib_of_an_item),
		cmocka_unit_test(a_huge_page_shows_at_once),
		cmocka_unit_test(a_row_need_not_be_the_sum_of_its_columns),
		cmocka_unit_test(a_parent_may_be_below_its_child),
		cmocka_unit_test(dying_memcgs_are_left_out),
		cmocka_unit_test(what_is_beyond_its_bound_is_counted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
