// SPDX-License-Identifier: MIT
/*
 * See compare_report.h: plain text for a patch's cover letter or commit log. What a reader of the
 * list asks is answered on the spot: which machine and kernel, how many memcgs, CPUs and nodes, how
 * the file was read, how often, how sure, what writers pay, and how to see it for himself.
 */
#include "report/compare_cover_parts.h"

#include "report/compare_report.h"
#include "report/compare_words.h"
#include "report/wrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void side_cell(struct table *table, const struct compare *compare,
		      const struct comparison *c, const struct compared_side *side)
{
	char value[UNIT_TEXT_MAX], around[CHANGE_TEXT_MAX];
	bool known = !isnan(side->low);

	table_cell(table, "%s%s%s", value_text(value, compare, c, side->median), known ? " +-" : "",
		   known ? plus_minus_text(around, side) : "");
}

static void short_cells(struct table *table, const struct compare *compare,
			const struct comparison *c)
{
	char text[CHANGE_TEXT_MAX];
	unsigned n[2];

	if (!compare_same_n(compare, false, n))
		table_cell(table, "%u+%u", c->base.processes, c->new.processes);
	side_cell(table, compare, c, &c->base);
	side_cell(table, compare, c, &c->new);
	table_cell(table, "%s", shown_change_text(text, c));
}

static void long_cells(struct table *table, const struct compare *compare,
		       const struct comparison *c)
{
	struct relative_change change = comparison_change(c);
	char text[CHANGE_TEXT_MAX];

	short_cells(table, compare, c);
	table_cell(table, "%s", change_interval_text(text, &change));
}

/* The number of processes stands in the rows where it is not the same in all; the interval of the
 * change only where there is room. */
static const char *const titles[] = {"n", "before", "after", "change", "interval", NULL};
static const char *const short_titles[] = {"n", "before", "after", "change", NULL};

/* Tables stand out from the prose around them by two blanks. */
static int print_indented(const struct table *table, FILE *out)
{
	char *text = NULL, *line, *rest;
	size_t length;
	FILE *memory = open_memstream(&text, &length);
	int r = memory ? table_print(table, memory) : -ENOMEM;

	if (memory && fclose(memory))
		r = -ENOMEM;
	for (line = text; !r && line && *line; line = rest) {
		rest = strchr(line, '\n') + 1;
		fprintf(out, "  %.*s", (int)(rest - line), line);
	}
	free(text);
	return r;
}

/* The table of a group in the columns that fit. NULL: out of memory. */
static struct table *fitting_rows(const struct compare_layout *layout, size_t group, size_t *rows)
{
	unsigned n[2];
	size_t first = compare_same_n(layout->compare, false, n) ? 1 : 0;
	const struct compare_columns all = {titles + first, long_cells};
	const struct compare_columns fewer = {short_titles + first, short_cells};
	struct table *table = compare_rows(layout, group, false, &all, rows);

	if (table_width(table) + 2 <= COVER_COLUMNS)
		return table;
	table_free(table);
	return compare_rows(layout, group, false, &fewer, rows);
}

/* Nobody reads a letter of a thousand rows: those that changed come first, as many as there is room
 * for, and what is left out is said. */
#define ROWS_MOST 60

static bool is_changed(const struct comparison *comparison)
{
	return comparison->verdict >= VERDICT_IMPROVEMENT;
}

/* Mark up to `most` more that changed or did not; returns how many of these are left out. */
static size_t choose(const struct compare *compare, bool changed, size_t most, bool *shown)
{
	size_t nr = 0;

	for (size_t i = 0; i < compare->nr; i++) {
		if (is_changed(&compare->comparisons[i]) == changed)
			shown[i] = nr++ < most;
	}
	return nr > most ? nr - most : 0;
}

static void say_left_out(const struct compare *compare, bool *shown, FILE *out)
{
	size_t changed = choose(compare, true, ROWS_MOST, shown), room = ROWS_MOST, others;
	char text[128], how_many[48] = "none";

	for (size_t i = 0; i < compare->nr; i++)
		room -= is_changed(&compare->comparisons[i]) && shown[i];
	others = choose(compare, false, room, shown);
	if (changed)
		snprintf(how_many, sizeof(how_many), "%zu", changed);
	snprintf(text, sizeof(text),
		 "and %zu more rows, %s of them changed; memcgbench compare lists them all.",
		 changed + others, how_many);
	if (!changed && !others)
		return;
	fputc('\n', out);
	wrap_lines(out, COVER_COLUMNS, 2, " ", text);
}

static int print_rows(const struct compare *compare, const bool *shown, FILE *out)
{
	struct compare_layout layout;
	int r = compare_layout_init(&layout, compare);

	layout.shown = shown;
	for (size_t g = 0; !r && g < layout.groups->nr; g++) {
		const char *heading = layout.groups->groups[g].heading;
		size_t rows;
		struct table *table = fitting_rows(&layout, g, &rows);

		if (!table)
			r = -ENOMEM;
		if (rows) {
			fputc('\n', out);
			if (*heading)
				wrap_lines(out, COVER_COLUMNS, 2, " ", heading);
			r = print_indented(table, out);
		}
		table_free(table);
	}
	compare_layout_fini(&layout);
	return r;
}

/* What is left out stands below the rows, but is known before. */
static int print_chosen_rows(const struct compare *compare, FILE *out)
{
	bool *shown = calloc(compare->nr + 1, sizeof(*shown));
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);
	int r = shown && memory ? 0 : -ENOMEM;

	if (!r)
		say_left_out(compare, shown, memory);
	if (memory && fclose(memory))
		r = -ENOMEM;
	if (!r)
		r = print_rows(compare, shown, out);
	if (!r)
		fputs(text, out);
	free(shown);
	free(text);
	return r;
}

static void say_sentence(void *arg, const char *label, const char *sentence)
{
	char text[128];

	if (!strcmp(label, "verdict")) /* shouts, and says what the next sentences do */
		return;
	snprintf(text, sizeof(text), "- %.100s:", label);
	wrap_lines(arg, COVER_COLUMNS, 2, text, sentence);
}

static void print_legend(const struct compare *compare, FILE *out)
{
	const struct compare_options *options = &compare->options;
	char *text, effect[CHANGE_TEXT_MAX], many[64] = "n fresh processes before and after";
	unsigned n[2];

	if (compare_same_n(compare, false, n))
		snprintf(many, sizeof(many), "n = %u fresh processes before, %u after", n[0], n[1]);
	if (asprintf(&text,
		     "%s; medians of them, +- the larger side of their 95%% intervals; change by "
		     "Hodges-Lehmann, and its interval; ~ where nothing is shown (exact "
		     "Mann-Whitney test, false discovery rate %g). A change of less than %s is "
		     "taken not to matter.",
		     many, options->alpha, share_text(effect, options->min_effect, " %")) < 0)
		return;
	wrap_lines(out, COVER_COLUMNS, 0, "", text);
	free(text);
}

#define RANGE_TEXT_MAX (2 * UNIT_TEXT_MAX + 8)

/* "14.4 ns to 14.6 ns": the medians of a side at all points of a back end. */
static const char *range_text(const struct compare *compare, const char *backend, bool new,
			      char buffer[RANGE_TEXT_MAX])
{
	double least = NAN, most = NAN;
	char low[UNIT_TEXT_MAX], high[UNIT_TEXT_MAX];

	for (size_t i = 0; i < compare->nr; i++) {
		const struct comparison *c = &compare->comparisons[i];

		if (c->verdict == VERDICT_NO_DATA || strcmp(c->new_cell->backend, backend))
			continue;
		least = fmin(least, new ? c->new.median : c->base.median);
		most = fmax(most, new ? c->new.median : c->base.median);
	}
	metric_text(compare->options.metric, least, low);
	metric_text(compare->options.metric, most, high);
	snprintf(buffer, RANGE_TEXT_MAX, "%s%s%s", low, strcmp(low, high) ? " to " : "",
		 strcmp(low, high) ? high : "");
	return buffer;
}

/* A row for each back end: the figures hardly depend on what readers do, and the sentences below
 * name the points where they changed. */
static int print_ranges(const struct compare *update, FILE *out)
{
	struct compare_layout layout;
	struct table *table = table_new();
	char text[RANGE_TEXT_MAX];
	int r = compare_layout_init(&layout, update);

	table_column(table, "back end", ALIGN_LEFT);
	table_column(table, "before", ALIGN_RIGHT);
	table_column(table, "after", ALIGN_RIGHT);
	for (size_t i = 0; i < layout.nr_names; i++) {
		table_row(table);
		table_cell(table, "%s", layout.names[i]);
		table_cell(table, "%s", range_text(update, layout.names[i], false, text));
		table_cell(table, "%s", range_text(update, layout.names[i], true, text));
	}
	if (!r)
		r = print_indented(table, out);
	table_free(table);
	compare_layout_fini(&layout);
	return r;
}

static int print_writers(const struct compare *update, FILE *out)
{
	bool any = false;
	int r;

	for (size_t i = 0; update && i < update->nr; i++)
		any |= update->comparisons[i].verdict != VERDICT_NO_DATA;
	if (!any) {
		wrap_lines(out, COVER_COLUMNS, 0, "",
			   "What writers pay was not measured on both sides.");
		return 0;
	}
	wrap_lines(out, COVER_COLUMNS, 0, "",
		   "What writers pay for one charge of one page, nobody reading (medians, over "
		   "all points):");
	fputc('\n', out);
	r = print_ranges(update, out);
	fputc('\n', out);
	return r ? r : compare_sentences(update, say_sentence, out);
}

static void print_counts(const struct compare *compare, FILE *out)
{
	char *text;
	int length;

	if (!compare->nr_counted)
		return;
	if (compare->nr_counts)
		length = asprintf(&text,
				  "Operation counts: %zu differ, over %zu pairs of point and back "
				  "end; memcgbench compare lists them.",
				  compare->nr_counts, compare->nr_counted);
	else
		length = asprintf(&text, "Operation counts (loads, atomics, steps): the same.");
	if (length < 0)
		return;
	fputc('\n', out);
	wrap_lines(out, COVER_COLUMNS, 0, "", text);
	free(text);
}

static int print_all(const struct compare *compare, const struct compare *update, FILE *out)
{
	int r = cover_head_print(compare, out);

	if (!r)
		r = print_chosen_rows(compare, out);
	if (r)
		return r;
	fputc('\n', out);
	print_legend(compare, out);
	fputc('\n', out);
	r = compare_sentences(compare, say_sentence, out);
	fputc('\n', out);
	if (!r && strcmp(compare->options.metric->name, "update"))
		r = print_writers(update, out);
	print_counts(compare, out);
	return r ? r : cover_commands_print(compare, out);
}

/* Lines that even wrapping could not make short enough are broken where they are too long: nothing
 * stands beyond the last column. Characters of UTF-8 stay whole. */
static void print_narrow(const char *text, FILE *out)
{
	unsigned column = 0;

	for (; *text; text++) {
		bool begins = ((unsigned char)*text & 0xc0) != 0x80;

		if (*text == '\n') {
			column = 0;
		} else if (begins && column++ == COVER_COLUMNS) {
			fputc('\n', out);
			column = 1;
		}
		fputc(*text, out);
	}
}

int compare_cover_print(const struct compare *compare, const struct compare *update, FILE *out)
{
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);
	int r = memory ? print_all(compare, update, memory) : -ENOMEM;

	if (memory && fclose(memory))
		r = -ENOMEM;
	if (!r)
		print_narrow(text, out);
	free(text);
	return !r && ferror(out) ? -EIO : r;
}
