// SPDX-License-Identifier: MIT
/*
 * See run_table_parts.h: figures that others published, beside those measured here at the same
 * number of memcgs. They come from the scenario, by way of run.json.
 */
#include "report/run_table_parts.h"
#include "report/table.h"
#include "report/wrap.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const struct backend_summary *find_measured(const struct run_group *group,
						   const struct reference *reference,
						   const struct point_summary **point)
{
	for (size_t p = 0; p < group->nr_points; p++) {
		*point = group->points[p];
		if ((*point)->point.tree.memcgs != reference->memcgs)
			continue;
		for (size_t b = 0; b < (*point)->nr_backends; b++) {
			if (!strcmp((*point)->backends[b].backend, reference->backend))
				return &(*point)->backends[b];
		}
	}
	*point = NULL;
	return NULL;
}

static void figure_row(struct table *table, const struct run_group *group,
		       const struct reference *reference)
{
	const struct point_summary *point;
	const struct backend_summary *s = find_measured(group, reference, &point);
	const char *most = reference->at_most ? "<= " : "";
	char text[UNIT_TEXT_MAX];

	table_row(table);
	table_cell(table, "%s", unit_format_exact(text, UNIT_COUNT, reference->memcgs));
	table_cell(table, "%s", reference->backend);
	table_cell(table, "%s%s", most, unit_format_time(text, reference->time_ns));
	table_cell(table, "%s%s", most,
		   unit_format_time(text, reference->time_ns / reference->memcgs));
	table_cell(table, "%s", unit_format_time(text, s ? s->median_ns : NAN));
	table_cell(table, "%s",
		   unit_format_time(text, s ? s->median_ns / summary_memcgs(point) : NAN));
}

static void ratio_row(struct table *table, const struct run_group *group,
		      const struct reference *numerator, const struct reference *denominator)
{
	const struct point_summary *point, *other;
	const struct backend_summary *above = find_measured(group, numerator, &point);
	const struct backend_summary *below = find_measured(group, denominator, &other);
	struct ratio ratio = {.median = NAN};
	char text[UNIT_TEXT_MAX];

	if (above && below && point == other)
		ratio = summary_ratio(above, below);
	table_row(table);
	table_cell(table, "%s", unit_format_exact(text, UNIT_COUNT, numerator->memcgs));
	table_cell(table, "%s / %s", numerator->backend, denominator->backend);
	table_cell(table, "%s%s", denominator->at_most ? ">= " : "",
		   unit_format_count(text, numerator->time_ns / denominator->time_ns));
	table_cell(table, "%s", "");
	table_cell(table, "%s", unit_format_count(text, ratio.median));
}

struct table *run_reference_table(const struct run_groups *groups, size_t g)
{
	const struct run_summary *summary = groups->summary;
	const struct run_group *group = &groups->groups[g];
	struct table *table = table_new();

	table_column(table, "memcgs", ALIGN_RIGHT);
	table_column(table, "back end", ALIGN_LEFT);
	table_column(table, "published", ALIGN_RIGHT);
	table_column(table, "a memcg", ALIGN_RIGHT);
	table_column(table, "here", ALIGN_RIGHT);
	table_column(table, "a memcg", ALIGN_RIGHT);
	for (size_t i = 0; i < summary->nr_references; i++)
		figure_row(table, group, &summary->references[i]);
	for (size_t i = 1; i < summary->nr_references; i++) {
		const struct reference *first = &summary->references[0];
		const struct reference *next = &summary->references[i];

		if (first->memcgs == next->memcgs && strcmp(first->backend, next->backend) &&
		    next->time_ns > 0)
			ratio_row(table, group, first, next);
	}
	return table;
}

static void print_sources(const struct run_summary *summary, FILE *out)
{
	for (size_t i = 0; i < summary->nr_references; i++) {
		const struct reference *reference = &summary->references[i];
		char label[32];

		if (i && !strcmp(reference->source, summary->references[i - 1].source))
			continue;
		snprintf(label, sizeof(label), "  %.24s", reference->backend);
		wrap_print(out, 11, label, reference->source);
	}
}

int run_references_print(const struct run_groups *groups, FILE *out)
{
	const struct run_summary *summary = groups->summary;

	if (!summary->nr_references)
		return 0;
	fputs("\nPublished figures, and the medians here\n", out);
	for (size_t g = 0; g < groups->nr; g++) {
		struct table *table = run_reference_table(groups, g);
		int r;

		run_group_heading(groups, g, out);
		r = table_print(table, out);
		table_free(table);
		if (r)
			return r;
	}
	print_sources(summary, out);
	return 0;
}
