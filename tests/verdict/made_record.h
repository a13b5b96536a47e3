/* SPDX-License-Identifier: MIT */
/* Records in memory, of runs that nobody measured. Each function fails the running test where it
 * cannot do its work. */
#ifndef MEMCGBENCH_TESTS_VERDICT_MADE_RECORD_H
#define MEMCGBENCH_TESTS_VERDICT_MADE_RECORD_H

#include "result/record.h"

#include <stddef.h>

#define MADE_HOST "made CPU, 1 socket, 1 node, 2 CPUs"

/* Of that class of host, without points; record_free() frees it. */
struct record *made_record(const char *host_class);

/* A point with these parameters, "tree.memcgs=10 read.cache=cold": values in base units, or words.
 * Its cells are those added before the next point. */
void made_point(struct record *record, const char *parameters);

/* A back end of the last point, with repetitions from 1; `values` are its p50. */
struct record_cell *made_cell(struct record *record, const char *backend, const double *values,
			      unsigned processes);

/* `processes` (at most 64) values around `median`, each off by its own share of up to `spread`:
 * different seeds, different values. */
struct record_cell *made_noise(struct record *record, const char *backend, double median,
			       double spread, unsigned processes, unsigned seed);

/* Set a metric of all processes to what it is of p50, times `factor`. */
void made_metric(struct record_cell *cell, const char *metric, double factor);

#endif
