/* SPDX-License-Identifier: MIT */
/*
 * Where the names of points go, so that each stands at its point and hides no other. Places are
 * shares of the plot, 0 to 1 from its lower left corner, for the size that style.gp gives it.
 */
#ifndef MEMCGBENCH_REPORT_CHART_TRADEOFF_NAMES_H
#define MEMCGBENCH_REPORT_CHART_TRADEOFF_NAMES_H

#include <stddef.h>

enum chart_side { /* of the text that its place is at */
	SIDE_LEFT,
	SIDE_RIGHT,
	SIDE_CENTER,
};

struct chart_name {
	const char *text;
	double x, y; /* of the point */
	double bound; /* x where the line that begins at the point ends; NAN: there is none */
	double at_x, at_y; /* of the text, half of its height */
	enum chart_side side;
};

/* In their order each takes the place around its point that hides least. */
void chart_names_place(struct chart_name *names, size_t nr);

#endif
