// SPDX-License-Identifier: MIT
/* False discovery rates against their definition and the figures of the paper. R: test_vectors.c.
 */
#include "stats/false_discovery.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* The example of the 1995 paper: 15 tests, of which four are discoveries at 5 %. */
static const double paper[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
			       0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};

static void the_papers_example_has_four_discoveries(void **state)
{
	double q[15];

	assert_int_equal(false_discovery_rates(paper, 15, q), 0);
	for (size_t i = 0; i < 15; i++)
		assert_true((q[i] <= 0.05) == (i < 4));
	NEAR(q[0], 0.0015, 1e-15);
	NEAR(q[14], 1, 0);
}

/* The smallest p x made / rank over all tests with a p at least as large; no sorting. */
static double by_definition(const double *p, size_t n, size_t at)
{
	double least = 1;

	for (size_t i = 0; i < n; i++) {
		size_t made = 0, rank = 0;

		if (isnan(p[i]) || p[i] < p[at])
			continue;
		for (size_t j = 0; j < n; j++) {
			made += !isnan(p[j]);
			rank += p[j] <= p[i];
		}
		least = fmin(least, p[i] * (double)made / (double)rank);
	}
	return least;
}

static void rates_follow_their_definition(void **state)
{
	for (uint64_t round = 0; round < 100; round++) {
		struct rng rng = rng_for(3, 0, round);
		size_t n = 1 + rng_below(&rng, 40);
		double p[40], q[40];

		for (size_t i = 0; i < n; i++) {
			uint64_t draw = rng_below(&rng, 64); /* equal ones occur */

			p[i] = draw == 63 ? NAN : (double)draw / 62;
		}
		assert_int_equal(false_discovery_rates(p, n, q), 0);
		for (size_t i = 0; i < n; i++) {
			if (isnan(p[i]))
				assert_true(isnan(q[i]));
			else
				NEAR(q[i], by_definition(p, n, i), 1e-14);
		}
	}
}

static void tests_not_made_count_for_nothing(void **state)
{
	double some[] = {NAN, 0.01, NAN, 0.04}, alone[] = {0.01, 0.04}, none[] = {NAN, NAN};
	double q_some[4], q_alone[2];

	assert_int_equal(false_discovery_rates(some, 4, q_some), 0);
	assert_int_equal(false_discovery_rates(alone, 2, q_alone), 0);
	assert_true(q_some[1] == q_alone[0] && q_some[3] == q_alone[1]);
	assert_true(isnan(q_some[0]) && isnan(q_some[2]));
	assert_int_equal(false_discovery_rates(none, 2, none), 0);
	assert_true(isnan(none[0]) && isnan(none[1]));
	assert_int_equal(false_discovery_rates(NULL, 0, NULL), 0);
}

static void p_may_be_overwritten(void **state)
{
	double q[15], p[15];

	for (size_t i = 0; i < 15; i++)
		p[i] = paper[14 - i];
	assert_int_equal(false_discovery_rates(paper, 15, q), 0);
	assert_int_equal(false_discovery_rates(p, 15, p), 0);
	for (size_t i = 0; i < 15; i++)
		assert_true(p[i] == q[14 - i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_papers_example_has_four_discoveries),
		cmocka_unit_test(rates_follow_their_definition),
		cmocka_unit_test(tests_not_made_count_for_nothing),
		cmocka_unit_test(p_may_be_overwritten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
