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
#include "result/counts.h"
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

		if (!(s->median_ns > 0) || !(x > 0))
			continue;
		if (beyond && !(count_number(s->bytes_touched) >= least))
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

/* Room for the points of a group; false: out of memory. */
static bool series_init(struct series *series, const struct run_group *group)
{
	series->nr = 0;
	series->x = calloc(2 * group->nr_points + 1, sizeof(*series->x));
	series->y = series->x ? series->x + group->nr_points : NULL;
	return series->x;
}

size_t run_slope(const struct run_groups *groups, size_t g, size_t b, double *slope, double *error)
{
	struct series series;

	*slope = *error = NAN;
	if (!run_has_slopes(groups) || !series_init(&series, &groups->groups[g]))
		return 0;
	collect(groups, &groups->groups[g], b, false, &series);
	if (series.nr >= 2)
		*slope = log_log_slope(series.x, series.y, series.nr, error);
	free(series.x);
	return series.nr;
}

struct table *run_slope_table(const struct run_groups *groups, size_t g)
{
	const struct run_group *group = &groups->groups[g];
	const struct point_summary *first = group->points[0];
	struct table *table = table_new();
	struct series series;

	if (!table || !series_init(&series, group)) {
		table_free(table);
		return NULL;
	}

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
		collect(groups, group, b, false, &series);
		slope_cells(table, &series);
		if (!groups->summary->llc_bytes)
			continue;
		collect(groups, group, b, true, &series);
		slope_cells(table, &series);
	}
	free(series.x);
	return table;
}

/* Those that have a place on a logarithmic scale: 0 has none. */
static size_t places(const struct run_groups *groups, const struct run_group *group)
{
	size_t nr = 0;

	for (size_t p = 0; p < group->nr_points; p++)
		nr += parameter_get(groups->row, &group->points[p]->point) > 0;
	return nr;
}

bool run_has_slopes(const struct run_groups *groups)
{
	bool several = false;

	if (!groups->row || groups->row->kind != PARAMETER_NUMBER)
		return false;
	for (size_t g = 0; g < groups->nr; g++)
		several |= places(groups, &groups->groups[g]) > 1;
	return several;
}

void run_slope_notes(const struct run_groups *groups, FILE *out)
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
	int r = 0;

	if (!run_has_slopes(groups))
		return 0;
	fprintf(out, "\nHow time grows with %s\n", groups->row->name);
	for (size_t g = 0; !r && g < groups->nr; g++) {
		struct table *table = run_slope_table(groups, g);

		run_group_heading(groups, g, out);
		r = table_print(table, out);
		table_free(table);
	}
	if (!r)
		run_slope_notes(groups, out);
	return r;
}
