/* SPDX-License-Identifier: MIT */
/*
 * What a design buys with what: time of a read against error against the cost of an update, a point
 * for each back end. At the largest value of the swept parameter, a chart for each combination of
 * the others (a facet).
 *
 * The error is that of reads under load where there are any, else that at rest; a line goes from it
 * to the bound of the design. Errors are on a logarithmic axis, on which 0 has a place of its own,
 * left of all others. Knows nothing of gnuplot but in chart_tradeoff_settings().
 */
#ifndef MEMCGBENCH_REPORT_CHART_TRADEOFF_H
#define MEMCGBENCH_REPORT_CHART_TRADEOFF_H

#include "report/chart_data.h"
#include "report/charts_axis.h"

#include <stdbool.h>
#include <stdio.h>

struct chart_tradeoff {
	struct chart_latency latency;
	double error, bound; /* pages */
	double update_ns; /* NAN: not known */
	bool under_load;
};
struct chart_tradeoff chart_tradeoff(const struct backend_summary *summary);

/*
 * The lines of one facet, as a view of their own with a sample each, whose labels are the back ends
 * with what an update costs. -ENODATA where fewer than two of them have an error and a time. To be
 * freed with chart_facet_free(); the view must outlive it. -ENOMEM.
 */
int chart_facet_new(const struct chart_view *view, unsigned facet, struct chart_view *out);
void chart_facet_free(struct chart_view *view);

/* The next three are of such a view. */
bool chart_is_under_load(const struct chart_view *view);
void chart_tradeoff_tsv(const struct chart_view *view, FILE *out);
/* Axes, and the places of the back ends' names. */
void chart_tradeoff_settings(const struct chart_view *view, FILE *out);

#endif
