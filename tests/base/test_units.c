// SPDX-License-Identifier: MIT
/* Numbers with units are read exactly or not at all, and written so that they are read again. */
#include "base/rng.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct good {
	enum unit_kind kind;
	const char *text;
	uint64_t value;
};

static const struct good good[] = {
	{UNIT_COUNT, "0", 0},
	{UNIT_COUNT, "7", 7},
	{UNIT_COUNT, "10k", 10000},
	{UNIT_COUNT, "1.5k", 1500},
	{UNIT_COUNT, "1.500000k", 1500},
	{UNIT_COUNT, "2.0", 2},
	{UNIT_COUNT, "0.001k", 1},
	{UNIT_COUNT, "0k", 0},
	{UNIT_COUNT, "4M", 4000000},
	{UNIT_COUNT, "3G", 3000000000},
	{UNIT_COUNT, "18446744073709551615", UINT64_MAX},
	{UNIT_BYTES, "4096", 4096},
	{UNIT_BYTES, "64KiB", 65536},
	{UNIT_BYTES, "1MiB", 1 << 20},
	{UNIT_BYTES, "2GiB", 2ull << 30},
	{UNIT_BYTES, "0.5KiB", 512},
	{UNIT_BYTES, "2k", 2000},
	{UNIT_TIME, "0", 0},
	{UNIT_TIME, "0s", 0},
	{UNIT_TIME, "15ns", 15},
	{UNIT_TIME, "1.5us", 1500},
	{UNIT_TIME, "200ms", 200000000},
	{UNIT_TIME, "0.700s", 700000000},
	{UNIT_TIME, "0.000000001s", 1},
	{UNIT_SHARE, "0", 0},
	{UNIT_SHARE, "0%", 0},
	{UNIT_SHARE, "12.5%", 125000},
	{UNIT_SHARE, "0.0001%", 1},
	{UNIT_SHARE, "100%", 1000000},
};

static void numbers_are_read_in_base_units(void **state)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		uint64_t value = ~good[i].value;
		int code =
			unit_parse(good[i].text, strlen(good[i].text), good[i].kind, &value, NULL);

		if (code || value != good[i].value)
			print_message("# %s\n", good[i].text);
		assert_int_equal(code, 0);
		assert_true(value == good[i].value);
	}
}

static const struct {
	enum unit_kind kind;
	const char *text;
	int code;
} bad[] = {
	{UNIT_COUNT, "", -EINVAL},
	{UNIT_COUNT, "k", -EINVAL},
	{UNIT_COUNT, "010", -EINVAL},
	{UNIT_COUNT, "00", -EINVAL},
	{UNIT_COUNT, "0x10", -EINVAL},
	{UNIT_COUNT, "1e4", -EINVAL},
	{UNIT_COUNT, "-1", -EINVAL},
	{UNIT_COUNT, "+1", -EINVAL},
	{UNIT_COUNT, " 1", -EINVAL},
	{UNIT_COUNT, "1 ", -EINVAL},
	{UNIT_COUNT, "1 k", -EINVAL},
	{UNIT_COUNT, "1kk", -EINVAL},
	{UNIT_COUNT, "1K", -EINVAL},
	{UNIT_COUNT, "1KiB", -EINVAL},
	{UNIT_COUNT, ".5k", -EINVAL},
	{UNIT_COUNT, "1.", -EINVAL},
	{UNIT_COUNT, "1.k", -EINVAL},
	{UNIT_COUNT, "1.2.3k", -EINVAL},
	{UNIT_COUNT, "1,000", -EINVAL},
	{UNIT_COUNT, "1_000", -EINVAL},
	{UNIT_COUNT, "nan", -EINVAL},
	{UNIT_COUNT, "1.0001k", -ERANGE},
	{UNIT_COUNT, "0.5", -ERANGE},
	{UNIT_COUNT, "18446744073709551616", -ERANGE},
	{UNIT_COUNT, "18446744073709552k", -ERANGE},
	{UNIT_COUNT, "99999999999999999999999999999999999999999999", -ERANGE},
	{UNIT_COUNT, "0.0000000000000000000000000000000001k", -ERANGE},
	{UNIT_TIME, "5", -EINVAL},
	{UNIT_TIME, "5m", -EINVAL},
	{UNIT_TIME, "5S", -EINVAL},
	{UNIT_TIME, "0.5ns", -ERANGE},
	{UNIT_BYTES, "1kib", -EINVAL},
	{UNIT_BYTES, "1KB", -EINVAL},
	{UNIT_BYTES, "0.3KiB", -ERANGE},
	{UNIT_SHARE, "0.5", -EINVAL},
	{UNIT_SHARE, "50", -EINVAL},
	{UNIT_SHARE, "101%", -ERANGE},
	{UNIT_SHARE, "0.00001%", -ERANGE},
};

static void what_is_no_exact_number_is_refused(void **state)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint64_t value = 4711;
		const char *why = NULL;
		int code = unit_parse(bad[i].text, strlen(bad[i].text), bad[i].kind, &value, &why);

		if (code != bad[i].code)
			print_message("# '%s' %d\n", bad[i].text, code);
		assert_int_equal(code, bad[i].code);
		assert_true(value == 4711);
		assert_non_null(why);
	}
}

static void only_the_given_length_is_read(void **state)
{
	uint64_t value;

	assert_int_equal(unit_parse("10kx", 3, UNIT_COUNT, &value, NULL), 0);
	assert_true(value == 10000);
	assert_int_equal(unit_parse("1\0k", 3, UNIT_COUNT, &value, NULL), -EINVAL);
}

static void exact_text_is_read_as_the_same_value(void **state)
{
	struct rng rng = {1};
	char text[UNIT_TEXT_MAX];

	for (unsigned i = 0; i < 40000; i++) {
		enum unit_kind kind = (enum unit_kind)(i % 4);
		uint64_t value = rng_next(&rng) >> rng_below(&rng, 64), again;

		if (i % 3 == 0) /* round numbers are where suffixes are */
			value = value % 5000 * (i % 2 ? 1000000 : 1048576);
		if (kind == UNIT_SHARE)
			value %= 1000001;
		unit_format_exact(text, kind, value);
		assert_int_equal(unit_parse(text, strlen(text), kind, &again, NULL), 0);
		assert_true(again == value);
	}
}

static void exact_text_is_what_a_person_would_write(void **state)
{
	char text[UNIT_TEXT_MAX];

	assert_string_equal(unit_format_exact(text, UNIT_COUNT, 10000), "10k");
	assert_string_equal(unit_format_exact(text, UNIT_COUNT, 1500), "1500");
	assert_string_equal(unit_format_exact(text, UNIT_COUNT, 0), "0");
	assert_string_equal(unit_format_exact(text, UNIT_TIME, 2000000000), "2s");
	assert_string_equal(unit_format_exact(text, UNIT_TIME, 1500), "1500ns");
	assert_string_equal(unit_format_exact(text, UNIT_BYTES, 1000), "1000");
	assert_string_equal(unit_format_exact(text, UNIT_BYTES, 4096), "4KiB");
	assert_string_equal(unit_format_exact(text, UNIT_SHARE, 125000), "12.5%");
	assert_string_equal(unit_format_exact(text, UNIT_SHARE, 1), "0.0001%");
}

static void people_are_shown_three_digits(void **state)
{
	char text[UNIT_TEXT_MAX];

	assert_string_equal(unit_format_time(text, 205e6), "205 ms");
	assert_string_equal(unit_format_time(text, 1490), "1.49 us");
	assert_string_equal(unit_format_time(text, 33.4), "33.4 ns");
	assert_string_equal(unit_format_time(text, 0.5), "0.500 ns");
	assert_string_equal(unit_format_time(text, 0), "0 ns");
	assert_string_equal(unit_format_time(text, 12345e9), "12345 s");
	assert_string_equal(unit_format_time(text, -1490), "-1.49 us");
	assert_string_equal(unit_format_time(text, NAN), "-");
	assert_string_equal(unit_format_bytes(text, 2.5 * 1024 * 1024), "2.50 MiB");
	assert_string_equal(unit_format_bytes(text, 1000), "1000 B");
	assert_string_equal(unit_format_count(text, 72), "72");
	assert_string_equal(unit_format_count(text, 21600000), "21.6M");
	assert_string_equal(unit_format_count(text, 2.5), "2.50");
}

static void what_rounds_up_takes_the_next_unit(void **state)
{
	char text[UNIT_TEXT_MAX];

	assert_string_equal(unit_format_time(text, 999.4), "999 ns");
	assert_string_equal(unit_format_time(text, 999.6), "1.00 us");
	assert_string_equal(unit_format_time(text, 9.996), "10.0 ns");
	assert_string_equal(unit_format_time(text, 99.96), "100 ns");
	assert_string_equal(unit_format_count(text, 999999.9), "1.00M");
	assert_string_equal(unit_format_bytes(text, 1023.7), "1.00 KiB");
}

static void text_for_people_stays_short(void **state)
{
	struct rng rng = {2};
	char text[UNIT_TEXT_MAX];

	for (unsigned i = 0; i < 10000; i++) {
		double value = ldexp(1.0 + (double)(rng_next(&rng) >> 12) / 4e15,
				     (int)rng_below(&rng, 600) - 100);

		assert_true(strlen(unit_format_time(text, value)) <= 15);
		assert_true(strlen(unit_format_bytes(text, -value)) <= 15);
		assert_true(strlen(unit_format_count(text, value)) <= 15);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_in_base_units),
		cmocka_unit_test(what_is_no_exact_number_is_refused),
		cmocka_unit_test(only_the_given_length_is_read),
		cmocka_unit_test(exact_text_is_read_as_the_same_value),
		cmocka_unit_test(exact_text_is_what_a_person_would_write),
		cmocka_unit_test(people_are_shown_three_digits),
		cmocka_unit_test(what_rounds_up_takes_the_next_unit),
		cmocka_unit_test(text_for_people_stays_short),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
