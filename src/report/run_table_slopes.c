// SPDX-License-Identifier: MIT
/*
 * See run_table_parts.h: how the time grows with the parameter that runs down the rows, as the
 * slope of log time on log parameter: 1 is linear, 0 is flat. The slope over all points shows the
 * knee where counters leave the caches; the slope over points that touch at least four last-level
 * caches is beyond it.
 */
#include "report/run_table_parts.h"
#include "report/table.h"
#include "report/wrap.h"
#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define BEYOND_CACHES 4

struct series {
	double *x, *y;
	size_t nr;
};

/* The medians of back end `b` over a group, all of them or only those beyond the caches. */
static void collect(const struct run_groups *groups, const struct run_group *group, size_t b,
		    bool beyond, struct series *series)
{
	double least = beyond ? BEYOND_CACHES * (double)groups->summary->llc_bytes : 0;

	series->nr = 0;
	for (size_t p = 0; p < group->nr_points; p++) {
		const struct point_summary *point = group->points[p];
		const struct backend_summary *s = &point->backends[b];
		double x = (double)parameter_get(groups->row, &point->point);

		if (!(s->median_ns > 0) || !(x > 0) || (double)s->bytes_touched < least)
			continue;
		series->x[series->nr] = x;
		series->y[series->nr++] = s->median_ns;
	}
}

static void slope_cells(struct table *table, const struct series *series)
{
	double error = NAN, slope = NAN;

	if (series->nr >= 2)
		slope = log_log_slope(series->x, series->y, series->nr, &error);
	if (isfinite(slope))
		table_cell(table, "%.3f", slope);
	else
		table_cell(table, "-");
	if (isfinite(error))
		table_cell(table, "%.3f", error);
	else
		table_cell(table, "-");
	table_cell(table, "%zu", series->nr);
}

static struct table *slope_table(const struct run_groups *groups, const struct run_group *group,
				 struct series *series)
{
	const struct point_summary *first = group->points[0];
	struct table *table = table_new();

	table_column(table, "back end", ALIGN_LEFT);
	table_column(table, "slope", ALIGN_RIGHT);
	table_column(table, "+-", ALIGN_RIGHT);
	table_column(table, "points", ALIGN_RIGHT);
	if (groups->summary->llc_bytes) {
		table_column(table, "beyond", ALIGN_RIGHT);
		table_column(table, "+-", ALIGN_RIGHT);
		table_column(table, "points", ALIGN_RIGHT);
	}
	for (size_t b = 0; b < first->nr_backends; b++) {
		table_row(table);
		table_cell(table, "%s", first->backends[b].backend);
		collect(groups, group, b, false, series);
		slope_cells(table, series);
		if (!groups->summary->llc_bytes)
			continue;
		collect(groups, group, b, true, series);
		slope_cells(table, series);
	}
	return table;
}

static size_t longest_group(const struct run_groups *groups)
{
	size_t longest = 0;

	for (size_t g = 0; g < groups->nr; g++)
		if (groups->groups[g].nr_points > longest)
			longest = groups->groups[g].nr_points;
	return longest;
}

static void print_notes(const struct run_groups *groups, FILE *out)
{
	wrap_print(out, 11, "  slope",
		   "of log median time on log parameter, by least squares; 1: linear, 0: flat; "
		   "+-: its standard error, from three points on");
	if (groups->summary->llc_bytes)
		wrap_print(out, 11, "  beyond",
			   "the same over those points that touch at least four times the "
			   "last-level cache");
}

int run_slopes_print(const struct run_groups *groups, FILE *out)
{
	struct series series = {NULL, NULL, 0};
	size_t longest = longest_group(groups);
	int r = 0;

	if (!groups->row || groups->row->kind != PARAMETER_NUMBER || longest < 2)
		return 0;
	series.x = calloc(2 * longest, sizeof(*series.x));
	if (!series.x)
		return -ENOMEM;
	series.y = series.x + longest;
	fprintf(out, "\nHow time grows with %s\n", groups->row->name);
	for (size_t g = 0; !r && g < groups->nr; g++) {
		struct table *table = slope_table(groups, &groups->groups[g], &series);

		run_group_heading(groups, g, out);
		r = table_print(table, out);
		table_free(table);
	}
	if (!r)
		print_notes(groups, out);
	free(series.x);
	return r;
}
