/* SPDX-License-Identifier: MIT */
/*
 * Commands that measure: the options that they share, and the way from scenarios to what is shown.
 */
#ifndef MEMCGBENCH_CLI_MEASURING_H
#define MEMCGBENCH_CLI_MEASURING_H

#include "cli/run_scenario.h"
#include "cli/scenario_arguments.h"

#include <argp.h>
#include <stdbool.h>

struct measuring {
	struct scenario_arguments scenario;
	struct run_options run; /* set before what the command wants of it */
	const char *dir_file; /* where to write the names of the directories, or NULL */
	bool no_lock;
};
/* What options do not say. */
#define MEASURING_DEFAULTS                                                         \
	{                                                                          \
		.run = {.seed = 1, .formats = FORMAT_TABLE, .base = DEFAULT_BASE } \
	}

/* A child parser; its input is one struct measuring. With scenario_argp and sampling_argp. */
extern const struct argp measuring_argp;

/* Everything that was read, checked and found possible is measured and shown. An exit code. */
int measure_scenarios(struct measuring *measuring, char **paths, size_t nr);

#endif
