// SPDX-License-Identifier: MIT
/* Items given out to threads: each once, and what a thread returns is not lost. */
#include "base/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ITEMS 10000

static int count(void *arg, struct parallel *parallel)
{
	unsigned char *counts = arg;
	size_t item;

	while (parallel_next(parallel, &item))
		counts[item]++; /* nobody else has this one */
	return 0;
}

static void each_item_is_given_out_once(void **state)
{
	static const unsigned threads[] = {0, 1, 2, 8, 1000};

	for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
		unsigned char counts[ITEMS + 1] = {0};

		assert_int_equal(parallel_run(count, counts, ITEMS, threads[t]), 0);
		for (size_t i = 0; i < ITEMS; i++)
			assert_int_equal(counts[i], 1);
		assert_int_equal(counts[ITEMS], 0);
	}
	assert_int_equal(parallel_run(count, NULL, 0, 8), 0);
}

static int fail_at_the_last(void *arg, struct parallel *parallel)
{
	size_t item;
	int r = 0;

	while (parallel_next(parallel, &item))
		if (item == ITEMS - 1)
			r = -7;
	return r;
}

static void the_result_of_any_thread_is_returned(void **state)
{
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(parallel_run(fail_at_the_last, NULL, ITEMS, 8), -7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_item_is_given_out_once),
		cmocka_unit_test(the_result_of_any_thread_is_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
