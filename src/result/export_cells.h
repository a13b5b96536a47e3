/* SPDX-License-Identifier: MIT */
/* The processes of a run, point by point and back end by back end; what the exports are made from.
 */
#ifndef MEMCGBENCH_RESULT_EXPORT_CELLS_H
#define MEMCGBENCH_RESULT_EXPORT_CELLS_H

#include "result/counts.h"
#include "result/export.h"
#include "result/metric.h"

#include <jansson.h>

struct export_process {
	unsigned repetition;
	json_t *result; /* NULL: its file cannot be read */
	char *reason; /* why it failed or cannot be read; NULL: it ended well */
	struct process_figures figures; /* all NAN where it failed */
};

/* All processes of a point and a back end, by repetition, failed ones too. */
struct export_cell {
	const struct point *point;
	const char *backend;
	size_t nr;
	struct export_process *processes;
};

/*
 * Call `visit` for each selected cell that has a process, until it returns an error, which is
 * returned. Only one cell at a time is in memory. -ENOENT: the run holds no such point or back end;
 * -EPROTONOSUPPORT: a file of a newer program.
 */
int export_each_cell(const struct run_dir *dir, const struct export_selection *selection,
		     int (*visit)(void *arg, const struct export_cell *cell, struct error *err),
		     void *arg, struct export_tally *tally, struct error *err);

/* -ENOENT with a message where `selection` names what `run` (run.json) does not hold. */
int export_check_selection(const json_t *run, const char *path,
			   const struct export_selection *selection, struct error *err);

/*
 * "read/walk/memcgs:10000/nodes:2/cpus:72": the size of tree and machine, then whatever else is not
 * the default. The same point has the same name in every run, and no other has it. The caller frees
 * it; NULL: out of memory.
 */
char *export_name(const struct point *point, const char *backend);

/* "p50_ns", "rate_reads_per_s": a metric with its unit, as a word. */
#define EXPORT_FIGURE_MAX 64
const char *export_figure_name(const struct metric *metric, char buffer[EXPORT_FIGURE_MAX]);

/* The number at a path of a document; NAN: there is none. */
double export_number(const json_t *json, const char *path);

#endif
