/* SPDX-License-Identifier: MIT */
/* Ranges and ticks of axes, and text that is safe in a gnuplot script. */
#ifndef MEMCGBENCH_REPORT_CHARTS_AXIS_H
#define MEMCGBENCH_REPORT_CHARTS_AXIS_H

#include "report/chart_data.h"

#include <stdbool.h>
#include <stdio.h>

struct chart_range {
	double low, high; /* NAN while empty */
};

static const struct chart_range chart_range_empty = {__builtin_nan(""), __builtin_nan("")};

/* NaN and infinity are left out. */
void chart_range_include(struct chart_range *range, double value);

/* A string constant: quotes doubled, control characters blanked. */
void chart_put_string(FILE *out, const char *text);

/* `set yrange`, `set ytics` and friends for values above 0, widened so that nothing touches the
 * frame. `time`: in ns, ticks like "10 us"; else ratios, ticks like "10k". */
void chart_put_log_axis(FILE *out, const char *axis, struct chart_range range, bool time);

/* What that axis goes from and to. */
struct chart_range chart_log_range(struct chart_range range);

/* The axis of a swept parameter over [range], with ticks at the values measured, as far as they
 * have room; `log_x` is set for the script. Where x is NULL: a place for each line, named. */
void chart_put_x_axis(FILE *out, const struct chart_view *view, struct chart_range range);

/* Percentiles, on an axis of 1/(1-q) up to `depth`. */
void chart_put_percentile_axis(FILE *out, double depth);

/* Is the range of x wide enough, and above 0, for a logarithmic axis? */
bool chart_log_x(struct chart_range range);

#endif
