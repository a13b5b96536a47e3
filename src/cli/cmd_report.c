// SPDX-License-Identifier: MIT
/* `memcgbench report DIR`: the charts of a run, and its page. */
#include "cli/cli.h"

#include "base/error.h"
#include "report/charts.h"
#include "report/page.h"
#include "result/summary.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
	OPTION_CHARTS = 256,
	OPTION_SCRIPTS,
	OPTION_DUMB,
	OPTION_FORMAT,
	OPTION_HISTORY
};

struct report_arguments {
	const char *run;
	struct chart_options charts;
	struct page_options page;
};

static const struct argp_option options[] = {
	{"out", 'o', "FILE.html", 0,
	 "write one page that needs nothing else: charts, tables, context; no files of charts "
	 "then, "
	 "but with --charts",
	 0},
	{"history", OPTION_HISTORY, "DIR", 0,
	 "show the history in DIR, and where it changed, in the page", 0},
	{"charts", OPTION_CHARTS, "DIR", 0, "write the charts to DIR (default: charts in the run)",
	 0},
	{"scripts", OPTION_SCRIPTS, "DIR", 0,
	 "draw with the gnuplot scripts in DIR; those that it does not hold are the program's own",
	 0},
	{"format", OPTION_FORMAT, "svg,png", 0, "kinds of pictures (default: both)", 0},
	{"dumb", OPTION_DUMB, NULL, 0, "print the charts for a terminal, too: 79 columns of ASCII",
	 0},
	{0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct report_arguments *arguments = state->input;
	unsigned formats;

	switch (key) {
	case 'o':
		arguments->page.path = argument;
		return 0;
	case OPTION_HISTORY:
		arguments->page.history = argument;
		return 0;
	case OPTION_CHARTS:
		arguments->charts.directory = argument;
		return 0;
	case OPTION_SCRIPTS:
		arguments->charts.scripts = argument;
		arguments->page.scripts = argument;
		return 0;
	case OPTION_DUMB:
		arguments->charts.dumb = true;
		return 0;
	case OPTION_FORMAT:
		formats = cli_formats(state, argument, FORMAT_SVG | FORMAT_PNG);
		arguments->charts.svg = formats & FORMAT_SVG;
		arguments->charts.png = formats & FORMAT_PNG;
		return 0;
	case ARGP_KEY_ARG:
		cli_take_directory(state, "run", argument, &arguments->run);
		return 0;
	case ARGP_KEY_END:
		cli_need_directory(state, "run", arguments->run);
		if (arguments->page.history && !arguments->page.path)
			argp_error(state, "--history is for the page: -o FILE.html is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "DIR",
	.doc = "Draws the charts of the run in DIR with gnuplot, or makes one page of all there "
	       "is.\v"
	       "Each chart is a file of data (.tsv), a script that draws it again with plain "
	       "gnuplot (.gp), and pictures. The names of the files written go to standard output."
	       "\n\nExit codes: 0 fine; 2 trouble.",
};

/* Charts leave out what failed, and look as good without it. */
static void say_failed(const struct run_summary *summary)
{
	struct error note;
	bool one = summary->nr_failed == 1;

	if (!summary->nr_failed)
		return;
	error_set_at(&note, 0, summary->path, 0, 0,
		     "%zu repetition%s failed or cannot be read, and %s in no chart; the first: "
		     "%s %s, repetition %u: %s",
		     summary->nr_failed, one ? "" : "s", one ? "is" : "are", summary->failed[0].id,
		     summary->failed[0].backend, summary->failed[0].repetition,
		     summary->failed[0].reason);
	error_print(stderr, &note);
}

/* Charts are for whoever names a directory for them, or asks for nothing else. */
static int write_charts(const struct report_arguments *arguments, const struct run_summary *summary,
			struct error *err)
{
	struct chart_options charts = arguments->charts;
	char directory[PATH_MAX];

	if (!charts.directory && arguments->page.path && !charts.dumb)
		return 0;
	if (!charts.directory) {
		if (snprintf(directory, sizeof(directory), "%s/charts", arguments->run) >=
		    (int)sizeof(directory))
			return error_set_at(err, -ENAMETOOLONG, arguments->run, 0, 0,
					    "the path is too long");
		charts.directory = directory;
	}
	return charts_write(summary, &charts, err);
}

static int write_page(const struct report_arguments *arguments, const struct run_summary *summary,
		      struct error *err)
{
	int r;

	if (!arguments->page.path)
		return 0;
	r = page_write(summary, &arguments->page, err);
	if (!r)
		printf("%s\n", arguments->page.path);
	return r;
}

int cmd_report(int argc, char **argv)
{
	struct report_arguments arguments = {.charts = {.svg = true, .png = true, .out = stdout}};
	struct run_summary *summary = NULL;
	struct error err = {0};
	int r;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	r = summary_load(arguments.run, &summary, &err);
	if (!r)
		say_failed(summary);
	if (!r)
		r = write_page(&arguments, summary, &err);
	if (!r)
		r = write_charts(&arguments, summary, &err);
	summary_free(summary);
	if (r)
		error_print(stderr, &err);
	return cli_finish(r ? EXIT_TROUBLE : EXIT_FINE);
}
