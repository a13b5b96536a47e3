/* SPDX-License-Identifier: MIT */
/* How the points of a run are laid out in tables: point_groups.h, with what was measured. */
#ifndef MEMCGBENCH_REPORT_RUN_GROUPS_H
#define MEMCGBENCH_REPORT_RUN_GROUPS_H

#include "report/point_groups.h"
#include "result/summary.h"
#include "scenario/parameter.h"

#include <stdbool.h>
#include <stddef.h>

struct run_group {
	const char *heading; /* not owned */
	size_t nr_points;
	const struct point_summary **points; /* in the run's order; not owned */
};

struct run_groups {
	const struct run_summary *summary; /* not owned */
	struct point_groups *layout;
	/* of the layout: */
	const struct parameter *row;
	const char *row_title;
	const bool *varies;
	size_t nr;
	struct run_group *groups; /* in order of appearance */
};

struct run_groups *run_groups_new(const struct run_summary *summary); /* NULL: out of memory */
void run_groups_free(struct run_groups *groups);

#endif
