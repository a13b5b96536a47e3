/* SPDX-License-Identifier: MIT */
/* The gnuplot scripts of plots/, as bytes of the program; written by embed.py. */
#ifndef MEMCGBENCH_REPORT_CHART_SCRIPTS_H
#define MEMCGBENCH_REPORT_CHART_SCRIPTS_H

#include <stddef.h>

struct chart_script {
	const char *name; /* "latency.gp" */
	const char *text;
	size_t length;
};

extern const struct chart_script chart_scripts[]; /* ended by a NULL name */

#endif
