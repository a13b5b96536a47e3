/* SPDX-License-Identifier: MIT */
/*
 * Comparisons laid out: points in groups, and in each group what belongs together (a back end, or a
 * pair of them) under a heading of its own, so that names of any length leave the columns alone.
 */
#ifndef MEMCGBENCH_REPORT_COMPARE_ROWS_H
#define MEMCGBENCH_REPORT_COMPARE_ROWS_H

#include "report/point_groups.h"
#include "report/table.h"
#include "verdict/compare.h"

#include <jansson.h>

/* The points of both sides, those of NEW first. */
struct compare_layout {
	const struct compare *compare; /* not owned */
	struct point_groups *groups;
	size_t nr_names;
	const char **names; /* back ends, in order of appearance; not owned */
	json_t *comparisons, *ratios; /* by point id: index of the first one of the point */
	const bool *shown; /* which comparisons; NULL: all of them; not owned */
};

int compare_layout_init(struct compare_layout *layout, const struct compare *compare);
void compare_layout_fini(struct compare_layout *layout);

/* What stands in a row beside the point; knows the titles of its columns. */
struct compare_columns {
	const char *const *titles; /* ended by NULL */
	void (*cells)(struct table *table, const struct compare *compare,
		      const struct comparison *comparison);
};

/*
 * The rows of one group: comparisons, or (ratios) those ratios that are shown. NULL: out of memory.
 * The table may be empty: `*nr_rows` is how many there are.
 */
struct table *compare_rows(const struct compare_layout *layout, size_t group, bool ratios,
			   const struct compare_columns *columns, size_t *nr_rows);

/* Ratios to the first back end of the point are shown, and all that changed. */
bool compare_ratio_shown(const struct compare *compare, const struct comparison *ratio);

/* The same number of processes with a value in all rows, and (ratios) of pairs in those of ratios?
 * Then `n` is that of both sides. */
bool compare_same_n(const struct compare *compare, bool ratios, unsigned n[2]);

#endif
