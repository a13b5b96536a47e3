// SPDX-License-Identifier: MIT
/* What the parts of a page promise of text that comes from elsewhere. */
#include "report/page_html.h"
#include "report/page_parts.h"
#include "report/page_svg.h"
#include "report/table.h"
#include "report/wrap.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static FILE *memory(char **text)
{
	static size_t length;
	FILE *out = open_memstream(text, &length);

	assert_non_null(out);
	return out;
}

/* The SVG in a page, the caller's to free; NULL where it was refused. */
static char *converted(const char *svg)
{
	char *text = NULL;
	FILE *out = memory(&text);
	int r = page_svg_put(out, svg, "w1-", "wide", "A <title>", "What & why");

	fclose(out);
	if (!r)
		return text;
	assert_int_equal(r, -EPROTO);
	free(text);
	return NULL;
}

#define HEAD "<?xml version=\"1.0\"?>\n<svg width=\"9\" height=\"8\" viewBox=\"0 0 9 8\">"

static void markup_becomes_text(void **state)
{
	char *text = NULL;
	FILE *out = memory(&text);

	(void)state;
	html_printf(out, "%s", "<b class=\"x\" id='y'>&\n\x01\xc3\xa9");
	fclose(out);
	assert_string_equal(text, "&lt;b class=&quot;x&quot; id=&#39;y&#39;&gt;&amp;  \xc3\xa9");
	free(text);
}

static void a_picture_gets_names_of_its_own_and_says_what_it_shows(void **state)
{
	char *text = converted(
		HEAD "<title>Gnuplot</title><desc>by it</desc><g id=\"p\"><use xlink:href='#q' "
		     "x='1'/><g style='filter:url(#box)'><text>a &lt; b</text></g></g></svg>");

	(void)state;
	assert_string_equal(text,
			    "<svg class=\"chart wide\" viewBox=\"0 0 9 8\" role=\"img\" "
			    "aria-labelledby=\"w1-title w1-desc\"><title id=\"w1-title\">A "
			    "&lt;title&gt;</title><desc id=\"w1-desc\">What &amp; why</desc>"
			    "<g id=\"w1-p\"><use href=\"#w1-q\" x=\"1\"/>"
			    "<g filter=\"url(#w1-box)\"><text>a &lt; b</text></g></g></svg>\n");
	free(text);
}

static void colours_of_the_charts_follow_the_page(void **state)
{
	char *text = converted(HEAD "<rect x=\"0\" y=\"0\" fill=\"#ffffff\"/>"
				    "<path stroke='rgb(  0, 114, 178)' fill='black'/>"
				    "<path stroke='rgb(  1,   2,   3)'/></svg>");

	(void)state;
	assert_null(strstr(text, "<rect"));
	assert_non_null(strstr(text, "<path stroke=\"var(--line-0)\" fill=\"currentColor\"/>"));
	assert_non_null(strstr(text, "<path stroke=\"rgb(  1,   2,   3)\"/>"));
	free(text);
}

static void what_could_run_or_load_is_left_out(void **state)
{
	char *text = converted(
		HEAD
		"<script>alert(1)</script><image href='http://x/'/><style>p{}</style>"
		"<a href='http://x/'><text>in</text></a>"
		"<!-- <b> --><use href='http://x/#y' onclick='alert(2)'/><text>out</text></svg>");

	(void)state;
	assert_null(strstr(text, "alert"));
	assert_null(strstr(text, "http"));
	assert_null(strstr(text, "style"));
	assert_non_null(strstr(text, "<use/><text>out</text></svg>"));
	free(text);
}

static void what_is_no_picture_is_refused(void **state)
{
	static const char *const bad[] = {"",
					  "drawn",
					  "<svg",
					  "<svg>",
					  HEAD "<g",
					  HEAD "<title>never ends",
					  HEAD "<g x='1",
					  HEAD "<!-- never ends </svg>",
					  HEAD "<text><![CDATA[<b>]]></text></svg>"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_null(converted(bad[i]));
}

static void paragraphs_of_a_terminal_are_taken_apart_again(void **state)
{
	static const char *const said =
		"a sentence that is so long that it does not fit into one line of a terminal, "
		"however "
		"wide";
	struct page_paragraph paragraph;
	char *text = NULL;
	const char *at;
	FILE *out = memory(&text);

	(void)state;
	wrap_print(out, PAGE_INDENT, "  label", said);
	wrap_print(out, PAGE_INDENT, "not known", "short");
	fclose(out);
	at = text;
	assert_true(page_next_paragraph(&at, &paragraph));
	assert_string_equal(paragraph.label, "label");
	assert_string_equal(paragraph.text, said);
	free(paragraph.text);
	assert_true(page_next_paragraph(&at, &paragraph));
	assert_string_equal(paragraph.label, "not known");
	assert_string_equal(paragraph.text, "short");
	free(paragraph.text);
	assert_false(page_next_paragraph(&at, &paragraph));
	free(text);
}

static void cells_carry_what_they_stand_for_where_it_is_known(void **state)
{
	struct table *table = table_new();
	char *text = NULL;
	FILE *out = memory(&text);

	(void)state;
	table_column(table, "who", ALIGN_LEFT);
	table_column(table, "time", ALIGN_RIGHT);
	table_row(table);
	table_cell(table, "<a>");
	table_cell(table, "1.50 us");
	table_value(table, 1500.25, "ns");
	table_row(table);
	table_cell(table, "b");
	table_cell(table, "-");
	table_value(table, NAN, "ns");
	assert_int_equal(table_print_html(table, "t", "\"T\"", 1, out), 0);
	table_free(table);
	fclose(out);
	assert_non_null(strstr(text, "aria-label=\"&quot;T&quot;\"><table id=\"t\">"));
	assert_non_null(strstr(text, "<th scope=\"col\" data-key>who</th>"
				     "<th scope=\"col\" class=\"n\" data-unit=\"ns\">time</th>"));
	assert_non_null(strstr(text, "<td>&lt;a&gt;</td><td class=\"n\" data-v=\"1500.25\">1.50 "
				     "us</td>"));
	assert_non_null(strstr(text, "<td>b</td><td class=\"n\">-</td>"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markup_becomes_text),
		cmocka_unit_test(a_picture_gets_names_of_its_own_and_says_what_it_shows),
		cmocka_unit_test(colours_of_the_charts_follow_the_page),
		cmocka_unit_test(what_could_run_or_load_is_left_out),
		cmocka_unit_test(what_is_no_picture_is_refused),
		cmocka_unit_test(paragraphs_of_a_terminal_are_taken_apart_again),
		cmocka_unit_test(cells_carry_what_they_stand_for_where_it_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
