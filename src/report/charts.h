/* SPDX-License-Identifier: MIT */
/* Charts of a run: data files, and the gnuplot scripts of plots/ (compiled into the program). */
#ifndef MEMCGBENCH_REPORT_CHARTS_H
#define MEMCGBENCH_REPORT_CHARTS_H

#include "base/error.h"
#include "result/summary.h"

struct chart_options {
	const char *directory; /* made if it is not there */
	const char *
		scripts; /* a directory with scripts to use instead of those compiled in, or NULL */
	bool svg, png, dumb; /* dumb: also print to stdout for a terminal of 79 columns */
};

/* -ENOENT where gnuplot is not installed: the message says which package has it. */
int charts_write(const struct run_summary *summary, const struct chart_options *options,
		 struct error *err);

#endif
