// SPDX-License-Identifier: MIT
/* See export_cells.h. */
#include "result/export_cells.h"

#include "result/document.h"
#include "result/result_read.h"
#include "scenario/parameter.h"
#include "stats/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool selects(const char *wanted, const char *name)
{
	return !wanted || !strcmp(wanted, name);
}

static void no_figures(struct process_figures *figures)
{
	double *values = (double *)figures;

	for (size_t i = 0; i < sizeof(*figures) / sizeof(*values); i++)
		values[i] = NAN;
}
_Static_assert(sizeof(struct process_figures) % sizeof(double) == 0, "figures are doubles alone");

static void cell_fini(struct export_cell *cell)
{
	for (size_t i = 0; i < cell->nr; i++) {
		json_decref(cell->processes[i].result);
		free(cell->processes[i].reason);
	}
	free(cell->processes);
}

static int note_failure(struct export_process *process, const struct export_cell *cell,
			const char *reason, struct export_tally *tally)
{
	process->reason = strdup(reason);
	if (!process->reason)
		return -ENOMEM;
	if (!tally->failed++)
		snprintf(tally->first_failed, sizeof(tally->first_failed),
			 "%s %s, repetition %u: %.250s", cell->point->id, cell->backend,
			 process->repetition, reason);
	return 0;
}

/* "unreadable: FILE:12:7: what is wrong", the file by its last name. */
static int note_unreadable(struct export_process *process, const struct export_cell *cell,
			   const struct error *fault, struct export_tally *tally)
{
	const char *name = strrchr(fault->file, '/');
	char reason[sizeof(fault->text) + sizeof(fault->file) + 64], place[32] = "";

	if (fault->line)
		snprintf(place, sizeof(place), ":%u:%u", fault->line, fault->column);
	snprintf(reason, sizeof(reason), "unreadable: %s%s: %s", name ? name + 1 : fault->file,
		 place, fault->text);
	return note_failure(process, cell, reason, tally);
}

struct walk {
	const struct run_dir *dir;
	int (*visit)(void *arg, const struct export_cell *cell, struct error *err);
	void *arg;
	struct export_tally *tally;
	unsigned repetitions;
	struct result_reader reader;
};

static int read_process(struct walk *walk, struct export_cell *cell, unsigned repetition,
			struct error *err)
{
	struct export_process *process = &cell->processes[cell->nr];
	struct error fault = {0};
	struct histogram *latency;
	int r;

	process->repetition = repetition;
	no_figures(&process->figures);
	r = run_dir_read_next(walk->dir, &walk->reader, cell->point->id, cell->backend, repetition,
			      &process->result, &latency, &fault);
	if (r == -ENOENT) {
		walk->tally->missing++;
		return 0;
	}
	if (r == -EPROTONOSUPPORT && err)
		*err = fault;
	if (r == -EPROTONOSUPPORT || r == -ENOMEM)
		return r;
	cell->nr++;
	if (r)
		return note_unreadable(process, cell, &fault, walk->tally);
	if (!latency)
		return note_failure(process, cell,
				    json_string_value(json_object_get(process->result, "reason")),
				    walk->tally);
	process_figures_from_result(process->result, latency, &process->figures);
	histogram_free(latency);
	return 0;
}

static int do_cell(struct walk *walk, const struct point *point, const char *backend,
		   struct error *err)
{
	struct export_cell cell = {.point = point, .backend = backend};
	int r = 0;

	cell.processes = calloc(walk->repetitions, sizeof(*cell.processes));
	if (!cell.processes)
		return -ENOMEM;
	for (unsigned i = 1; !r && i <= walk->repetitions; i++)
		r = read_process(walk, &cell, i, err);
	if (!r && cell.nr)
		r = walk->visit(walk->arg, &cell, err);
	cell_fini(&cell);
	return r;
}

static int do_point(struct walk *walk, const json_t *item, const struct export_selection *selection,
		    struct error *err)
{
	const json_t *name, *names = json_at(walk->dir->run, "identity.backends");
	const char *id = json_string_value(json_object_get(item, "id"));
	struct point point;
	size_t i;
	int r;

	if (!selects(selection->point, id))
		return 0;
	r = point_from_json(json_object_get(item, "parameters"), id, &point, err);
	if (r)
		return r;
	json_array_foreach (names, i, name) {
		const char *backend = json_string_value(name);

		if (!selects(selection->backend, backend) ||
		    run_dir_left_out(walk->dir, id, backend))
			continue;
		r = do_cell(walk, &point, backend, err);
		if (r)
			return r;
	}
	return 0;
}

int export_check_selection(const json_t *run, const char *path,
			   const struct export_selection *selection, struct error *err)
{
	const json_t *item;
	bool point = !selection->point, backend = !selection->backend;
	size_t i;

	json_array_foreach (json_at(run, "identity.points"), i, item)
		point |= selects(selection->point, json_string_value(json_object_get(item, "id")));
	json_array_foreach (json_at(run, "identity.backends"), i, item)
		backend |= selects(selection->backend, json_string_value(item));
	if (!point)
		return error_set_at(err, -ENOENT, path, 0, 0,
				    "the run has no point '%s' (`memcgbench plan' lists ids)",
				    selection->point);
	if (!backend)
		return error_set_at(err, -ENOENT, path, 0, 0, "the run has no back end '%s'",
				    selection->backend);
	return 0;
}

int export_each_cell(const struct run_dir *dir, const struct export_selection *selection,
		     int (*visit)(void *arg, const struct export_cell *cell, struct error *err),
		     void *arg, struct export_tally *tally, struct error *err)
{
	struct walk walk = {
		.dir = dir,
		.visit = visit,
		.arg = arg,
		.tally = tally,
		.repetitions = json_integer_value(json_at(dir->run, "identity.repetitions")),
		.reader.memo = document_memo_new(), /* without, it is only slower */
	};
	const json_t *item;
	size_t i;
	int r = export_check_selection(dir->run, dir->path, selection, err);

	json_array_foreach (json_at(dir->run, "identity.points"), i, item) {
		if (r)
			break;
		r = do_point(&walk, item, selection, err);
	}
	result_reader_fini(&walk.reader);
	return r == -ENOMEM ? error_set(err, r, "out of memory") : r;
}

/* Sizes of tree and machine are in every name. */
static bool is_size(const struct parameter *parameter)
{
	static const char *const sizes[] = {"tree.memcgs", "machine.nodes", "machine.cpus"};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!strcmp(parameter->name, sizes[i]))
			return true;
	return false;
}

/* The last part of a parameter's name; all of it where another has the same last part, unless it is
 * a size. */
static const char *short_name(const struct parameter *parameter)
{
	const char *last = strrchr(parameter->name, '.') + 1;

	for (size_t i = 0; i < nr_parameters && !is_size(parameter); i++)
		if (&parameters[i] != parameter &&
		    !strcmp(strrchr(parameters[i].name, '.') + 1, last))
			return parameter->name;
	return last;
}

static void add_parameter(FILE *out, const struct parameter *parameter, const struct point *point)
{
	char buffer[PARAMETER_TEXT_MAX];

	fprintf(out, "/%s:%s", short_name(parameter),
		parameter_base_text(parameter, point, buffer));
}

char *export_name(const struct point *point, const char *backend)
{
	char *name = NULL;
	size_t length;
	FILE *out = open_memstream(&name, &length);

	if (!out)
		return NULL;
	fprintf(out, "read/%s", backend);
	for (size_t i = 0; i < nr_parameters; i++)
		if (is_size(&parameters[i]))
			add_parameter(out, &parameters[i], point);
	for (size_t i = 0; i < nr_parameters; i++)
		if (parameters[i].in_id && !is_size(&parameters[i]) &&
		    !parameter_is_default(&parameters[i], point))
			add_parameter(out, &parameters[i], point);
	if (fclose(out) == 0)
		return name;
	free(name);
	return NULL;
}

const char *export_figure_name(const struct metric *metric, char buffer[EXPORT_FIGURE_MAX])
{
	const char *per = strchr(metric->unit, '/');

	if (per)
		snprintf(buffer, EXPORT_FIGURE_MAX, "%s_%.*s_per_%s", metric->name,
			 (int)(per - metric->unit), metric->unit, per + 1);
	else
		snprintf(buffer, EXPORT_FIGURE_MAX, "%s_%s", metric->name, metric->unit);
	return buffer;
}

double export_number(const json_t *json, const char *path)
{
	const json_t *value = json_at(json, path);

	return json_is_number(value) ? json_number_value(value) : NAN;
}
