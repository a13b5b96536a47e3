// SPDX-License-Identifier: MIT
/* See run_scenario.h. */
#include "cli/run_scenario.h"

#include "base/build.h"
#include "cli/cli.h"
#include "cli/reasons.h"
#include "driver/feasible.h"
#include "driver/interrupt.h"
#include "driver/sweep.h"
#include "result/summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int say(const struct error *err, int code)
{
	error_print(stderr, err);
	return code;
}

/* This machine, and what makes it unfit. */
static int open_machine(struct machine **machine)
{
	const char *foreign = machine_foreign_variable();
	struct error err = {.line = 0};

	if (foreign) {
		fprintf(stderr,
			"memcgbench: %s is set: hwloc would describe another machine than the one "
			"that is measured (unset it, or use `plan --topology`)\n",
			foreign);
		return EXIT_IMPOSSIBLE;
	}
	if (machine_open(NULL, machine, &err))
		return say(&err, EXIT_TROUBLE);
	if (!(*machine)->thissystem) {
		fputs("memcgbench: hwloc does not describe this machine: nothing can be measured\n",
		      stderr);
		return EXIT_IMPOSSIBLE;
	}
	return EXIT_FINE;
}

/* How many causes for a warning the machine gives. */
static size_t print_warnings(const struct machine *machine, json_t *context)
{
	json_t *warnings = machine_warnings(machine, context), *warning;
	size_t i, nr = json_array_size(warnings);

	json_array_foreach (warnings, i, warning)
		fprintf(stderr, "memcgbench: warning: %s\n", json_string_value(warning));
	json_decref(warnings);
	return nr;
}

void prepared_warn(const struct prepared *runs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (run_dir_finished(runs[i].dir))
			continue;
		print_warnings(runs[i].machine, runs[i].context);
		return;
	}
}

/* An entry of left_out with its reasons. */
static int leave_out(struct prepared *run, const struct point *point, const char *backend,
		     const struct error_list *reasons)
{
	json_t *texts = json_array();

	for (size_t i = 0; i < reasons->nr; i++)
		json_array_append_new(texts, json_string(reasons->items[i].text));
	return json_array_append_new(run->left_json,
				     json_pack("{s:s, s:s, s:o}", "id", point->id, "backend",
					       backend, "reasons", texts));
}

/* What of the scenario is not possible; `said` takes the reasons. */
static int leave_out_impossible(struct prepared *run, const struct fixture_options *fixtures,
				json_t *said, size_t *impossible)
{
	const struct scenario *s = run->scenario;

	for (size_t p = 0; p < s->nr_points; p++) {
		for (size_t b = 0; b < s->nr_backends; b++) {
			const struct point *point = &s->points[p];
			struct error_list reasons = {.nr = 0};

			if (!feasible(run->machine, point, backend_find(s->backends[b]), fixtures,
				      &reasons))
				continue;
			run->left_out[p * s->nr_backends + b] = true;
			(*impossible)++;
			if (reasons_add(said, point, s->backends[b], &reasons) ||
			    leave_out(run, point, s->backends[b], &reasons))
				return -ENOMEM;
		}
	}
	return 0;
}

static int ask_feasible(struct prepared *run, const struct fixture_options *fixtures,
			size_t *impossible)
{
	const struct scenario *s = run->scenario;
	json_t *said = json_object();
	int r;

	run->left_out = calloc(s->nr_points * s->nr_backends + 1, sizeof(*run->left_out));
	run->left_json = json_array();
	r = run->left_out && run->left_json ? leave_out_impossible(run, fixtures, said, impossible)
					    : -ENOMEM;
	reasons_print(stderr, s->path, said);
	json_decref(said);
	return r;
}

/* Twice the repetitions, for two halves: each needs two processes for anything to be said. */
static int double_repetitions(struct scenario *scenario)
{
	if (scenario->repetitions < 2 || scenario->repetitions > MAX_REPETITIONS / 2) {
		fprintf(stderr,
			"memcgbench: %s: repetitions: %u is not possible for two halves (2 to %u; "
			"--repetitions replaces it)\n",
			scenario->path, scenario->repetitions, MAX_REPETITIONS / 2);
		return EXIT_TROUBLE;
	}
	scenario->repetitions *= 2;
	return EXIT_FINE;
}

static int load_all(struct prepared *runs, char **paths, size_t nr,
		    const struct scenario_options *scenario, const struct run_options *options)
{
	int code = EXIT_FINE;

	for (size_t i = 0; i < nr; i++) {
		struct error_list errors = {.nr = 0};

		if (scenario_load(paths[i], scenario, &runs[i].scenario, &errors)) {
			error_list_print(stderr, &errors);
			code = EXIT_TROUBLE;
		} else if (options->twice && double_repetitions(runs[i].scenario)) {
			code = EXIT_TROUBLE;
		}
	}
	return code;
}

/* Every scenario against the machine. */
static int ask_all(struct prepared *runs, size_t nr, struct machine *machine,
		   const struct fixture_options *fixtures, size_t *impossible)
{
	for (size_t i = 0; i < nr; i++) {
		runs[i].machine = machine;
		runs[i].context = machine_context(machine);
		if (!runs[i].context || ask_feasible(&runs[i], fixtures, impossible)) {
			fputs("memcgbench: out of memory\n", stderr);
			return EXIT_TROUBLE;
		}
	}
	return EXIT_FINE;
}

int prepare_all(struct prepared *runs, char **paths, size_t nr, struct scenario_arguments *scenario,
		const struct run_options *options)
{
	struct machine *machine = NULL;
	size_t impossible = 0;
	int code = open_machine(&machine);

	runs[0].machine = machine;
	if (code)
		return code;
	if (scenario_arguments_here(scenario, machine)) {
		fputs("memcgbench: out of memory\n", stderr);
		return EXIT_TROUBLE;
	}
	code = load_all(runs, paths, nr, &scenario->options, options);
	if (!code)
		code = ask_all(runs, nr, machine, &options->fixtures, &impossible);
	if (!code && options->strict && print_warnings(machine, runs[0].context)) {
		fputs("memcgbench: nothing was measured, because of --strict\n", stderr);
		code = EXIT_TROUBLE;
	}
	if (!code && impossible && !options->skip_impossible) {
		fputs("memcgbench: nothing was measured (--skip-impossible measures the rest)\n",
		      stderr);
		code = EXIT_IMPOSSIBLE;
	}
	return code;
}

void prepared_free(struct prepared *runs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		scenario_free(runs[i].scenario);
		json_decref(runs[i].left_json);
		json_decref(runs[i].context);
		run_dir_free(runs[i].dir);
		free(runs[i].left_out);
	}
	machine_free(runs[0].machine);
	free(runs);
}

int prepared_open(struct prepared *run, const struct run_options *options, struct error *err)
{
	json_t *document =
		run_document(run->scenario, options->seed, build_id(), run->machine->host_class,
			     run->context, run->left_json, options->label);
	int r;

	if (!document)
		return error_set(err, -ENOMEM, "out of memory");
	r = run_dir_open(options->out, options->base, options->reuse, document, &run->dir, err);
	json_decref(document);
	if (!r && run->dir->resumed)
		fprintf(stderr, "memcgbench: %s %s\n",
			run_dir_finished(run->dir) ? "nothing is left to measure in"
						   : "going on in",
			run->dir->path);
	return r;
}

static bool any_warning(const struct run_summary *summary)
{
	for (size_t p = 0; p < summary->nr_points; p++)
		for (size_t b = 0; b < summary->points[p].nr_backends; b++)
			if (summary->points[p].backends[b].nr_warnings)
				return true;
	return false;
}

static int show(struct prepared *run, const struct run_options *options)
{
	struct run_summary *summary;
	struct error err = {.line = 0};
	int code;

	if (summary_load(run->dir->path, &summary, &err))
		return say(&err, EXIT_TROUBLE);
	code = options->show(options->arg, summary, options->formats);
	if (summary->nr_failed) {
		fprintf(stderr,
			"memcgbench: failed repetitions: %zu; the same command tries them again\n",
			summary->nr_failed);
		code = EXIT_TROUBLE;
	}
	if (options->strict && any_warning(summary)) {
		fputs("memcgbench: results carry warnings (--strict)\n", stderr);
		code = EXIT_TROUBLE;
	}
	summary_free(summary);
	fflush(stdout);
	fprintf(stderr, "memcgbench: results are in %s\n", run->dir->path);
	return code;
}

int prepared_run(struct prepared *run, const struct run_options *options, int interrupt_fd,
		 int *signal_number)
{
	struct sweep sweep = {
		.scenario = run->scenario,
		.dir = run->dir,
		.left_out = run->left_out,
		.machine = run->machine,
		.fixtures = options->fixtures,
		.seed = options->seed,
		.label = options->label,
		.limit_ns = options->limit_ns,
		.interrupt_fd = interrupt_fd,
		.log = stderr,
	};
	struct sweep_result result;
	struct error err = {.line = 0};
	int claim, r = run_dir_claim(run->dir->path, &claim, &err);

	if (r == -EBUSY && run_dir_finished(run->dir))
		return show(run, options); /* nothing is written any more */
	if (!r)
		r = sweep_run(&sweep, &result, &err);
	if (claim >= 0)
		close(claim);
	if (r)
		return say(&err, EXIT_TROUBLE);
	*signal_number = result.signal;
	if (result.signal) {
		fprintf(stderr,
			"memcgbench: interrupted: finished repetitions, %zu, are kept in %s; the "
			"same command "
			"goes on from there\n",
			result.kept + result.measured, run->dir->path);
		return EXIT_TROUBLE;
	}
	/* All is kept: a signal may end us at once, and a pipe that nobody reads must not hold us.
	 */
	interrupt_unblock();
	r = show(run, options);
	interrupt_block();
	return result.left_behind && !r ? EXIT_TROUBLE : r;
}
