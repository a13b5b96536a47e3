// SPDX-License-Identifier: MIT
/*
 * Error bounds, as hard as they can be tried. Every back end of the table, and rstat by each of its
 * rules, stands over the same random tree and takes the same random updates; at random moments
 * cells are held against the oracle, and no error is ever beyond its bound. 10^6 updates reach each
 * back end, 10^8 with MEMCGBENCH_TEST_LONG=1. A bound must not be too large either: constructed
 * updates reach it to the page, upwards and downwards (of rstat, whose bounds are of thresholds, in
 * test_rstat.c).
 */
#include "backend/update_stream.h"
#include "fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_CONTENDERS 32
/* A round can be run by itself: everything in it follows from these and its number. */
#define ROUND_SEED  0x626f756e6473u
#define LONG_ROUNDS 1000
#define ROUNDS      50

static const char *const rule_names[] = {
	[FLUSH_V5_13] = "v5.13",
	[FLUSH_V5_16] = "v5.16",
	[FLUSH_V6_8] = "v6.8",
	[FLUSH_V6_16] = "v6.16",
};

/* One back end, and how near to its bound it was ever seen. */
struct contender {
	const struct backend *backend;
	enum flush_rules flush;
	struct point point;
	void *instance;
	uint64_t updates, cells;
	struct cell_error worst;
};

/* A tree with everyone over it. */
struct contest {
	struct machine *machine;
	struct contender contenders[MAX_CONTENDERS];
	unsigned nr;
	unsigned round;
	struct memcg_tree *tree;
	struct placement *placement;
	struct oracle *oracle;
	struct numa_counts counts, truth;
};

static void add_contender(struct contest *contest, const struct backend *backend,
			  enum flush_rules flush)
{
	assert_true(contest->nr < MAX_CONTENDERS);
	contest->contenders[contest->nr++] = (struct contender){.backend = backend, .flush = flush};
}

static int open_contest(void **state)
{
	struct contest *contest = calloc(1, sizeof(*contest));

	if (!contest || machine_open(NULL, &contest->machine, NULL))
		return -1;
	for (size_t i = 0; backends[i] && !backends[i]->fixture; i++) {
		if (!(backends[i]->capabilities & BACKEND_UPDATE))
			continue;
		add_contender(contest, backends[i], FLUSH_V6_8);
		if (strcmp(backends[i]->name, "rstat"))
			continue;
		add_contender(contest, backends[i], FLUSH_V5_13);
		add_contender(contest, backends[i], FLUSH_V5_16);
		add_contender(contest, backends[i], FLUSH_V6_16);
	}
	*state = contest;
	return 0;
}

static int close_contest(void **state)
{
	struct contest *contest = *state;

	machine_free(contest->machine);
	free(contest);
	return 0;
}

static void begin_round(struct contest *contest, const struct point *point)
{
	struct charge_plan plan = {.point = point};
	struct error_list reasons = {.nr = 0};
	struct error err = {.text = ""};

	assert_int_equal(memcg_tree_new(&point->tree, &contest->tree), 0);
	if (placement_new(contest->machine, point, &contest->placement, &reasons))
		fail_msg("%s", reasons.items[0].text);
	contest->oracle = oracle_new(contest->tree, point->machine.nodes);
	assert_non_null(contest->oracle);
	oracle_populate(contest->oracle, &plan);
	assert_int_equal(
		numa_counts_init(&contest->counts, point->machine.nodes, point->machine.nids), 0);
	assert_int_equal(
		numa_counts_init(&contest->truth, point->machine.nodes, point->machine.nids), 0);
	for (unsigned i = 0; i < contest->nr; i++) {
		struct contender *contender = &contest->contenders[i];
		struct backend_env env = {&contender->point, contest->tree, contest->placement};

		contender->point = *point;
		contender->point.counters.flush = contender->flush;
		plan.point = &contender->point;
		if (contender->backend->create(&env, &contender->instance, &err) ||
		    contender->backend->populate(contender->instance, &plan, &err))
			fail_msg("%s: %s", contender->backend->name, err.text);
	}
}

static void end_round(struct contest *contest)
{
	for (unsigned i = 0; i < contest->nr; i++)
		contest->contenders[i].backend->destroy(contest->contenders[i].instance);
	numa_counts_fini(&contest->counts);
	numa_counts_fini(&contest->truth);
	oracle_free(contest->oracle);
	placement_free(contest->placement);
	memcg_tree_free(contest->tree);
}

/* A random small machine, tree and batch; a few trees are larger. */
static struct point random_point(struct rng *rng)
{
	static const uint32_t errors[] = {0, 1000, 10000, 1000000};
	uint32_t most = rng_below(rng, 8) ? 60 : 400;
	struct point point =
		small_point(1 + (uint32_t)rng_below(rng, most), 1 + (uint32_t)rng_below(rng, 4),
			    1 + (uint32_t)rng_below(rng, 8));

	point.tree.shape = (enum tree_shape)rng_below(rng, TREE_SLURM + 1);
	point.tree.fanout = 1 + (uint32_t)rng_below(rng, 5);
	point.tree.dying_ppm = (uint32_t)rng_below(rng, 1000001);
	point.tree.seed = rng_next(rng);
	point.machine.layout = rng_next(rng) & 1 ? LAYOUT_LEAN : LAYOUT_V5_6;
	point.counters.batch = (uint32_t)rng_below(rng, 65);
	point.counters.pages = rng_next(rng) & 1 ? rng_below(rng, 100) : 25000;
	point.counters.spread_cpus = 1 + (uint32_t)rng_below(rng, 8);
	point.counters.spread_nodes = 1 + (uint32_t)rng_below(rng, 4);
	point.counters.error_ppm = errors[rng_below(rng, 4)];
	return point;
}

static void fail_round(const struct contest *contest, const struct contender *contender,
		       uint32_t memcg, const struct cell_error *worst)
{
	const struct point *point = &contender->point;
	char name[CELL_NAME_MAX];

	fail_msg("round %u: %s (%s) after %" PRIu64 " updates: memcg %u: %s is %" PRIu64
		 ", truth %" PRIu64 ", bound %" PRIu64
		 "; shape %d, %u memcgs, fanout %u, seed %" PRIu64 ", %u nodes, %u CPUs, batch %u",
		 contest->round, contender->backend->name, rule_names[contender->flush],
		 contender->updates, memcg, cell_error_name(name, worst, point), worst->value,
		 worst->truth, worst->bound, point->tree.shape, point->tree.memcgs,
		 point->tree.fanout, point->tree.seed, point->machine.nodes, point->machine.cpus,
		 point->counters.batch);
}

static void compare(struct contest *contest, uint32_t memcg)
{
	const struct read_request request = {.memcg = memcg, .rows = ROWS_ALL};
	struct numa_counts *counts = &contest->counts;
	uint32_t subtree = memcg_tree_size(contest->tree, memcg);

	oracle_read(contest->oracle, memcg, ROWS_ALL, &contest->truth);
	for (unsigned i = 0; i < contest->nr; i++) {
		struct contender *contender = &contest->contenders[i];
		size_t cells = numa_nr_cells(counts->nr_nodes);
		struct cell_error worst;

		/* What is not written must not pass by chance. */
		memset(counts->cells, 0x5a, cells * sizeof(*counts->cells));
		assert_int_equal(
			contender->backend->read_counts(contender->instance, &request, counts), 0);
		if (oracle_compare(contender->backend, &contender->point, counts, &contest->truth,
				   ROWS_ALL, subtree, &worst))
			fail_round(contest, contender, memcg, &worst);
		if (!contender->cells || cell_error_worse(&worst, &contender->worst))
			contender->worst = worst;
		contender->cells += cells;
	}
}

/* Between one and 4096 updates: few, so that rstat reads below its thresholds, and many. */
static uint64_t random_burst(struct rng *rng)
{
	return 1 + rng_below(rng, (uint64_t)1 << rng_below(rng, 13));
}

static void run_round(struct contest *contest, uint64_t updates)
{
	struct rng rng = rng_for(ROUND_SEED, contest->round, 0);
	struct point point = random_point(&rng);
	struct update_stream stream;
	uint64_t next = random_burst(&rng);

	begin_round(contest, &point);
	update_stream_init(&stream, rng_next(&rng), &point, contest->oracle);
	for (uint64_t n = 0; n < updates; n++) {
		struct update update;

		if (n == next) {
			compare(contest, (uint32_t)rng_below(&rng, contest->tree->nr));
			compare(contest, 0);
			next += random_burst(&rng);
		}
		update_stream_next(&stream, &update);
		oracle_update(contest->oracle, &update);
		for (unsigned i = 0; i < contest->nr; i++) {
			struct contender *contender = &contest->contenders[i];

			contender->backend->update(contender->instance, &update);
			contender->updates++;
		}
	}
	for (uint32_t memcg = contest->tree->nr; memcg-- > 0;)
		compare(contest, memcg);
	end_round(contest);
}

static void random_updates_never_exceed_a_bound(void **state)
{
	struct contest *contest = *state;
	uint64_t updates = many_updates();
	unsigned rounds = updates > 10000000 ? LONG_ROUNDS : ROUNDS;

	for (contest->round = 0; contest->round < rounds; contest->round++)
		run_round(contest, updates / rounds);
	for (unsigned i = 0; i < contest->nr; i++) {
		const struct contender *contender = &contest->contenders[i];
		const struct cell_error *worst = &contender->worst;

		printf("# %s (%s): %" PRIu64 " updates, %" PRIu64
		       " cells, nearest to its bound: %" PRIu64 " of %" PRIu64 " pages\n",
		       contender->backend->name, rule_names[contender->flush], contender->updates,
		       contender->cells, worst->pages, worst->bound);
		assert_true(contender->updates == updates);
		/* Something was held back, wherever something may be. */
		assert_true((worst->pages > 0) == (worst->bound > 0));
	}
}

/* Every batch of the tree holds B pages too few or too many of each list, all on one node. */
static void fill_batches(struct test_model *f, unsigned node, bool too_many)
{
	const long batch = f->point.counters.batch;
	const long start = too_many ? batch + 1 : 0, step = too_many ? -1 : 1;
	struct update update = {.node = node};

	for (update.memcg = 0; update.memcg < f->tree->nr; update.memcg++)
		for (update.cpu = 0; update.cpu < f->point.machine.cpus; update.cpu++)
			for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
				update.lru = (enum lru_list)lru;
				update.delta = start;
				if (start)
					fixture_update(f, &update);
				update.delta = step;
				for (long i = 0; i < batch; i++)
					fixture_update(f, &update);
			}
}

/* Of the sum and the node's column, in both scopes, for all rows. Returns the sum of all bounds. */
static uint64_t assert_bounds_are_reached(struct test_model *f, uint32_t memcg, unsigned node,
					  bool too_many)
{
	unsigned nodes = f->point.machine.nodes, columns[] = {0, 1 + node};
	uint32_t subtree = memcg_tree_size(f->tree, memcg);
	uint64_t sum = 0;

	fixture_compare(f, memcg);
	for (unsigned i = 0; i < 2 * NR_SCOPES * NR_NUMA_ROWS; i++) {
		enum numa_scope scope = (enum numa_scope)(i / 2 % NR_SCOPES);
		enum numa_row row = (enum numa_row)(i / 2 / NR_SCOPES);
		size_t cell = numa_cell(nodes, scope, row, columns[i % 2]);
		uint64_t value = f->counts.cells[cell], truth = f->truth.cells[cell];
		uint64_t bound =
			f->backend->bound(&f->point, scope, row, columns[i % 2], subtree, truth);

		if ((too_many ? value - truth : truth - value) != bound)
			fail_msg("%s, memcg %u, cell %zu: %" PRIu64 ", truth %" PRIu64
				 ", not %" PRIu64 " away",
				 f->backend->name, memcg, cell, value, truth, bound);
		sum += bound;
	}
	return sum;
}

static void constructed_updates_reach_the_bound_of_every_row(void **state)
{
	static const struct {
		const char *backend;
		bool errs; /* ever, anywhere */
	} cases[] = {
		{"walk", true},   {"walk-once", true}, {"walk-415", false},
		{"cached", true}, {"packed", true},    {"cached-fnptr", true},
	};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct point point = small_point(30, 3, 6);
		bool too_many = i % 2;
		struct test_model f;

		point.tree.fanout = 3;
		fixture_init(&f, &point, cases[i / 2].backend);
		fill_batches(&f, 1, too_many);
		for (uint32_t memcg = 0; memcg < f.tree->nr; memcg++) {
			uint64_t bounds = assert_bounds_are_reached(&f, memcg, 1, too_many);

			assert_true((bounds > 0) == cases[i / 2].errs);
		}
		fixture_fini(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_updates_never_exceed_a_bound),
		cmocka_unit_test(constructed_updates_reach_the_bound_of_every_row),
	};

	return cmocka_run_group_tests(tests, open_contest, close_contest);
}
