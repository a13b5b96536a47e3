/* SPDX-License-Identifier: MIT */
/*
 * A record: what is kept of a run to hold other runs against it. All figures of all processes, the
 * operation counts and what the run was made on; no histograms. Small enough for git and for a
 * mail: one file of JSON, a few hundred bytes for each process at most.
 *
 * Its schema, version 1:
 *  schema      {"name":"memcgbench-record","version":1}
 *  scenario, title, label (or null), build_id, host_class
 *  started_at  "2026-11-30T15:03:00Z", when the first process of the run started; or null
 *  context     machine_context() of the run
 *  seed, repetitions, samples, time_ns
 *  points      [{"id","parameters",
 *               "results":[{"backend","failed":0,"repetitions":[1,2,..],
 *                           "values":{"p50":[..],"p90":[..],..},   by metric; null where unknown;
 *                                                                  a metric without any is absent
 *                           "counts":{..,"bytes_touched":..}|null,"counts_differ":false,
 *                           "error":{"pages","bound_pages","value","truth","cell"}|null,
 *                           "cells_beyond_bound":0,
 *                           "samples","reads","reads_per_sample","floor_ns",
 *                           "placement","placement_found"}]}]
 * Unknown keys are kept; a newer version is refused.
 */
#ifndef MEMCGBENCH_RESULT_RECORD_H
#define MEMCGBENCH_RESULT_RECORD_H

#include "backend/backend.h"
#include "base/error.h"
#include "result/metric.h"
#include "result/summary.h"
#include "scenario/point.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_SCHEMA_NAME "memcgbench-record"

/* All processes of one point and back end. */
struct record_cell {
	const struct point *point; /* of the record */
	char *backend;
	unsigned processes; /* that ended well */
	unsigned failed;
	unsigned *repetition; /* [processes], ascending */
	struct process_figures *figures; /* [processes] */
	uint64_t samples, reads, reads_per_sample; /* samples and reads over all processes */
	bool counted; /* counts and bytes_touched are known */
	bool counts_differ; /* between its processes */
	struct op_counts counts;
	uint64_t bytes_touched;
	uint64_t cells_beyond_bound; /* rows of the text that were wrong beyond what is allowed */
	double error_pages, error_bound_pages, error_value, error_truth; /* NAN: not known */
	char error_cell[64]; /* the name of that cell, or "" */
	double floor_ns; /* of the timer; NAN: not known */
	char *placement; /* as it was asked for, or NULL */
	json_t *placement_found; /* or NULL; owned */
};

struct record {
	char *path; /* where it was read from: for messages */
	char *scenario, *title, *build_id, *host_class;
	char *label; /* or NULL */
	int64_t started; /* seconds since 1970; -1: not known */
	json_t *context; /* kernel, CPU model and so on, or NULL; owned */
	uint64_t seed;
	unsigned repetitions; /* asked for; what there is, each cell says */
	uint64_t samples, time_ns; /* asked for */
	size_t nr_points;
	struct point *points; /* [nr_points] */
	size_t nr_cells;
	struct record_cell *cells; /* in order of points, then of the scenario's back ends */
	const struct record_cell **index; /* [nr_cells] for record_find(), or NULL */
	json_t *document; /* what was read, of a record file: it keeps what only others know */
};

void record_free(struct record *record);

/* 0 or -ENOMEM. The caller owns the record; the summary may be freed. Pairs of which nothing was
 * measured yet, and those that were left out, have no cell. */
int record_from_summary(const struct run_summary *summary, struct record **out, struct error *err);

/* The document described above; the caller owns it. NULL: out of memory. */
json_t *record_to_json(const struct record *record);
int record_write(const char *path, const struct record *record, struct error *err);

/*
 * Read whatever may stand for a run: the directory of a run, a directory of result files without
 * run.json, one result file, a record.
 *
 * Each file that is truncated, foreign, of a newer schema, or inconsistent with itself, its name or
 * its run is one entry of `faults`, with its place. With `keep_going` the rest is read all the
 * same, if there is any; without, -EINVAL after all were looked at. Where nothing at all can be
 * read the error is in `faults`, too. Nothing is ever written. -ENOMEM.
 */
int record_open(const char *path, bool keep_going, struct record **out, struct error_list *faults);

/* The same for many, one after the other, by a reader that knows again what comes again. One reader
 * per thread; records share values with it and with each other, which nobody may change. */
struct record_reader *record_reader_new(void); /* NULL: out of memory */
void record_reader_free(struct record_reader *reader);
int record_open_next(struct record_reader *reader, const char *path, bool keep_going,
		     struct record **out, struct error_list *faults);

/* The cell of that point and back end, or NULL. */
const struct record_cell *record_find(const struct record *record, const char *point_id,
				      const char *backend);

/* Seconds since 1970 as "2026-11-30T15:03:00Z" and back; -1 and "" where not known. */
#define RECORD_TIME_MAX 24
const char *record_time_text(int64_t seconds, char buffer[RECORD_TIME_MAX]);
int64_t record_time_parse(const char *text);

/* kernel, cpu_model, ... of the context, or NULL. */
const char *record_context(const struct record *record, const char *key);

#endif
