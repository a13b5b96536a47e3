// SPDX-License-Identifier: MIT
/* See history_table.h: TSV, for programs. What is not known is an empty field. */
#include "report/history_parts.h"
#include "report/history_table.h"
#include "report/table.h"

#include <math.h>

static const char *const columns[] = {
	"backend",      "metric",       "unit",        "runs",          "noise",
	"min_effect",   "state",        "since",       "until",         "before",
	"after",        "factor",       "runs_before", "runs_after",    "p",
	"direction",    "build_before", "build_after", "kernel_before", "kernel_after",
	"label_before", "label_after",
};

static void number_cell(struct table *table, double value)
{
	if (isfinite(value))
		table_cell(table, "%.12g", value);
	else
		table_cell(table, "%s", "");
}

static void text_cell(struct table *table, const char *text)
{
	table_cell(table, "%s", text ? text : "");
}

static void series_cells(struct table *table, const struct series *series)
{
	char value[PARAMETER_TEXT_MAX];

	text_cell(table, series->host_class);
	text_cell(table, series->point->id);
	for (size_t i = 0; i < nr_parameters; i++)
		text_cell(table, parameter_base_text(&parameters[i], series->point, value));
	text_cell(table, series->backend);
	text_cell(table, series->metric->name);
	text_cell(table, series->metric->unit);
	table_cell(table, "%zu", series->nr);
	number_cell(table, series->noise);
	number_cell(table, series->min_effect);
	text_cell(table, history_state_word(series->state));
}

static void change_cells(struct table *table, const struct series *series,
			 const struct change *change)
{
	const struct record *old = history_last_before(series, change)->record;
	const struct record *new = history_first_after(series, change)->record;
	char time[RECORD_TIME_MAX];

	text_cell(table, record_time_text(new->started, time));
	text_cell(table, record_time_text(old->started, time));
	number_cell(table, change->before);
	number_cell(table, change->after);
	number_cell(table, change->after / change->before);
	table_cell(table, "%zu", change->nr_before);
	table_cell(table, "%zu", change->nr_after);
	number_cell(table, change->p);
	text_cell(table, series_change_is_worse(series, change) ? "worse" : "better");
	text_cell(table, old->build_id);
	text_cell(table, new->build_id);
	text_cell(table, record_context(old, "kernel"));
	text_cell(table, record_context(new, "kernel"));
	text_cell(table, old->label);
	text_cell(table, new->label);
}

int history_tsv_print(const struct history *history, FILE *out)
{
	struct table *table = table_new();
	int r;

	table_column(table, "host_class", ALIGN_LEFT);
	table_column(table, "id", ALIGN_LEFT);
	for (size_t i = 0; i < nr_parameters; i++)
		table_column(table, parameters[i].name, ALIGN_LEFT);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		table_column(table, columns[i], ALIGN_LEFT);
	for (size_t i = 0; i < history->nr_series; i++) {
		const struct series *series = &history->series[i];
		size_t rows = series->nr_changes ? series->nr_changes : 1;

		for (size_t k = 0; k < rows; k++) {
			table_row(table);
			series_cells(table, series);
			if (series->nr_changes)
				change_cells(table, series, &series->changes[k]);
		}
	}
	r = table_print_tsv(table, out);
	table_free(table);
	return r;
}
