// SPDX-License-Identifier: MIT
/*
 * `memcgbench run`: everything is read, checked and found possible first; then each scenario is
 * swept into a directory of its own and its table printed.
 */
#include "cli/cli.h"

#include "base/error.h"
#include "cli/measuring.h"
#include "report/run_table.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

enum {
	KEY_DIR_FILE = 0x100,
	KEY_REUSE,
};

static const struct argp_option option_table[] = {
	{"dir-file", KEY_DIR_FILE, "FILE", 0,
	 "write the name of each results directory to FILE, one a line", 0},
	{"reuse", KEY_REUSE, NULL, 0,
	 "without --out: show a finished run of the same identity instead of beginning a new one",
	 0},
	{0},
};

struct arguments {
	struct measuring measuring;
	char **paths;
	size_t nr_paths;
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->measuring;
		return 0;
	case KEY_DIR_FILE:
		args->measuring.dir_file = text;
		return 0;
	case KEY_REUSE:
		args->measuring.run.reuse = true;
		return 0;
	case ARGP_KEY_ARGS:
		args->paths = state->argv + state->next;
		args->nr_paths = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a scenario is missing");
		return 0;
	case ARGP_KEY_SUCCESS:
		if (args->measuring.run.out && args->nr_paths > 1)
			argp_error(state, "--out is the directory of one run: name one scenario");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&measuring_argp, 0, NULL, 0}, {0}};

static const struct argp run_argp = {
	.options = option_table,
	.parser = parse_option,
	.children = children,
	.args_doc = "SCENARIO...",
	.doc = "Measures scenarios and prints what was found.\vResults are kept as soon as they "
	       "are there, and Ctrl-C keeps what is done: the same command goes on with an "
	       "unfinished run, and measures only what is missing or failed. A finished run in "
	       "--out is shown again. Without --out, results go to results/local/NAME/NNN, the "
	       "next number below the scenario's name. SCENARIO may be - for standard input.\n\n"
	       "Exit codes: 0 fine; 2 trouble, or a repetition failed; 3 not possible on this "
	       "machine.",
};

static int print_json(const struct run_summary *summary)
{
	json_t *document = summary_to_json(summary);
	int r = -ENOMEM;

	if (document)
		r = json_dumpf(document, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) ? -EIO
											   : 0;
	json_decref(document);
	putchar('\n');
	return r;
}

static int show(void *arg, const struct run_summary *summary, unsigned formats)
{
	int r = 0;

	if (formats & FORMAT_TABLE)
		r = run_table_print(summary, stdout);
	if (!r && (formats & FORMAT_JSON))
		r = print_json(summary);
	if (!r && (formats & FORMAT_TSV))
		r = run_tsv_print(summary, stdout);
	if (r)
		fputs("memcgbench: cannot print the results\n", stderr);
	return r ? EXIT_TROUBLE : EXIT_FINE;
}

int cmd_run(int argc, char **argv)
{
	struct arguments args = {.measuring = MEASURING_DEFAULTS};
	int code;

	args.measuring.run.show = show;
	argp_parse(&run_argp, argc, argv, 0, NULL, &args);
	code = measure_scenarios(&args.measuring, args.paths, args.nr_paths);
	scenario_arguments_fini(&args.measuring.scenario);
	return code;
}
