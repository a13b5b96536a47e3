/* SPDX-License-Identifier: MIT */
/* Charts of a run: data files, and the gnuplot scripts of plots/ (compiled into the program). */
#ifndef MEMCGBENCH_REPORT_CHARTS_H
#define MEMCGBENCH_REPORT_CHARTS_H

#include "base/error.h"
#include "result/summary.h"

#include <stdio.h>

struct chart_options {
	const char *directory; /* made if it is not there */
	const char *scripts; /* a directory with scripts that replace those built in, or NULL */
	bool svg, png, dumb; /* dumb: also print to `out` for a terminal of 79 columns */
	FILE *out; /* gets the name of each file written, one a line; NULL: none */
};

/*
 * Each chart is NAME.tsv (the data), NAME.gp (draws it again with plain gnuplot) and a picture of
 * each kind asked for; each file is written at once or not at all.
 * -ENOENT where gnuplot is not installed: the message says which package has it. -ENODATA where
 * there is nothing to draw.
 */
int charts_write(const struct run_summary *summary, const struct chart_options *options,
		 struct error *err);

#endif
