// SPDX-License-Identifier: MIT
/* See measuring.h. */
#include "cli/measuring.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/cli.h"
#include "driver/interrupt.h"
#include "driver/lock.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LABEL_BYTES_MAX 200

enum {
	KEY_SEED = 0x200,
	KEY_STRICT,
	KEY_SKIP_IMPOSSIBLE,
	KEY_LABEL,
	KEY_NO_LOCK,
	KEY_ENABLE,
	KEY_TIME_LIMIT,
};

static const struct argp_option option_table[] = {
	{"out", 'o', "DIR", 0, "measure into DIR, or go on there (default: see below)", 0},
	{"format", 'f', "A,B", 0, "table (default), json, tsv", 0},
	{"seed", KEY_SEED, "S", 0, "orders the schedule (default 1)", 0},
	{"strict", KEY_STRICT, NULL, 0,
	 "refuse a machine that gives cause for a warning; exit with 2 where a result carries one",
	 0},
	{"skip-impossible", KEY_SKIP_IMPOSSIBLE, NULL, 0,
	 "measure what is possible on this machine and leave out the rest", 0},
	{"label", KEY_LABEL, "TEXT", 0, "stored in the results, in place of a host name", 0},
	{"no-lock", KEY_NO_LOCK, NULL, 0, "do not wait for other sweeps on this machine", 0},
	{"enable-controllers", KEY_ENABLE, NULL, 0,
	 "cgroup v2, live back ends: have the hierarchy's top hand the memory controller down "
	 "while "
	 "a tree stands, where it does not",
	 0},
	{"time-limit", KEY_TIME_LIMIT, "TIME", 0,
	 "end a process that takes longer, e.g. 90s (default: from the estimate)", 0},
	{0},
};

/* Results hold numbers as JSON does, which has no larger integers. */
static uint64_t whole_number(struct argp_state *state, const char *name, const char *text,
			     enum unit_kind kind, uint64_t min)
{
	char low[UNIT_TEXT_MAX], high[UNIT_TEXT_MAX];
	const char *why = "";
	uint64_t value = 0;

	if (unit_parse(text, strlen(text), kind, &value, &why))
		argp_error(state, "%s: '%s' is not possible (%s)", name, text, why);
	else if (value < min || value > INT64_MAX)
		argp_error(state, "%s: '%s' is out of range (%s to %s)", name, text,
			   unit_format_exact(low, kind, min),
			   unit_format_exact(high, kind, INT64_MAX));
	return value;
}

/* What results cannot hold is refused here, and not when they are written. */
static const char *label_text(struct argp_state *state, const char *text)
{
	json_t *json = json_string(text);
	bool printable = json;

	json_decref(json);
	for (const char *c = text; *c; c++)
		printable = printable && !iscntrl((unsigned char)*c);
	if (!printable || strlen(text) > LABEL_BYTES_MAX)
		argp_error(state,
			   "--label: not a text (UTF-8, no control characters, at most %d bytes)",
			   LABEL_BYTES_MAX);
	return text;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct measuring *measuring = state->input;
	struct run_options *run = &measuring->run;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &measuring->scenario;
		state->child_inputs[1] = &measuring->scenario;
		return 0;
	case 'o':
		run->out = text;
		return 0;
	case 'f':
		run->formats = cli_formats(state, text, FORMAT_TABLE | FORMAT_JSON | FORMAT_TSV);
		return 0;
	case KEY_SEED:
		run->seed = whole_number(state, "--seed", text, UNIT_COUNT, 0);
		return 0;
	case KEY_STRICT:
		run->strict = true;
		return 0;
	case KEY_SKIP_IMPOSSIBLE:
		run->skip_impossible = true;
		return 0;
	case KEY_LABEL:
		run->label = label_text(state, text);
		return 0;
	case KEY_NO_LOCK:
		measuring->no_lock = true;
		return 0;
	case KEY_ENABLE:
		run->fixtures.enable_controllers = true;
		return 0;
	case KEY_TIME_LIMIT:
		run->limit_ns = whole_number(state, "--time-limit", text, UNIT_TIME, 1);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{&scenario_argp, 0, NULL, 0}, {&sampling_argp, 0, NULL, 0}, {0}};

const struct argp measuring_argp = {
	.options = option_table, .parser = parse_option, .children = children};

static int write_dir_file(const char *path, const struct prepared *runs, size_t nr,
			  struct error *err)
{
	size_t size = 1, at = 0;
	char *text;
	int r;

	for (size_t i = 0; i < nr; i++)
		size += strlen(runs[i].dir->path) + 1;
	text = calloc(size, 1);
	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < nr; i++)
		at += (size_t)snprintf(text + at, size - at, "%s\n", runs[i].dir->path);
	r = file_write_output(path, text, at, err);
	free(text);
	return r;
}

/* Directories, sweeps, tables. -errno where nothing could be begun, else an exit code. */
static int measure_locked(struct measuring *measuring, struct prepared *runs, size_t nr,
			  int interrupt_fd, struct error *err)
{
	int signal_number = 0, code = EXIT_FINE, r = 0;

	/* Reading what is there may take long, and loses nothing: a signal ends it at once. */
	interrupt_unblock();
	for (size_t i = 0; i < nr && !r; i++)
		r = prepared_open(&runs[i], &measuring->run, err);
	if (!r && measuring->dir_file)
		r = write_dir_file(measuring->dir_file, runs, nr, err);
	if (r)
		return r;
	if (!measuring->run.strict)
		prepared_warn(runs, nr);
	interrupt_block();
	for (size_t i = 0; i < nr; i++) {
		int one = prepared_run(&runs[i], &measuring->run, interrupt_fd, &signal_number);

		if (signal_number)
			interrupt_raise(signal_number);
		if (one > code)
			code = one;
	}
	return code;
}

/* Without the lock, where it is not wanted; `*lock` is -1 then. */
static int take_lock(const struct measuring *measuring, int interrupt_fd, int *lock,
		     struct error *err)
{
	int signal_number = 0;

	*lock = -1;
	if (measuring->no_lock)
		return 0;
	*lock = lock_take(interrupt_fd, stderr, &signal_number, err);
	if (signal_number)
		interrupt_raise(signal_number);
	return *lock < 0 ? *lock : 0;
}

static int measure_all(struct measuring *measuring, struct prepared *runs, size_t nr)
{
	struct error err = {.line = 0};
	int interrupt_fd = interrupt_open(), lock, r;

	if (interrupt_fd < 0) {
		error_set(&err, interrupt_fd, "cannot watch for signals: %s",
			  strerror(-interrupt_fd));
		error_print(stderr, &err);
		return EXIT_TROUBLE;
	}
	r = take_lock(measuring, interrupt_fd, &lock, &err);
	if (!r)
		r = measure_locked(measuring, runs, nr, interrupt_fd, &err);
	if (lock >= 0)
		close(lock);
	close(interrupt_fd);
	if (r >= 0)
		return cli_finish(r);
	error_print(stderr, &err);
	return EXIT_TROUBLE;
}

int measure_scenarios(struct measuring *measuring, char **paths, size_t nr)
{
	struct prepared *runs = calloc(nr, sizeof(*runs));
	int code;

	if (!runs) {
		fputs("memcgbench: out of memory\n", stderr);
		return EXIT_TROUBLE;
	}
	code = prepare_all(runs, paths, nr, &measuring->scenario, &measuring->run);
	if (code == EXIT_FINE)
		code = measure_all(measuring, runs, nr);
	prepared_free(runs, nr);
	return code;
}
