// SPDX-License-Identifier: MIT
/*
 * `memcgbench aa`: a scenario measured with twice the repetitions, odd and even ones two runs of
 * the same, to know what two runs of the same differ by. The measurement is a run like any other;
 * what is kept of it beside is the document of noise, which histories look up.
 */
#include "cli/cli.h"

#include "base/error.h"
#include "cli/measuring.h"
#include "report/noise_table.h"
#include "report/run_table_parts.h"
#include "result/record.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AA_BASE       DEFAULT_BASE "/aa"
#define DEFAULT_STORE "results/history"

enum {
	KEY_STORE = 0x100,
};

static const struct argp_option option_table[] = {
	{"store", KEY_STORE, "DIR", 0,
	 "keep the noise there, for `history DIR` (default: " DEFAULT_STORE ")", 0},
	{"metric", 'm', "A,B", 0, "show these: p50 (default), p90, update and so on, or all", 0},
	{0},
};

struct arguments {
	struct measuring measuring;
	const char *store;
	size_t nr_metrics;
	const struct metric *metrics[NR_METRICS];
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->measuring;
		state->child_inputs[1] = &args->measuring.scenario;
		return 0;
	case KEY_STORE:
		args->store = text;
		return 0;
	case 'm':
		args->nr_metrics = cli_metrics(state, text, args->metrics);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{&measuring_argp, 0, NULL, 0}, {&one_scenario_argp, 0, NULL, 0}, {0}};

static const struct argp aa_argp = {
	.options = option_table,
	.parser = parse_option,
	.children = children,
	.args_doc = "SCENARIO",
	.doc = "Measures a scenario twice at the same time, to know how much it differs from "
	       "itself, and keeps that as its noise.\vThe scenario is measured with twice its "
	       "repetitions; the odd ones are one run, the even ones another, interleaved. All "
	       "metrics are kept in DIR/noise-NAME-HASH.json, in place of what an earlier aa of "
	       "the same points, back ends and host class left there. The run itself goes "
	       "to " AA_BASE "/NAME/NNN; Ctrl-C keeps what is done, and the same command goes on. "
	       "SCENARIO may be - for standard input."
	       "\n\nExit codes: 0 fine, whatever the noise; 2 trouble, or a repetition failed "
	       "(then no noise is kept); 3 not possible on this machine.",
};

static int store_noise(const char *store, const json_t *document)
{
	struct error err = {.line = 0};
	char path[PATH_MAX];
	int r = noise_store_put(store, document, path, &err);
	if (r)
		error_print(stderr, &err);
	else
		fprintf(stderr, "memcgbench: the noise is in %s\n", path);
	return r;
}

/* The document that is kept, and how many pairs are called different. */
static int print_json(const json_t *document, const struct noise_rows *rows, size_t nr)
{
	json_t *shown = json_copy((json_t *)document), *different = json_array();
	int r = 0;

	for (size_t i = 0; !r && i < nr; i++)
		r = json_array_append_new(different, noise_rows_to_json(&rows[i]));
	if (!r)
		r = json_object_set(shown, "called_different", different);
	if (r)
		r = -ENOMEM;
	else if (json_dumpf(shown, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12)))
		r = -EIO;
	putchar('\n');
	json_decref(different);
	json_decref(shown);
	return r;
}

static int print_table(const struct run_summary *summary, const struct noise_rows *rows, size_t nr)
{
	struct run_groups *groups = run_groups_new(summary);
	int r = groups ? 0 : -ENOMEM;

	if (groups)
		run_head_print(groups, stdout);
	if (!r)
		r = noise_table_print(rows, nr, groups, stdout);
	if (groups)
		run_failures_print(groups, stdout);
	run_groups_free(groups);
	return r;
}

static int print(const struct arguments *args, const struct run_summary *summary,
		 const struct record *record, const json_t *document, unsigned formats)
{
	struct noise_rows rows[NR_METRICS];
	size_t nr = 0;
	int r = 0;

	for (; !r && nr < args->nr_metrics; nr++)
		r = noise_rows_init(&rows[nr], record, args->metrics[nr]);
	if (!r && formats & FORMAT_TABLE)
		r = print_table(summary, rows, nr);
	if (!r && formats & FORMAT_JSON)
		r = print_json(document, rows, nr);
	if (!r && formats & FORMAT_TSV)
		r = noise_tsv_print(rows, nr, stdout);
	while (nr)
		noise_rows_fini(&rows[--nr]);
	return r;
}

static int show(void *arg, const struct run_summary *summary, unsigned formats)
{
	const struct arguments *args = arg;
	struct error err = {.line = 0};
	struct record *record;
	json_t *document;
	int r = record_from_summary(summary, &record, &err);

	if (r) {
		error_print(stderr, &err);
		return EXIT_TROUBLE;
	}
	document = noise_to_json(record);
	r = document ? print(args, summary, record, document, formats) : -ENOMEM;
	if (r)
		fprintf(stderr, "memcgbench: cannot print the noise: %s\n", strerror(-r));
	else if (!summary->nr_failed)
		r = store_noise(args->store, document);
	else
		fputs("memcgbench: no noise is kept of a run with failed repetitions\n", stderr);
	json_decref(document);
	record_free(record);
	return r ? EXIT_TROUBLE : EXIT_FINE;
}

/* Said before anything is measured. A directory that is not there yet is made when it is needed. */
static int check_store(const char *store)
{
	struct stat what = {
		.st_mode = S_IFDIR}; /* of what cannot even be looked at, access() speaks */
	struct error err = {.line = 0};
	int r = 0;

	if (stat(store, &what) && errno == ENOENT)
		return 0;
	if (!S_ISDIR(what.st_mode))
		r = -ENOTDIR;
	else if (access(store, W_OK | X_OK))
		r = -errno;
	if (!r)
		return 0;
	error_set_at(&err, r, store, 0, 0, "cannot keep the noise there: %s", strerror(-r));
	error_print(stderr, &err);
	return r;
}

int cmd_aa(int argc, char **argv)
{
	struct arguments args = {
		.measuring = MEASURING_DEFAULTS,
		.store = DEFAULT_STORE,
		.nr_metrics = 1,
		.metrics = {&metrics[0]},
	};
	struct run_options *run = &args.measuring.run;
	int code;

	run->base = AA_BASE;
	run->twice = true;
	run->show = show;
	run->arg = &args;
	argp_parse(&aa_argp, argc, argv, 0, NULL, &args);
	code = EXIT_TROUBLE;
	if (!check_store(args.store))
		code = measure_scenarios(&args.measuring, (char **)&args.measuring.scenario.path,
					 1);
	scenario_arguments_fini(&args.measuring.scenario);
	return code;
}
