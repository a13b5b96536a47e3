// SPDX-License-Identifier: MIT
/* See chart_tradeoff_names.h. */
#include "report/chart_tradeoff_names.h"

#include <math.h>
#include <string.h>

/* Of the plot of style.gp, in pixels, and of a letter of its small font. */
#define PLOT_WIDTH  806.0
#define PLOT_HEIGHT 420.0
#define LETTER      7.0
#define HEIGHT      17.0
#define POINT       7.0 /* from its middle to its edge */
#define GAP         5.0

struct box {
	double left, right, low, high;
};

static double covered(const struct box *a, const struct box *b)
{
	double width = fmin(a->right, b->right) - fmax(a->left, b->left);
	double height = fmin(a->high, b->high) - fmax(a->low, b->low);

	return width > 0 && height > 0 ? width * height : 0;
}

static struct box box_of(const struct chart_name *name)
{
	double width = LETTER * (double)strlen(name->text);
	double x = name->at_x * PLOT_WIDTH, y = name->at_y * PLOT_HEIGHT;
	double left = name->side == SIDE_LEFT    ? x
		      : name->side == SIDE_RIGHT ? x - width
						 : x - width / 2;

	return (struct box){left, left + width, y - HEIGHT / 2, y + HEIGHT / 2};
}

static struct box point_box(const struct chart_name *name)
{
	double x = name->x * PLOT_WIDTH, y = name->y * PLOT_HEIGHT;

	return (struct box){x - POINT, x + POINT, y - POINT, y + POINT};
}

/* As wide as a line is drawn, so that crossing one counts less than hiding a point. */
static struct box line_box(const struct chart_name *name)
{
	double x = name->x * PLOT_WIDTH, y = name->y * PLOT_HEIGHT;
	double end = isnan(name->bound) ? x : name->bound * PLOT_WIDTH;

	return (struct box){fmin(x, end), fmax(x, end), y - 1, y + 1};
}

/* What a name at its place hides: names before it count most. Nothing goes beyond the edge. */
static double cost(const struct chart_name *names, size_t nr, size_t which)
{
	struct box box = box_of(&names[which]);
	const struct box plot = {0, PLOT_WIDTH, 0, PLOT_HEIGHT};
	double area = (box.right - box.left) * (box.high - box.low);
	double sum = 100 * (area - covered(&box, &plot));

	for (size_t i = 0; i < nr; i++) {
		struct box point = point_box(&names[i]), line = line_box(&names[i]), other;

		sum += 3 * covered(&box, &point) + covered(&box, &line);
		if (i >= which)
			continue;
		other = box_of(&names[i]);
		sum += 4 * covered(&box, &other);
	}
	return sum;
}

void chart_names_place(struct chart_name *names, size_t nr)
{
	static const struct {
		enum chart_side side;
		double dx, dy; /* pixels from the point */
	} places[] = {
		{SIDE_CENTER, 0, HEIGHT},       {SIDE_CENTER, 0, -HEIGHT},
		{SIDE_LEFT, 0, HEIGHT},         {SIDE_LEFT, 0, -HEIGHT},
		{SIDE_RIGHT, 0, HEIGHT},        {SIDE_RIGHT, 0, -HEIGHT},
		{SIDE_LEFT, POINT + GAP, 0},    {SIDE_RIGHT, -POINT - GAP, 0},
		{SIDE_LEFT, GAP, 2 * HEIGHT},   {SIDE_LEFT, GAP, -2 * HEIGHT},
		{SIDE_RIGHT, -GAP, 2 * HEIGHT}, {SIDE_RIGHT, -GAP, -2 * HEIGHT},
		{SIDE_LEFT, GAP, 3 * HEIGHT},   {SIDE_LEFT, GAP, -3 * HEIGHT},
		{SIDE_RIGHT, -GAP, 3 * HEIGHT}, {SIDE_RIGHT, -GAP, -3 * HEIGHT},
		{SIDE_CENTER, 0, 2 * HEIGHT},   {SIDE_CENTER, 0, -2 * HEIGHT},
		{SIDE_CENTER, 0, 3 * HEIGHT},   {SIDE_CENTER, 0, -3 * HEIGHT},
	};

	for (size_t i = 0; i < nr; i++) {
		struct chart_name best = names[i];
		double least = INFINITY;

		for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
			double found;

			names[i].side = places[p].side;
			names[i].at_x = names[i].x + places[p].dx / PLOT_WIDTH;
			names[i].at_y = names[i].y + places[p].dy / PLOT_HEIGHT;
			/* The earlier ones are nearer: a little less hidden is not worth going. */
			found = cost(names, nr, i) + 4.0 * (double)p;
			if (found < least) {
				least = found;
				best = names[i];
			}
		}
		names[i] = best;
	}
}
