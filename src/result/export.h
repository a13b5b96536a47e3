/* SPDX-License-Identifier: MIT */
/*
 * Results in the formats of other tools. Each is written to a stream; nothing is left out of a
 * format without being counted in the tally, so that it can be said.
 */
#ifndef MEMCGBENCH_RESULT_EXPORT_H
#define MEMCGBENCH_RESULT_EXPORT_H

#include "base/error.h"
#include "result/record.h"
#include "result/run_dir.h"
#include "result/summary.h"

#include <stddef.h>
#include <stdio.h>

/* Which points and back ends; NULL: all. */
struct export_selection {
	const char *point; /* id */
	const char *backend;
};

/* What happened to the processes of a run. */
struct export_tally {
	size_t written; /* processes, or for histograms back ends at a point */
	size_t failed; /* processes that failed or whose file cannot be read */
	size_t missing; /* that the run has not measured yet */
	size_t batched; /* back ends at a point without a distribution: reads timed in batches */
	char first_failed[400]; /* "ID walk, repetition 3: why" */
};

/*
 * Google Benchmark's JSON: one repetition for each process, then mean, median, stddev and cv over
 * the processes. A failed process is no entry, because compare.py would take it for a time of 0;
 * the context says how many failed. -ENODATA: nothing was measured.
 */
int export_gb_json(const struct run_dir *dir, const struct export_selection *selection, FILE *out,
		   struct export_tally *tally, struct error *err);

/* RFC 4180: a header, then a line for each process, failed ones too; unknown is empty. */
int export_csv(const struct run_dir *dir, const struct export_selection *selection, FILE *out,
	       struct export_tally *tally, struct error *err);

/* HdrHistogram's percentile output, of all processes of a back end at a point; values are
 * nanoseconds per read. 0 or -ENOMEM. The summary has samples, not batches. */
int export_hgrm(const struct run_summary *summary, const struct point *point,
		const struct backend_summary *backend, FILE *out, struct error *err);

/*
 * Apache Otava's CSV: a row for each record, by time, and a column for each point, back end and
 * metric, which holds the median over processes. -EXDEV where the records are of several host
 * classes or scenarios, which have no common level; -ENODATA where none says when it was measured.
 * `untimed` counts those that do not, `gaps` the columns without a value in some row.
 */
int export_otava_csv(struct record *const *records, size_t nr,
		     const struct export_selection *selection, FILE *out, size_t *untimed,
		     size_t *gaps, struct error *err);

#endif
