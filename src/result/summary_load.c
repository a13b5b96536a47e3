// SPDX-License-Identifier: MIT
/*
 * See summary_load.h. A cell is one point and back end: the unit of work. Threads take cells by a
 * shared index and write only into what belongs to the cell they took, so that there is nothing to
 * lock; what they found is put together afterwards, in order, and so is the same every time.
 */
#include "result/summary_load.h"

#include "base/parallel.h"
#include "result/document.h"
#include "result/result_read.h"
#include "result/summary_backend.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILES_WORTH_A_THREAD 4 /* starting one takes about half as long as reading one */

/* A repetition without figures: failed, or not to be read. */
struct missing {
	unsigned repetition;
	int code; /* 0: the process failed; else why the file cannot be read */
	char *file; /* of those: its path or NULL */
	unsigned line, column;
	char *text; /* the reason, or what is wrong with the file */
};

struct cell {
	const struct point *point;
	const char *backend;
	struct backend_summary *into;
	struct missing *missing;
	size_t nr_missing;
	int result; /* -ENOMEM */
};

struct loading {
	const struct run_dir *dir;
	unsigned repetitions;
	struct cell *cells;
	size_t nr_cells;
};

static int add_missing(struct cell *cell, unsigned repetition, int code, const struct error *fault,
		       const char *reason)
{
	struct missing *grown, *missing;

	grown = realloc(cell->missing, (cell->nr_missing + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	cell->missing = grown;
	missing = &grown[cell->nr_missing++];
	*missing = (struct missing){.repetition = repetition, .code = code};
	missing->text = strdup(code ? fault->text : reason);
	if (code) {
		missing->file = strdup(fault->file);
		missing->line = fault->line;
		missing->column = fault->column;
	}
	return missing->text && (!code || missing->file) ? 0 : -ENOMEM;
}

static int load_repetition(const struct loading *loading, struct cell *cell,
			   struct result_reader *reader, struct backend_merge *merge,
			   unsigned repetition)
{
	struct histogram *latency;
	struct error fault = {0};
	json_t *result;
	int r;

	r = run_dir_read_next(loading->dir, reader, cell->point->id, cell->backend, repetition,
			      &result, &latency, &fault);
	if (r == -ENOENT)
		return 0;
	if (r == -ENOMEM)
		return r;
	if (r)
		return add_missing(cell, repetition, r, &fault, NULL);
	if (latency)
		r = backend_merge_add(merge, result, latency);
	else
		r = add_missing(cell, repetition, 0, NULL,
				json_string_value(json_object_get(result, "reason")));
	histogram_free(latency);
	json_decref(result);
	return r;
}

static void load_cell(const struct loading *loading, struct cell *cell,
		      struct result_reader *reader)
{
	struct backend_merge merge;
	int end, r;

	r = backend_merge_begin(&merge, cell->into, cell->backend, loading->repetitions);
	for (unsigned i = 1; !r && i <= loading->repetitions; i++)
		r = load_repetition(loading, cell, reader, &merge, i);
	end = backend_merge_end(&merge);
	cell->into->left_out = run_dir_left_out(loading->dir, cell->point->id, cell->backend);
	cell->result = r ? r : end;
}

/* One thread's work. */
static int load_cells(void *arg, struct parallel *parallel)
{
	struct result_reader *reader = calloc(1, sizeof(*reader)); /* too large for a stack */
	struct loading *loading = arg;
	size_t i;

	if (!reader)
		return -ENOMEM;
	reader->memo = document_memo_new(); /* without, it is only slower */
	while (parallel_next(parallel, &i))
		load_cell(loading, &loading->cells[i], reader);
	result_reader_fini(reader);
	free(reader);
	return 0;
}

/* "unreadable: FILE:12:7: latency.histogram: is damaged"; the file by its last name. */
static char *unreadable(const struct missing *missing)
{
	const char *name = strrchr(missing->file, '/');
	char place[32] = "";
	char *reason;

	if (missing->line)
		snprintf(place, sizeof(place), ":%u:%u", missing->line, missing->column);
	if (asprintf(&reason, "unreadable: %s%s: %s", name ? name + 1 : missing->file, place,
		     missing->text) < 0)
		return NULL;
	return reason;
}

static int add_failed(struct run_summary *summary, struct cell *cell, struct missing *missing)
{
	struct failed_repetition *grown;

	grown = realloc(summary->failed, (summary->nr_failed + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	summary->failed = grown;
	grown += summary->nr_failed++;
	*grown = (struct failed_repetition){.repetition = missing->repetition};
	memcpy(grown->id, cell->point->id, sizeof(grown->id));
	grown->backend = strdup(cell->backend);
	grown->reason = missing->code ? unreadable(missing) : strdup(missing->text);
	cell->into->failed++;
	return grown->backend && grown->reason ? 0 : -ENOMEM;
}

static int settle_missing(struct run_summary *summary, struct cell *cell, struct missing *missing,
			  struct error_list *faults, struct error *err)
{
	if (missing->code && faults) {
		error_list_add(faults, missing->file, missing->line, missing->column, "%s",
			       missing->text);
		return 0;
	}
	if (missing->code == -EPROTONOSUPPORT)
		return error_set_at(err, missing->code, missing->file, missing->line,
				    missing->column, "%s", missing->text);
	return add_failed(summary, cell, missing);
}

/* Put together what the threads found. */
static int settle(struct run_summary *summary, const struct loading *loading,
		  struct error_list *faults, struct error *err)
{
	for (size_t i = 0; i < loading->nr_cells; i++) {
		struct cell *cell = &loading->cells[i];
		int64_t started = cell->into->started;
		int r = cell->result;

		for (size_t k = 0; !r && k < cell->nr_missing; k++)
			r = settle_missing(summary, cell, &cell->missing[k], faults, err);
		if (r)
			return r;
		if (!cell->into->left_out)
			summary->expected += loading->repetitions;
		summary->done += cell->into->processes;
		if (started >= 0 && (summary->started < 0 || started < summary->started))
			summary->started = started;
	}
	return 0;
}

static int make_point(struct run_summary *summary, const struct run_dir *dir, const json_t *item,
		      struct loading *loading, struct error *err)
{
	const json_t *names = json_at(dir->run, "identity.backends");
	struct point_summary *point = &summary->points[summary->nr_points];
	size_t nr = json_array_size(names);
	int r;

	r = point_from_json(json_object_get(item, "parameters"),
			    json_string_value(json_object_get(item, "id")), &point->point, err);
	if (r)
		return r;
	point->backends = calloc(nr + 1, sizeof(*point->backends));
	if (!point->backends)
		return -ENOMEM;
	summary->nr_points++;
	point->nr_backends = nr;
	for (size_t b = 0; b < nr; b++)
		loading->cells[loading->nr_cells++] = (struct cell){
			.point = &point->point,
			.backend = json_string_value(json_array_get(names, b)),
			.into = &point->backends[b],
		};
	return 0;
}

static int make_points(struct run_summary *summary, const struct run_dir *dir,
		       struct loading *loading, struct error *err)
{
	const json_t *points = json_at(dir->run, "identity.points"), *item;
	size_t nr = json_array_size(json_at(dir->run, "identity.backends")), i;
	int r = 0;

	summary->points = calloc(json_array_size(points) + 1, sizeof(*summary->points));
	loading->cells = calloc(json_array_size(points) * nr + 1, sizeof(*loading->cells));
	if (!summary->points || !loading->cells)
		return -ENOMEM;
	json_array_foreach (points, i, item) {
		r = make_point(summary, dir, item, loading, err);
		if (r)
			return r;
	}
	return 0;
}

static void loading_fini(struct loading *loading)
{
	for (size_t i = 0; i < loading->nr_cells; i++) {
		struct cell *cell = &loading->cells[i];

		for (size_t k = 0; k < cell->nr_missing; k++) {
			free(cell->missing[k].file);
			free(cell->missing[k].text);
		}
		free(cell->missing);
	}
	free(loading->cells);
}

int summary_load_cells(struct run_summary *summary, const struct run_dir *dir,
		       struct error_list *faults, struct error *err)
{
	struct loading loading = {
		.dir = dir,
		.repetitions = (unsigned)json_whole_at(dir->run, "identity.repetitions"),
	};
	size_t threads;
	int r;

	json_object_seed(0); /* the first object would do it, in any of the threads */
	r = make_points(summary, dir, &loading, err);
	threads = loading.nr_cells * loading.repetitions / FILES_WORTH_A_THREAD;
	if (!r)
		r = parallel_run(load_cells, &loading, loading.nr_cells,
				 threads < PARALLEL_MAX ? (unsigned)threads : PARALLEL_MAX);
	if (!r)
		r = settle(summary, &loading, faults, err);
	loading_fini(&loading);
	return r;
}
