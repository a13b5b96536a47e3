// SPDX-License-Identifier: MIT
/* See run_table_parts.h: how the times of back ends compare, by pairs of processes. */
#include "report/run_table_parts.h"

#include <errno.h>

static void ratio_columns(struct table *table)
{
	table_column(table, "back ends", ALIGN_LEFT);
	table_column(table, "ratio", ALIGN_RIGHT);
	table_column(table, "from", ALIGN_RIGHT);
	table_column(table, "to", ALIGN_RIGHT);
	table_column(table, "level", ALIGN_RIGHT);
	table_column(table, "pairs", ALIGN_RIGHT);
}

/* `all`: all parameters that tell points apart, and not only the row's. */
static void ratio_rows(struct table *table, const struct run_groups *groups,
		       const struct point_summary *point, bool all)
{
	for (size_t b = 1; b < point->nr_backends; b++) {
		struct ratio ratio = summary_ratio(&point->backends[0], &point->backends[b]);

		if (!ratio.pairs)
			continue;
		table_row(table);
		if (all)
			run_key_cells(table, groups, &point->point);
		else
			run_row_cell(table, groups, point);
		table_cell(table, "%s / %s", point->backends[0].backend,
			   point->backends[b].backend);
		cell_count(table, true, ratio.median);
		cell_count(table, true, ratio.low);
		cell_count(table, true, ratio.high);
		cell_percentage(table, 100 * ratio.level);
		table_cell(table, "%zu", ratio.pairs);
		table_value(table, (double)ratio.pairs, "");
	}
}

struct table *run_ratio_table(const struct run_groups *groups)
{
	struct table *table = table_new();

	run_key_columns(table, groups);
	ratio_columns(table);
	for (size_t p = 0; p < groups->summary->nr_points; p++)
		ratio_rows(table, groups, &groups->summary->points[p], true);
	return table;
}

int run_ratios_print(const struct run_groups *groups, FILE *out)
{
	fputs("\nRatio of median times\n", out);
	for (size_t g = 0; g < groups->nr; g++) {
		const struct run_group *group = &groups->groups[g];
		struct table *table = table_new();
		int r;

		table_column(table, groups->row_title, ALIGN_RIGHT);
		ratio_columns(table);
		for (size_t p = 0; p < group->nr_points; p++)
			ratio_rows(table, groups, group->points[p], false);
		run_group_heading(groups, g, out);
		r = table_print(table, out);
		table_free(table);
		if (r)
			return r;
	}
	ratio_notes(groups->summary, out);
	return 0;
}
