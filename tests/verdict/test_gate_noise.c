// SPDX-License-Identifier: MIT
/*
 * How often a gate fails without reason, and how often it misses what it is for, where each process
 * is 20 % faster or slower than the level by the toss of a coin: what reads of a few microseconds
 * do on a virtual machine. Two measurements are held against one baseline, as scripts/ci-bench does
 * it; what is believed is what both show at the same point and back end.
 */
#include "made_record.h"

#include "base/rng.h"
#include "verdict/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROCESSES 10
#define POINTS    3

enum {
	WALK = 1,
	CACHED = 2
};

static double uniform(struct rng *rng)
{
	return ((double)(rng_next(rng) >> 11) + 0.5) * 0x1p-53;
}

static void add_cell(struct record *record, const char *backend, double level, struct rng *rng)
{
	double v[PROCESSES];

	for (unsigned i = 0; i < PROCESSES; i++) {
		double mode = uniform(rng) < 0.5 ? 0.8 : 1.2;
		double radius = sqrt(-2 * log(uniform(rng)));

		v[i] = level * mode * exp(0.02 * radius * cos(2 * M_PI * uniform(rng)));
	}
	made_cell(record, backend, v, PROCESSES);
}

static struct record *measure(struct rng *rng, double walk, double cached)
{
	static const char *const points[POINTS] = {"tree.memcgs=10", "tree.memcgs=30",
						   "tree.memcgs=100"};
	struct record *record = made_record(MADE_HOST);

	for (unsigned i = 0; i < POINTS; i++) {
		made_point(record, points[i]);
		add_cell(record, "walk", 90000 * walk, rng);
		add_cell(record, "cached", 3000 * cached, rng);
	}
	return record;
}

/* The cells at fault, one bit for each. */
static unsigned faults(const struct record *base, struct rng *rng, double walk, double cached)
{
	struct compare_options options = {&metrics[0], 0.05, 0.25, true};
	struct record *new = measure(rng, walk, cached);
	struct gate_failure *failures;
	struct compare *compare;
	struct error err = {0};
	unsigned found = 0;
	size_t nr;

	if (compare_new(base, new, &options, &compare, &err))
		fail_msg("%s", err.text);
	assert_int_equal(gate_failures(compare, &failures, &nr), 0);
	for (size_t i = 0; i < nr; i++)
		found |= 1u << (failures[i].cell - new->cells);
	free(failures);
	compare_free(compare);
	record_free(new);
	return found;
}

struct tally {
	double once, twice; /* shares of the rounds */
};

static struct tally simulate(double walk, double cached, unsigned wanted, unsigned rounds)
{
	struct tally tally = {0, 0};
	unsigned mask = 0;

	for (unsigned i = 0; i < POINTS; i++)
		mask |= wanted << (2 * i);
	for (unsigned round = 0; round < rounds; round++) {
		struct rng rng = rng_for(7, wanted, round);
		struct record *base = measure(&rng, 1, 1);
		unsigned first = faults(base, &rng, walk, cached) & mask;
		unsigned second = faults(base, &rng, walk, cached) & mask;

		tally.once += first != 0;
		tally.twice += (first & second) != 0;
		record_free(base);
	}
	tally.once /= rounds;
	tally.twice /= rounds;
	print_message("# walk x %g, cached x %g: %.3f fail, %.3f twice\n", walk, cached, tally.once,
		      tally.twice);
	return tally;
}

static void the_same_thing_seldom_fails_and_hardly_ever_twice(void **state)
{
	struct tally tally = simulate(1, 1, WALK | CACHED, 1000);

	assert_true(tally.once > 0 && tally.once < 0.04);
	assert_true(tally.twice < 0.005);
}

static void half_as_much_again_is_found_whichever_it_is(void **state)
{
	struct tally walk = simulate(1.5, 1, WALK, 400), cached = simulate(1, 1.5, CACHED, 400);

	assert_true(walk.twice > 0.75 && cached.twice > 0.75);
	assert_true(fabs(walk.twice - cached.twice) < 0.1);
}

static void twice_as_much_is_always_found(void **state)
{
	assert_true(simulate(1, 2, CACHED, 100).twice > 0.97);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_thing_seldom_fails_and_hardly_ever_twice),
		cmocka_unit_test(half_as_much_again_is_found_whichever_it_is),
		cmocka_unit_test(twice_as_much_is_always_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
