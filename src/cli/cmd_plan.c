// SPDX-License-Identifier: MIT
/*
 * memcgbench plan: what a scenario would measure, on this machine or on a recorded one: points and
 * their ids, memory and time, and what cannot run, with every reason.
 */
#include "cli/cli.h"

#include "base/units.h"
#include "cli/plan.h"
#include "cli/scenario_arguments.h"
#include "driver/feasible.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	OPTION_FORMAT = 'f',
	OPTION_TOPOLOGY = 't',
	OPTION_TREE = 'T',
};

struct arguments {
	struct scenario_arguments scenario;
	const char *topology;
	unsigned format;
	uint64_t tree; /* paths to show; 0: the plan itself */
};

static const struct argp_option option_table[] = {
	{"format", OPTION_FORMAT, "A,B", 0, "table (default), tsv, json", 0},
	{"topology", OPTION_TOPOLOGY, "FILE.xml", 0,
	 "plan for a machine recorded by `lstopo FILE.xml` instead of this one", 0},
	{"tree", OPTION_TREE, "N", 0,
	 "show the trees instead: memcgs visible and dying, and the paths of the first N", 0},
	{0},
};

static void parse_tree(struct arguments *arguments, const char *text, struct argp_state *state)
{
	const char *why;

	if (unit_parse(text, strlen(text), UNIT_COUNT, &arguments->tree, &why) || !arguments->tree)
		argp_error(state, "--tree: '%s' is not a number of paths (1 or more)", text);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->scenario;
		state->child_inputs[1] = &arguments->scenario;
		state->child_inputs[2] = &arguments->scenario;
		return 0;
	case OPTION_FORMAT:
		arguments->format =
			cli_formats(state, argument, FORMAT_TABLE | FORMAT_TSV | FORMAT_JSON);
		return 0;
	case OPTION_TOPOLOGY:
		arguments->topology = argument;
		return 0;
	case OPTION_TREE:
		parse_tree(arguments, argument, state);
		return 0;
	case ARGP_KEY_END:
		if (arguments->tree && arguments->format & FORMAT_TSV)
			argp_error(state, "--tree prints no tsv (table, json)");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&scenario_argp, 0, NULL, 0},
					     {&sampling_argp, 0, NULL, 0},
					     {&one_scenario_argp, 0, NULL, 0},
					     {0}};

static const struct argp plan_argp = {
	.options = option_table,
	.parser = parse_option,
	.children = children,
	.args_doc = "SCENARIO",
	.doc = "Shows what a scenario would measure: each point with its id, memory and time, and "
	       "what cannot run, with every reason. Nothing is measured.\vTimes are guesses, good "
	       "to a factor of a few. With --topology, `here` in the scenario stands for the "
	       "recorded machine. SCENARIO may be - for standard input.\n\n"
	       "Exit codes: 0 the scenario is read without error, whether it could run or not "
	       "(`run` is where impossible points are code 3); 2 trouble.",
};

static int print_trees(const struct plan *plan, const struct arguments *arguments)
{
	int code = 0;

	if (arguments->format & FORMAT_TABLE)
		code = plan_print_trees(plan, arguments->tree, false, stdout);
	if (!code && arguments->format & FORMAT_JSON)
		code = plan_print_trees(plan, arguments->tree, true, stdout);
	return code;
}

static int print_plan(struct plan *plan, unsigned format)
{
	int code = 0;

	plan_prepare(plan);

	if (format & FORMAT_TABLE)
		code = plan_print_table(plan, stdout);
	if (!code && format & FORMAT_JSON)
		code = plan_print_json(plan, stdout);
	if (!code && format & FORMAT_TSV)
		code = plan_print_tsv(plan, stdout);
	return code;
}

static int plan_for(struct arguments *arguments, const struct machine *machine)
{
	struct error_list errors = {0};
	struct plan plan = {.machine = machine, .available = available_on(machine)};
	int code = scenario_arguments_here(&arguments->scenario, machine);

	if (code) {
		fputs("memcgbench: out of memory\n", stderr);
		return EXIT_TROUBLE;
	}
	if (scenario_load(arguments->scenario.path, &arguments->scenario.options, &plan.scenario,
			  &errors)) {
		error_list_print(stderr, &errors);
		return EXIT_TROUBLE;
	}
	code = arguments->tree ? print_trees(&plan, arguments)
			       : print_plan(&plan, arguments->format);
	if (code == -ENOMEM)
		fputs("memcgbench: out of memory\n", stderr);
	scenario_free(plan.scenario);
	return code ? EXIT_TROUBLE : EXIT_FINE;
}

int cmd_plan(int argc, char **argv)
{
	struct arguments arguments = {.format = FORMAT_TABLE};
	const char *variable = machine_foreign_variable();
	struct machine *machine;
	struct error err;
	int code;

	argp_parse(&plan_argp, argc, argv, 0, NULL, &arguments);
	if (machine_open(arguments.topology, &machine, &err)) {
		error_print(stderr, &err);
		scenario_arguments_fini(&arguments.scenario);
		return EXIT_TROUBLE;
	}
	if (variable && !arguments.topology)
		fprintf(stderr, "memcgbench: warning: %s is set: `run` refuses to measure\n",
			variable);
	code = plan_for(&arguments, machine);
	machine_free(machine);
	scenario_arguments_fini(&arguments.scenario);
	return cli_finish(code);
}
