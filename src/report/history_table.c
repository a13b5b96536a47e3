// SPDX-License-Identifier: MIT
/* See history_table.h: the table for a terminal. */
#include "report/history_table.h"

#include "report/history_notes.h"
#include "report/paragraph.h"
#include "report/wrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One side of a change: how many runs, from or until when, and what was measured. */
static void print_side(const struct series *series, const struct change *change, bool after,
		       FILE *out)
{
	const struct record *old = history_last_before(series, change)->record;
	const struct record *new = history_first_after(series, change)->record;
	const struct record *record = after ? new : old;
	const char *kernel = record_context(record, "kernel");
	const char *other = record_context(after ? old : new, "kernel");
	size_t nr = after ? change->nr_after : change->nr_before;
	char time[RECORD_TIME_MAX];
	struct paragraph p;

	wrap_printf(out, 14, after ? "      after" : "      before", "%zu runs %s %s", nr,
		    after ? "from" : "until", record_time_text(record->started, time));
	paragraph_begin(&p);
	paragraph_say(&p, ", ", "build", record->build_id);
	if (kernel && (!other || strcmp(kernel, other)))
		paragraph_say(&p, ", ", "kernel", kernel);
	if (record->label)
		paragraph_printf(&p, ", ", "label '%s'", record->label);
	paragraph_end(&p, TERMINAL_COLUMNS, 14, "", out);
}

static void print_change(const struct series *series, const struct change *change, FILE *out)
{
	const struct history_value *first = history_first_after(series, change);
	char percent[CHANGE_TEXT_MAX], date[HISTORY_DATE_MAX];
	char before[UNIT_TEXT_MAX], after[UNIT_TEXT_MAX];

	wrap_printf(out, 6, "", "%s (%s) since %s: %s -> %s, p=%.2g",
		    change_text(percent, change->after / change->before - 1, " %"),
		    series_change_is_worse(series, change) ? "worse" : "better",
		    history_date(first->record->started, date),
		    metric_text(series->metric, change->before, before),
		    metric_text(series->metric, change->after, after), change->p);
	print_side(series, change, false, out);
	print_side(series, change, true, out);
}

static void print_series(const struct series *series, FILE *out)
{
	char effect[CHANGE_TEXT_MAX], noise[CHANGE_TEXT_MAX];

	share_text(effect, series->min_effect, " %");
	if (isnan(series->noise))
		wrap_printf(out, 3, "", "%s %s (%s), %zu runs, no A/A noise, least change %s",
			    series->backend, series->metric->name, series->metric->title,
			    series->nr, effect);
	else
		wrap_printf(out, 3, "", "%s %s (%s), %zu runs, A/A noise %s, least change %s",
			    series->backend, series->metric->name, series->metric->title,
			    series->nr, share_text(noise, series->noise, " %"), effect);
	for (size_t i = 0; i < series->nr_changes; i++)
		print_change(series, &series->changes[i], out);
}

static int print_point(const struct series *series, const struct point_groups *points, FILE *out)
{
	char *name = history_point_name(points, series->point);

	if (!name)
		return -ENOMEM;
	if (points->nr_points > 1)
		wrap_printf(out, 3, "--", "%s (point %s)", name, series->point->id);
	else
		wrap_print(out, 3, "--", name);
	free(name);
	return 0;
}

/* All series with changes, under a heading for each host class and point. */
static int print_changes(const struct history *history, const struct point_groups *points,
			 FILE *out)
{
	const struct series *last = NULL;
	int r = 0;

	for (size_t i = 0; i < history->nr_series && !r; i++) {
		const struct series *series = &history->series[i];
		bool other_class = !last || strcmp(last->host_class, series->host_class);

		if (!series->nr_changes)
			continue;
		fputc('\n', out);
		if (other_class)
			wrap_print(out, 12, "Host class:", series->host_class);
		if (other_class || strcmp(last->point->id, series->point->id))
			r = print_point(series, points, out);
		print_series(series, out);
		last = series;
	}
	fputc('\n', out);
	return r;
}

int history_table_print(const struct history *history, const struct history_options *options,
			FILE *out)
{
	struct point_groups *points = history_points(history);
	int r = -ENOMEM;

	if (points) {
		history_head(history, options, points, false, out);
		r = print_changes(history, points, out);
		history_quiet(history, options, false, out);
		fputc('\n', out);
		if (!r)
			r = history_verdict(history, points, false, out);
	}
	point_groups_free(points);
	if (!r && ferror(out))
		r = -EIO;
	return r;
}
