/* SPDX-License-Identifier: MIT */
/* What is drawn of one series, and how: the data, the settings and the caption of its picture. */
#ifndef MEMCGBENCH_REPORT_HISTORY_CHART_H
#define MEMCGBENCH_REPORT_HISTORY_CHART_H

#include "verdict/history.h"

#include <stdio.h>

struct history_chart {
	const struct series *series;
	char *point; /* "tree.memcgs 10k": what tells it from the others */
	unsigned backend; /* its number in the history: colour and shape */
};

/* The functions that struct picture wants; `data` is a struct history_chart. */
void history_chart_data(const void *data, FILE *out);
int history_chart_settings(const void *data, const char *name, FILE *out);
char *history_chart_caption(const void *data, unsigned width);

#endif
