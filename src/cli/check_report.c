// SPDX-License-Identifier: MIT
/* See check_report.h. */
#include "cli/check_report.h"

#include "base/units.h"
#include "report/table.h"
#include "report/wrap.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/* "h-total N0" of "hierarchical_total N0": tables are 80 columns wide. */
static void cell_in_short(const struct check_outcome *outcome, char name[CELL_NAME_MAX])
{
	static const char prefix[] = "hierarchical_";
	char whole[CELL_NAME_MAX];

	cell_error_name(whole, &outcome->result.worst, outcome->point);
	if (!strncmp(whole, prefix, strlen(prefix)))
		snprintf(name, CELL_NAME_MAX, "h-%s", whole + strlen(prefix));
	else
		snprintf(name, CELL_NAME_MAX, "%s", whole);
}

static void add_row(struct table *table, const struct check_outcome *outcome)
{
	const struct cell_error *worst = &outcome->result.worst;
	char name[CELL_NAME_MAX], text[UNIT_TEXT_MAX];

	cell_in_short(outcome, name);
	table_row(table);
	table_cell(table, "%s", outcome->point->id);
	table_cell(table, "%s", unit_format_exact(text, UNIT_COUNT, outcome->point->tree.memcgs));
	table_cell(table, "%s", outcome->backend->name);
	table_cell(table, "%s", name);
	table_cell(table, "%s", unit_format_count(text, (double)worst->pages));
	table_cell(table, "%s", unit_format_count(text, (double)worst->bound));
	table_cell(table, "%s", unit_format_count(text, (double)outcome->unbatched.worst.pages));
	table_cell(table, "%s", check_passed(outcome) ? "ok" : "WRONG");
}

static void print_notes(const struct check_report *report, FILE *out)
{
	uint64_t cells = 0;

	for (size_t i = 0; i < report->nr; i++)
		cells += report->outcomes[i].result.cells + report->outcomes[i].unbatched.cells;
	fputc('\n', out);
	wrap_printf(out, 0, "",
		    "%" PRIu64 " cells compared, after populating and after %" PRIu64
		    " updates. Errors are in pages, of the cell that takes the largest share of "
		    "its bound; h-: of a hierarchical row. batch 0: the largest error when "
		    "nothing is batched, which must be 0.",
		    cells, report->updates);
}

int check_report_table(const struct check_report *report, FILE *out)
{
	struct table *table = table_new();
	int ret;

	table_column(table, "point", ALIGN_LEFT);
	table_column(table, "memcgs", ALIGN_RIGHT);
	table_column(table, "back end", ALIGN_LEFT);
	table_column(table, "worst cell", ALIGN_LEFT);
	table_column(table, "error", ALIGN_RIGHT);
	table_column(table, "bound", ALIGN_RIGHT);
	table_column(table, "batch 0", ALIGN_RIGHT);
	table_column(table, "", ALIGN_LEFT);
	for (size_t i = 0; i < report->nr; i++)
		add_row(table, &report->outcomes[i]);
	ret = table_print(table, out);
	table_free(table);
	if (!ret)
		print_notes(report, out);
	return ret;
}

static json_t *result_to_json(const struct check_result *result, const struct point *point)
{
	const struct cell_error *worst = &result->worst;
	char name[CELL_NAME_MAX];

	return json_pack(
		"{s:I, s:I, s:I, s:I, s:s, s:I, s:I, s:I, s:s}", "cells", (json_int_t)result->cells,
		"cells_beyond_bound", (json_int_t)result->beyond, "error_pages",
		(json_int_t)worst->pages, "error_bound_pages", (json_int_t)worst->bound, "cell",
		cell_error_name(name, worst, point), "memcg", (json_int_t)result->worst_memcg,
		"value", (json_int_t)worst->value, "truth", (json_int_t)worst->truth, "after",
		result->worst_updated ? "updates" : "populate");
}

static json_t *outcome_to_json(const struct check_outcome *outcome)
{
	return json_pack("{s:s, s:I, s:s, s:o, s:o, s:b}", "id", outcome->point->id, "tree.memcgs",
			 (json_int_t)outcome->point->tree.memcgs, "backend", outcome->backend->name,
			 "batched", result_to_json(&outcome->result, outcome->point), "batch_0",
			 result_to_json(&outcome->unbatched, outcome->point), "ok",
			 check_passed(outcome));
}

int check_report_json(const struct check_report *report, FILE *out)
{
	json_t *list = json_array();
	json_t *document = json_pack("{s:s, s:I, s:o}", "scenario", report->scenario->name,
				     "updates", (json_int_t)report->updates, "checks", list);
	int ret = document ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < report->nr; i++)
		if (json_array_append_new(list, outcome_to_json(&report->outcomes[i])))
			ret = -ENOMEM;
	if (!ret &&
	    (json_dumpf(document, out, JSON_INDENT(2) | JSON_SORT_KEYS) || putc('\n', out) == EOF))
		ret = -EIO;
	json_decref(document);
	return ret;
}
