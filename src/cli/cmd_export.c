// SPDX-License-Identifier: MIT
/* `memcgbench export --format FORMAT DIR`: results in the formats of other tools. */
#include "cli/cli.h"

#include "base/error.h"
#include "base/file.h"
#include "result/document.h"
#include "result/export.h"
#include "result/export_cells.h"
#include "verdict/history.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum export_format {
	EXPORT_NONE,
	EXPORT_GB_JSON,
	EXPORT_CSV,
	EXPORT_HGRM,
	EXPORT_OTAVA
};

static const struct {
	const char *word;
	enum export_format format;
} formats[] = {
	{"gb-json", EXPORT_GB_JSON},
	{"csv", EXPORT_CSV},
	{"hgrm", EXPORT_HGRM},
	{"otava-csv", EXPORT_OTAVA},
};

struct export_arguments {
	enum export_format format;
	const char *directory, *out, *scenario, *host_class;
	bool keep_going;
	struct export_selection selection;
};

enum {
	OPTION_POINT = 256,
	OPTION_SCENARIO,
	OPTION_HOST_CLASS,
	OPTION_KEEP_GOING
};

static const struct argp_option options[] = {
	{"format", 'f', "FORMAT", 0, "gb-json, csv, hgrm or otava-csv", 0},
	{"out", 'o', "PATH", 0,
	 "write to PATH, at once or not at all (default: standard output); of hgrm, the directory "
	 "for a file of each point and back end",
	 0},
	{"point", OPTION_POINT, "ID", 0, "this point only", 0},
	{"backend", 'b', "NAME", 0, "this back end only", 0},
	{"scenario", OPTION_SCENARIO, "NAME", 0, "of otava-csv: runs of this scenario only", 0},
	{"host-class", OPTION_HOST_CLASS, "TEXT", 0,
	 "of otava-csv: runs on this class of host only", 0},
	{"keep-going", OPTION_KEEP_GOING, NULL, 0, "of otava-csv: leave out what cannot be read",
	 0},
	{0},
};

static enum export_format find_format(struct argp_state *state, const char *word)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].word, word))
			return formats[i].format;
	argp_error(state, "--format: '%s' is not known (gb-json, csv, hgrm, otava-csv)", word);
	return EXPORT_NONE;
}

static void check_arguments(struct argp_state *state, const struct export_arguments *arguments)
{
	if (!arguments->format)
		argp_error(state, "--format is missing (gb-json, csv, hgrm, otava-csv)");
	cli_need_directory(state, "run", arguments->directory);
	if (arguments->format != EXPORT_OTAVA &&
	    (arguments->scenario || arguments->host_class || arguments->keep_going))
		argp_error(state, "--%s is of --format otava-csv only",
			   arguments->scenario     ? "scenario"
			   : arguments->host_class ? "host-class"
						   : "keep-going");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct export_arguments *arguments = state->input;

	switch (key) {
	case 'f':
		arguments->format = find_format(state, argument);
		return 0;
	case 'o':
		arguments->out = argument;
		return 0;
	case 'b':
		arguments->selection.backend = argument;
		return 0;
	case OPTION_POINT:
		arguments->selection.point = argument;
		return 0;
	case OPTION_SCENARIO:
		arguments->scenario = argument;
		return 0;
	case OPTION_HOST_CLASS:
		arguments->host_class = argument;
		return 0;
	case OPTION_KEEP_GOING:
		arguments->keep_going = true;
		return 0;
	case ARGP_KEY_ARG:
		cli_take_directory(state, "run", argument, &arguments->directory);
		return 0;
	case ARGP_KEY_END:
		check_arguments(state, arguments);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "DIR",
	.doc = "Writes the run in DIR in the format of another tool. Nothing in DIR is changed.\v"
	       "gb-json is Google Benchmark's, for its compare.py: an entry for each process. csv "
	       "(RFC 4180) has a line for each process with all that is known of it. hgrm is "
	       "HdrHistogram's percentile output, in nanoseconds. otava-csv is read by Apache "
	       "Otava: a row for each run, by time; DIR is then a run, a record, or a directory "
	       "of records as `history' keeps them.\n\n"
	       "Exit codes: 0 fine; 2 trouble: nothing to export, faulty files.",
};

/* Print `text` to where the user wants it; with -o the whole file or nothing. */
static int deliver(const char *out, const char *text, size_t length, struct error *err)
{
	if (out)
		return file_write_output(out, text, length, err);
	fwrite(text, 1, length, stdout); /* cli_finish() looks for errors */
	return 0;
}

static void say_tally(const char *path, const struct export_tally *tally, bool in_output)
{
	struct error note;

	/* reasons are what other programs said, control characters and all */
	if (tally->failed) {
		error_set_at(&note, 0, path, 0, 0,
			     "%zu repetition%s failed or cannot be read%s; the first: %s",
			     tally->failed, tally->failed == 1 ? "" : "s",
			     in_output ? ", and have no figures" : ", and are not in the output",
			     tally->first_failed);
		error_print(stderr, &note);
	}
	if (tally->missing)
		fprintf(stderr,
			"memcgbench: %s: the run is not finished: %zu repetition%s missing\n", path,
			tally->missing, tally->missing == 1 ? " is" : "s are");
	if (tally->batched)
		fprintf(stderr,
			"memcgbench: %s: %zu histogram%s left out: reads were timed in batches, "
			"which have no percentiles\n",
			path, tally->batched, tally->batched == 1 ? " is" : "s are");
}

static int export_processes(const struct export_arguments *arguments, struct error *err)
{
	bool csv = arguments->format == EXPORT_CSV;
	struct export_tally tally = {0};
	struct run_dir *dir = NULL;
	size_t length = 0;
	char *text = NULL;
	FILE *out;
	int r;

	r = run_dir_load(arguments->directory, &dir, err);
	if (r)
		return r;
	out = open_memstream(&text, &length);
	if (!out) {
		run_dir_free(dir);
		return error_set(err, -ENOMEM, "out of memory");
	}
	r = (csv ? export_csv : export_gb_json)(dir, &arguments->selection, out, &tally, err);
	if (fclose(out) != 0 && !r)
		r = error_set(err, -ENOMEM, "out of memory");
	if (!r) {
		say_tally(dir->path, &tally, csv);
		r = deliver(arguments->out, text, length, err);
	}
	free(text);
	run_dir_free(dir);
	return r;
}

static int write_histogram(const struct export_arguments *arguments,
			   const struct run_summary *summary, const struct point *point,
			   const struct backend_summary *backend, struct error *err)
{
	char name[NAME_MAX + 1], path[PATH_MAX], *text = NULL;
	size_t length = 0;
	FILE *out;
	int r = 0;

	if (arguments->out) {
		snprintf(name, sizeof(name), "%s.%s.hgrm", point->id, backend->backend);
		r = join_path(path, arguments->out, name, err);
	}
	if (r)
		return r;
	out = open_memstream(&text, &length);
	if (!out)
		return error_set(err, -ENOMEM, "out of memory");
	r = export_hgrm(summary, point, backend, out, err);
	if (fclose(out) != 0 && !r)
		r = error_set(err, -ENOMEM, "out of memory");
	if (!r)
		r = deliver(arguments->out ? path : NULL, text, length, err);
	free(text);
	if (!r && arguments->out)
		puts(path);
	return r;
}

/* Do to each selected back end that has a distribution; counts them where `write` is false. */
static int each_histogram(const struct export_arguments *arguments,
			  const struct run_summary *summary, bool write, struct export_tally *tally,
			  struct error *err)
{
	const struct export_selection *selection = &arguments->selection;
	int r = 0;

	*tally = (struct export_tally){.failed = summary->nr_failed};
	for (size_t p = 0; p < summary->nr_points; p++) {
		const struct point_summary *point = &summary->points[p];

		if (selection->point && strcmp(selection->point, point->point.id))
			continue;
		for (size_t b = 0; !r && b < point->nr_backends; b++) {
			const struct backend_summary *backend = &point->backends[b];

			if (!backend->processes ||
			    (selection->backend && strcmp(selection->backend, backend->backend)))
				continue;
			if (backend->reads_per_sample > 1) {
				tally->batched++;
				continue;
			}
			tally->written++;
			if (write)
				r = write_histogram(arguments, summary, &point->point, backend,
						    err);
		}
	}
	return r;
}

static int export_histograms(const struct export_arguments *arguments, struct error *err)
{
	struct run_summary *summary = NULL;
	struct export_tally tally;
	int r;

	r = summary_load(arguments->directory, &summary, err);
	if (r)
		return r;
	r = export_check_selection(summary->run, summary->path, &arguments->selection, err);
	if (!r)
		r = each_histogram(arguments, summary, false, &tally, err);
	if (!r) {
		if (summary->nr_failed)
			snprintf(tally.first_failed, sizeof(tally.first_failed),
				 "%s %s, repetition %u: %.250s", summary->failed[0].id,
				 summary->failed[0].backend, summary->failed[0].repetition,
				 summary->failed[0].reason);
		say_tally(summary->path, &tally, false);
	}
	if (!r && !tally.written)
		r = error_set_at(err, -ENODATA, summary->path, 0, 0,
				 "there is no distribution of what was asked for");
	if (!r && tally.written > 1 && !arguments->out)
		r = error_set_at(err, -EINVAL, summary->path, 0, 0,
				 "%zu histograms do not go into one output: choose one with "
				 "--point and --backend, or a directory for all with -o",
				 tally.written);
	if (!r && arguments->out)
		r = file_make_directories(arguments->out, err);
	if (!r)
		r = each_histogram(arguments, summary, true, &tally, err);
	summary_free(summary);
	return r;
}

/* Several runs, or the one that a path stands for. */
struct runs {
	struct history *history;
	struct record *single;
	struct record **chosen;
	size_t nr;
};

static bool is_one_run(const char *path)
{
	char file[PATH_MAX];
	struct stat status;

	if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode))
		return true;
	return !join_path(file, path, "run.json", NULL) && stat(file, &status) == 0;
}

/* The runs asked for, of those that were read. */
static int choose(const struct export_arguments *arguments, struct runs *runs, struct error *err)
{
	struct record **all = runs->history ? runs->history->records : &runs->single;
	size_t nr = runs->history ? runs->history->nr_records : 1;

	runs->chosen = calloc(nr + 1, sizeof(struct record *));
	if (!runs->chosen)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < nr; i++)
		if ((!arguments->scenario || !strcmp(arguments->scenario, all[i]->scenario)) &&
		    (!arguments->host_class || !strcmp(arguments->host_class, all[i]->host_class)))
			runs->chosen[runs->nr++] = all[i];
	if (!runs->nr)
		return error_set_at(err, -ENODATA, arguments->directory, 0, 0,
				    "no run is of that scenario and host class");
	return 0;
}

static int open_runs(const struct export_arguments *arguments, struct runs *runs, struct error *err)
{
	const struct history_options history = {.keep_going = arguments->keep_going};
	struct error_list faults = {0};
	int r;

	if (is_one_run(arguments->directory))
		r = record_open(arguments->directory, arguments->keep_going, &runs->single,
				&faults);
	else
		r = history_load(arguments->directory, &history, &runs->history, &faults);
	if (!r)
		r = choose(arguments, runs, err);
	else if (faults.nr)
		r = error_set(err, r, "%s: nothing is exported", arguments->directory);
	else
		r = error_set_at(err, r, arguments->directory, 0, 0, "cannot read: %s",
				 strerror(-r));
	error_list_print(stderr, &faults);
	return r;
}

static void say_otava(const char *path, size_t untimed, size_t gaps)
{
	if (untimed)
		fprintf(stderr,
			"memcgbench: %s: %zu run%s left out: not said when they were measured\n",
			path, untimed, untimed == 1 ? " was" : "s were");
	if (gaps)
		fprintf(stderr,
			"memcgbench: %s: %zu column%s without a value in some rows, and Otava "
			"refuses to analyse those\n",
			path, gaps, gaps == 1 ? " is" : "s are");
}

static int export_runs(const struct export_arguments *arguments, struct error *err)
{
	size_t length = 0, untimed = 0, gaps = 0;
	struct runs runs = {0};
	char *text = NULL;
	FILE *out;
	int r;

	r = open_runs(arguments, &runs, err);
	if (r)
		goto out;
	out = open_memstream(&text, &length);
	if (!out) {
		r = error_set(err, -ENOMEM, "out of memory");
		goto out;
	}
	r = export_otava_csv(runs.chosen, runs.nr, &arguments->selection, out, &untimed, &gaps,
			     err);
	if (fclose(out) != 0 && !r)
		r = error_set(err, -ENOMEM, "out of memory");
	if (!r) {
		say_otava(arguments->directory, untimed, gaps);
		r = deliver(arguments->out, text, length, err);
	}
out:
	free(text);
	free(runs.chosen);
	record_free(runs.single);
	history_free(runs.history);
	return r;
}

int cmd_export(int argc, char **argv)
{
	struct export_arguments arguments = {0};
	struct error err = {0};
	int r;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	if (arguments.format == EXPORT_HGRM)
		r = export_histograms(&arguments, &err);
	else if (arguments.format == EXPORT_OTAVA)
		r = export_runs(&arguments, &err);
	else
		r = export_processes(&arguments, &err);
	if (r)
		error_print(stderr, &err);
	return cli_finish(r ? EXIT_TROUBLE : EXIT_FINE);
}
