// SPDX-License-Identifier: MIT
/* `memcgbench history DIR`: many runs in order of time, and where their level changed. */
#include "cli/cli.h"

#include "base/error.h"
#include "base/units.h"
#include "report/history_charts.h"
#include "report/history_json.h"
#include "report/history_table.h"
#include "verdict/history.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_ADD = 256,
	OPTION_CHARTS,
	OPTION_DUMB,
	OPTION_KEEP_GOING,
	OPTION_MIN_EFFECT,
	OPTION_SCRIPTS,
	OPTION_SINCE,
	OPTION_FORMAT = 'f',
	OPTION_METRIC = 'm'
};

#define MAX_ADDED 64

struct history_arguments {
	const char *directory;
	size_t nr_added;
	const char *added[MAX_ADDED]; /* runs to keep first */
	const struct metric *metrics[NR_METRICS];
	bool metrics_asked;
	struct history_options options;
	struct chart_options charts;
	unsigned format;
};

static const struct argp_option option_table[] = {
	{"add", OPTION_ADD, "RUN", 0,
	 "keep this run in DIR as a record first; a run that is kept already is not kept twice; "
	 "may "
	 "be given many times",
	 0},
	{"metric", OPTION_METRIC, "A,B", 0, "what to look at, or all (default: p50,update)", 0},
	{"min-effect", OPTION_MIN_EFFECT, "PERCENT", 0,
	 "a change by less is none (default: 3%); where twice the A/A noise of a series is more, "
	 "that counts",
	 0},
	{"since", OPTION_SINCE, "TIME", 0,
	 "leave out runs from before, as 2026-11-30 or 2026-11-30T15:03:00Z", 0},
	{"format", OPTION_FORMAT, "NAME", 0, "table (default), markdown, tsv, json", 0},
	{"charts", OPTION_CHARTS, "DIR", 0,
	 "draw the series as SVG in DIR, those with changes first", 0},
	{"scripts", OPTION_SCRIPTS, "DIR", 0,
	 "draw with the gnuplot scripts in DIR; those that it does not hold are the program's own",
	 0},
	{"dumb", OPTION_DUMB, NULL, 0,
	 "with --charts: print them for a terminal, too, in 79 columns of ASCII", 0},
	{"keep-going", OPTION_KEEP_GOING, NULL, 0,
	 "leave out files that cannot be read, with a warning for each, and go on with the rest",
	 0},
	{0},
};

static int64_t parse_since(const char *text, struct argp_state *state)
{
	char whole[RECORD_TIME_MAX + 16];
	int64_t seconds;

	snprintf(whole, sizeof(whole), "%.24s%s", text, strlen(text) == 10 ? "T00:00:00Z" : "");
	seconds = record_time_parse(whole);
	if (seconds <= 0)
		argp_error(state,
			   "--since: '%s' is not such a time (2026-11-30, or 2026-11-30T15:03:00Z)",
			   text);
	return seconds;
}

static void check(const struct history_arguments *arguments, struct argp_state *state)
{
	bool for_people = arguments->format & (FORMAT_TABLE | FORMAT_MARKDOWN);

	cli_need_directory(state, "history", arguments->directory);
	if (!arguments->charts.directory && (arguments->charts.dumb || arguments->charts.scripts))
		argp_error(state, "--dumb and --scripts need --charts DIR");
	if (arguments->charts.dumb && !for_people)
		argp_error(state, "--dumb goes with --format table or markdown");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct history_arguments *arguments = state->input;

	switch (key) {
	case OPTION_ADD:
		if (arguments->nr_added == MAX_ADDED)
			argp_error(state, "--add: more than %d at once", MAX_ADDED);
		arguments->added[arguments->nr_added++] = argument;
		return 0;
	case OPTION_METRIC:
		arguments->options.nr_metrics = cli_metrics(state, argument, arguments->metrics);
		arguments->metrics_asked = true;
		return 0;
	case OPTION_MIN_EFFECT:
		arguments->options.min_effect = cli_share(state, "--min-effect", argument);
		return 0;
	case OPTION_SINCE:
		arguments->options.since = parse_since(argument, state);
		return 0;
	case OPTION_FORMAT:
		arguments->format = cli_format(
			state, argument, FORMAT_TABLE | FORMAT_MARKDOWN | FORMAT_TSV | FORMAT_JSON);
		return 0;
	case OPTION_CHARTS:
		arguments->charts.directory = argument;
		return 0;
	case OPTION_SCRIPTS:
		arguments->charts.scripts = argument;
		return 0;
	case OPTION_DUMB:
		arguments->charts.dumb = true;
		return 0;
	case OPTION_KEEP_GOING:
		arguments->options.keep_going = true;
		return 0;
	case ARGP_KEY_ARG:
		cli_take_directory(state, "history", argument, &arguments->directory);
		return 0;
	case ARGP_KEY_END:
		check(arguments, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "DIR",
	.doc = "Reads the records and the runs in DIR and says where the time of a read, or of a "
	       "charge, changed: when, by how much, and which build came before and after.\v"
	       "A series is one point, back end, host class and metric; its values are medians of "
	       "runs, in order of time. Levels are split where their energy distance is largest, "
	       "and a change is one where the exact rank test of the runs before and after it says "
	       "so, and where it is large enough. A series with fewer runs than it takes is said "
	       "to be too short. `memcgbench aa' measures the noise; what it writes is read from "
	       "DIR, too.\n\n"
	       "Exit codes: 0 fine; 1 the newest change of any series is for the worse; 2 trouble. "
	       "A regression that is wanted is accepted by --since with the time of its first run: "
	       "it leaves the runs before it out, and the search starts again from there.",
};

static bool open_runs(const struct history_arguments *arguments, struct record **records)
{
	struct error_list faults = {0};

	for (size_t i = 0; i < arguments->nr_added; i++)
		record_open(arguments->added[i], arguments->options.keep_going, &records[i],
			    &faults);
	error_list_print(stderr, &faults);
	return faults.total == 0 || arguments->options.keep_going;
}

static int keep_one(const char *directory, const char *run, const struct record *record)
{
	struct error err = {0};
	char path[PATH_MAX];
	int r = history_add(directory, record, path, &err);

	if (r == -EEXIST)
		fprintf(stderr, "memcgbench: %s is kept already, as %s\n", run, path);
	else if (r)
		error_print(stderr, &err);
	else
		fprintf(stderr, "memcgbench: %s is kept as %s\n", run, path);
	return r == -EEXIST ? 0 : r;
}

/* Either all runs can be read, or none is kept. */
static int add_runs(const struct history_arguments *arguments)
{
	struct record *records[MAX_ADDED] = {0};
	int r = open_runs(arguments, records) ? 0 : -EINVAL;

	for (size_t i = 0; i < arguments->nr_added && !r; i++)
		if (records[i])
			r = keep_one(arguments->directory, arguments->added[i], records[i]);
	for (size_t i = 0; i < arguments->nr_added; i++)
		record_free(records[i]);
	return r;
}

static int print_json(const struct history *history, const struct history_options *options)
{
	json_t *document = history_to_json(history, options);
	int r = document ? 0 : -ENOMEM;

	if (!r && json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12)))
		r = -EIO;
	putchar('\n');
	json_decref(document);
	return r;
}

static int print(const struct history *history, const struct history_arguments *arguments)
{
	switch (arguments->format) {
	case FORMAT_JSON:
		return print_json(history, &arguments->options);
	case FORMAT_TSV:
		return history_tsv_print(history, stdout);
	case FORMAT_MARKDOWN:
		return history_markdown_print(history, &arguments->options, stdout);
	default:
		return history_table_print(history, &arguments->options, stdout);
	}
}

/* What was asked for by name and is nowhere is said; the defaults are only a guess. */
static void say_missing(const struct history *history, const struct history_arguments *arguments)
{
	for (size_t m = 0; m < arguments->options.nr_metrics && arguments->metrics_asked; m++) {
		size_t i = 0;

		while (i < history->nr_series && history->series[i].metric != arguments->metrics[m])
			i++;
		if (i == history->nr_series)
			fprintf(stderr, "memcgbench: %s: no run has a value of %s\n", history->path,
				arguments->metrics[m]->name);
	}
}

static int show(const struct history *history, struct history_arguments *arguments)
{
	bool fenced = arguments->format == FORMAT_MARKDOWN && arguments->charts.dumb;
	struct error err = {0};
	int r = print(history, arguments);

	if (r == -ENOMEM)
		error_set(&err, r, "out of memory");
	if (!r && arguments->charts.directory) {
		if (arguments->format == FORMAT_TABLE || arguments->charts.dumb)
			arguments->charts.out = stdout;
		fputs(fenced ? "\n```\n" : arguments->charts.out ? "\n" : "", stdout);
		r = history_charts_write(history, &arguments->charts, &err);
		fputs(fenced ? "```\n" : "", stdout);
	}
	/* what could not be written is said by cli_finish() */
	if (err.text[0])
		error_print(stderr, &err);
	return r;
}

int cmd_history(int argc, char **argv)
{
	struct history_arguments arguments = {
		.options = {.min_effect = change_rules_default.min_effect},
		.charts = {.svg = true},
		.format = FORMAT_TABLE,
	};
	struct error_list faults = {0};
	struct history *history = NULL;
	int r;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	if (!arguments.metrics_asked) {
		arguments.metrics[0] = metric_find("p50", strlen("p50"));
		arguments.metrics[1] = metric_find("update", strlen("update"));
		arguments.options.nr_metrics = 2;
	}
	arguments.options.metrics = arguments.metrics;
	r = add_runs(&arguments);
	if (!r) {
		r = history_load(arguments.directory, &arguments.options, &history, &faults);
		if (!r && history_search(history, &arguments.options)) {
			error_list_add(&faults, arguments.directory, 0, 0, "out of memory");
			r = -ENOMEM;
		}
		error_list_print(stderr, &faults);
	}
	if (!r) {
		say_missing(history, &arguments);
		r = show(history, &arguments);
	}
	if (r)
		r = EXIT_TROUBLE;
	else
		r = history->worse ? EXIT_VERDICT : EXIT_FINE;
	history_free(history);
	return cli_finish(r);
}
