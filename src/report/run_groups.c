// SPDX-License-Identifier: MIT
/* See run_groups.h. */
#include "report/run_groups.h"

#include <errno.h>
#include <stdlib.h>

void run_groups_free(struct run_groups *groups)
{
	if (!groups)
		return;
	for (size_t i = 0; i < groups->nr; i++)
		free(groups->groups[i].points);
	free(groups->groups);
	point_groups_free(groups->layout);
	free(groups);
}

static struct point_groups *layout_of(const struct run_summary *summary)
{
	const struct point **points = calloc(summary->nr_points + 1, sizeof(*points));
	struct point_groups *layout;

	if (!points)
		return NULL;
	for (size_t p = 0; p < summary->nr_points; p++)
		points[p] = &summary->points[p].point;
	layout = point_groups_new(points, summary->nr_points);
	free(points);
	return layout;
}

static int fill(struct run_groups *groups)
{
	const struct point_groups *layout = groups->layout = layout_of(groups->summary);

	if (!layout)
		return -ENOMEM;
	groups->row = layout->row;
	groups->row_title = layout->row_title;
	groups->varies = layout->varies;
	groups->groups = calloc(layout->nr + 1, sizeof(*groups->groups));
	if (!groups->groups)
		return -ENOMEM;
	for (size_t g = 0; g < layout->nr; g++) {
		const struct point_group *from = &layout->groups[g];
		struct run_group *to = &groups->groups[g];

		to->heading = from->heading;
		to->points = calloc(from->nr_points, sizeof(*to->points));
		if (!to->points)
			return -ENOMEM;
		groups->nr = g + 1;
		for (size_t i = 0; i < from->nr_points; i++)
			to->points[to->nr_points++] = &groups->summary->points[from->points[i]];
	}
	return 0;
}

struct run_groups *run_groups_new(const struct run_summary *summary)
{
	struct run_groups *groups = calloc(1, sizeof(*groups));

	if (groups) {
		groups->summary = summary;
		if (fill(groups)) {
			run_groups_free(groups);
			groups = NULL;
		}
	}
	return groups;
}
