// SPDX-License-Identifier: MIT
/* `memcgbench compare BASE NEW`: did it matter, by how much, and how sure is that? */
#include "cli/cli.h"

#include "base/error.h"
#include "report/compare_report.h"
#include "result/record.h"
#include "verdict/compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_EFFECT      0.03
#define GATE_MIN_EFFECT 0.25 /* of a ratio on a machine that others use, too */
#define ALPHA           0.05

enum {
	KEY_MIN_EFFECT = 0x100,
	KEY_ALPHA,
	KEY_KEEP_GOING,
	KEY_GATE,
};

static const struct argp_option option_table[] = {
	{"metric", 'm', "NAME", 0,
	 "what is compared: p50 (default), p90, p99, p999, max, mean, rate, hierarchical, local, "
	 "format, update, update_p99, update_huge, update_lru, update_migrate, writer, throughput, "
	 "create, remove, late, charges, error, memory",
	 0},
	{"min-effect", KEY_MIN_EFFECT, "SHARE", 0,
	 "a change by less does not matter (default 3%; with --gate 25%)", 0},
	{"alpha", KEY_ALPHA, "RATE", 0,
	 "of what is called a change, the share that may be chance (default 0.05)", 0},
	{"format", 'f', "FORMAT", 0,
	 "table (default), json, tsv, markdown, or cover: plain text for a patch's cover letter",
	 0},
	{"keep-going", KEY_KEEP_GOING, NULL, 0,
	 "leave out files that cannot be read, with a warning for each, and compare the rest", 0},
	{"gate", KEY_GATE, NULL, 0,
	 "judge as a shared machine allows: by errors, operation counts and ratios of back ends; "
	 "times are advice",
	 0},
	{0},
};

struct arguments {
	const char *paths[2];
	unsigned nr_paths;
	unsigned format;
	struct compare_options options;
	bool keep_going;
};

static double alpha_argument(struct argp_state *state, const char *text)
{
	double alpha = 0;
	char *end = NULL;

	if (strspn(text, "0123456789.") == strlen(text))
		alpha = strtod(text, &end);
	if (!(alpha > 0 && alpha < 1) || *end)
		argp_error(state, "--alpha: '%s' is not possible (above 0 and below 1, as in 0.05)",
			   text);
	return alpha;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case 'm':
		args->options.metric = cli_metric(state, text);
		return 0;
	case 'f':
		args->format = cli_format(state, text,
					  FORMAT_TABLE | FORMAT_JSON | FORMAT_TSV |
						  FORMAT_MARKDOWN | FORMAT_COVER);
		return 0;
	case KEY_MIN_EFFECT:
		args->options.min_effect = cli_share(state, "--min-effect", text);
		return 0;
	case KEY_ALPHA:
		args->options.alpha = alpha_argument(state, text);
		return 0;
	case KEY_KEEP_GOING:
		args->keep_going = true;
		return 0;
	case KEY_GATE:
		args->options.gate = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->nr_paths == 2)
			argp_error(state, "two runs are compared, '%s' is too many", text);
		args->paths[args->nr_paths++] = text;
		return 0;
	case ARGP_KEY_END:
		if (args->nr_paths < 2)
			argp_error(state, "%s is missing",
				   args->nr_paths ? "the run that is held against it"
						  : "the run that others are held against");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp compare_argp = {
	.options = option_table,
	.parser = parse_option,
	.args_doc = "BASE NEW",
	.doc = "Holds a run against an earlier one: what changed, by how much, and how sure that "
	       "is.\vBASE and NEW: the directory of a run, a directory of result files, one result "
	       "file, or a record that `history --add' kept. Points are matched by id and back "
	       "end; both sides must be of one class of host. Nothing is written.\n\n"
	       "What is compared are processes, by an exact rank test (Mann-Whitney); a change is "
	       "called one where the rate of false discoveries over all rows is below --alpha and "
	       "the change at least --min-effect.\n\n"
	       "With --gate classes of hosts may differ: then errors and operation counts only are "
	       "compared. It fails on cells beyond their bound in NEW, on operation counts that "
	       "differ, and on a back end that fell behind another by --min-effect or more. "
	       "Without it counts and ratios are shown, and decide nothing.\n\n"
	       "Metrics: p50 to max and mean are of the time of a read, in each process; rate, "
	       "reads per second and reader; hierarchical, local and format, parts of a read: its "
	       "hierarchical rows, its local rows, its text; update, what a writer pays to charge "
	       "one page, update_p99 the slowest of a hundred of these, each timed alone, and "
	       "update_huge, update_lru and update_migrate for a huge page and for moves between "
	       "lists and nodes; writer, an update while reads are timed, and throughput, updates "
	       "a "
	       "second of all writers then; create and remove, of a memcg meanwhile; late, how "
	       "late "
	       "a thread on the reader's CPU wakes while reads run, once in a hundred times, and "
	       "charges, pages a second that tasks charge then; error, pages "
	       "that a read is off; memory, bytes of the counters. Of rate, throughput and charges "
	       "more is better, of all others less.\n\n"
	       "Exit codes: 0 fine; 1 a regression (a failed gate); 2 trouble: faulty files (with "
	       "--keep-going only where nothing is left of a side), different classes of hosts, "
	       "nothing to compare.",
};

/* A cover letter says what writers pay, too, whatever else it is about. */
static int print_cover(const struct compare *compare)
{
	struct compare_options options = compare->options;
	struct compare *update;
	int r;

	options.metric = metric_find("update", strlen("update"));
	r = compare_new(compare->base, compare->new, &options, &update, NULL);
	if (!r)
		r = compare_cover_print(compare, update, stdout);
	compare_free(update);
	return r;
}

static int print(const struct compare *compare, const struct arguments *args)
{
	switch (args->format) {
	case FORMAT_JSON:
		return compare_json_print(compare, stdout);
	case FORMAT_TSV:
		return compare_tsv_print(compare, stdout);
	case FORMAT_MARKDOWN:
		return compare_markdown_print(compare, stdout);
	case FORMAT_COVER:
		return print_cover(compare);
	default:
		return compare_table_print(compare, stdout);
	}
}

/* Both sides are looked at before anything is given up, so that all faults are said at once. */
static int open_both(const struct arguments *args, struct record *records[2])
{
	int worst = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct error_list faults = {0};
		int r = record_open(args->paths[i], args->keep_going, &records[i], &faults);

		error_list_print(stderr, &faults);
		if (r)
			worst = r;
		else if (faults.total)
			fprintf(stderr,
				"memcgbench: warning: %s: the %zu fault%s above %s passed over, "
				"and the rest is compared\n",
				args->paths[i], faults.total, faults.total == 1 ? "" : "s",
				faults.total == 1 ? "was" : "were");
	}
	return worst;
}

static int compare_records(const struct arguments *args, struct record *records[2])
{
	struct compare *compare = NULL;
	struct error err = {0};
	int code = EXIT_FINE, r;

	r = compare_new(records[0], records[1], &args->options, &compare, &err);
	if (!r) {
		code = compare->worse ? EXIT_VERDICT : EXIT_FINE;
		r = print(compare, args);
		if (r == -ENOMEM)
			error_set(&err, r, "out of memory");
	}
	/* what could not be written is said by cli_finish() */
	if (r && r != -EIO)
		error_print(stderr, &err);
	compare_free(compare);
	return r ? EXIT_TROUBLE : code;
}

int cmd_compare(int argc, char **argv)
{
	struct arguments args = {
		.format = FORMAT_TABLE,
		.options = {.metric = &metrics[0], .alpha = ALPHA, .min_effect = -1},
	};
	struct record *records[2] = {NULL, NULL};
	int code = EXIT_TROUBLE;

	argp_parse(&compare_argp, argc, argv, 0, NULL, &args);
	if (args.options.min_effect < 0)
		args.options.min_effect = args.options.gate ? GATE_MIN_EFFECT : MIN_EFFECT;
	if (!open_both(&args, records))
		code = compare_records(&args, records);
	record_free(records[0]);
	record_free(records[1]);
	return cli_finish(code);
}
