/* SPDX-License-Identifier: MIT */
/* The arguments that commands over a scenario share. */
#ifndef MEMCGBENCH_CLI_SCENARIO_ARGUMENTS_H
#define MEMCGBENCH_CLI_SCENARIO_ARGUMENTS_H

#include "place/machine.h"
#include "scenario/scenario.h"

#include <argp.h>

struct scenario_arguments {
	struct scenario_options options;
	const char *path; /* by one_scenario_argp */
	const char **sets; /* owned; options.sets */
	unsigned *nids; /* owned; options.here_nids */
};

/* Child parsers; their input is one struct scenario_arguments, zeroed before. */
extern const struct argp scenario_argp; /* --set, --backend */
extern const struct argp sampling_argp; /* --repetitions, --quick */
extern const struct argp one_scenario_argp; /* the argument SCENARIO: exactly one */

/* What `here` stands for: the machine's nodes with memory and its possible CPUs. 0 or -ENOMEM. */
int scenario_arguments_here(struct scenario_arguments *arguments, const struct machine *machine);
void scenario_arguments_fini(struct scenario_arguments *arguments);

#endif
