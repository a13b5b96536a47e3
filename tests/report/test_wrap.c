// SPDX-License-Identifier: MIT
/* Prose stays within a terminal, whatever its words. */
#include "report/wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(unsigned indent, const char *label, const char *text, const char *expected)
{
	char *printed = NULL;
	size_t length;
	FILE *out = open_memstream(&printed, &length);

	assert_non_null(out);
	wrap_print(out, indent, label, text);
	fclose(out);
	assert_string_equal(printed, expected);
	free(printed);
}

static void lines_are_broken_at_blanks_and_indented(void **state)
{
	expect(6, "key", "one two", "key   one two\n");
	expect(6, "key",
	       "123456789 123456789 123456789 123456789 123456789 123456789 123456789 1234 next",
	       "key   123456789 123456789 123456789 123456789 123456789 123456789 123456789 1234\n"
	       "      next\n");
	expect(0, "", "", "\n");
}

static void long_labels_get_what_they_need(void **state)
{
	expect(4, "label", "text", "label text\n");
}

static void words_that_are_too_long_go_on_in_the_next_line(void **state)
{
	char word[201] = "", text[256], expected[512];

	memset(word, 'w', 100);
	snprintf(text, sizeof(text), "a %s b", word);
	snprintf(expected, sizeof(expected), "k   a\n    %.76s\n    %.24s b\n", word, word);
	expect(4, "k", text, expected);
	snprintf(expected, sizeof(expected), "    %.76s\n", word);
	expect(4, "", expected + 4, expected);
	for (unsigned i = 0; i < 100; i++)
		memcpy(word + 2 * i, "\u00b5", 2);
	snprintf(expected, sizeof(expected), "    %.152s\n    %.48s\n", word, word);
	expect(4, "", word, expected);
}

static void characters_count_and_controls_do_not_pass(void **state)
{
	expect(2, "", "µ\033[31mred\t\tx\n\ny", "  µ [31mred x y\n");
}

static void a_number_keeps_its_percent_sign(void **state)
{
	expect(2, "",
	       "123456789 123456789 123456789 123456789 123456789 123456789 123456789 12345 3 % x",
	       "  123456789 123456789 123456789 123456789 123456789 123456789 123456789 12345\n"
	       "  3 % x\n");
	expect(2, "", "% 3", "  % 3\n");
}

static void lines_are_as_wide_as_asked_for(void **state)
{
	char *printed = NULL;
	size_t length;
	FILE *out = open_memstream(&printed, &length);

	assert_non_null(out);
	wrap_lines(out, 7, 2, "", "one two three four");
	fclose(out);
	assert_string_equal(printed, "  one\n  two\n  three\n  four\n");
	free(printed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_broken_at_blanks_and_indented),
		cmocka_unit_test(long_labels_get_what_they_need),
		cmocka_unit_test(words_that_are_too_long_go_on_in_the_next_line),
		cmocka_unit_test(characters_count_and_controls_do_not_pass),
		cmocka_unit_test(a_number_keeps_its_percent_sign),
		cmocka_unit_test(lines_are_as_wide_as_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
