/* SPDX-License-Identifier: MIT */
/*
 * A scenario: a YAML file that names a question and spans a matrix of points.
 *
 * Strict: whatever the schema does not know is an error at file:line:column, and nothing is ever
 * guessed, rounded or ignored. Up to ERROR_LIST_MAX errors are reported at once.
 */
#ifndef MEMCGBENCH_SCENARIO_SCENARIO_H
#define MEMCGBENCH_SCENARIO_SCENARIO_H

#include "base/error.h"
#include "scenario/point.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_POINTS      100000
#define MAX_REPETITIONS 10000

/* A published figure to stand beside the measured ones. Never part of a measurement. */
struct reference {
	char *backend;   /* whose figure */
	uint32_t memcgs; /* at what M */
	double time_ns;  /* a read took so long */
	bool at_most;    /* or less: the figure is the floor of its clock */
	char *source;    /* where the figure was published, for people */
};

struct scenario {
	char *path;
	char *name;  /* [a-z0-9_-]+, also a directory's name */
	char *title; /* or NULL */
	size_t nr_points;
	struct point *points; /* in the order of the file: the last key named varies fastest */
	size_t nr_backends;
	char **backends; /* as named in the file or by the caller; known names only, no duplicate */
	uint32_t repetitions;
	size_t nr_references;
	struct reference *references;
	size_t nr_captured;
	struct captured **captured; /* the files of captured trees, each once; points refer to them */
};

/* What the caller brings beside the file. */
struct scenario_options {
	const char *const *sets; /* "tree.memcgs=10k" or "tree.memcgs=[10,100]": replaces the file's */
	size_t nr_sets;
	const char *backends; /* "walk,cached", or NULL for the file's */
	/* What `here` stands for: nids and possible CPUs of the machine at hand. nr_nids 0: unknown,
	 * and `here` is an error. */
	const unsigned *here_nids;
	unsigned here_nr_nids, here_cpus;
	unsigned here_version; /* of the cgroups that count memory: 1, 2; 0: none, read as 1 */
	uint32_t repetitions; /* 0: the file's */
	bool quick; /* repetitions at most 2, samples at most 20, time at most 200 ms */
};

/* -EINVAL, -ENOENT, ... with errors added to `errors`. Free with scenario_free(). */
int scenario_load(const char *path, const struct scenario_options *options,
		  struct scenario **out, struct error_list *errors);
/* The same from memory, for tests and fuzzing; `path` only names it. */
int scenario_parse(const char *path, const char *text, size_t length,
		   const struct scenario_options *options, struct scenario **out,
		   struct error_list *errors);
void scenario_free(struct scenario *scenario);

#endif
