/* SPDX-License-Identifier: MIT */
/*
 * The part of a chart's gnuplot script that differs from run to run: names, ranges, ticks, marks
 * and the caption. The scripts of plots/ say how all of it is drawn.
 */
#ifndef MEMCGBENCH_REPORT_CHARTS_SETTINGS_H
#define MEMCGBENCH_REPORT_CHARTS_SETTINGS_H

#include "report/chart_data.h"

#include <stdio.h>

enum chart_kind {
	CHART_LATENCY,
	CHART_BACKENDS,
	CHART_SPECTRUM,
	CHART_RATIO,
	CHART_UPDATE,
	CHART_TRADEOFF, /* of a view of chart_facet_new() */
};

/* The caption in lines of at most `width` characters, each ended by a newline; the caller's to
 * free. NULL: out of memory. */
char *chart_caption(const struct chart_view *view, enum chart_kind kind, unsigned width);

/* What a chart of this kind shows: "Time per read against tree.memcgs". Returns `text`. */
const char *chart_kind_title(const struct chart_view *view, enum chart_kind kind, char *text,
			     size_t size);

/* gnuplot commands that set everything a script of this kind needs. `name`: of its files, without
 * an ending. 0 or -ENOMEM. */
int chart_settings(const struct chart_view *view, enum chart_kind kind, const char *name,
		   FILE *out);

#endif
