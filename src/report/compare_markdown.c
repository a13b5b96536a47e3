// SPDX-License-Identifier: MIT
/* See compare_report.h: for a job's page. Wide tables scroll there, so all is one of them. */
#include "report/compare_report.h"

#include "report/compare_side.h"
#include "report/compare_table_parts.h"
#include "report/compare_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void say_sentence(void *arg, const char *label, const char *sentence)
{
	if (!strcmp(label, "verdict"))
		fprintf(arg, "**%s**\n\n", sentence);
	else
		fprintf(arg, "- `%s`: %s\n", label, sentence);
}

static void say_warning(void *arg, const char *sentence)
{
	fprintf(arg, "- warning: %s\n", sentence);
}

/* Columns that say which point and back end a row is about. */
static void add_point_columns(struct table *table, const struct point_groups *groups)
{
	for (size_t i = 0; i < nr_parameters; i++) {
		if (groups->varies[i])
			table_column(table, parameters[i].name, ALIGN_RIGHT);
	}
	table_column(table, "back end", ALIGN_LEFT);
}

static void add_point_cells(struct table *table, const struct point_groups *groups,
			    const struct record_cell *cell, const char *other)
{
	char value[PARAMETER_TEXT_MAX];

	for (size_t i = 0; i < nr_parameters; i++) {
		if (groups->varies[i])
			table_cell(table, "%s", parameter_text(&parameters[i], cell->point, value));
	}
	table_cell(table, "%s%s%s", cell->backend, other ? " / " : "", other ? other : "");
}

static void add_result_cells(struct table *table, const struct compare *compare,
			     const struct comparison *c)
{
	struct relative_change change = comparison_change(c);
	char value[UNIT_TEXT_MAX], text[CHANGE_TEXT_MAX];

	table_cell(table, "%s", value_text(value, compare, c, c->base.median));
	table_cell(table, "%s", plus_minus_text(text, &c->base));
	table_cell(table, "%s", value_text(value, compare, c, c->new.median));
	table_cell(table, "%s", plus_minus_text(text, &c->new));
	table_cell(table, "%s", shown_change_text(text, c));
	table_cell(table, "%s", change_interval_text(text, &change));
	table_cell(table, "%s", probability_text(text, c->p));
	table_cell(table, "%u+%u", c->base.processes, c->new.processes);
	table_cell(table, "%s%s", mover_text(compare, c), verdict_text(text, c));
}

static int print_comparisons(const struct compare_layout *layout, bool ratios, FILE *out)
{
	static const char *const titles[] = {"base",     "+-", "new", "+-",     "change",
					     "interval", "p",  "n",   "verdict"};
	const struct compare *compare = layout->compare;
	const struct comparison *items = ratios ? compare->ratios : compare->comparisons;
	size_t nr = ratios ? compare->nr_ratios : compare->nr;
	struct table *table = table_new();
	int r;

	add_point_columns(table, layout->groups);
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		table_column(table, titles[i], ALIGN_RIGHT);
	for (size_t i = 0; i < nr; i++) {
		if (ratios && !compare_ratio_shown(compare, &items[i]))
			continue;
		table_row(table);
		add_point_cells(table, layout->groups, items[i].new_cell, items[i].other);
		add_result_cells(table, compare, &items[i]);
	}
	r = table_print_markdown(table, out);
	table_free(table);
	return r;
}

static int print_counts(const struct compare_layout *layout, FILE *out)
{
	const struct compare *compare = layout->compare;
	char text[COUNT_TEXT_MAX];
	struct table *table;
	int r;

	fputs("\n### Operation counts\n\n", out);
	if (!compare->nr_counts) {
		fprintf(out, "%s, %zu pairs of point and back end.\n",
			compare->nr_counted ? "The same" : "Not known", compare->nr_counted);
		return 0;
	}
	table = table_new();
	add_point_columns(table, layout->groups);
	table_column(table, "count", ALIGN_LEFT);
	table_column(table, "base", ALIGN_RIGHT);
	table_column(table, "new", ALIGN_RIGHT);
	for (size_t i = 0; i < compare->nr_counts; i++) {
		table_row(table);
		add_point_cells(table, layout->groups, compare->counts[i].new_cell, NULL);
		table_cell(table, "%s", compare->counts[i].name);
		table_cell(table, "%s", count_text(text, compare->counts[i].base));
		table_cell(table, "%s", count_text(text, compare->counts[i].new));
	}
	r = table_print_markdown(table, out);
	table_free(table);
	return r;
}

static int print_gate(const struct compare_layout *layout, FILE *out)
{
	struct gate_failure *failures;
	char *blind;
	size_t nr;

	if (!layout->compare->options.gate)
		return 0;
	if (gate_failures(layout->compare, &failures, &nr))
		return -ENOMEM;
	fprintf(out, "**Gate: %s**\n\n", nr ? "FAILED" : "passed");
	blind = gate_blind_text(layout->compare);
	if (blind)
		fprintf(out, "%s.\n\n", blind);
	free(blind);
	for (size_t i = 0; i < nr; i++) {
		char *text = gate_failure_text(layout->compare, &failures[i]);
		char *name = point_groups_name(layout->groups, failures[i].cell->point);

		fprintf(out, "- `%s`%s%s: %s\n", failures[i].cell->backend,
			name && *name ? " at " : "", name ? name : "", text ? text : "");
		free(text);
		free(name);
	}
	if (nr)
		fputc('\n', out);
	free(failures);
	return 0;
}

static void print_sides(const struct compare *compare, FILE *out)
{
	char one[SIDE_TEXT_MAX], other[SIDE_TEXT_MAX];
	struct table *table = table_new();

	table_column(table, "", ALIGN_LEFT);
	table_column(table, "base", ALIGN_LEFT);
	table_column(table, "new", ALIGN_LEFT);
	for (enum side_fact fact = SIDE_SCENARIO; fact < NR_SIDE_FACTS; fact++) {
		const char *base = side_fact_text(compare->base, fact, one);
		const char *new = side_fact_text(compare->new, fact, other);

		if (!base && !new)
			continue;
		table_row(table);
		table_cell(table, "%s", side_fact_name(fact));
		table_cell(table, "%s", base ? base : "-");
		table_cell(table, "%s", new ? new : "-");
	}
	table_print_markdown(table, out);
	table_free(table);
}

/* The same words as below the table for people, folded away. */
static void print_legend(const struct compare *compare, FILE *out)
{
	fputs("\n<details><summary>What the columns say</summary>\n\n```text\n", out);
	compare_notes_print(compare, out);
	compare_ratio_notes_print(compare, out);
	fputs("```\n\n</details>\n", out);
}

static void print_left_over(const struct compare_layout *layout, FILE *out)
{
	const struct compare *compare = layout->compare;

	for (size_t i = 0; i < compare->nr_unmatched; i++) {
		const struct unmatched *unmatched = &compare->unmatched[i];
		char *name = point_groups_name(layout->groups, unmatched->cell->point);

		if (!i)
			fputs("\n### On one side only\n\n", out);
		fprintf(out, "- `%s`%s%s: only in %s\n", unmatched->cell->backend,
			name && *name ? " at " : "", name ? name : "",
			unmatched->in_base ? "base" : "new");
		free(name);
	}
}

static int print_all(const struct compare_layout *layout, FILE *out)
{
	const struct compare *compare = layout->compare;
	const struct metric *metric = compare->options.metric;
	int r = print_gate(layout, out);

	if (compare->options.gate && compare->nr)
		fputs("Wall times, which on a shared machine are advice:\n\n", out);
	if (!r)
		r = compare_sentences(compare, say_sentence, out);
	compare_warnings(compare, say_warning, out);
	fputc('\n', out);
	print_sides(compare, out);
	if (!r && compare->nr) {
		fprintf(out, "\n### %s: %s, %s is better\n\n", metric->name, metric->title,
			metric->better == BETTER_LOWER ? "less" : "more");
		r = print_comparisons(layout, false, out);
	}
	if (!r && compare->nr_ratios) {
		fputs("\n### Ratios of back ends\n\n", out);
		r = print_comparisons(layout, true, out);
	}
	if (!r && compare->nr)
		print_legend(compare, out);
	if (!r)
		r = print_counts(layout, out);
	print_left_over(layout, out);
	return r;
}

int compare_markdown_print(const struct compare *compare, FILE *out)
{
	struct compare_layout layout;
	int r = compare_layout_init(&layout, compare);

	if (!r)
		r = print_all(&layout, out);
	compare_layout_fini(&layout);
	return !r && ferror(out) ? -EIO : r;
}
