/* SPDX-License-Identifier: MIT */
/*
 * How the points of a run are laid out in tables: one parameter runs down the rows, the others that
 * vary make groups with a heading each; what does not vary is said once, at the top.
 */
#ifndef MEMCGBENCH_REPORT_RUN_GROUPS_H
#define MEMCGBENCH_REPORT_RUN_GROUPS_H

#include "result/summary.h"
#include "scenario/parameter.h"

#include <stdbool.h>
#include <stddef.h>

struct run_group {
	char *heading; /* "read.cache: hot, machine.nodes: 2"; "" where nothing else varies */
	size_t nr_points;
	const struct point_summary **points; /* in the run's order; not owned */
};

struct run_groups {
	const struct run_summary *summary; /* not owned */
	const struct parameter *row; /* down the rows: tree.memcgs where it varies */
	const char *row_title; /* the last word of its name */
	bool *varies; /* [nr_parameters] */
	size_t nr;
	struct run_group *groups; /* in order of appearance */
};

struct run_groups *run_groups_new(const struct run_summary *summary); /* NULL: out of memory */
void run_groups_free(struct run_groups *groups);

#endif
