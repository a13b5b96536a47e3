// SPDX-License-Identifier: MIT
/*
 * cpu.stat under rstat, against a plain sum of what updates accounted: exact at rest in any order
 * of updates, reads and flushes; and what its flush brings along by the rules of each kernel.
 */
#include "backend/rstat.h"
#include "backend/update_stream.h"
#include "base/rng.h"
#include "racers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const enum flush_rules all_rules[] = {FLUSH_V5_13, FLUSH_V5_16, FLUSH_V6_8, FLUSH_V6_16};
#define NR_RULES (sizeof(all_rules) / sizeof(all_rules[0]))

/* Of an update, as rstat_cputime.h says. */
#define USAGE_NS  1000u
#define USER_NS   750u
#define SYSTEM_NS 250u

/* Items of a v5.6 layout, and of CPU time. */
#define MEMCG_ITEMS 71
#define NODE_ITEMS  33
#define TIME_ITEMS  3

static void init(struct test_model *f, struct point point, enum flush_rules rules)
{
	point.counters.flush = rules;
	point.read.with = WITH_CPU_STAT;
	fixture_init(f, &point, "rstat");
}

static bool shares_tree(const struct test_model *f)
{
	return f->point.counters.flush < FLUSH_V6_16;
}

static struct cpu_stat read_cpu(const struct test_model *f, uint32_t memcg)
{
	struct read_request request = {.memcg = memcg};
	struct cpu_stat stat;

	memset(&stat, 0x5a, sizeof(stat));
	assert_int_equal(f->backend->read_cpu_stat(f->instance, &request, &stat), 0);
	return stat;
}

static struct op_counts count_cpu(const struct test_model *f, uint32_t memcg)
{
	struct read_request request = {.memcg = memcg};
	struct op_probe probe = {.lines = NULL};
	struct cpu_stat stat;

	assert_int_equal(f->backend->count_cpu_stat(f->instance, &request, &stat, &probe), 0);
	return probe.counts;
}

static void assert_events(const struct test_model *f, uint32_t memcg, uint64_t events)
{
	struct cpu_stat stat = read_cpu(f, memcg);

	assert_true(stat.usage == events * USAGE_NS);
	assert_true(stat.user == events * USER_NS);
	assert_true(stat.system == events * SYSTEM_NS);
}

static void charge(struct test_model *f, uint32_t memcg, unsigned cpu)
{
	fixture_update(f, &(struct update){
				  .memcg = memcg, .cpu = cpu, .lru = LRU_UNEVICTABLE, .delta = 1});
}

/* The plain sum: events of each memcg, of a subtree. */
static uint64_t events_below(const struct test_model *f, const uint64_t *events, uint32_t memcg)
{
	uint64_t sum = 0;

	for (uint32_t at = memcg; at != MEMCG_NONE; at = memcg_tree_next(f->tree, memcg, at))
		sum += events[at];
	return sum;
}

static void random_updates(struct test_model *f, uint64_t seed, uint64_t updates, uint64_t *events)
{
	struct update_stream stream;
	struct update update;

	update_stream_init(&stream, seed, &f->point, f->oracle);
	for (uint64_t i = 0; i < updates; i++) {
		update_stream_next(&stream, &update);
		fixture_update(f, &update);
		events[update.memcg]++;
	}
}

static struct point random_point(struct rng *rng)
{
	struct point point =
		small_point(1 + (uint32_t)rng_below(rng, 40), 1 + (uint32_t)rng_below(rng, 3),
			    1 + (uint32_t)rng_below(rng, 7));

	point.tree.shape = (enum tree_shape)rng_below(rng, 4);
	point.tree.fanout = 1 + (uint32_t)rng_below(rng, 4);
	point.tree.seed = rng_next(rng);
	point.machine.layout = rng_below(rng, 2) ? LAYOUT_LEAN : LAYOUT_V5_6;
	return point;
}

static void it_is_the_plain_sum_whatever_was_read_and_flushed_before(void **state)
{
	struct rng rng = {616};

	for (unsigned round = 0; round < 60; round++) {
		uint64_t *events;
		struct test_model f;

		init(&f, random_point(&rng), all_rules[round % NR_RULES]);
		events = calloc(f.tree->nr, sizeof(*events));
		assert_non_null(events);
		for (unsigned i = 0; i < 60; i++) {
			uint32_t memcg = (uint32_t)rng_below(&rng, f.tree->nr);

			random_updates(&f, rng_next(&rng), rng_below(&rng, 100), events);
			if (rng_below(&rng, 2))
				f.backend->flush(f.instance, (uint32_t)rng_below(&rng, f.tree->nr));
			fixture_compare(&f, (uint32_t)rng_below(&rng, f.tree->nr));
			assert_events(&f, memcg, events_below(&f, events, memcg));
		}
		for (uint32_t memcg = 0; memcg < f.tree->nr; memcg++)
			assert_events(&f, memcg, events_below(&f, events, memcg));
		free(events);
		fixture_fini(&f);
	}
}

/* Seeded remainders are brought about by updates, some of them twice; all of it adds up. */
static void after_a_long_run_parents_hold_what_is_below_them_and_updates_add_to_it(void **state)
{
	for (size_t k = 0; k < NR_RULES; k++) {
		struct point point = small_point(50, 2, 5);
		uint64_t least, before;
		struct test_model f;

		point.tree.shape = TREE_RANDOM;
		init(&f, point, all_rules[k]);
		fixture_populate(&f);
		least = point.counters.pages * USAGE_NS;
		for (uint32_t memcg = 0; memcg < f.tree->nr; memcg++) {
			uint64_t own = read_cpu(&f, memcg).usage, below = 0;

			for (uint32_t i = memcg + 1; i < f.tree->nr; i++)
				if (f.tree->parent[i] == memcg)
					below += read_cpu(&f, i).usage;
			assert_true(own >= below + least);
		}
		before = read_cpu(&f, 0).usage;
		charge(&f, 50, 1);
		charge(&f, 7, 4);
		assert_true(read_cpu(&f, 0).usage == before + 2 * USAGE_NS);
		fixture_fini(&f);
	}
}

static void by_a_tree_that_all_share_memory_comes_along_and_by_its_own_it_does_not(void **state)
{
	for (size_t k = 0; k < NR_RULES; k++)
		for (unsigned nodes = 1; nodes <= 2; nodes++) {
			struct point point = small_point(110, nodes, 5);
			uint64_t memory = MEMCG_ITEMS + nodes * NODE_ITEMS, items;
			struct op_counts counts;
			struct test_model f;

			init(&f, point, all_rules[k]);
			items = TIME_ITEMS + (shares_tree(&f) ? memory : 0);
			/* Balanced: 110 is below 10, below the root. */
			charge(&f, 110, 0);
			charge(&f, 110, 3);
			charge(&f, 5, 4);
			counts = count_cpu(&f, 10);
			assert_int_equal(counts.flushes, 1);
			assert_int_equal(counts.memcgs_visited, 4);
			assert_true(counts.items_scanned == 4 * items);
			/* The root of three CPUs, and memcg 5 of one. */
			counts = count_cpu(&f, 0);
			assert_true(counts.items_scanned == 4 * items);
			/* Idle: it has no threshold. */
			counts = count_cpu(&f, 0);
			assert_int_equal(counts.flushes, 1);
			assert_int_equal(counts.items_scanned, 0);
			/* What memory's file would find: everything, or nothing more. */
			f.backend->flush(f.instance, 0);
			fixture_read(&f, 0);
			assert_memory_equal(f.counts.cells, f.truth.cells,
					    numa_nr_cells(nodes) * sizeof(uint64_t));
			fixture_fini(&f);
		}
}

static size_t total(unsigned nodes)
{
	return numa_cell(nodes, SCOPE_HIERARCHICAL, NUMA_ROW_TOTAL, 0);
}

/* Three pages are far below any threshold, so that memory's file does not flush by itself. */
static void memory_read_behind_it_is_exact_by_a_tree_that_all_share(void **state)
{
	for (size_t k = 1; k < NR_RULES; k++) {
		struct test_model f;

		init(&f, small_point(20, 1, 4), all_rules[k]);
		for (unsigned cpu = 0; cpu < 3; cpu++)
			charge(&f, 20, cpu);
		fixture_read(&f, 0);
		assert_true(f.counts.cells[total(1)] == 0);
		read_cpu(&f, 0);
		fixture_read(&f, 0);
		assert_true(f.counts.cells[total(1)] == (shares_tree(&f) ? 3 : 0));
		assert_true(f.truth.cells[total(1)] == 3);
		fixture_fini(&f);
	}
}

/* Its flush takes the counts of each memcg away with the pages, and knows of no other. */
static void thresholds_of_memcgs_begin_anew_behind_it_and_the_one_of_all_does_not(void **state)
{
	static const uint64_t flushes[NR_RULES] = {1, 1, 0, 1};

	for (size_t k = 0; k < NR_RULES; k++) {
		struct op_counts counts;
		struct test_model f;

		init(&f, small_point(20, 1, 4), all_rules[k]);
		for (unsigned i = 0; i < 300; i++)
			charge(&f, 20, i % 4);
		read_cpu(&f, 0);
		counts = fixture_count(&f, 0, NULL);
		assert_true(counts.flushes == flushes[k]);
		assert_true((counts.items_scanned > 0) == !shares_tree(&f));
		fixture_fini(&f);
	}
}

static void an_update_accounts_three_items_and_is_linked_in_each_tree(void **state)
{
	for (size_t k = 0; k < NR_RULES; k++) {
		static const uint64_t counted[NR_RULES] = {0, 1, 9, 9};
		struct update update = {.memcg = 8, .delta = 1};
		struct op_probe first = {.lines = NULL}, next = {.lines = NULL};
		struct point point = small_point(8, 1, 1);
		unsigned trees;
		struct test_model f;

		point.tree.shape = TREE_CHAIN;
		init(&f, point, all_rules[k]);
		trees = shares_tree(&f) ? 1 : 2;
		f.backend->count_update(f.instance, &update, &first);
		f.backend->count_update(f.instance, &update, &next);
		assert_true(first.counts.adds == 2 + TIME_ITEMS + counted[k]);
		assert_true(next.counts.adds == 2 + TIME_ITEMS + counted[k]);
		assert_int_equal(first.counts.memcgs_visited, trees * 9);
		assert_int_equal(first.counts.atomics, trees);
		assert_int_equal(next.counts.memcgs_visited + next.counts.atomics, 0);
		assert_events(&f, 8, 2);
		fixture_fini(&f);
	}
}

static uint64_t bytes_of(const struct test_model *f)
{
	const struct region *regions;
	uint64_t bytes = 0;
	size_t nr;

	regions = f->backend->regions(f->instance, &nr);
	for (size_t i = 0; i < nr; i++)
		bytes += regions[i].bytes;
	return bytes;
}

static void it_takes_two_lines_a_memcg_where_it_is_asked_for_and_nothing_else(void **state)
{
	for (size_t k = 0; k < NR_RULES; k++) {
		struct point point = small_point(700, 1, 3);
		struct rstat_layout without, with;
		struct test_model f;

		init(&f, point, all_rules[k]);
		assert_true(bytes_of(&f) == f.backend->bytes(&f.point));
		rstat_layout(&f.point, &with);
		fixture_fini(&f);
		rstat_layout(&point, &without);
		assert_true(with.object_bytes == without.object_bytes + STRUCT_ALIGN);
		assert_true(with.memcg_bytes == without.memcg_bytes + STRUCT_ALIGN);
		assert_true(with.lruvec_offset == without.lruvec_offset);
		assert_true(with.node_bytes == without.node_bytes);
		assert_true(without.first_object == sizeof(struct rstat_cpu));
		assert_true(without.memcgs_offset ==
			    without.global_offset + sizeof(struct rstat_global));
	}
}

static void its_flush_lock_is_memorys_until_6_16(void **state)
{
	for (size_t k = 0; k < NR_RULES; k++) {
		struct lock_times *times;
		struct test_model f;
		size_t nr;

		init(&f, small_point(20, 1, 4), all_rules[k]);
		times = f.backend->locks(f.instance, &nr);
		assert_int_equal(nr, shares_tree(&f) ? 1 : 2);
		assert_int_equal((uintptr_t)times % LOCK_TIMES_APART, 0);
		assert_int_equal(sizeof(*times) % LOCK_TIMES_APART, 0);
		read_cpu(&f, 0);
		/* By the rules of 6.16 once, and again behind each CPU. */
		assert_int_equal(times[0].taken, shares_tree(&f) ? 1 : 0);
		assert_string_equal(times[nr - 1].name, nr == 2 ? "cputime" : "flush");
		assert_int_equal(times[nr - 1].taken, nr == 2 ? 1 + 4 : 1);
		fixture_fini(&f);
	}
}

static void who_comes_and_goes_leaves_its_time_to_its_ancestors(void **state)
{
	for (size_t k = 0; k < NR_RULES; k++) {
		struct point point = small_point(20, 2, 4);
		uint32_t comes = 21;
		struct test_model f;

		point.write.churn = 1000;
		init(&f, point, all_rules[k]);
		for (unsigned i = 1; i <= 3; i++) {
			f.backend->memcg_add(f.instance, comes, 20);
			assert_events(&f, comes, 0);
			for (unsigned cpu = 0; cpu < 4; cpu++)
				f.backend->update(
					f.instance,
					&(struct update){.memcg = comes, .cpu = cpu, .delta = 1});
			/* Of the second nothing was flushed before it goes. */
			if (i != 2)
				assert_events(&f, comes, 4);
			f.backend->memcg_remove(f.instance, comes);
			assert_events(&f, 20, i * 4);
			assert_events(&f, 0, i * 4);
		}
		fixture_fini(&f);
	}
}

static void readers_writers_and_flushers_lose_none_of_it(void **state)
{
	static const struct race race = {
		.writers = 4, .readers = 3, .flushers = 1, .updates = 2000};
	static const enum flush_lock_model models[] = {FLUSH_LOCK_RULES, FLUSH_LOCK_HELD,
						       FLUSH_LOCK_ALWAYS, FLUSH_LOCK_MUTEX};

	for (size_t k = 0; k < NR_RULES; k++)
		for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
			struct point point = small_point(30, 2, race_threads(&race));
			uint64_t events = race.writers * race.updates;
			struct test_model f;

			point.counters.lock = models[m];
			init(&f, point, all_rules[k]);
			race_run(&f, &race);
			/* What met a flush comes with the CPU's next update of the memcg. */
			for (unsigned cpu = 0; cpu < race.writers; cpu++)
				for (uint32_t memcg = 0; memcg < f.tree->nr; memcg++, events++)
					charge(&f, memcg, cpu);
			assert_events(&f, 0, events);
			f.backend->flush(f.instance, 0);
			fixture_read(&f, 0);
			assert_memory_equal(f.counts.cells, f.truth.cells,
					    numa_nr_cells(2) * sizeof(uint64_t));
			fixture_fini(&f);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_plain_sum_whatever_was_read_and_flushed_before),
		cmocka_unit_test(
			after_a_long_run_parents_hold_what_is_below_them_and_updates_add_to_it),
		cmocka_unit_test(
			by_a_tree_that_all_share_memory_comes_along_and_by_its_own_it_does_not),
		cmocka_unit_test(memory_read_behind_it_is_exact_by_a_tree_that_all_share),
		cmocka_unit_test(
			thresholds_of_memcgs_begin_anew_behind_it_and_the_one_of_all_does_not),
		cmocka_unit_test(an_update_accounts_three_items_and_is_linked_in_each_tree),
		cmocka_unit_test(it_takes_two_lines_a_memcg_where_it_is_asked_for_and_nothing_else),
		cmocka_unit_test(its_flush_lock_is_memorys_until_6_16),
		cmocka_unit_test(who_comes_and_goes_leaves_its_time_to_its_ancestors),
		cmocka_unit_test(readers_writers_and_flushers_lose_none_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
