// SPDX-License-Identifier: MIT
/*
 * A suite with cases that behave and cases that do not, for test_gb_suite.py. What it does with its
 * states goes to stderr, a line each.
 */
#include "timing/clock.h"
#include "timing/gb_shim.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static int set_up(const struct gb_case *self, void **state)
{
	fprintf(stderr, "setup %s\n", self->name);
	*state = (void *)self;
	return 0;
}

static int fail_to_set_up(const struct gb_case *self, void **state)
{
	return -ENOMEM;
}

static void tear_down(void *state)
{
	const struct gb_case *self = state;

	fprintf(stderr, "teardown %s\n", self->name);
}

static int spin(void *state, uint64_t iterations)
{
	volatile uint64_t sum = 0;

	for (uint64_t i = 0; i < iterations; i++)
		sum = sum + i;
	return 0;
}

static int fail_to_run(void *state, uint64_t iterations)
{
	return -EIO;
}

/* Takes 100 us each, and says that it took 1 ms. */
static int run_timed(void *state, uint64_t iterations, double *ns)
{
	uint64_t start = clock_now();

	while (clock_now() - start < iterations * 100000)
		continue;
	*ns = (double)iterations * 1e6;
	return 0;
}

static unsigned good_counters(void *state, struct gb_counter *counters)
{
	counters[0] = (struct gb_counter){.name = "always_zero", .value = 0};
	counters[1] = (struct gb_counter){.name = "loads", .value = 21602160};
	counters[2] = (struct gb_counter){.name = "bytes", .value = 8, .per_second = 1};
	return 3;
}

static unsigned nan_counter(void *state, struct gb_counter *counters)
{
	counters[0] = (struct gb_counter){.name = "ratio", .value = NAN};
	return 1;
}

static unsigned clashing_counter(void *state, struct gb_counter *counters)
{
	counters[0] = (struct gb_counter){.name = "real_time", .value = 1};
	return 1;
}

#define CASE .setup = set_up, .teardown = tear_down

static const struct gb_case cases[] = {
	{.name = "good/spin/memcgs:10", CASE, .run = spin, .counters = good_counters},
	{.name = "good/bare/memcgs:10", .run = spin},
	{.name = "good/timed/memcgs:10", CASE, .run_timed = run_timed, .iterations = 3},
	{.name = "bad/setup", .setup = fail_to_set_up, .teardown = tear_down, .run = spin},
	{.name = "bad/run", CASE, .run = fail_to_run},
	{.name = "bad/nan", CASE, .run = spin, .counters = nan_counter},
	{.name = "bad/clash", CASE, .run = spin, .counters = clashing_counter},
};

int main(int argc, char **argv)
{
	return gb_suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
