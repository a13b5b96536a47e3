// SPDX-License-Identifier: MIT
/*
 * One line for each process: what it measured, what was measured, and what identifies build,
 * kernel, host class and time, so that lines of many runs can be put into one file and taken apart
 * again.
 */
#include "result/csv.h"
#include "result/document.h"
#include "result/export_cells.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <string.h>

/* Columns that are looked up in the result, and where it does not have them (a failed process) in
 * run.json. */
static const struct column {
	const char *name, *path, *of_run;
} identity_columns[] =
	{
		{"started_at", "started_at", NULL},
		{"label", "label", "label"},
		{"build_id", "build.id", "identity.build_id"},
		{"host_class", "host_class", "identity.host_class"},
		{"kernel", "context.kernel", "context.kernel"},
		{"cpu_model", "context.cpu_model", "context.cpu_model"},
},
  count_columns[] = {
	  {"bytes_touched", "counts.bytes_touched", NULL},
	  {"shows", "counts.shows", NULL},
	  {"samples", "sampling.samples", NULL},
	  {"reads_per_sample", "sampling.reads_per_sample", NULL},
	  {"reads", "sampling.reads", NULL},
	  {"floor_ns", "sampling.floor_ns", NULL},
	  {"error_bound_pages", "error.bound_pages", NULL},
	  {"error_cell", "error.cell", NULL},
	  {"cells_beyond_bound", "error.cells_beyond_bound", NULL},
	  {"placement_asked", "placement.asked", NULL},
	  {"placement_found", "placement.found.placement", NULL},
};
#define NR(columns) (sizeof(columns) / sizeof((columns)[0]))

struct csv_export {
	const struct run_dir *dir;
	struct csv csv;
	size_t lines;
};

static void names_of(struct csv *csv, const struct column *columns, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		csv_text(csv, columns[i].name);
}

static void write_header(struct csv *csv)
{
	static const char *const first[] = {"scenario",   "point",  "backend",
					    "repetition", "status", "reason"};
	char buffer[EXPORT_FIGURE_MAX];

	for (size_t i = 0; i < NR(first); i++)
		csv_text(csv, first[i]);
	names_of(csv, identity_columns, NR(identity_columns));
	for (size_t i = 0; i < nr_parameters; i++)
		csv_text(csv, parameters[i].name);
	for (size_t i = 0; i < NR_METRICS; i++)
		csv_text(csv, export_figure_name(&metrics[i], buffer));
	for (size_t i = 0; i < nr_count_names; i++)
		csv_text(csv, count_names[i].name);
	names_of(csv, count_columns, NR(count_columns));
	csv_end_line(csv);
}

static void write_value(struct csv *csv, const json_t *value)
{
	if (json_is_integer(value))
		csv_whole(csv, (uint64_t)json_integer_value(value));
	else if (json_is_real(value))
		csv_number(csv, json_real_value(value));
	else
		csv_text(csv, json_string_value(value)); /* null: empty */
}

static void write_columns(struct csv_export *export, const json_t *result,
			  const struct column *columns, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const json_t *value = result ? json_at(result, columns[i].path) : NULL;

		if (!value && columns[i].of_run)
			value = json_at(export->dir->run, columns[i].of_run);
		write_value(&export->csv, value);
	}
}

static void write_process(struct csv_export *export, const struct export_cell *cell,
			  const struct export_process *process)
{
	char buffer[PARAMETER_TEXT_MAX], path[64];
	struct csv *csv = &export->csv;
	const json_t *result = process->result;

	csv_text(csv, json_string_value(json_at(export->dir->run, "identity.scenario")));
	csv_text(csv, cell->point->id);
	csv_text(csv, cell->backend);
	csv_whole(csv, process->repetition);
	csv_text(csv, process->reason ? "failed" : "ok");
	csv_text(csv, process->reason);
	write_columns(export, result, identity_columns, NR(identity_columns));
	for (size_t i = 0; i < nr_parameters; i++)
		csv_text(csv, parameter_base_text(&parameters[i], cell->point, buffer));
	for (size_t i = 0; i < NR_METRICS; i++)
		csv_number(csv, metric_of(&metrics[i], &process->figures));
	for (size_t i = 0; i < nr_count_names; i++) {
		snprintf(path, sizeof(path), "counts.%s", count_names[i].name);
		write_value(csv, result ? json_at(result, path) : NULL);
	}
	write_columns(export, result, count_columns, NR(count_columns));
	csv_end_line(csv);
}

static int visit(void *arg, const struct export_cell *cell, struct error *err)
{
	struct csv_export *export = arg;

	for (size_t i = 0; i < cell->nr; i++)
		write_process(export, cell, &cell->processes[i]);
	export->lines += cell->nr;
	return ferror(export->csv.out) ? error_set(err, -EIO, "cannot write: %s", strerror(errno))
				       : 0;
}

int export_csv(const struct run_dir *dir, const struct export_selection *selection, FILE *out,
	       struct export_tally *tally, struct error *err)
{
	struct csv_export export = {.dir = dir, .csv = {.out = out}};
	int r;

	write_header(&export.csv);
	r = export_each_cell(dir, selection, visit, &export, tally, err);
	tally->written = export.lines;
	return r;
}
