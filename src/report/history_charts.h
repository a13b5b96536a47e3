/* SPDX-License-Identifier: MIT */
/* Charts of a history: one for each series, those with changes first, and a bounded number. */
#ifndef MEMCGBENCH_REPORT_HISTORY_CHARTS_H
#define MEMCGBENCH_REPORT_HISTORY_CHARTS_H

#include "report/picture.h"
#include "verdict/history.h"

#define HISTORY_MAX_CHARTS 12

/*
 * Call `visit` for each picture until one returns something else than 0, which is returned. Series
 * whose newest change is for the worse come first, then those with other changes, then the rest.
 */
int history_charts_visit(const struct history *history,
			 int (*visit)(const struct picture *picture, void *arg, struct error *err),
			 void *arg, struct error *err);

/* "12 of 40 series are drawn; 3 of the others have changes.", or "" where all are. */
#define HISTORY_LEFT_OUT_MAX 160
const char *history_charts_left_out(const struct history *history,
				    char buffer[HISTORY_LEFT_OUT_MAX]);

/* Errors are those of picture_write(). */
int history_charts_write(const struct history *history, const struct chart_options *options,
			 struct error *err);

#endif
