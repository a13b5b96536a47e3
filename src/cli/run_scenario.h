/* SPDX-License-Identifier: MIT */
/* One scenario of a command that measures, from its file to what is shown of it. */
#ifndef MEMCGBENCH_CLI_RUN_SCENARIO_H
#define MEMCGBENCH_CLI_RUN_SCENARIO_H

#include "backend/fixture.h"
#include "base/error.h"
#include "cli/scenario_arguments.h"
#include "place/machine.h"
#include "result/run_dir.h"
#include "result/summary.h"
#include "scenario/scenario.h"

#include <stdbool.h>
#include <stdint.h>

#define DEFAULT_BASE "results/local"

struct run_options {
	const char *out; /* the directory, or NULL: BASE/NAME/NNN */
	const char *base;
	const char *label;
	uint64_t seed, limit_ns;
	unsigned formats;
	bool strict, skip_impossible, reuse;
	struct fixture_options fixtures;
	bool twice; /* twice the repetitions: odd and even ones are two runs of the same */
	/* Print what was measured; an exit code. Signals end the program meanwhile. */
	int (*show)(void *arg, const struct run_summary *summary, unsigned formats);
	void *arg;
};

struct prepared {
	struct machine *machine; /* shared by all; owned by the first */
	struct scenario *scenario;
	bool *left_out; /* [nr_points x nr_backends] */
	json_t *left_json; /* the same with reasons, for run.json */
	json_t *context;
	struct run_dir *dir;
};

/*
 * Read and check all scenarios, and ask what of them is possible here. Every error and every reason
 * is printed before anything is measured. An exit code.
 */
int prepare_all(struct prepared *runs, char **paths, size_t nr, struct scenario_arguments *scenario,
		const struct run_options *options);
void prepared_free(struct prepared *runs, size_t nr);

/* Find or make the run's directory. */
int prepared_open(struct prepared *run, const struct run_options *options, struct error *err);

/* Say what makes this machine's figures less trustworthy, where any is still to be measured. */
void prepared_warn(const struct prepared *runs, size_t nr);

/* Measure what is missing and print. An exit code; `*signal_number` where a signal ended it. */
int prepared_run(struct prepared *run, const struct run_options *options, int interrupt_fd,
		 int *signal_number);

#endif
