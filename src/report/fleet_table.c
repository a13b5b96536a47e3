// SPDX-License-Identifier: MIT
/* See fleet_report.h: for people, in 80 columns. */
#include "base/units.h"
#include "report/fleet_report.h"
#include "report/point_groups.h"
#include "report/table.h"
#include "report/wrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define HEAD_INDENT 11
#define NOTE_INDENT 10

struct fleet_page {
	const struct fleet *fleet;
	const struct fleet_choices *choices;
	struct point_groups *groups; /* of the sweeps, one point each */
};

static void row_begin(struct table *table, const struct fleet_page *page,
		      const struct fleet_sweep *sweep)
{
	char value[PARAMETER_TEXT_MAX];

	table_row(table);
	table_cell(table, "%s", parameter_text(page->groups->row, &sweep->point, value));
	table_cell(table, "%s", sweep->backend->backend);
}

static void share_cell(struct table *table, double share)
{
	if (isnan(share))
		table_cell(table, "-");
	else if (share < 0.0001)
		table_cell(table, "<0.01%%");
	else
		table_cell(table, "%.2f%%", 100 * share);
}

/* The larger side of the interval, in % of the mean. */
static void spread_cell(struct table *table, const struct fleet_sweep *sweep)
{
	double side = fmax(sweep->mean_ns - sweep->low_ns, sweep->high_ns - sweep->mean_ns);

	if (isnan(sweep->level))
		table_cell(table, "-");
	else
		table_cell(table, "%.3g%%", 100 * side / sweep->mean_ns);
}

static void basis_cell(struct table *table, const struct fleet_sweep *sweep)
{
	char from[UNIT_TEXT_MAX], to[UNIT_TEXT_MAX];

	unit_format_count(from, sweep->from);
	unit_format_count(to, sweep->to);
	switch (sweep->basis) {
	case FLEET_MEASURED:
		table_cell(table, "measured");
		break;
	case FLEET_BETWEEN:
		table_cell(table, "between %s and %s", from, to);
		break;
	case FLEET_BEYOND:
		table_cell(table, "beyond %s to %s, slope %.2f", from, to, sweep->slope);
		break;
	}
}

static void sweep_columns(struct table *table)
{
	static const char *const titles[] = {"files", "mean", "+-", "p50"};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		table_column(table, titles[i], ALIGN_RIGHT);
	table_column(table, "is", ALIGN_LEFT);
}

static void sweep_rows(struct table *table, const struct fleet_page *page,
		       const struct fleet_sweep *sweep)
{
	char text[UNIT_TEXT_MAX];

	row_begin(table, page, sweep);
	table_cell(table, "%s", unit_format_count(text, (double)sweep->files));
	table_cell(table, "%s", unit_format_time(text, sweep->mean_ns));
	spread_cell(table, sweep);
	table_cell(table, "%s", unit_format_time(text, sweep->p50_ns));
	basis_cell(table, sweep);
}

static void cost_columns(struct table *table)
{
	static const char *const titles[] = {"every", "agents", "CPU an hour", "of a CPU",
					     "of all"};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		table_column(table, titles[i], ALIGN_RIGHT);
}

static void cost_row(struct table *table, const struct fleet_page *page,
		     const struct fleet_sweep *sweep, uint64_t interval_ns, uint32_t agents)
{
	struct fleet_cost cost = fleet_cost(sweep, interval_ns, agents);
	char text[UNIT_TEXT_MAX];

	row_begin(table, page, sweep);
	table_cell(table, "%s", unit_format_exact(text, UNIT_TIME, interval_ns));
	table_cell(table, "%u", agents);
	table_cell(table, "%s%s", unit_format_time(text, 1e9 * cost.cpu_s_per_hour),
		   cost.late ? "*" : "");
	share_cell(table, cost.share_of_cpu);
	share_cell(table, cost.share_of_host);
}

static void cost_rows(struct table *table, const struct fleet_page *page,
		      const struct fleet_sweep *sweep)
{
	const struct fleet_choices *choices = page->choices;

	for (size_t i = 0; i < choices->nr_intervals; i++)
		for (size_t a = 0; a < choices->nr_agents; a++)
			cost_row(table, page, sweep, choices->interval_ns[i], choices->agents[a]);
}

static int print_section(const struct fleet_page *page, const char *title,
			 void (*columns)(struct table *table),
			 void (*rows)(struct table *table, const struct fleet_page *page,
				      const struct fleet_sweep *sweep),
			 FILE *out)
{
	const struct point_groups *groups = page->groups;
	int r = 0;

	fprintf(out, "\n%s\n", title);
	for (size_t g = 0; !r && g < groups->nr; g++) {
		const struct point_group *group = &groups->groups[g];
		struct table *table = table_new();

		if (*group->heading)
			wrap_printf(out, 0, "", "-- %s", group->heading);
		table_column(table, groups->row_title, ALIGN_RIGHT);
		table_column(table, "back end", ALIGN_LEFT);
		columns(table);
		for (size_t i = 0; i < group->nr_points; i++)
			rows(table, page, &page->fleet->sweeps[group->points[i]]);
		r = table_print(table, out);
		table_free(table);
	}
	return r;
}

static struct point_groups *groups_of(const struct fleet *fleet)
{
	const struct point **points = calloc(fleet->nr + 1, sizeof(*points));
	struct point_groups *groups;

	if (!points)
		return NULL;
	for (size_t i = 0; i < fleet->nr; i++)
		points[i] = &fleet->sweeps[i].point;
	groups = point_groups_new(points, fleet->nr);
	free(points);
	return groups;
}

static int print_run(const struct fleet *fleet, const struct fleet_choices *choices, FILE *out)
{
	struct fleet_page page = {fleet, choices, groups_of(fleet)};
	int r;

	if (!page.groups)
		return -ENOMEM;
	wrap_print(out, HEAD_INDENT, "run", fleet->summary->path);
	wrap_print(out, HEAD_INDENT, "scenario", fleet->summary->scenario);
	wrap_print(out, HEAD_INDENT, "host", fleet->summary->host_class);
	point_groups_head(page.groups, TERMINAL_COLUMNS, HEAD_INDENT, out);
	r = print_section(&page, "What a sweep takes", sweep_columns, sweep_rows, out);
	if (!r)
		r = print_section(&page, "What sweeps cost", cost_columns, cost_rows, out);
	point_groups_free(page.groups);
	return r;
}

static bool any_late(struct fleet *const *fleets, size_t nr, const struct fleet_choices *choices)
{
	bool late = false;

	for (size_t f = 0; f < nr; f++)
		for (size_t s = 0; s < fleets[f]->nr; s++)
			for (size_t i = 0; i < choices->nr_intervals; i++)
				late |= fleet_cost(&fleets[f]->sweeps[s], choices->interval_ns[i],
						   1)
						.late;
	return late;
}

static void print_notes(bool late, FILE *out)
{
	fputc('\n', out);
	wrap_print(out, NOTE_INDENT, "  mean",
		   "of a sweep, every memcg's file once: the median of the processes' means; +- "
		   "the larger side of its interval (order statistics). p50: of all sweeps");
	wrap_print(out, NOTE_INDENT, "  CPU",
		   "time on the wall of a reader that had a CPU is taken for CPU time. Each agent "
		   "pays for its own sweeps, as if no other read at that moment but those that "
		   "read.readers put to work");
	wrap_print(out, NOTE_INDENT, "  of all",
		   "CPUs: those online for live back ends, those modelled (machine.cpus) for "
		   "models, whose reads are function calls and no system calls");
	if (late)
		wrap_print(out, NOTE_INDENT, "  *",
			   "a sweep takes longer than the interval: agents read without a pause");
}

int fleet_table_print(struct fleet *const *fleets, size_t nr, const struct fleet_choices *choices,
		      FILE *out)
{
	bool first = true;
	int r = 0;

	for (size_t i = 0; !r && i < nr; i++) {
		if (!fleets[i]->nr)
			continue;
		if (!first)
			fputc('\n', out);
		first = false;
		r = print_run(fleets[i], choices, out);
	}
	if (r)
		return r;
	print_notes(any_late(fleets, nr, choices), out);
	return ferror(out) ? -EIO : 0;
}
