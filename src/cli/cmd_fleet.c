// SPDX-License-Identifier: MIT
/* `memcgbench fleet DIR...`: what collectors cost, from measured sweeps. */
#include "cli/cli.h"

#include "base/error.h"
#include "base/units.h"
#include "report/fleet_report.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_INTERVAL_NS 10000000000u
#define MOST_INTERVAL_NS    86400000000000u /* a day */
#define MOST_AGENTS         1000u

struct fleet_arguments {
	char **paths;
	size_t nr_paths;
	unsigned format;
	uint32_t memcgs;
	struct fleet_choices choices;
};

static const struct argp_option options[] = {
	{"interval", 'i', "TIME,...", 0, "an agent reads all files once in TIME (default: 10s)", 0},
	{"agents", 'a', "N,...", 0, "so many agents do (default: 1)", 0},
	{"memcgs", 'm', "N", 0,
	 "for a tree of N memcgs, measured or not (default: those that were measured)", 0},
	{"format", 'f', "NAME", 0, "table (default), tsv, json", 0},
	{0},
};

static uint64_t parse_one(struct argp_state *state, const char *option, const char *text,
			  size_t length, enum unit_kind kind, uint64_t most)
{
	char allowed[UNIT_TEXT_MAX];
	const char *why = NULL;
	uint64_t value = 0;

	if (!unit_parse(text, length, kind, &value, &why) && value && value <= most)
		return value;
	argp_error(state, "--%s: '%.*s' is not possible (up to %s)", option,
		   length > 40 ? 40 : (int)length, text, unit_format_exact(allowed, kind, most));
	return 0;
}

/* The next item of a list, and where the one after it begins; NULL: it was the last. */
static const char *next_item(const char *text, size_t *length)
{
	*length = strcspn(text, ",");
	return text[*length] ? text + *length + 1 : NULL;
}

static void check_room(struct argp_state *state, const char *option, size_t nr)
{
	if (nr == MOST_FLEET_CHOICES)
		argp_error(state, "--%s: more than %d are given", option, MOST_FLEET_CHOICES);
}

static void parse_intervals(struct argp_state *state, const char *text,
			    struct fleet_choices *choices)
{
	size_t length;

	choices->nr_intervals = 0;
	for (const char *next; text; text = next) {
		next = next_item(text, &length);
		check_room(state, "interval", choices->nr_intervals);
		choices->interval_ns[choices->nr_intervals++] =
			parse_one(state, "interval", text, length, UNIT_TIME, MOST_INTERVAL_NS);
	}
}

static void parse_agents(struct argp_state *state, const char *text, struct fleet_choices *choices)
{
	size_t length;

	choices->nr_agents = 0;
	for (const char *next; text; text = next) {
		next = next_item(text, &length);
		check_room(state, "agents", choices->nr_agents);
		choices->agents[choices->nr_agents++] =
			(uint32_t)parse_one(state, "agents", text, length, UNIT_COUNT, MOST_AGENTS);
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct fleet_arguments *arguments = state->input;
	const struct parameter *memcgs = parameter_find("tree.memcgs", strlen("tree.memcgs"));

	switch (key) {
	case 'i':
		parse_intervals(state, argument, &arguments->choices);
		return 0;
	case 'a':
		parse_agents(state, argument, &arguments->choices);
		return 0;
	case 'm':
		arguments->memcgs = (uint32_t)parse_one(state, "memcgs", argument, strlen(argument),
							UNIT_COUNT, memcgs->max);
		return 0;
	case 'f':
		arguments->format =
			cli_format(state, argument, FORMAT_TABLE | FORMAT_TSV | FORMAT_JSON);
		return 0;
	case ARGP_KEY_ARGS:
		arguments->paths = state->argv + state->next;
		arguments->nr_paths = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "the directory of a run is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "DIR...",
	.doc = "Works out what collectors cost that read the file of every memcg again and again: "
	       "CPU seconds an hour, from the runs in DIR. Nothing is measured, nothing "
	       "written.\v"
	       "A run's points with `read.cgroup: all' are sweeps; others are left out. Collectors "
	       "that poll every few seconds find nothing in the caches: measure with `read.cache: "
	       "cold', as scenarios/collectors.yaml and scenarios/live/fleet.yaml do. Sizes that "
	       "were not measured are worked out between two that were, or beyond three that lie "
	       "on a straight line of logarithms, up to ten times; the table says which.\n\n"
	       "Exit codes: 0 fine; 2 trouble: faulty files, or no sweep in any run.",
};

/* Who polls every few seconds is always cold. */
static void warn_hot(const struct fleet *fleet)
{
	size_t hot = 0;

	for (size_t i = 0; i < fleet->nr; i++)
		hot += fleet->sweeps[i].point.read.cache == CACHE_HOT;
	if (hot)
		fprintf(stderr,
			"memcgbench: warning: %s: %zu of %zu sweeps were measured hot: a "
			"collector's are cold (read.cache: cold)\n",
			fleet->summary->path, hot, fleet->nr);
}

/* Points that are no sweeps are counted; why a sweep is left out is said of each. */
static void say_left_out(const struct fleet *fleet)
{
	const char *path = fleet->summary->path;
	size_t others = 0;

	for (size_t i = 0; i < fleet->nr_left_out; i++) {
		const struct fleet_left_out *left = &fleet->left_out[i];

		others += !left->backend;
		if (left->backend)
			fprintf(stderr, "memcgbench: %s: point %s, %s is left out: %s\n", path,
				left->point->id, left->backend, left->reason);
	}
	if (others)
		fprintf(stderr,
			"memcgbench: %s: %zu of %zu points are left out: they read one file, not "
			"those of all memcgs (read.cgroup: all)\n",
			path, others, fleet->summary->nr_points);
	if (fleet->summary->nr_failed)
		fprintf(stderr,
			"memcgbench: %s: repetitions that failed or cannot be read, and are left "
			"out: %zu\n",
			path, fleet->summary->nr_failed);
}

static int print_json(struct fleet *const *fleets, size_t nr, const struct fleet_choices *choices)
{
	json_t *document = fleet_to_json(fleets, nr, choices);
	int r = document ? 0 : -ENOMEM;

	if (document && json_dumpf(document, stdout, JSON_INDENT(2)))
		r = -EIO;
	putchar('\n');
	json_decref(document);
	return r;
}

static int print(const struct fleet_arguments *arguments, struct fleet *const *fleets)
{
	const struct fleet_choices *choices = &arguments->choices;

	switch (arguments->format) {
	case FORMAT_JSON:
		return print_json(fleets, arguments->nr_paths, choices);
	case FORMAT_TSV:
		return fleet_tsv_print(fleets, arguments->nr_paths, choices, stdout);
	default:
		return fleet_table_print(fleets, arguments->nr_paths, choices, stdout);
	}
}

/* All runs first: nothing is printed where one cannot be read. */
static int run(const struct fleet_arguments *arguments, struct run_summary **summaries,
	       struct fleet **fleets, struct error *err)
{
	size_t sweeps = 0;
	int r;

	for (size_t i = 0; i < arguments->nr_paths; i++) {
		r = summary_load(arguments->paths[i], &summaries[i], err);
		if (r)
			return r;
		if (fleet_new(summaries[i], arguments->memcgs, &fleets[i]))
			return error_set(err, -ENOMEM, "out of memory");
		say_left_out(fleets[i]);
		warn_hot(fleets[i]);
		sweeps += fleets[i]->nr;
	}
	if (!sweeps)
		return error_set(err, -ENODATA, "there is no sweep to work out a cost from");
	r = print(arguments, fleets);
	if (r && ferror(stdout))
		return 0; /* cli_finish() says why */
	return r ? error_set(err, r, "cannot print: %s", strerror(-r)) : 0;
}

int cmd_fleet(int argc, char **argv)
{
	struct fleet_arguments arguments = {
		.format = FORMAT_TABLE,
		.choices = {1, 1, {DEFAULT_INTERVAL_NS}, {1}},
	};
	struct run_summary **summaries;
	struct fleet **fleets;
	struct error err = {0};
	int r = -ENOMEM;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	summaries = calloc(arguments.nr_paths, sizeof(*summaries));
	fleets = calloc(arguments.nr_paths, sizeof(*fleets));
	if (summaries && fleets)
		r = run(&arguments, summaries, fleets, &err);
	else
		error_set(&err, r, "out of memory");
	for (size_t i = 0; summaries && fleets && i < arguments.nr_paths; i++) {
		fleet_free(fleets[i]);
		summary_free(summaries[i]);
	}
	free(summaries);
	free(fleets);
	if (r)
		error_print(stderr, &err);
	return cli_finish(r ? EXIT_TROUBLE : EXIT_FINE);
}
