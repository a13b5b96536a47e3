// SPDX-License-Identifier: MIT
/* What the one table printer promises of its two forms. */
#include "report/table.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const struct table *table, int (*print)(const struct table *, FILE *),
		   const char *expected)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	assert_int_equal(print(table, out), 0);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static struct table *fruit(void)
{
	struct table *table = table_new();

	table_column(table, "name", ALIGN_LEFT);
	table_column(table, "price", ALIGN_RIGHT);
	table_column(table, "note", ALIGN_LEFT);
	table_row(table);
	table_cell(table, "%s", "µ-melon");
	table_cell(table, "%d", 7);
	table_cell(table, "a\tb\nc\033[1m");
	table_row(table);
	table_cell(table, "fig");
	table_cell(table, "%d", 1234567);
	return table;
}

static void columns_align_by_characters_and_end_without_blanks(void **state)
{
	struct table *table = fruit();

	expect(table, table_print,
	       "name       price  note\n"
	       "µ-melon        7  a b c [1m\n"
	       "fig      1234567\n");
	table_free(table);
}

/* A column of one letter, and one that makes both together `width` wide. */
static void expect_width(int length, const char *between, size_t width)
{
	struct table *table = table_new();
	char expected[256];

	table_column(table, "a", ALIGN_LEFT);
	table_column(table, "b", ALIGN_RIGHT);
	table_row(table);
	table_cell(table, "x");
	table_cell(table, "%0*d", length, 1);
	snprintf(expected, sizeof(expected), "a%s%*s\nx%s%0*d\n", between, length, "b", between,
		 length, 1);
	expect(table, table_print, expected);
	assert_int_equal(table_width(table), width);
	table_free(table);
}

static void columns_move_together_where_that_makes_them_fit(void **state)
{
	(void)state;
	expect_width(77, "  ", 80);
	expect_width(78, " ", 80);
	expect_width(79, "  ", 82);
}

static void tsv_has_every_field(void **state)
{
	struct table *table = fruit();

	expect(table, table_print_tsv,
	       "name\tprice\tnote\n"
	       "µ-melon\t7\ta b c [1m\n"
	       "fig\t1234567\t\n");
	table_free(table);
}

static void markdown_has_headings_as_rows_and_escapes_what_it_would_read(void **state)
{
	struct table *table = fruit();

	table_heading(table, 0, "", "dried");
	table_row(table);
	table_cell(table, "<b>a|b_c~&");
	expect(table, table_print_markdown,
	       "| name | price | note |\n"
	       "| :-- | --: | :-- |\n"
	       "| µ-melon | 7 | a b c \\[1m |\n"
	       "| fig | 1234567 |  |\n"
	       "| **dried** |  |  |\n"
	       "| &lt;b>a\\|b\\_c\\~&amp; |  |  |\n");
	table_free(table);
	assert_int_equal(table_print_markdown(NULL, stdout), -ENOMEM);
}

static void tables_without_titles_print_no_title_line(void **state)
{
	struct table *table = table_new();

	table_column(table, "", ALIGN_LEFT);
	table_column(table, "", ALIGN_LEFT);
	table_row(table);
	table_cell(table, "key");
	table_cell(table, "value");
	expect(table, table_print, "key  value\n");
	table_free(table);
}

static void headings_stand_across_columns_and_are_not_in_tsv(void **state)
{
	struct table *table = table_new();
	char text[100];

	memset(text, 'x', sizeof(text));
	text[40] = text[80] = ' ';
	text[99] = '\0';
	table_column(table, "", ALIGN_LEFT);
	table_column(table, "n", ALIGN_RIGHT);
	table_heading(table, 5, "id", text);
	table_row(table);
	table_cell(table, "%s", "");
	table_cell(table, "12");
	assert_int_equal(table_width(table), 4); /* headings do not count */
	expect(table, table_print,
	       "   n\n"
	       "id   xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
	       "     xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx xxxxxxxxxxxxxxxxxx\n"
	       "  12\n");
	expect(table, table_print_tsv, "\tn\n\t12\n");
	table_free(table);
}

static void cells_beyond_the_columns_are_dropped(void **state)
{
	struct table *table = table_new();

	table_cell(table, "before any row");
	table_column(table, "a", ALIGN_LEFT);
	table_row(table);
	table_cell(table, "1");
	table_cell(table, "2");
	expect(table, table_print, "a\n1\n");
	table_free(table);
}

static void no_table_is_out_of_memory_and_nothing_worse(void **state)
{
	table_column(NULL, "a", ALIGN_LEFT);
	table_row(NULL);
	table_heading(NULL, 0, "a", "b");
	assert_int_equal(table_width(NULL), 0);
	table_cell(NULL, "x");
	assert_int_equal(table_print(NULL, stdout), -ENOMEM);
	assert_int_equal(table_print_tsv(NULL, stdout), -ENOMEM);
	table_free(NULL);
}

static void a_full_disk_is_an_error(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct table *table = fruit();

	if (!full)
		skip();
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(table_print(table, full), -EIO);
	fclose(full);
	table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_align_by_characters_and_end_without_blanks),
		cmocka_unit_test(columns_move_together_where_that_makes_them_fit),
		cmocka_unit_test(tsv_has_every_field),
		cmocka_unit_test(markdown_has_headings_as_rows_and_escapes_what_it_would_read),
		cmocka_unit_test(tables_without_titles_print_no_title_line),
		cmocka_unit_test(headings_stand_across_columns_and_are_not_in_tsv),
		cmocka_unit_test(cells_beyond_the_columns_are_dropped),
		cmocka_unit_test(no_table_is_out_of_memory_and_nothing_worse),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
