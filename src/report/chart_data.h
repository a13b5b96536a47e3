/* SPDX-License-Identifier: MIT */
/*
 * What the charts show, worked out from a summary: which parameters the run sweeps, and for each of
 * them the lines of a chart. Knows nothing of gnuplot.
 *
 * A view is one chart's worth of data: one swept number along x, a line for each back end and each
 * combination of the other swept parameters (a facet). Parameters that follow from x (nodes and
 * CPUs given as pairs) make no facets. Where there would be too many facets, the parameters with
 * most values are held at their largest, and the view says so. Where no number is swept there is
 * one view without x, each line of one sample.
 */
#ifndef MEMCGBENCH_REPORT_CHART_DATA_H
#define MEMCGBENCH_REPORT_CHART_DATA_H

#include "base/error.h"
#include "result/summary.h"
#include "scenario/parameter.h"

#include <stdio.h>

#define CHART_MAX_FACETS 4
#define CHART_TEXT_MAX   160

struct chart_sample {
	const struct point *point;
	const struct backend_summary *summary;
	double x; /* of the parameter along x, in base units; without one: the line's place, from 1
		   */
};

struct chart_line {
	char label[CHART_TEXT_MAX]; /* "walk, cold" */
	const char *backend;
	unsigned index; /* colour and shape: of the back end, in the scenario's order */
	unsigned facet; /* the dashes */
	size_t nr;
	struct chart_sample *samples; /* x ascending */
};

struct chart_view {
	const struct run_summary *summary;
	const struct parameter *x; /* NULL: no number is swept */
	char held[512]; /* "machine.cpus 72": swept by the run, one value here; or "" */
	char tied[256]; /* "machine.cpus": parameters that go with x; or "" */
	size_t nr_lines;
	struct chart_line *lines;
};

struct chart_views {
	size_t nr;
	struct chart_view *views;
};

/* 0, -ENODATA (nothing was measured), -ENOMEM. The summary must outlive the views. */
int chart_views_new(const struct run_summary *summary, struct chart_views **out, struct error *err);
void chart_views_free(struct chart_views *views);

/* Do all points of the run have the same value? */
bool chart_parameter_varies(const struct run_summary *summary, const struct parameter *parameter);

/* The figures of one sample that are drawn; NAN where not known. */
struct chart_latency {
	double middle, low,
		high; /* median over processes (p50 where there is none) and its interval */
	double band_low, band_high; /* p50..p99, or min..p90 where there is no p99 */
	bool narrow; /* the latter */
};
struct chart_latency chart_latency(const struct backend_summary *summary);

/* Are the bands drawn? Beyond a few lines they only hide each other. */
bool chart_has_bands(const struct chart_view *view);

/* The line that is fastest at its last sample: what ratios are relative to. Of one facet; NULL
 * where nothing was measured. */
const struct chart_line *chart_fastest(const struct chart_view *view, unsigned facet);

/* How many times as long sample `i` of a line takes as the fastest line at the same point; no pairs
 * where that is not known, or is the line itself. */
struct ratio chart_ratio(const struct chart_view *view, const struct chart_line *line, size_t i);

/* The sample that a spectrum shows of a line: at the largest x where any line was measured. NULL
 * where this one was not. */
const struct chart_sample *chart_spectrum_sample(const struct chart_view *view,
						 const struct chart_line *line);

/* Is there anything to draw? */
bool chart_has_latency(const struct chart_view *view);
bool chart_has_ratio(const struct chart_view *view);
bool chart_has_spectrum(const struct chart_view *view);

/*
 * Tab-separated data: comment lines that say columns and units, then a block for each line of the
 * chart, two blank lines between them (gnuplot's `index`). Unknown figures are NaN.
 */
void chart_latency_tsv(const struct chart_view *view, FILE *out);
void chart_spectrum_tsv(const struct chart_view *view, FILE *out); /* at the largest x */
void chart_ratio_tsv(const struct chart_view *view, FILE *out);
/* What such data is made of: a tab and a figure; a tab and x as people write it; the beginning of
 * the block of a line, `before` others having come. */
void chart_put_figure(FILE *out, double value);
void chart_put_exact(FILE *out, const struct chart_view *view, const struct point *point);
void chart_put_block(const struct chart_line *line, size_t before, FILE *out);

#endif
