/* SPDX-License-Identifier: MIT */
/*
 * The chart of what an update costs against a swept number: the writers' side of the chart of
 * times per read, with the same lines. Of single pages, many in a row at one place, so that what
 * batches cost when they spill is in it.
 */
#ifndef MEMCGBENCH_REPORT_CHART_UPDATE_H
#define MEMCGBENCH_REPORT_CHART_UPDATE_H

#include "report/chart_data.h"

/* NAN where it was not measured. */
double chart_update_ns(const struct backend_summary *summary);

/* Is it worth a chart? Where the cost of no line changes by half along x, there is nothing to see.
 */
bool chart_has_update(const struct chart_view *view);

void chart_update_tsv(const struct chart_view *view, FILE *out);
void chart_update_settings(const struct chart_view *view, FILE *out);

#endif
