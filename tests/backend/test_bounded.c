// SPDX-License-Identifier: MIT
/*
 * What only `bounded` promises: an error that is a share of the value, whatever M and C are, while
 * values grow, shrink and vanish; how a cell reaches its bound; what CPUs hold back, and that it is
 * taken from idle ones; races of all that.
 */
#include "backend/bounded.h"
#include "backend/update_stream.h"
#include "racers.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static const uint32_t errors[] = {0, 1, 1000, 10000, 100000, 1000000};
#define NR_ERRORS (sizeof(errors) / sizeof(errors[0]))

static uint32_t held_of(const struct bounded_line *line, unsigned lru)
{
	return (uint32_t)labs(
		(int32_t)(atomic_load(&line->counted[lru]) - atomic_load(&line->told[lru])));
}

/* The invariants of bounded.c, of one list of one node. */
static void check_list(const struct bounded *bounded, struct bounded_node *node, unsigned lru)
{
	unsigned long *holders = bounded_holders(bounded, node);
	unsigned level = atomic_load(&node->level[lru]), nr = 0;
	long stat = atomic_load(&node->stat[lru]);
	uint32_t told = 0;

	assert_true(level <= bounded->levels);
	for (unsigned cpu = 0; cpu < bounded->layout.cpus; cpu++) {
		struct bounded_line *line = &bounded_cpu(bounded, cpu, node->line)->line;
		bool holds = holders[cpu / CPUMASK_WORD_BITS] >> cpu % CPUMASK_WORD_BITS & 1;
		unsigned own = atomic_load(&line->level[lru]);

		told += atomic_load(&line->told[lru]);
		nr += holds;
		assert_true(own <= level && (holds || own == 0));
		assert_true(held_of(line, lru) <= (uint32_t)bounded_limit(own));
	}
	assert_true(told == (uint32_t)stat);
	assert_true(atomic_load(&node->unit) == bounded_unit(bounded->error_ppm, nr ? nr : 1));
	assert_true(bounded_holds(level, atomic_load(&node->unit), stat));
}

static void check_everything(struct test_model *f)
{
	const struct bounded *bounded = f->instance;

	for (uint32_t memcg = 0; memcg < f->tree->nr; memcg++) {
		for (unsigned k = 0; k < bounded->layout.nodes; k++)
			for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
				check_list(bounded, bounded_memcg(bounded, memcg)->node[k], lru);
		fixture_compare(f, memcg);
		assert_memory_equal(f->counts.cells, f->truth.cells,
				    numa_cell(bounded->layout.nodes, SCOPE_HIERARCHICAL, 0, 0) *
					    sizeof(*f->counts.cells));
	}
}

static void random_updates_keep_every_invariant(void **state)
{
	for (size_t i = 0; i < NR_ERRORS; i++) {
		struct point point = small_point(40, 2, 1 + 24 * (uint32_t)i);
		struct update_stream stream;
		struct update update;
		struct test_model f;

		point.tree.shape = TREE_RANDOM;
		point.counters.error_ppm = errors[i];
		fixture_init(&f, &point, "bounded");
		fixture_populate(&f);
		check_everything(&f);
		update_stream_init(&stream, i, &f.point, f.oracle);
		for (uint64_t n = 0; n < many_updates() / NR_ERRORS; n++) {
			update_stream_next(&stream, &update);
			fixture_update(&f, &update);
			/* Of the memcgs that are updated most, each step is looked at. */
			if (n < 2000)
				fixture_compare(&f, update.memcg);
		}
		check_everything(&f);
		fixture_fini(&f);
	}
}

/* All pages go, from CPUs that need not be those that charged them: behind every event the root is
 * within the share of what is left, and in the end nothing is left of any error. */
static void values_shrink_to_nothing_within_their_share(void **state)
{
	for (size_t i = 1; i < NR_ERRORS; i++) {
		struct point point = small_point(12, 2, 5);
		struct rng rng = {i};
		struct test_model f;

		point.counters.pages = 3000;
		point.counters.error_ppm = errors[i];
		fixture_init(&f, &point, "bounded");
		fixture_populate(&f);
		for (uint32_t memcg = 0; memcg <= 12; memcg++)
			for (unsigned place = 0; place < 2 * NR_LRU_LISTS; place++) {
				struct update update = {.memcg = memcg,
							.node = place % 2,
							.lru = (enum lru_list)(place / 2)};
				int64_t left;

				while ((left = oracle_pages(f.oracle, memcg, update.node,
							    update.lru)) > 0) {
					update.cpu = (unsigned)rng_below(&rng, 5);
					update.delta = -1 - (long)rng_below(&rng, 20);
					if (-update.delta > left)
						update.delta = -(long)left;
					fixture_update(&f, &update);
					fixture_compare(&f, 0);
				}
			}
		check_everything(&f);
		for (unsigned cell = 0; cell < numa_nr_cells(2); cell++)
			assert_true(f.counts.cells[cell] == 0);
		fixture_fini(&f);
	}
}

/* One event, to one list of the last memcg. */
static void charge(struct test_model *f, unsigned cpu, long pages)
{
	fixture_update(f, &(struct update){.memcg = f->tree->nr - 1,
					   .cpu = cpu,
					   .lru = LRU_UNEVICTABLE,
					   .delta = pages});
}

/* Eight CPUs may hold back 64 pages each; what is known falls to the floor of that; then each
 * uncharges 64: 1 % of 51,200 pages is 512. One page more, and what all of them hold is known. */
static void a_cell_can_reach_its_bound_exactly(void **state)
{
	const long cpus = 8, limit = 64, floor = limit * cpus * 101, held = cpus * limit;
	const size_t cell = numa_cell(1, SCOPE_HIERARCHICAL, NUMA_ROW_UNEVICTABLE, 1);
	struct point point = small_point(1, 1, (uint32_t)cpus);
	struct cell_error worst;
	struct test_model f;

	fixture_init(&f, &point, "bounded");
	for (unsigned round = 0; round < 2; round++)
		for (unsigned cpu = 0; cpu < cpus; cpu++)
			charge(&f, cpu, floor / cpus);
	/* Each tells once more, and has the level of all that is there now. */
	for (unsigned cpu = 0; cpu < cpus; cpu++)
		charge(&f, cpu, cpu % 2 ? -1000 : 1000);
	charge(&f, 0, -floor); /* twice the floor bears the level */
	assert_true(fixture_compare(&f, 0).pages == 0);
	assert_true(f.counts.cells[cell] == (uint64_t)floor);
	for (unsigned cpu = 0; cpu < cpus; cpu++)
		charge(&f, cpu, -limit);
	worst = fixture_compare(&f, 0);
	assert_true(f.truth.cells[cell] == (uint64_t)(floor - held));
	assert_true(f.counts.cells[cell] == (uint64_t)floor);
	assert_true(worst.pages == (uint64_t)held && worst.bound == (uint64_t)held);
	check_everything(&f);

	charge(&f, 3, -1);
	check_everything(&f);
	fixture_compare(&f, 0);
	/* At half the level the others keep up to half of theirs, or nothing. */
	assert_true(f.counts.cells[cell] == f.truth.cells[cell]);
	fixture_fini(&f);
}

/* Every CPU of every memcg holds back as much as it may, one page at a time. */
static double worst_share(const char *backend, uint32_t memcgs, uint32_t cpus)
{
	struct point point = small_point(memcgs, 1, cpus);
	size_t cell = numa_cell(1, SCOPE_HIERARCHICAL, NUMA_ROW_UNEVICTABLE, 1);
	double worst = 0;
	struct test_model f;

	fixture_init(&f, &point, backend);
	for (unsigned round = 0; round < 32; round++) {
		for (uint32_t memcg = 0; memcg <= memcgs; memcg++)
			for (unsigned cpu = 0; cpu < cpus; cpu++)
				fixture_update(&f, &(struct update){.memcg = memcg,
								    .cpu = cpu,
								    .lru = LRU_UNEVICTABLE,
								    .delta = 1});
		fixture_compare(&f, 0);
		if (f.truth.cells[cell] > f.counts.cells[cell]) {
			double share = (double)(f.truth.cells[cell] - f.counts.cells[cell]) /
				       (double)f.truth.cells[cell];

			worst = share > worst ? share : worst;
		}
	}
	fixture_fini(&f);
	return worst;
}

static void the_share_does_not_follow_memcgs_and_cpus(void **state)
{
	for (uint32_t memcgs = 1; memcgs <= 100; memcgs *= 10)
		for (uint32_t cpus = 1; cpus <= 64; cpus *= 8) {
			/* Nothing has spilled into any ancestor. */
			assert_true(worst_share("cached", memcgs, cpus) == 1);
			assert_true(worst_share("bounded", memcgs, cpus) <= 0.01);
		}
	assert_true(worst_share("bounded", 100, 64) > 0);
}

static struct op_counts count_charge(struct test_model *f, unsigned cpu, long pages)
{
	struct update update = {
		.memcg = f->tree->nr - 1, .cpu = cpu, .lru = LRU_UNEVICTABLE, .delta = pages};
	struct op_probe probe = {.lines = NULL};

	oracle_update(f->oracle, &update);
	f->backend->count_update(f->instance, &update, &probe);
	return probe.counts;
}

static void an_update_counts_once_in_every_ancestor(void **state)
{
	struct point point = small_point(9, 2, 3);
	struct op_counts counts;
	struct test_model f;

	point.tree.shape = TREE_CHAIN;
	fixture_init(&f, &point, "bounded");
	/* So short a list may hold back nothing: known at once, of ten memcgs, on two counters
	 * each. And the CPU's bit, the first time. */
	counts = count_charge(&f, 1, 50);
	assert_true(counts.adds == 11 && counts.atomics == 1 + 2 * 10);
	counts = count_charge(&f, 1, 50);
	assert_true(counts.adds == 11 && counts.atomics == 2 * 10);
	/* Of 10,000 pages a CPU by itself may hold back 64. */
	count_charge(&f, 1, 9900);
	for (unsigned n = 0; n < 64; n++) {
		counts = count_charge(&f, 1, 1);
		assert_true(counts.adds == 11 && counts.atomics == 0);
	}
	counts = count_charge(&f, 1, 1);
	assert_true(counts.atomics == 2 * 10 && counts.flushes == 0);
	check_everything(&f);
	fixture_fini(&f);
}

/* A CPU that holds something back and never runs again. */
static void idle_cpus_are_asked_when_a_value_falls(void **state)
{
	struct point point = small_point(1, 1, 70);
	struct op_counts counts;
	struct test_model f;

	fixture_init(&f, &point, "bounded");
	charge(&f, 69, 30000);
	charge(&f, 0, 30000);
	charge(&f, 69, 128);
	assert_true(fixture_compare(&f, 0).pages == 128);
	/* A quarter less is still within the level. */
	counts = count_charge(&f, 0, -15000);
	assert_true(counts.flushes == 0 && fixture_compare(&f, 0).pages == 128);
	/* Two memcgs, each with two CPUs to look at, and no others. */
	counts = count_charge(&f, 0, -44900);
	assert_true(counts.flushes >= 2 && counts.items_scanned == 2 * counts.flushes);
	assert_true(fixture_compare(&f, 0).pages == 0);
	check_everything(&f);
	fixture_fini(&f);
}

/* Two CPUs have a level of one list; others come because of another list, and share it. */
static void who_joins_shares_what_all_lists_bear(void **state)
{
	struct point point = small_point(1, 1, 8);
	struct update update = {.memcg = 1, .lru = LRU_ACTIVE_FILE};
	struct test_model f;

	fixture_init(&f, &point, "bounded");
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		charge(&f, cpu, 10000);
		charge(&f, cpu, 10000);
		charge(&f, cpu, 64);
	}
	assert_true(fixture_compare(&f, 0).pages == 2 * 64);
	for (update.cpu = 2; update.cpu < 8; update.cpu++) {
		update.delta = 100000;
		fixture_update(&f, &update);
		check_everything(&f);
	}
	assert_true(fixture_compare(&f, 0).pages < 2 * 64);
	fixture_fini(&f);
}

static void *uncharge_main(void *arg)
{
	struct update update = {.memcg = 1, .lru = LRU_UNEVICTABLE, .cpu = 1, .delta = -39000};
	struct test_model *f = arg;

	f->backend->update(f->instance, &update);
	oracle_update(f->oracle, &update);
	return NULL;
}

/* The lock is held: a level that could rise does without, one that must fall waits for it. */
static void levels_rise_when_they_can_and_fall_when_they_must(void **state)
{
	const struct timespec while_held = {.tv_nsec = 20000000};
	struct point point = small_point(1, 1, 2);
	struct bounded_node *node;
	pthread_t thread;
	struct test_model f;

	fixture_init(&f, &point, "bounded");
	node = bounded_memcg(f.instance, 1)->node[0];
	rstat_lock_take(&node->lock);
	charge(&f, 0, 40000);
	assert_true(atomic_load(&node->level[LRU_UNEVICTABLE]) == 0);
	rstat_lock_drop(&node->lock);
	charge(&f, 0, 1);
	charge(&f, 0, 100);
	assert_true(atomic_load(&node->level[LRU_UNEVICTABLE]) > 0);
	check_everything(&f);

	rstat_lock_take(&node->lock);
	assert_int_equal(pthread_create(&thread, NULL, uncharge_main, &f), 0);
	nanosleep(&while_held, NULL);
	rstat_lock_drop(&node->lock);
	pthread_join(thread, NULL);
	check_everything(&f);
	fixture_fini(&f);
}

/* Counters of 32 bits wrap, their differences do not. */
static void more_than_32_bits_of_pages_are_counted(void **state)
{
	struct point point = small_point(3, 2, 2);
	struct test_model f;

	fixture_init(&f, &point, "bounded");
	for (unsigned n = 0; n < 40; n++) {
		charge(&f, n % 2, (1l << 30) - 1);
		charge(&f, n % 2, 1000);
		check_everything(&f);
	}
	for (unsigned n = 0; n < 40; n++) {
		charge(&f, 1, -999);
		charge(&f, 1, 1 - (1l << 30));
		check_everything(&f);
	}
	assert_true(f.truth.cells[numa_cell(2, SCOPE_LOCAL, NUMA_ROW_TOTAL, 0)] == 40);
	fixture_fini(&f);
}

#define WRITERS 4
#define ROUNDS  60

/*
 * All charge, then all take back what another has charged: every level rises and falls, and falls
 * while others are counting. Every other time it is another one's.
 */
static struct update round_update(const void *arg, unsigned writer, unsigned n)
{
	unsigned round = *(const unsigned *)arg;
	unsigned whose = (writer + round / 2 % 2 + round % 2) % WRITERS;
	long pages = 1 + (long)(n % 9);

	return (struct update){.memcg = (whose + n) % 7,
			       .cpu = writer,
			       .lru = (enum lru_list)(n % 2),
			       .delta = round % 2 ? -pages : pages};
}

static void races_of_writers_leave_no_more_than_the_bound(void **state)
{
	struct point point = small_point(6, 2, WRITERS);
	struct test_model f;

	point.tree.fanout = 2;
	point.counters.error_ppm = 50000;
	fixture_init(&f, &point, "bounded");
	for (unsigned round = 0; round < ROUNDS; round++) {
		const struct race race = {
			.writers = WRITERS,
			.updates = 200 * (1 + round / 2 % 5),
			.update = round_update,
			.arg = &round,
		};

		race_run(&f, &race);
		check_everything(&f);
	}
	for (unsigned cell = 0; cell < numa_nr_cells(2); cell++)
		assert_true(f.counts.cells[cell] == 0);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_updates_keep_every_invariant),
		cmocka_unit_test(values_shrink_to_nothing_within_their_share),
		cmocka_unit_test(a_cell_can_reach_its_bound_exactly),
		cmocka_unit_test(the_share_does_not_follow_memcgs_and_cpus),
		cmocka_unit_test(an_update_counts_once_in_every_ancestor),
		cmocka_unit_test(idle_cpus_are_asked_when_a_value_falls),
		cmocka_unit_test(who_joins_shares_what_all_lists_bear),
		cmocka_unit_test(levels_rise_when_they_can_and_fall_when_they_must),
		cmocka_unit_test(more_than_32_bits_of_pages_are_counted),
		cmocka_unit_test(races_of_writers_leave_no_more_than_the_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
