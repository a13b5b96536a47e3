/* SPDX-License-Identifier: MIT */
/*
 * A run that nobody measured: result files made from a formula and a seed, the same everywhere, for
 * tests of what is made of results.
 */
#ifndef MEMCGBENCH_TESTS_RESULT_MADE_RUN_H
#define MEMCGBENCH_TESTS_RESULT_MADE_RUN_H

#include "result/run_dir.h"
#include "scenario/scenario.h"

#include <jansson.h>
#include <stdint.h>

struct made_run {
	char root[64]; /* a directory of its own */
	char path[80]; /* root/run: the run's directory */
	struct scenario *scenario;
	json_t *document; /* of run.json */
	struct run_dir *dir;
};

/* Each fails the running test where it cannot do its work. */
void made_run_begin(struct made_run *made, const char *yaml); /* opens the directory */
json_t *made_result(const struct made_run *made, size_t point, size_t backend, unsigned repetition);
/* Put other samples into a result, and all that must agree with them: files that contradict
 * themselves are not read. */
void made_samples(json_t *result, const uint64_t *ps, unsigned nr, uint64_t batch);
/* All samples alike. */
void made_median(json_t *result, double ns);
void made_run_write(const struct made_run *made, size_t point, size_t backend, unsigned repetition,
		    json_t *result); /* takes over `result` */
void made_run_fill(const struct made_run *made); /* all files */
void made_run_end(struct made_run *made);

/* The run of the tables shown to people: 10 to 10k memcgs, hot and cold, two back ends. */
extern const char *const made_yaml;
/* Small: two points, two back ends, three repetitions. */
extern const char *const made_small_yaml;

#endif
