// SPDX-License-Identifier: MIT
/* What the charge plan promises. */
#include "backend/charge.h"
#include "base/rng.h"
#include "fixture.h"
#include "memcg/captured.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct seen {
	const struct point *point;
	uint64_t pages, calls;
	uint64_t lru[NR_LRU_LISTS];
	uint64_t least, most; /* pages of one charge of the first list */
	bool node[64], cpu[64];
	unsigned last_cpu, runs; /* how often the CPU changed */
	uint64_t hash;
};

static void see(void *arg, const struct charge *charge)
{
	struct seen *seen = arg;
	long batch = seen->point->counters.batch;

	assert_true(charge->node < seen->point->machine.nodes);
	assert_true(charge->cpu < seen->point->machine.cpus);
	assert_true(charge->pages >= 0);
	assert_true(charge->remainder >= -batch && charge->remainder <= batch);
	if (!charge->pages)
		assert_int_equal(charge->remainder, 0);
	seen->pages += (uint64_t)charge->pages;
	seen->lru[charge->lru] += (uint64_t)charge->pages;
	seen->node[charge->node] = true;
	seen->cpu[charge->cpu] = true;
	seen->runs += !seen->calls || seen->last_cpu != charge->cpu;
	seen->last_cpu = charge->cpu;
	if (charge->lru == LRU_INACTIVE_ANON) {
		if ((uint64_t)charge->pages < seen->least)
			seen->least = (uint64_t)charge->pages;
		if ((uint64_t)charge->pages > seen->most)
			seen->most = (uint64_t)charge->pages;
	}
	seen->calls++;
	seen->hash = rng_mix(seen->hash ^ (uint64_t)charge->pages ^
			     (uint64_t)charge->remainder << 32 ^ charge->cpu << 8 ^ charge->node);
}

static struct seen look(const struct point *point, uint32_t memcg)
{
	struct charge_plan plan = {.point = point};
	struct seen seen = {.point = point, .least = UINT64_MAX};

	charge_each(&plan, memcg, see, &seen);
	return seen;
}

static unsigned count(const bool *flags)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 64; i++)
		n += flags[i];
	return n;
}

static void charges_add_up_to_pages_exactly(void **state)
{
	static const uint64_t pages[] = {0, 1, 3, 7, 99, 25000, 1234567, 4000000000};
	struct point point = small_point(20, 3, 7);

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		for (unsigned cpus = 1; cpus <= 7; cpus += 3) {
			point.counters.pages = pages[i];
			point.counters.spread_cpus = cpus;
			point.counters.spread_nodes = 1 + cpus % 3;
			for (uint32_t memcg = 0; memcg <= 20; memcg++)
				assert_true(look(&point, memcg).pages == pages[i]);
		}
	}
}

static void shares_of_lists_are_as_stated(void **state)
{
	static const uint64_t expected[NR_LRU_LISTS] = {5000, 6250, 5000, 6250, 2500};
	struct point point = small_point(5, 2, 4);
	struct seen seen = look(&point, 3);

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		assert_true(seen.lru[lru] == expected[lru]);
}

static void spread_is_exact_and_even(void **state)
{
	struct point point = small_point(40, 4, 16);

	point.counters.spread_cpus = 3;
	point.counters.spread_nodes = 2;
	point.counters.pages = 10001;
	for (uint32_t memcg = 0; memcg <= 40; memcg++) {
		struct seen seen = look(&point, memcg);

		assert_int_equal(count(seen.cpu), 3);
		assert_int_equal(count(seen.node), 2);
		assert_int_equal(seen.runs, 3);
		assert_int_equal(seen.calls, 3 * 2 * NR_LRU_LISTS);
		assert_true(seen.most - seen.least <= 1);
	}
}

static void spread_wider_than_the_machine_uses_all_of_it(void **state)
{
	struct point point = small_point(4, 2, 3);

	point.counters.spread_cpus = 100;
	point.counters.spread_nodes = 100;
	for (uint32_t memcg = 0; memcg <= 4; memcg++) {
		struct seen seen = look(&point, memcg);

		assert_int_equal(count(seen.cpu), 3);
		assert_int_equal(count(seen.node), 2);
		assert_true(seen.pages == point.counters.pages);
	}
}

static void first_see(void *arg, const struct charge *charge)
{
	struct charge *first = arg;

	if (first->pages < 0)
		*first = *charge;
}

static void cpus_belong_to_the_home_node_where_they_suffice(void **state)
{
	struct point point = small_point(200, 4, 16);
	struct charge_plan plan = {.point = &point};
	bool homes[4] = {false};

	for (uint32_t memcg = 0; memcg <= 200; memcg++) {
		struct charge first = {.pages = -1};
		struct seen seen = look(&point, memcg);

		charge_each(&plan, memcg, first_see, &first);
		homes[first.node] = true;
		for (unsigned cpu = 0; cpu < 16; cpu++)
			if (seen.cpu[cpu])
				assert_int_equal(cpu / 4, first.node);
	}
	assert_true(homes[0] && homes[1] && homes[2] && homes[3]);
}

static void plan_depends_on_the_seed_and_nothing_else(void **state)
{
	struct point point = small_point(50, 2, 8);
	struct seen before = look(&point, 7);

	look(&point, 8);
	assert_true(look(&point, 7).hash == before.hash);
	point.tree.seed++;
	assert_true(look(&point, 7).hash != before.hash);
}

static void memcg_remainders_are_zero_where_the_memcg_never_ran(void **state)
{
	struct point point = small_point(50, 2, 8);
	struct charge_plan plan = {.point = &point};
	long lowest = 0, highest = 0;

	for (uint32_t memcg = 0; memcg <= 50; memcg++) {
		struct seen seen = look(&point, memcg);

		for (unsigned cpu = 0; cpu < 8; cpu++) {
			for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
				long r = charge_memcg_remainder(&plan, memcg, cpu, lru);

				if (!seen.cpu[cpu])
					assert_int_equal(r, 0);
				lowest = r < lowest ? r : lowest;
				highest = r > highest ? r : highest;
			}
		}
	}
	/* 510 draws from -32..32: both ends are reached. */
	assert_int_equal(lowest, -32);
	assert_int_equal(highest, 32);
}

static void batch_0_holds_nothing_back(void **state)
{
	struct point point = small_point(9, 2, 8);
	struct charge_plan plan = {.point = &point};

	point.counters.batch = 0;
	for (uint32_t memcg = 0; memcg <= 9; memcg++) {
		look(&point, memcg); /* asserts that each |remainder| <= 0 */
		for (unsigned cpu = 0; cpu < 8; cpu++)
			assert_int_equal(charge_memcg_remainder(&plan, memcg, cpu, LRU_ACTIVE_FILE),
					 0);
	}
}

static void add_hash(void *arg, const struct charge *charge)
{
	uint64_t *hash = arg;

	*hash = rng_mix(*hash ^ (uint64_t)charge->pages ^ (uint64_t)charge->remainder << 32 ^
			(uint64_t)charge->cpu << 16 ^ (uint64_t)charge->node << 8 ^
			(uint64_t)charge->lru);
}

/* Worked out before pages could be spread in any other way: results of then and now compare. */
static void the_default_spread_is_what_it_has_always_been(void **state)
{
	struct point point = small_point(300, 4, 72);
	struct charge_plan plan = {.point = &point};
	uint64_t hash = 0;

	point.counters.spread_cpus = 3;
	point.counters.spread_nodes = 2;
	for (uint32_t memcg = 0; memcg <= 300; memcg++) {
		charge_each(&plan, memcg, add_hash, &hash);
		for (unsigned cpu = 0; cpu < 72; cpu++)
			for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
				hash = rng_mix(hash ^ (uint64_t)charge_memcg_remainder(&plan, memcg,
										       cpu, lru));
	}
	assert_true(hash == 0x8c8adb5a294237bd);
}

static int falling(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

static void by_zipf_the_rth_largest_has_an_rth_of_the_largest(void **state)
{
	static const uint32_t memcgs[] = {0, 1, 9, 63, 64, 65, 1000, 20000};
	static uint64_t pages[20001];

	for (size_t i = 0; i < sizeof(memcgs) / sizeof(memcgs[0]); i++) {
		struct point point = small_point(memcgs[i], 2, 8);
		struct charge_plan plan = {.point = &point};
		uint64_t all = 0;

		point.counters.distribution = DISTRIBUTION_ZIPF;
		point.counters.pages = 10000000;
		for (uint32_t memcg = 0; memcg <= memcgs[i]; memcg++)
			all += pages[memcg] = charge_pages(&plan, memcg);
		assert_true(all == point.counters.pages * (memcgs[i] + 1));
		qsort(pages, memcgs[i] + 1, sizeof(*pages), falling);
		for (uint32_t rank = 1; rank <= memcgs[i] + 1; rank++) {
			double law = (double)pages[0] / rank;

			assert_true((double)pages[rank - 1] <= law * (1 + 1e-6) + 2);
			assert_true((double)pages[rank - 1] >= law * (1 - 1e-6) - 2);
		}
	}
}

static void by_zipf_charges_add_up_to_a_memcgs_pages(void **state)
{
	struct point point = small_point(200, 3, 7);
	struct charge_plan plan = {.point = &point};
	uint64_t all = 0;

	point.counters.distribution = DISTRIBUTION_ZIPF;
	point.counters.pages = 33; /* the smallest memcgs are empty */
	for (uint32_t memcg = 0; memcg <= 200; memcg++) {
		struct seen seen = look(&point, memcg);

		assert_true(seen.pages == charge_pages(&plan, memcg));
		all += seen.pages;
	}
	assert_int_equal(all, 33 * 201);
}

static void who_is_large_by_zipf_is_seeded(void **state)
{
	uint32_t first[8];

	for (unsigned seed = 0; seed < 8; seed++) {
		struct point point = small_point(5000, 2, 8);
		struct charge_plan plan = {.point = &point};

		point.counters.distribution = DISTRIBUTION_ZIPF;
		point.tree.seed = seed;
		first[seed] = 0;
		for (uint32_t memcg = 1; memcg <= 5000; memcg++)
			if (charge_pages(&plan, memcg) > charge_pages(&plan, first[seed]))
				first[seed] = memcg;
		for (unsigned other = 0; other < seed; other++)
			assert_int_not_equal(first[seed], first[other]);
	}
}

struct by_node {
	uint64_t pages[4], calls, last; /* last: (cpu, lru, node) of the charge before */
};

/* No place is charged twice: batches would hold more than they can. */
static void add_node(void *arg, const struct charge *charge)
{
	struct by_node *by_node = arg;
	uint64_t place = (uint64_t)charge->cpu << 16 | (uint64_t)charge->lru << 8 | charge->node;

	by_node->pages[charge->node] += (uint64_t)charge->pages;
	assert_true(!by_node->calls || place != by_node->last);
	by_node->last = place;
	by_node->calls++;
}

static void a_hot_node_has_its_share_of_every_memcg(void **state)
{
	static const uint32_t shares[] = {1, 250000, 700000, 1000000};

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		struct point point = small_point(100, 4, 16);
		struct charge_plan plan = {.point = &point};
		uint64_t hot = 25000ull * shares[i] / 1000000;
		uint64_t pages[4] = {0};

		point.counters.hot_ppm = shares[i];
		point.counters.spread_nodes = 2;
		for (uint32_t memcg = 0; memcg <= 100; memcg++) {
			struct by_node by_node = {.calls = 0};

			charge_each(&plan, memcg, add_node, &by_node);
			/* each list is rounded down */
			assert_true(by_node.pages[0] + NR_LRU_LISTS > hot);
			for (unsigned node = 0; node < 4; node++)
				pages[node] += by_node.pages[node];
		}
		assert_true(pages[0] + pages[1] + pages[2] + pages[3] == 101 * 25000);
		for (unsigned node = 1; node < 4; node++)
			assert_true(shares[i] == 1000000 ? !pages[node] : pages[node] > 0);
	}
}

static const char captured_text[] =
	"memcgbench-tree 1\ncgroup 1\npage-size 4096\ncpus 4\nmemcgs 2\ndying 1\nnames plain\n"
	"dying-below parent\nlists-by node\nvanished 0\nunreadable 0\nwithout-nodes 0\n"
	"without-lists 0\nnegative 0\nnodes 0,8\ntree\n0 . 1 N0=1,22,333,4444,5\n"
	"1 a 0 N0=7,0,0,0,0 N8=100,200,300,400,501\n2 b 0\n";

static struct point captured_point(struct captured **captured)
{
	struct point point = small_point(3, 2, 8);
	struct error err;

	if (captured_parse("t", captured_text, strlen(captured_text), captured, &err))
		fail_msg("%u:%u: %s", err.line, err.column, err.text);
	point.tree.shape = TREE_CAPTURED;
	point.tree.captured = *captured;
	point.tree.file_hash = (*captured)->hash;
	point.tree.dying_ppm = 333334;
	point.machine.nids[1] = 8;
	point.counters.distribution = DISTRIBUTION_CAPTURED;
	point.counters.spread_cpus = 3;
	return point;
}

/* Memcgs: the top, the dying one below it, a, b. */
static void captured_charges_are_those_of_the_file(void **state)
{
	static const uint64_t lists[][NR_LRU_LISTS] = {
		{1, 22, 333, 4444, 5}, {0, 0, 1, 0, 0}, {107, 200, 300, 400, 501}, {0}};
	struct captured *captured;
	struct point point = captured_point(&captured);
	struct charge_plan plan = {.point = &point};

	(void)state;
	for (uint32_t memcg = 0; memcg < 4; memcg++) {
		struct seen seen = look(&point, memcg);
		uint64_t pages = 0;

		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
			assert_int_equal(seen.lru[lru], lists[memcg][lru]);
			pages += lists[memcg][lru];
		}
		assert_int_equal(seen.pages, pages);
		assert_int_equal(charge_pages(&plan, memcg), pages);
		assert_int_equal(count(seen.cpu), pages ? 3 : 0);
	}
	captured_free(captured);
}

struct captured_node {
	unsigned node;
	uint64_t pages;
	uint32_t cpus;
};

static void add_captured(void *arg, const struct charge *charge)
{
	struct captured_node *sum = arg;

	sum->cpus |= 1u << charge->cpu;
	if (charge->node == sum->node)
		sum->pages += (uint64_t)charge->pages;
}

/* Of eight CPUs the last four are of the second node, which is node 8. */
static void captured_pages_lie_on_their_nodes_and_come_from_cpus_of_the_fullest(void **state)
{
	struct captured *captured;
	struct point point = captured_point(&captured);
	struct charge_plan plan = {.point = &point};
	struct captured_node first = {.node = 0}, second = {.node = 1}, top = {.node = 0};

	(void)state;
	charge_each(&plan, 2, add_captured, &first);
	charge_each(&plan, 2, add_captured, &second);
	charge_each(&plan, 0, add_captured, &top);
	assert_int_equal(first.pages, 7);
	assert_int_equal(second.pages, 1501);
	assert_int_equal(second.cpus & 0x0f, 0);
	assert_int_equal(top.pages, 4805);
	assert_int_equal(top.cpus & 0xf0, 0);
	captured_free(captured);
}

static void batches_of_captured_memcgs_hold_remainders_where_pages_are(void **state)
{
	struct captured *captured;
	struct point point = captured_point(&captured);
	struct charge_plan plan = {.point = &point};
	unsigned held = 0;

	(void)state;
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
			assert_int_equal(charge_memcg_remainder(&plan, 3, cpu, lru), 0);
			held += charge_memcg_remainder(&plan, 2, cpu, lru) != 0;
		}
	}
	assert_in_range(held, 8, 15);
	captured_free(captured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(charges_add_up_to_pages_exactly),
		cmocka_unit_test(shares_of_lists_are_as_stated),
		cmocka_unit_test(spread_is_exact_and_even),
		cmocka_unit_test(spread_wider_than_the_machine_uses_all_of_it),
		cmocka_unit_test(cpus_belong_to_the_home_node_where_they_suffice),
		cmocka_unit_test(plan_depends_on_the_seed_and_nothing_else),
		cmocka_unit_test(memcg_remainders_are_zero_where_the_memcg_never_ran),
		cmocka_unit_test(batch_0_holds_nothing_back),
		cmocka_unit_test(the_default_spread_is_what_it_has_always_been),
		cmocka_unit_test(by_zipf_the_rth_largest_has_an_rth_of_the_largest),
		cmocka_unit_test(by_zipf_charges_add_up_to_a_memcgs_pages),
		cmocka_unit_test(who_is_large_by_zipf_is_seeded),
		cmocka_unit_test(a_hot_node_has_its_share_of_every_memcg),
		cmocka_unit_test(captured_charges_are_those_of_the_file),
		cmocka_unit_test(
			captured_pages_lie_on_their_nodes_and_come_from_cpus_of_the_fullest),
		cmocka_unit_test(batches_of_captured_memcgs_hold_remainders_where_pages_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
