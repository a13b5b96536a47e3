// SPDX-License-Identifier: MIT
/* The text of cpu.stat: the kernel's rows, in whole microseconds, the same bytes in both styles. */
#include "memcg/cpu_stat.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const enum text_style styles[] = {TEXT_SEQ_PRINTF, TEXT_FAST};
#define NR_STYLES (sizeof(styles) / sizeof(styles[0]))

static void assert_text(const struct cpu_stat *stat, const char *wanted)
{
	for (size_t i = 0; i < NR_STYLES; i++) {
		char text[CPU_STAT_TEXT_MAX];
		long length = cpu_stat_text(stat, styles[i], text, sizeof(text));

		assert_string_equal(text, wanted);
		assert_int_equal(length, strlen(wanted));
	}
}

static void rows_are_those_of_the_kernel_in_whole_microseconds(void **state)
{
	assert_text(&(struct cpu_stat){.usage = 44611999, .user = 33458999, .system = 11153000},
		    "usage_usec 44611\n"
		    "user_usec 33458\n"
		    "system_usec 11153\n"
		    "nr_periods 0\n"
		    "nr_throttled 0\n"
		    "throttled_usec 0\n");
	assert_text(&(struct cpu_stat){.usage = 999}, "usage_usec 0\n"
						      "user_usec 0\n"
						      "system_usec 0\n"
						      "nr_periods 0\n"
						      "nr_throttled 0\n"
						      "throttled_usec 0\n");
	assert_text(
		&(struct cpu_stat){.usage = UINT64_MAX, .user = UINT64_MAX, .system = UINT64_MAX},
		"usage_usec 18446744073709551\n"
		"user_usec 18446744073709551\n"
		"system_usec 18446744073709551\n"
		"nr_periods 0\n"
		"nr_throttled 0\n"
		"throttled_usec 0\n");
}

static void a_buffer_without_a_byte_to_spare_is_too_small_and_no_more_is_written(void **state)
{
	const struct cpu_stat stat = {.usage = 123456789, .user = 1000, .system = 0};

	for (size_t i = 0; i < NR_STYLES; i++) {
		char whole[CPU_STAT_TEXT_MAX];
		long length = cpu_stat_text(&stat, styles[i], whole, sizeof(whole));

		assert_true(length > 0);
		for (size_t size = 1; size <= (size_t)length; size++) {
			char text[CPU_STAT_TEXT_MAX];

			memset(text, '#', sizeof(text));
			assert_int_equal(cpu_stat_text(&stat, styles[i], text, size), -ENOSPC);
			assert_int_equal(text[size], '#');
		}
		assert_int_equal(cpu_stat_text(&stat, styles[i], whole, (size_t)length + 1),
				 length);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_those_of_the_kernel_in_whole_microseconds),
		cmocka_unit_test(
			a_buffer_without_a_byte_to_spare_is_too_small_and_no_more_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
