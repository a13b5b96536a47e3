// SPDX-License-Identifier: MIT
/* See scenario_arguments.h. */
#include "cli/scenario_arguments.h"

#include "base/units.h"
#include "kernel/hierarchy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct argp_option option_table[] = {
	{"set", 's', "KEY=VALUE", 0,
	 "replace a value of the scenario: tree.memcgs=10k, or a list, read.cache=[hot,cold]", 0},
	{"backend", 'b', "A,B", 0, "these back ends instead of the scenario's", 0},
	{0},
};

static const struct argp_option sampling_table[] = {
	{"repetitions", 'r', "N", 0, "processes per point and back end", 0},
	{"quick", 'q', NULL, 0, "at most 2 repetitions, 20 samples and 200 ms per process", 0},
	{0},
};

static void add_set(struct scenario_arguments *arguments, const char *set, struct argp_state *state)
{
	size_t nr = arguments->options.nr_sets;
	const char **larger = reallocarray(arguments->sets, nr + 1, sizeof(*larger));

	if (!larger) {
		argp_failure(state, argp_err_exit_status, 0, "out of memory");
		return;
	}
	larger[nr] = set;
	arguments->sets = larger;
	arguments->options.sets = larger;
	arguments->options.nr_sets = nr + 1;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct scenario_arguments *arguments = state->input;

	switch (key) {
	case 's':
		add_set(arguments, argument, state);
		return 0;
	case 'b':
		arguments->options.backends = argument;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_sampling(int key, char *argument, struct argp_state *state)
{
	struct scenario_arguments *arguments = state->input;
	uint64_t number;

	switch (key) {
	case 'r':
		if (unit_parse(argument, strlen(argument), UNIT_COUNT, &number, NULL) || !number ||
		    number > MAX_REPETITIONS)
			argp_error(state, "--repetitions: '%s' is not possible (1 to %d)", argument,
				   MAX_REPETITIONS);
		arguments->options.repetitions = (uint32_t)number;
		return 0;
	case 'q':
		arguments->options.quick = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_one_scenario(int key, char *argument, struct argp_state *state)
{
	struct scenario_arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (arguments->path)
			argp_error(state, "'%s' is one scenario too many", argument);
		arguments->path = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a scenario is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp scenario_argp = {.options = option_table, .parser = parse_option};
const struct argp sampling_argp = {.options = sampling_table, .parser = parse_sampling};
const struct argp one_scenario_argp = {.parser = parse_one_scenario};

/* Of the cgroups that count memory; 0: there are none, or the machine is another one. */
static unsigned find_version(const struct machine *machine)
{
	struct hierarchy hierarchy;
	unsigned version;

	if (!machine->thissystem || hierarchy_find(HIERARCHY_MOUNTS, &hierarchy, NULL))
		return 0;
	version = hierarchy.version;
	hierarchy_close(&hierarchy);
	return version;
}

int scenario_arguments_here(struct scenario_arguments *arguments, const struct machine *machine)
{
	unsigned nr = 0;

	free(arguments->nids);
	arguments->nids = calloc(machine->nr_nodes + 1, sizeof(*arguments->nids));
	if (!arguments->nids)
		return -ENOMEM;
	/* columns of memory.numa_stat are of nodes with memory */
	for (unsigned i = 0; i < machine->nr_nodes; i++)
		if (machine->nodes[i].bytes)
			arguments->nids[nr++] = machine->nodes[i].os_index;
	arguments->options.here_nids = arguments->nids;
	arguments->options.here_nr_nids = nr;
	arguments->options.here_cpus = machine->possible_cpus;
	arguments->options.here_version = find_version(machine);
	return 0;
}

void scenario_arguments_fini(struct scenario_arguments *arguments)
{
	free(arguments->sets);
	free(arguments->nids);
	*arguments = (struct scenario_arguments){0};
}
