// SPDX-License-Identifier: MIT
/*
 * What is true while writers are at work, against the same worked out one update at a time; and how
 * old values are that designs give under a load that is known.
 */
#include "driver/probe.h"
#include "driver/truth.h"
#include "driver/truth_age.h"
#include "driver/writer_record.h"

#include "base/rng.h"
#include "driver/churn.h"
#include "driver/flusher.h"
#include "fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MEMCGS  30u /* below the root */
#define NODES   2u
#define CPUS    8u
#define WRITERS 3u
#define PAGES   20u
#define COLUMNS (1 + NODES)
#define CELLS   (NR_SCOPES * NR_NUMA_ROWS * COLUMNS)
#define ITEMS   (NR_SCOPES * COLUMNS * NR_LRU_LISTS)
#define MS      1000000ull

static struct run runs[WRITERS][ROUND_RUNS];

static struct point point_of(enum write_mix mix, unsigned writers)
{
	struct point point = small_point(MEMCGS, NODES, CPUS);

	point.counters.pages = PAGES;
	point.write.writers = writers;
	point.write.mix = mix;
	return point;
}

/* A fixture with its writers' lists, and the truth of the file of `memcg`. */
static struct truth *begin(struct test_model *f, const struct point *point, uint32_t memcg)
{
	const struct run *lists[WRITERS];
	struct writer_targets targets;
	struct truth *truth;

	fixture_init(f, point, "cached");
	fixture_populate(f);
	assert_int_equal(writer_targets_new(f->tree, &f->point, &targets), 0);
	for (unsigned i = 0; i < point->write.writers; i++) {
		writer_draw(f->placement, &f->point, &targets, i, runs[i]);
		lists[i] = runs[i];
	}
	writer_targets_free(&targets);
	truth = truth_new(f->tree, f->oracle, NODES, memcg, point->write.writers, lists);
	assert_non_null(truth);
	return truth;
}

static void tell(void *arg, const struct update *update)
{
	oracle_update(arg, update);
}

/* What brute force adds up: an item of a file, from every update by itself. */
struct items {
	const struct memcg_tree *tree;
	uint32_t top;
	int64_t now[ITEMS], low[ITEMS], high[ITEMS];
};

static void count_update(void *arg, const struct update *update)
{
	struct items *items = arg;
	uint32_t at = update->memcg;

	while (at && at != items->top)
		at = items->tree->parent[at];
	for (unsigned scope = 0; scope < NR_SCOPES; scope++) {
		if (scope == SCOPE_LOCAL ? update->memcg != items->top : at != items->top)
			continue;
		for (unsigned c = 0; c < 2; c++) {
			unsigned column = c ? 1 + update->node : 0;
			unsigned item = (scope * COLUMNS + column) * NR_LRU_LISTS + update->lru;

			items->now[item] += update->delta;
			if (items->now[item] < items->low[item])
				items->low[item] = items->now[item];
			if (items->now[item] > items->high[item])
				items->high[item] = items->now[item];
		}
	}
}

/* Low or high of a cell, where each item is what it was before the read and so much away. */
static uint64_t brute_cell(const struct test_model *f, uint32_t top, unsigned cell,
			   const int64_t *away)
{
	unsigned scope = cell / COLUMNS / NR_NUMA_ROWS, column = cell % COLUMNS;
	unsigned mask = numa_rows[cell / COLUMNS % NR_NUMA_ROWS].lru_mask;
	uint64_t pages = 0;

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
		int64_t item = away[(scope * COLUMNS + column) * NR_LRU_LISTS + lru];

		if (!(mask & (1u << lru)))
			continue;
		for (uint32_t at = top; at != MEMCG_NONE;
		     at = scope == SCOPE_LOCAL ? MEMCG_NONE : memcg_tree_next(f->tree, top, at))
			for (unsigned node = 0; node < NODES; node++)
				if (!column || column == 1 + node)
					item += oracle_pages(f->oracle, at, node, lru);
		pages += item > 0 ? (uint64_t)item : 0;
	}
	return pages;
}

/* The oracle gets all slices before each `from`; the rest is played update by update. */
static void compare(struct test_model *f, struct truth *truth, uint32_t top, unsigned writers,
		    const uint64_t *from, const uint64_t *to)
{
	int64_t low[ITEMS] = {0}, high[ITEMS] = {0};
	struct numa_counts least, most;

	assert_int_equal(numa_counts_init(&least, NODES, f->point.machine.nids), 0);
	assert_int_equal(numa_counts_init(&most, NODES, f->point.machine.nids), 0);
	for (unsigned i = 0; i < writers; i++) {
		struct items items = {.tree = f->tree, .top = top};

		/* Progress 2s + 1: any update of slice s may have been done, or none. */
		for (uint64_t slice = from[i] / 2; 2 * slice + 1 <= to[i]; slice++)
			writer_each_of_slice(runs[i], slice, count_update, &items);
		for (unsigned k = 0; k < ITEMS; k++) {
			low[k] += items.low[k];
			high[k] += items.high[k];
		}
	}
	truth_during(truth, from, to, &least, &most);
	for (unsigned cell = 0; cell < CELLS; cell++) {
		assert_int_equal(least.cells[cell], brute_cell(f, top, cell, low));
		assert_int_equal(most.cells[cell], brute_cell(f, top, cell, high));
	}
	numa_counts_fini(&least);
	numa_counts_fini(&most);
}

static void a_bracket_is_what_every_update_by_itself_makes_it(void **state)
{
	static const enum write_mix mixes[] = {MIX_PAGE, MIX_HUGE, MIX_LRU, MIX_MIGRATE, MIX_MIXED};
	static const uint32_t tops[] = {0, 1, MEMCGS};
	struct rng rng = rng_for(1, 2, 3);

	for (unsigned m = 0; m < 5 * 3; m++) {
		struct point point = point_of(mixes[m / 3], WRITERS);
		uint64_t done[WRITERS] = {0}, from[WRITERS], to[WRITERS];
		uint32_t top = tops[m % 3];
		struct test_model f;
		struct truth *truth = begin(&f, &point, top);

		for (unsigned i = 0; i < WRITERS; i++)
			writer_each_setup(runs[i], tell, f.oracle);
		for (unsigned n = 0; n < 20; n++) {
			for (unsigned i = 0; i < WRITERS; i++) {
				uint64_t slices = rng_below(&rng, 40);

				for (; slices; slices--)
					writer_each_of_slice(runs[i], done[i]++, tell, f.oracle);
				from[i] = 2 * done[i] + rng_below(&rng, 2);
				to[i] = from[i] + rng_below(&rng, n < 10 ? 3 : 200);
			}
			compare(&f, truth, top, WRITERS, from, to);
		}
		truth_free(truth);
		fixture_fini(&f);
	}
}

/* Counted on for ever, round after round; and a read may be longer than all of a round. */
static void whole_rounds_change_nothing(void **state)
{
	struct point point = point_of(MIX_MIXED, 1);
	struct numa_counts low[2], high[2];
	struct test_model f;
	struct truth *truth = begin(&f, &point, 0);
	uint64_t from = 77, to = 85, round = 2 * ROUND_SLICES;

	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(numa_counts_init(&low[i], NODES, f.point.machine.nids), 0);
		assert_int_equal(numa_counts_init(&high[i], NODES, f.point.machine.nids), 0);
	}
	truth_during(truth, &from, &to, &low[0], &high[0]);
	from += 1000003 * round;
	to += 1000003 * round;
	truth_during(truth, &from, &to, &low[1], &high[1]);
	assert_memory_equal(low[0].cells, low[1].cells, CELLS * sizeof(uint64_t));
	assert_memory_equal(high[0].cells, high[1].cells, CELLS * sizeof(uint64_t));
	to = from + round;
	truth_during(truth, &from, &to, &low[0], &high[0]);
	to = from + 12345678 * round + 11;
	truth_during(truth, &from, &to, &low[1], &high[1]);
	assert_memory_equal(low[0].cells, low[1].cells, CELLS * sizeof(uint64_t));
	assert_memory_equal(high[0].cells, high[1].cells, CELLS * sizeof(uint64_t));
	for (unsigned i = 0; i < 2; i++) {
		numa_counts_fini(&low[i]);
		numa_counts_fini(&high[i]);
	}
	truth_free(truth);
	fixture_fini(&f);
}

/* Ages from a log that is made up, against looking at each moment. No two steps at one. */
static void an_age_is_the_time_since_the_value_was_last_true(void **state)
{
	struct point point = point_of(MIX_MIXED, WRITERS);
	struct writer_record records[WRITERS];
	struct truth_share *shares = calloc(2 * ROUND_SLICES, sizeof(*shares));
	struct rng rng = rng_for(4, 5, 6);
	enum {
		STEPS = 400,
		TIME = 2600
	};
	static int64_t low[TIME], high[TIME];
	static uint64_t ns[WRITERS][STEPS];
	struct test_model f;
	struct truth *truth = begin(&f, &point, 0);
	struct timeline *timeline;
	unsigned known = 0, unknown = 0, old = 0;

	memset(records, 0, sizeof(records));
	for (unsigned t = 0; t < TIME; t++)
		low[t] = high[t] = truth_base(truth, NUMA_ROW_TOTAL);
	for (unsigned i = 0; i < WRITERS; i++) {
		struct writer_record *record = &records[i];
		uint64_t at = i, k = 0;

		*record = (struct writer_record){
			.first = 2 * rng_below(&rng, 5 * ROUND_SLICES),
			.begin_ns = i,
			.ns = ns[i],
			.nr = STEPS,
			.size = STEPS + (i != 1), /* one of them is full */
		};
		for (unsigned s = 0; s < STEPS; s++)
			ns[i][s] = at += WRITERS * (1 + rng_below(&rng, 3));
		truth_shares(truth, i, NUMA_ROW_TOTAL, shares);
		for (unsigned t = 0; t < TIME; t++) {
			const struct truth_share *share;

			while (k < STEPS && ns[i][k] <= t)
				k++;
			share = &shares[(record->first + k) % (2 * ROUND_SLICES)];
			low[t] += share->low;
			high[t] += share->high;
		}
	}
	timeline = timeline_new(truth, NUMA_ROW_TOTAL, WRITERS, records);
	assert_non_null(timeline);
	for (unsigned n = 0; n < 5000; n++) {
		unsigned when = (unsigned)rng_below(&rng, TIME),
			 before = (unsigned)rng_below(&rng, 600);
		unsigned then = when > before ? when - before : 0;
		int64_t value = high[then] + (int64_t)rng_below(&rng, 3) - 1, t = when;
		uint64_t age;
		bool found;

		/* The record begins when the last one came through the gate. */
		while (t >= WRITERS - 1 && (value < low[t] || value > high[t]))
			t--;
		found = t >= WRITERS - 1 && when <= ns[1][STEPS - 1] && when >= WRITERS - 1;
		assert_int_equal(timeline_age(timeline, (uint64_t)value, when, &age), found);
		unknown += !found;
		known += found;
		if (!found)
			continue;
		/* Time is whole here, and what ended at t + 1 was true until then. */
		assert_int_equal(age, t == when ? 0 : when - t - 1);
		old += age > 0;
	}
	assert_true(known > 500 && unknown > 100 && old > 100);
	timeline_free(timeline);
	free(shares);
	truth_free(truth);
	fixture_fini(&f);
}

/* Writers at work, one paced if `rate`, and reads of the root meanwhile. */
static struct probed probe(const char *backend, const struct point *point)
{
	struct error err = {.text = ""};
	struct writers *writers;
	struct probed probed;
	struct sampler sampler;
	struct flusher *flusher;
	struct churn *churn;
	struct test_model f;

	alarm(120); /* who hangs has failed */
	fixture_init(&f, point, backend);
	fixture_populate(&f);
	assert_int_equal(
		churn_new(&(struct churn_env){f.backend, f.instance, &f.point, f.tree, f.placement},
			  &churn, &err),
		0);
	assert_int_equal(churn_account(churn, f.oracle), 0);
	sampler = (struct sampler){
		.backend = f.backend,
		.instance = f.instance,
		.point = &f.point,
		.tree = f.tree,
		.placement = f.placement,
		.floor = {.median_ns = 20},
		.churn = churn,
	};
	assert_int_equal(flusher_new(&sampler, &flusher, &err), 0);
	sampler.flusher = flusher;
	if (writers_new(&sampler, &writers, &err) ||
	    probe_load(&sampler, writers, f.oracle, &probed, &err))
		fail_msg("%s", err.text);
	writers_account(writers, f.oracle);
	writers_free(writers);
	for (uint32_t memcg = 0; memcg < f.tree->nr; memcg++)
		fixture_compare(&f, memcg);
	flusher_free(flusher);
	churn_free(churn);
	fixture_fini(&f);
	alarm(0);
	return probed;
}

static void check_sense(const struct probed *probed)
{
	assert_true(probed->reads >= MIN_SAMPLES);
	assert_true(probed->beyond <= probed->apart && probed->apart <= probed->reads);
	assert_true(probed->low <= probed->high);
	assert_true((probed->error.pages > 0) <= (probed->apart > 0));
	assert_true(probed->width_median <= probed->width_max);
	assert_true(probed->age_unknown <= probed->reads);
	assert_true(isnan(probed->age_max_ns) == (probed->age_unknown > 0));
	assert_true(probed->seconds > 0);
}

/* With a batch of 0 all spills at once: what is read was true at some moment of the read. */
static void exact_counters_are_within_their_bracket(void **state)
{
	static const char *const names[] = {"cached", "packed", "rstat"};

	for (unsigned i = 0; i < 3 * 5; i++) {
		struct point point = point_of(i / 3 % 5, 1 + i % 3);
		struct probed probed;

		point.counters.batch = 0;
		point.counters.flush = FLUSH_V5_13;
		point.read.time_ns = 20 * MS;
		probed = probe(names[i % 3], &point);
		check_sense(&probed);
		/* Each item is one counter. */
		if (!strcmp(names[i % 3], "cached"))
			assert_int_equal(probed.apart, 0);
		if (!probed.apart)
			assert_true(probed.age_max_ns == 0);
	}
}

/* They hold half of their pages, and readers of the root see them. */
static void who_lingers_is_part_of_the_truth(void **state)
{
	struct point point = point_of(MIX_MIXED, 2);
	struct probed probed;

	point.counters.batch = 0;
	point.read.time_ns = 20 * MS;
	point.write.churn = 1000;
	point.write.linger = 40;
	probed = probe("cached", &point);
	check_sense(&probed);
	assert_int_equal(probed.apart, 0);
}

static void batches_stay_within_their_bound_under_load(void **state)
{
	struct point point = point_of(MIX_MIXED, 2);
	struct probed probed;

	point.counters.pages = 25000;
	point.read.time_ns = 50 * MS;
	probed = probe("cached", &point);
	check_sense(&probed);
	assert_int_equal(probed.beyond, 0);
	assert_true(probed.apart > 0);
}

/*
 * One writer, 256 pages each 5 ms, 1024 of them at one place. v5.13 flushes at each read: always
 * fresh. v6.8 flushes above batch x CPUs = 2048 pages in the subtree: what is read is up to 40 ms
 * old; but not where somebody flushes all the time. 1024 pages are 31 spills of 33 and one page
 * more, which a batch of 32 holds back until that place gets more: as long as it likes.
 */
static void ages_are_what_the_rules_say(void **state)
{
	struct point point = point_of(MIX_PAGE, 1);
	struct probed fresh, late, flushed, batched;

	point.machine.cpus = 64;
	point.counters.pages = 0;
	point.counters.batch = 32;
	point.write.target = WRITE_ONE;
	point.write.rate = 256 * 200;
	point.read.time_ns = 400 * MS;
	point.counters.flush = FLUSH_V5_13;
	fresh = probe("rstat", &point);
	check_sense(&fresh);
	assert_int_equal(fresh.apart, 0);
	assert_true(fresh.age_max_ns == 0);

	point.counters.flush = FLUSH_V6_8;
	late = probe("rstat", &point);
	check_sense(&late);
	assert_int_equal(late.beyond, 0);
	assert_true(late.apart > late.reads / 4);
	assert_int_equal(late.age_unknown, 0);

	/* Nothing waits longer than for the next turn. */
	point.counters.flusher_ns = MS;
	flushed = probe("rstat", &point);
	point.counters.flusher_ns = 0;
	check_sense(&flushed);
	assert_int_equal(flushed.beyond, 0);
	assert_true(flushed.apart * late.reads < late.apart * flushed.reads / 2);
	assert_true(late.age_max_ns > 10 * MS);

	batched = probe("cached", &point);
	check_sense(&batched);
	assert_true(batched.apart > batched.reads / 4);
	assert_true(batched.age_unknown > 0 || batched.age_max_ns > 50 * MS);
	assert_true(batched.error.pages <= 32 * 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bracket_is_what_every_update_by_itself_makes_it),
		cmocka_unit_test(whole_rounds_change_nothing),
		cmocka_unit_test(an_age_is_the_time_since_the_value_was_last_true),
		cmocka_unit_test(exact_counters_are_within_their_bracket),
		cmocka_unit_test(who_lingers_is_part_of_the_truth),
		cmocka_unit_test(batches_stay_within_their_bound_under_load),
		cmocka_unit_test(ages_are_what_the_rules_say),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
