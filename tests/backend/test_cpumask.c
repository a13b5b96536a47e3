// SPDX-License-Identifier: MIT
/* What iterating possible CPUs promises. */
#include "backend/cpumask.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check_mask(const bool *wanted, unsigned nr)
{
	unsigned long mask[8] = {0};
	unsigned cpu = -1u;

	assert_true(cpumask_bytes(nr) <= sizeof(mask));
	for (unsigned i = 0; i < nr; i++)
		if (wanted[i])
			cpumask_set(mask, i);
	for (unsigned i = 0; i < nr; i++) {
		if (!wanted[i])
			continue;
		cpu = cpumask_next(cpu, mask, nr);
		assert_int_equal(cpu, i);
	}
	assert_int_equal(cpumask_next(cpu, mask, nr), nr);
}

static void every_cpu_set_comes_once_in_order(void **state)
{
	struct rng rng = {1};

	for (unsigned nr = 1; nr <= 300; nr++) {
		bool wanted[300] = {false};

		check_mask(wanted, nr);
		for (unsigned i = 0; i < nr; i++)
			wanted[i] = rng_below(&rng, 3) == 0;
		check_mask(wanted, nr);
		memset(wanted, true, sizeof(wanted));
		check_mask(wanted, nr);
	}
}

static void bits_behind_the_last_cpu_are_not_cpus(void **state)
{
	unsigned long mask[2] = {~0ul, ~0ul};

	assert_int_equal(cpumask_next(-1u, mask, 72), 0);
	assert_int_equal(cpumask_next(70, mask, 72), 71);
	assert_true(cpumask_next(71, mask, 72) >= 72);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cpu_set_comes_once_in_order),
		cmocka_unit_test(bits_behind_the_last_cpu_are_not_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
