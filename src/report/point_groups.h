/* SPDX-License-Identifier: MIT */
/*
 * How points are laid out in tables: one parameter runs down the rows, the others that vary make
 * groups with a heading each; what does not vary is said once, at the top.
 */
#ifndef MEMCGBENCH_REPORT_POINT_GROUPS_H
#define MEMCGBENCH_REPORT_POINT_GROUPS_H

#include "scenario/parameter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct point_group {
	char *heading; /* "read.cache: hot, machine.nodes: 2"; "" where nothing else varies */
	size_t nr_points;
	size_t *points; /* indices, in the order given */
};

struct point_groups {
	size_t nr_points;
	const struct point **points; /* [nr_points]; the points themselves are not owned */
	const struct parameter *row; /* down the rows: tree.memcgs where it varies */
	const char *row_title; /* the last word of its name */
	bool *varies; /* [nr_parameters] */
	size_t nr;
	struct point_group *groups; /* in order of appearance */
};

/* NULL: out of memory. */
struct point_groups *point_groups_new(const struct point *const *points, size_t nr_points);
void point_groups_free(struct point_groups *groups);

/* "tree.memcgs 10k, read.cache hot": what tells a point from the others; owned by the caller. NULL
 * when out of memory. */
char *point_groups_name(const struct point_groups *groups, const struct point *point);

/* The values that a parameter takes, each once, in the order of the points, as a scenario says
 * them; returns how many. `out` may be NULL. */
size_t point_groups_values(const struct point_groups *groups, const struct parameter *parameter,
			   const char *separator, FILE *out);

/* parameter_matters() at any of the points. */
bool point_groups_matters(const struct point_groups *groups, const struct parameter *parameter);

/* Paragraphs for the top: what varied (of more than a few values the lowest, the highest and how
 * many), and all that did not, in lines of `width` characters with the text at column `indent`. */
void point_groups_head(const struct point_groups *groups, unsigned width, unsigned indent,
		       FILE *out);

#endif
