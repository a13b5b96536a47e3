// SPDX-License-Identifier: MIT
/*
 * See compare_report.h: the table for people. The verdict comes first, in sentences; then each
 * pair, ratios of back ends, operation counts, and what could not be compared.
 */
#include "report/compare_report.h"

#include "report/compare_table_parts.h"
#include "report/compare_words.h"
#include "report/table.h"
#include "report/wrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void value_cells(struct table *table, const struct compare *compare,
			const struct comparison *c, const struct compared_side *side)
{
	char value[UNIT_TEXT_MAX], around[CHANGE_TEXT_MAX];

	table_cell(table, "%s", value_text(value, compare, c, side->median));
	table_cell(table, "%s", plus_minus_text(around, side));
}

static void pair_cells(struct table *table, const struct compare *compare,
		       const struct comparison *c)
{
	struct relative_change change = comparison_change(c);
	char text[CHANGE_TEXT_MAX];

	value_cells(table, compare, c, &c->base);
	value_cells(table, compare, c, &c->new);
	table_cell(table, "%s", shown_change_text(text, c));
	table_cell(table, "%s", change_interval_text(text, &change));
	table_cell(table, "%s", probability_text(text, c->p));
	table_cell(table, "%s%s", mover_text(compare, c), verdict_text(text, c));
}

static void pair_cells_n(struct table *table, const struct compare *compare,
			 const struct comparison *c)
{
	pair_cells(table, compare, c);
	table_cell(table, "%u+%u", c->base.processes, c->new.processes);
}

static const char *const titles[] = {"base",     "+-", "new",     "+-", "change",
				     "interval", "p",  "verdict", NULL};
static const char *const titles_n[] = {"base",     "+-", "new",     "+-", "change",
				       "interval", "p",  "verdict", "n",  NULL};

static const struct compare_columns columns = {titles, pair_cells};
static const struct compare_columns columns_n = {titles_n, pair_cells_n};

static void print_group_heading(const struct point_groups *groups, size_t group, FILE *out)
{
	const char *heading = groups->groups[group].heading;

	if (*heading)
		wrap_printf(out, 0, "", "%s-- %s", "", heading);
}

static int print_rows(const struct compare_layout *layout, bool ratios, const char *title,
		      FILE *out)
{
	unsigned n[2];
	const struct compare_columns *shown =
		compare_same_n(layout->compare, ratios, n) ? &columns : &columns_n;
	bool first = true;
	int r = 0;

	for (size_t g = 0; !r && g < layout->groups->nr; g++) {
		size_t rows;
		struct table *table = compare_rows(layout, g, ratios, shown, &rows);

		if (!table)
			return -ENOMEM;
		if (rows) {
			fprintf(out, "\n%s%s", first ? title : "", first ? "\n" : "");
			first = false;
			print_group_heading(layout->groups, g, out);
			r = table_print(table, out);
		}
		table_free(table);
	}
	return r;
}

/* Logarithms of the medians of a back end's points that have a factor; returns how many. */
static size_t sum_logarithms(const struct compare *compare, const char *backend, double *base,
			     double *new)
{
	size_t nr = 0;

	*base = *new = 0;
	for (size_t i = 0; i < compare->nr; i++) {
		const struct comparison *c = &compare->comparisons[i];

		if (strcmp(c->new_cell->backend, backend) || isnan(c->factor.estimate))
			continue;
		*base += log(c->base.median);
		*new += log(c->new.median);
		nr++;
	}
	return nr;
}

static int print_means(const struct compare_layout *layout, FILE *out)
{
	const struct compare *compare = layout->compare;
	struct table *table = table_new();
	char text[UNIT_TEXT_MAX], change[CHANGE_TEXT_MAX];
	bool any = false;
	int r = 0;

	table_column(table, "back end", ALIGN_LEFT);
	table_column(table, "points", ALIGN_RIGHT);
	table_column(table, "base", ALIGN_RIGHT);
	table_column(table, "new", ALIGN_RIGHT);
	table_column(table, "change", ALIGN_RIGHT);
	for (size_t i = 0; i < layout->nr_names; i++) {
		double base, new;
		size_t nr = sum_logarithms(compare, layout->names[i], &base, &new);

		if (nr < 2)
			continue;
		any = true;
		table_row(table);
		table_cell(table, "%s", layout->names[i]);
		table_cell(table, "%zu", nr);
		base = exp(base / (double)nr);
		new = exp(new / (double)nr);
		table_cell(table, "%s", metric_text(compare->options.metric, base, text));
		table_cell(table, "%s", metric_text(compare->options.metric, new, text));
		table_cell(table, "%s", change_text(change, new / base - 1, "%"));
	}
	if (any) {
		fputs("\nGeometric mean of the medians, over points on both sides\n", out);
		r = table_print(table, out);
	}
	table_free(table);
	return r;
}

static int print_counts(const struct compare_layout *layout, FILE *out)
{
	const struct compare *compare = layout->compare;
	struct table *table;
	int r;

	if (!compare->nr_counted) {
		fputs("\nOperation counts: not known on both sides of any pair\n", out);
		return 0;
	}
	if (!compare->nr_counts) {
		fprintf(out,
			"\nOperation counts: the same, in all %zu pairs of point and back "
			"end\n",
			compare->nr_counted);
		return 0;
	}
	fprintf(out, "\nOperation counts that differ: %zu, in %zu pairs of point and back end\n",
		compare->nr_counts, compare->nr_counted);
	table = table_new();
	table_column(table, "count", ALIGN_LEFT);
	table_column(table, "base", ALIGN_RIGHT);
	table_column(table, "new", ALIGN_RIGHT);
	table_column(table, "change", ALIGN_RIGHT);
	for (size_t i = 0; i < compare->nr_counts; i++) {
		const struct count_difference *count = &compare->counts[i];
		char *name, change[CHANGE_TEXT_MAX], heading[512];
		char base[COUNT_TEXT_MAX], new[COUNT_TEXT_MAX];

		if (!i || count->new_cell != count[-1].new_cell) {
			name = point_groups_name(layout->groups, count->new_cell->point);
			snprintf(heading, sizeof(heading), "%s%s%s", count->new_cell->backend,
				 name && *name ? " at " : "", name ? name : "");
			table_heading(table, 2, "", heading);
			free(name);
		}
		table_row(table);
		table_cell(table, "%s", count->name);
		table_cell(table, "%s", count_text(base, count->base));
		table_cell(table, "%s", count_text(new, count->new));
		table_cell(table, "%s",
			   change_text(change,
				       (count_number(count->new) - count_number(count->base)) /
					       count_number(count->base),
				       "%"));
	}
	r = table_print(table, out);
	table_free(table);
	return r;
}

static void say_sentence(void *arg, const char *label, const char *sentence)
{
	wrap_print(arg, COMPARE_INDENT, label, sentence);
}

/* What a person wants to know first. */
static int print_verdict(const struct compare_layout *layout, FILE *out)
{
	const struct compare *compare = layout->compare;
	int r = 0;

	if (compare->new->title)
		wrap_print(out, 0, "", compare->new->title);
	if (compare->options.gate)
		r = compare_gate_print(layout, out);
	if (!r && compare->options.gate && compare->nr)
		fputs("Wall times, which on a shared machine are advice:\n", out);
	if (!r)
		r = compare_sentences(compare, say_sentence, out);
	fputc('\n', out);
	return r;
}

static int print_results(const struct compare_layout *layout, FILE *out)
{
	const struct compare *compare = layout->compare;
	int r;

	r = print_rows(layout, false, compare->options.metric->title, out);
	if (!r && compare->nr)
		compare_notes_print(compare, out);
	if (!r)
		r = print_means(layout, out);
	if (!r)
		r = print_rows(layout, true, "Ratios of back ends", out);
	if (!r)
		compare_ratio_notes_print(compare, out);
	if (!r)
		r = print_counts(layout, out);
	return r ? r : compare_left_over_print(layout, out);
}

int compare_table_print(const struct compare *compare, FILE *out)
{
	struct compare_layout layout;
	int r = compare_layout_init(&layout, compare);

	if (!r)
		r = print_verdict(&layout, out);
	if (!r) {
		compare_head_print(&layout, out);
		r = print_results(&layout, out);
	}
	compare_layout_fini(&layout);
	return r;
}
