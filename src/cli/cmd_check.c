// SPDX-License-Identifier: MIT
/*
 * memcgbench check: holds back ends against the exact oracle on every point of a scenario, with the
 * point's batch and with batch 0.
 */
#include "base/units.h"
#include "cli/check_report.h"
#include "cli/cli.h"
#include "cli/reasons.h"
#include "cli/scenario_arguments.h"
#include "driver/feasible.h"
#include "timing/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_UPDATES 100000
#define QUICK_UPDATES   1000
/* Where stderr is no terminal, a line of progress at most this often. */
#define PROGRESS_NS 10000000000u

enum {
	OPTION_FORMAT = 'f',
	OPTION_QUICK = 'q',
	OPTION_UPDATES = 'u',
};

struct arguments {
	struct scenario_arguments scenario;
	unsigned format;
	uint64_t updates;
};

static const struct argp_option option_table[] = {
	{"format", OPTION_FORMAT, "FORMAT", 0, "table (default) or json", 0},
	{"quick", OPTION_QUICK, NULL, 0, "the same as --updates=1k", 0},
	{"updates", OPTION_UPDATES, "N", 0,
	 "random updates, compared after each million and the last (default 100k)", 0},
	{0},
};

static void parse_updates(struct arguments *arguments, const char *text, struct argp_state *state)
{
	const char *why;

	if (unit_parse(text, strlen(text), UNIT_COUNT, &arguments->updates, &why))
		argp_error(state, "--updates: '%s' is not a number (%s)", text, why);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->scenario;
		state->child_inputs[1] = &arguments->scenario;
		return 0;
	case OPTION_FORMAT:
		arguments->format = cli_format(state, argument, FORMAT_TABLE | FORMAT_JSON);
		return 0;
	case OPTION_QUICK:
		arguments->updates = QUICK_UPDATES;
		return 0;
	case OPTION_UPDATES:
		parse_updates(arguments, argument, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{&scenario_argp, 0, NULL, 0}, {&one_scenario_argp, 0, NULL, 0}, {0}};

static const struct argp check_argp = {
	.options = option_table,
	.parser = parse_option,
	.children = children,
	.args_doc = "SCENARIO",
	.doc = "Holds back ends against an exact oracle on every point of a scenario: all get the "
	       "same charges and the same random updates, and every cell of some memcgs is "
	       "compared with the truth and with the error that the back end's design allows. "
	       "Then the same without batching, where every cell must be equal.\vSCENARIO may be "
	       "- for standard input.\n\nExit codes: "
	       "0 all cells are within their bounds; 1 one is not; 2 trouble; 3 this machine "
	       "cannot hold a point (nothing is checked then).",
};

/* A mark of where a long check is. */
struct progress {
	bool terminal;
	uint64_t last_ns;
};

static void show_progress(struct progress *progress, size_t done, size_t total,
			  const struct check_outcome *outcome)
{
	uint64_t now = clock_now();

	if (!progress->terminal && now - progress->last_ns < PROGRESS_NS)
		return;
	progress->last_ns = now;
	fprintf(stderr, "%smemcgbench: checking %zu of %zu: point %s, %s%s",
		progress->terminal ? "\r" : "", done + 1, total, outcome->point->id,
		outcome->backend->name, progress->terminal ? "        " : "\n");
}

static void end_progress(const struct progress *progress)
{
	if (progress->terminal)
		fprintf(stderr, "\r%79s\r", "");
}

static int check_with(const struct check_outcome *outcome, const struct point *point,
		      const struct placement *placement, uint64_t updates,
		      struct check_result *result, struct error *err)
{
	struct memcg_tree *tree;
	int ret;

	ret = memcg_tree_new(&point->tree, &tree);
	if (ret)
		return error_set(err, ret, "cannot make the tree: %s", strerror(-ret));
	ret = check_backend(outcome->backend, point, tree, placement, updates, result, err);
	memcg_tree_free(tree);
	return ret;
}

static int check_one(struct check_outcome *outcome, const struct machine *machine, uint64_t updates,
		     struct error *err)
{
	struct point unbatched = *outcome->point;
	struct error_list reasons = {.nr = 0};
	struct placement *placement;
	int ret;

	unbatched.counters.batch = 0;
	unbatched.counters.error_ppm = 0;
	ret = placement_new(machine, outcome->point, &placement, &reasons);
	if (ret)
		return error_set(err, ret, "%s", reasons.items[0].text);
	ret = check_with(outcome, outcome->point, placement, updates, &outcome->result, err);
	if (!ret)
		ret = check_with(outcome, &unbatched, placement, updates, &outcome->unbatched, err);
	placement_free(placement);
	return ret;
}

/* All reasons why something cannot be checked here. */
static int ask_feasible(const struct check_report *report, const struct machine *machine)
{
	json_t *said = json_object();
	int code = EXIT_FINE;

	for (size_t i = 0; i < report->nr; i++) {
		const struct check_outcome *outcome = &report->outcomes[i];
		struct fixture_options none = {.enable_controllers = false};
		struct error_list reasons = {.nr = 0};

		if (outcome->backend->fixture)
			error_list_add(&reasons, NULL, 0, 0,
				       "%s takes no updates: a run of it is held against the "
				       "oracle",
				       outcome->backend->name);
		else if (!feasible(machine, outcome->point, outcome->backend, &none, &reasons))
			continue;
		code = EXIT_IMPOSSIBLE;
		if (reasons_add(said, outcome->point, outcome->backend->name, &reasons)) {
			fputs("memcgbench: out of memory\n", stderr);
			code = EXIT_TROUBLE;
			break;
		}
	}
	reasons_print(stderr, report->scenario->path, said);
	json_decref(said);
	return code;
}

static int check_all(struct check_report *report, const struct machine *machine)
{
	struct progress progress = {.terminal = isatty(STDERR_FILENO), .last_ns = clock_now()};
	int code = EXIT_FINE;

	for (size_t i = 0; i < report->nr; i++) {
		struct error err = {.line = 0};

		show_progress(&progress, i, report->nr, &report->outcomes[i]);
		if (check_one(&report->outcomes[i], machine, report->updates, &err)) {
			end_progress(&progress);
			error_print(stderr, &err);
			return EXIT_TROUBLE;
		}
		if (!check_passed(&report->outcomes[i]))
			code = EXIT_VERDICT;
	}
	end_progress(&progress);
	return code;
}

static int check_scenario(const struct arguments *arguments, const struct machine *machine,
			  const struct scenario *scenario)
{
	struct check_report report = {.scenario = scenario, .updates = arguments->updates};
	int code, ret;

	report.outcomes =
		calloc(scenario->nr_points * scenario->nr_backends, sizeof(*report.outcomes));
	if (!report.outcomes) {
		fputs("memcgbench: out of memory\n", stderr);
		return EXIT_TROUBLE;
	}
	for (size_t p = 0; p < scenario->nr_points; p++)
		for (size_t b = 0; b < scenario->nr_backends; b++)
			report.outcomes[report.nr++] = (struct check_outcome){
				.point = &scenario->points[p],
				.backend = backend_find(scenario->backends[b]),
			};

	code = ask_feasible(&report, machine);
	if (!code)
		code = check_all(&report, machine);
	if (code == EXIT_FINE || code == EXIT_VERDICT) {
		ret = arguments->format == FORMAT_JSON ? check_report_json(&report, stdout)
						       : check_report_table(&report, stdout);
		if (ret) {
			fprintf(stderr, "memcgbench: cannot print: %s\n", strerror(-ret));
			code = EXIT_TROUBLE;
		}
	}
	free(report.outcomes);
	return code;
}

static int load_and_check(struct arguments *arguments, const struct machine *machine)
{
	struct error_list errors = {.nr = 0};
	struct scenario *scenario;
	int code;

	if (scenario_arguments_here(&arguments->scenario, machine)) {
		fputs("memcgbench: out of memory\n", stderr);
		return EXIT_TROUBLE;
	}
	if (scenario_load(arguments->scenario.path, &arguments->scenario.options, &scenario,
			  &errors)) {
		error_list_print(stderr, &errors);
		return EXIT_TROUBLE;
	}
	code = check_scenario(arguments, machine, scenario);
	scenario_free(scenario);
	return code;
}

int cmd_check(int argc, char **argv)
{
	struct arguments arguments = {.format = FORMAT_TABLE, .updates = DEFAULT_UPDATES};
	const char *variable = machine_foreign_variable();
	struct machine *machine;
	struct error err;
	int code;

	argp_parse(&check_argp, argc, argv, 0, NULL, &arguments);
	if (variable) {
		fprintf(stderr,
			"memcgbench: %s is set: counters cannot be placed on another machine than "
			"this one\n",
			variable);
		scenario_arguments_fini(&arguments.scenario);
		return EXIT_IMPOSSIBLE;
	}
	if (machine_open(NULL, &machine, &err)) {
		error_print(stderr, &err);
		scenario_arguments_fini(&arguments.scenario);
		return EXIT_TROUBLE;
	}
	code = load_and_check(&arguments, machine);
	machine_free(machine);
	scenario_arguments_fini(&arguments.scenario);
	return cli_finish(code);
}
