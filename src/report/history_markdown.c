// SPDX-License-Identifier: MIT
/* See history_table.h: for a job's page. Wide tables scroll there, so all is one of them. */
#include "report/history_table.h"

#include "report/history_notes.h"
#include "report/table.h"
#include "report/wrap.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static const char *const titles[] = {"back end",  "metric", "change",    "since",
				     "before",    "after",  "p",         "runs",
				     "A/A noise", "kernel", "old build", "new build"};

static void add_columns(struct table *table, const struct point_groups *points)
{
	for (size_t i = 0; i < nr_parameters; i++)
		if (points->varies[i])
			table_column(table, parameters[i].name, ALIGN_RIGHT);
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		table_column(table, titles[i], ALIGN_LEFT);
}

/* One kernel, or two where it is not the same on both sides. */
static void add_kernel(struct table *table, const struct record *old, const struct record *new)
{
	const char *before = record_context(old, "kernel"), *after = record_context(new, "kernel");

	before = before ? before : "-";
	after = after ? after : "-";
	if (strcmp(before, after))
		table_cell(table, "%s -> %s", before, after);
	else
		table_cell(table, "%s", after);
}

static void add_build(struct table *table, const struct record *record)
{
	if (record->label)
		table_cell(table, "%s (%s)", record->build_id, record->label);
	else
		table_cell(table, "%s", record->build_id);
}

static void add_change(struct table *table, const struct point_groups *points,
		       const struct series *series, const struct change *change)
{
	const struct record *old = history_last_before(series, change)->record;
	const struct record *new = history_first_after(series, change)->record;
	char value[PARAMETER_TEXT_MAX], text[CHANGE_TEXT_MAX], date[HISTORY_DATE_MAX];

	table_row(table);
	for (size_t i = 0; i < nr_parameters; i++)
		if (points->varies[i])
			table_cell(table, "%s",
				   parameter_text(&parameters[i], series->point, value));
	table_cell(table, "%s", series->backend);
	table_cell(table, "%s", series->metric->name);
	table_cell(table, "%s (%s)", change_text(text, change->after / change->before - 1, " %"),
		   series_change_is_worse(series, change) ? "worse" : "better");
	table_cell(table, "%s", history_date(new->started, date));
	table_cell(table, "%s", metric_text(series->metric, change->before, value));
	table_cell(table, "%s", metric_text(series->metric, change->after, value));
	table_cell(table, "%.2g", change->p);
	table_cell(table, "%zu, %zu", change->nr_before, change->nr_after);
	table_cell(table, "%s", isnan(series->noise) ? "-" : share_text(text, series->noise, " %"));
	add_kernel(table, old, new);
	add_build(table, old);
	add_build(table, new);
}

/* The changes of series [from, to), which are of one host class. */
static int print_class(const struct history *history, const struct point_groups *points,
		       size_t from, size_t to, FILE *out)
{
	struct table *table = table_new();
	size_t nr = 0;
	int r = 0;

	add_columns(table, points);
	for (size_t i = from; i < to; i++)
		for (size_t k = 0; k < history->series[i].nr_changes; k++, nr++)
			add_change(table, points, &history->series[i],
				   &history->series[i].changes[k]);
	if (nr) {
		fputc('\n', out);
		wrap_lines(out, UINT_MAX, 0, "Host class:", history->series[from].host_class);
		fputc('\n', out);
		r = table_print_markdown(table, out);
	}
	table_free(table);
	return r;
}

static int print_changes(const struct history *history, const struct point_groups *points,
			 FILE *out)
{
	int r = 0;

	for (size_t from = 0, to = 0; from < history->nr_series && !r; from = to) {
		while (to < history->nr_series &&
		       !strcmp(history->series[from].host_class, history->series[to].host_class))
			to++;
		r = print_class(history, points, from, to, out);
	}
	return r;
}

int history_markdown_print(const struct history *history, const struct history_options *options,
			   FILE *out)
{
	struct point_groups *points = history_points(history);
	int r = -ENOMEM;

	if (points) {
		r = history_verdict(history, points, true, out);
		fputc('\n', out);
		history_head(history, options, points, true, out);
		history_quiet(history, options, true, out);
	}
	if (!r)
		r = print_changes(history, points, out);
	point_groups_free(points);
	if (!r && ferror(out))
		r = -EIO;
	return r;
}
