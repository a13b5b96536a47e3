/* SPDX-License-Identifier: MIT */
/*
 * How much a point differs from itself: the same thing measured twice, interleaved (A/A). What
 * differs between the two halves is noise, and a change that is not well above it is none.
 *
 * Kept as JSON, version 1:
 *  schema      {"name":"memcgbench-noise","version":1}
 *  scenario, build_id, host_class, started_at, context
 *  processes   of each half
 *  points      [{"id","parameters","results":[{"backend",
 *                "metrics":{"p50":{"noise":0.012,"change":1.004,"p":0.53},..}}]}]
 */
#ifndef MEMCGBENCH_VERDICT_NOISE_H
#define MEMCGBENCH_VERDICT_NOISE_H

#include "base/error.h"
#include "result/record.h"

#include <jansson.h>
#include <limits.h>
#include <stddef.h>

#define NOISE_SCHEMA_NAME    "memcgbench-noise"
#define NOISE_SCHEMA_VERSION 1

/* One point, back end and metric. */
struct noise {
	/*
	 * The share of the median by which the medians of two halves differ: the 68 % quantile over
	 * many ways to halve the processes, so that it means about what a standard deviation does.
	 * NAN: not known.
	 */
	double value;
	double change; /* median of the even repetitions / median of the odd ones */
	double p; /* rank test of the same */
};

/* Of one cell, whose repetitions are two runs interleaved. 0, -ENODATA (fewer than 4 processes with
 * that metric), -ENOMEM. The ways to halve are drawn from a fixed seed. */
int noise_measure(const struct record_cell *cell, const struct metric *metric, struct noise *out);

/* The document of a whole A/A run; the caller owns it. NULL: out of memory. */
json_t *noise_to_json(const struct record *record);

/* Write such a document to DIRECTORY/noise-SCENARIO-HASH.json, at once or not at all; the directory
 * is made where it is not there. The hash is of host class, points and back ends: the document of
 * an earlier A/A run of the same is replaced. `path` gets the name. 0 or -errno. */
int noise_store_put(const char *directory, const json_t *document, char path[PATH_MAX],
		    struct error *err);

/* Noise of many runs; looked up by point, back end, host class and metric, the newest counts. */
struct noise_store;

/* Every document of that schema among the *.json of a directory, and nothing else there. Faults
 * of files of that schema are errors. 0, -errno. An empty store is none. */
int noise_store_load(const char *directory, struct noise_store **out, struct error *err);
void noise_store_free(struct noise_store *store);

/* NAN: not measured. */
double noise_find(const struct noise_store *store, const char *host_class, const char *point_id,
		  const char *backend, const struct metric *metric);

#endif
