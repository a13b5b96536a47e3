// SPDX-License-Identifier: MIT
/* See sweep.h. */
#include "driver/sweep.h"

#include "driver/child.h"
#include "driver/feasible.h"
#include "driver/fixtures.h"
#include "driver/interrupt.h"
#include "driver/progress.h"
#include "driver/schedule.h"
#include "memcg/captured.h"
#include "result/record.h"
#include "result/result.h"
#include "scenario/parameter.h"
#include "timing/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A process may take so many times its estimate, and this much more, before it counts as hung. The
 * estimate is rough and machines are shared. */
#define LIMIT_FACTOR  20
#define LIMIT_REST_NS 60e9
#define LOOK_AHEAD    256 /* results looked at between two looks for a signal */

/* What is known of one (point, back end). */
struct cell {
	json_t *sampling; /* what the pilot fixed, or NULL: the next process is the pilot */
	double process_ns; /* how long a process takes: measured, or the estimate */
	bool measured;
	uint32_t left; /* repetitions not done yet */
};

struct state {
	const struct sweep *sweep;
	struct task *tasks;
	size_t nr_tasks;
	bool *done; /* [nr_tasks] */
	struct cell *cells; /* [nr_points x nr_backends] */
	bool *varies; /* [nr_parameters]: not the same at all points */
	double left_ns; /* sum over cells of left x process_ns */
	struct fixtures fixtures;
	struct progress progress;
	struct sweep_result *result;
};

static size_t cell_index(const struct sweep *sweep, const struct task *task)
{
	return (size_t)task->point * sweep->scenario->nr_backends + task->backend;
}

static const char *backend_name(const struct sweep *sweep, const struct task *task)
{
	return sweep->scenario->backends[task->backend];
}

static const struct point *point_of(const struct sweep *sweep, const struct task *task)
{
	return &sweep->scenario->points[task->point];
}

static void set_process_time(struct state *state, struct cell *cell, double ns)
{
	state->left_ns += (ns - cell->process_ns) * cell->left;
	cell->process_ns = ns;
}

static void learn(struct state *state, struct cell *cell, const json_t *result)
{
	const json_t *sampling = json_object_get(result, "sampling");
	const json_t *total = json_object_get(json_object_get(result, "times"), "total_ns");

	if (!cell->sampling)
		cell->sampling = json_pack("{s:O, s:O, s:O}", "samples",
					   json_object_get(sampling, "samples"), "reads_per_sample",
					   json_object_get(sampling, "reads_per_sample"), "loop_ns",
					   json_object_get(sampling, "loop_ns"));
	if (json_is_number(total)) {
		set_process_time(state, cell, json_number_value(total));
		cell->measured = true;
	}
}

/* What was done before, and what it tells. 0 or -errno; a signal ends it early. */
static int look_back(struct state *state, struct error *err)
{
	const struct sweep *sweep = state->sweep;

	for (size_t i = 0; i < state->nr_tasks; i++) {
		const struct task *task = &state->tasks[i];
		struct cell *cell = &state->cells[cell_index(sweep, task)];
		const struct point *point = point_of(sweep, task);
		const char *backend = backend_name(sweep, task);
		json_t *result = NULL;
		int done;

		if (i % LOOK_AHEAD == 0)
			state->result->signal = interrupt_take(sweep->interrupt_fd);
		if (state->result->signal)
			return 0;
		if (cell->process_ns == 0)
			set_process_time(state, cell,
					 estimate_process(point, backend_find(backend)).process_ns);
		done = run_dir_done(sweep->dir, point->id, backend, task->repetition,
				    cell->measured ? NULL : &result, err);
		if (done < 0)
			return done;
		state->done[i] = done;
		if (result)
			learn(state, cell, result);
		json_decref(result);
		if (state->done[i]) {
			state->result->kept++;
		} else {
			cell->left++;
			state->left_ns += cell->process_ns;
		}
	}
	return 0;
}

static void find_varying(struct state *state)
{
	const struct scenario *scenario = state->sweep->scenario;

	for (size_t i = 0; i < nr_parameters; i++)
		for (size_t p = 1; p < scenario->nr_points && !state->varies[i]; p++)
			state->varies[i] =
				parameters[i].kind != PARAMETER_NIDS &&
				parameter_get(&parameters[i], &scenario->points[p]) !=
					parameter_get(&parameters[i], &scenario->points[0]);
}

/* "walk tree.memcgs=10k read.cache=cold, 3 of 10": the parameters that tell the points apart. */
static void describe(const struct state *state, const struct task *task, char *text, size_t size)
{
	const struct sweep *sweep = state->sweep;
	char value[PARAMETER_TEXT_MAX];
	size_t at = (size_t)snprintf(text, size, "%s", backend_name(sweep, task));

	for (size_t i = 0; i < nr_parameters && at < size; i++)
		if (state->varies[i])
			at += (size_t)snprintf(
				text + at, size - at, " %s=%s", parameters[i].name,
				parameter_text(&parameters[i], point_of(sweep, task), value));
	if (at < size)
		snprintf(text + at, size - at, ", %u of %u", task->repetition,
			 sweep->scenario->repetitions);
}

static json_t *make_request(const struct state *state, const struct task *task,
			    const struct cell *cell)
{
	const struct sweep *sweep = state->sweep;
	const struct scenario *scenario = sweep->scenario;
	const struct point *point = point_of(sweep, task);
	const struct captured *captured = point->tree.captured;

	return json_pack("{s:s, s:s?, s:s?, s:{s:s, s:o}, s:s, s:i, s:O?, s:O?}", "scenario",
			 scenario->name, "title", scenario->title, "tree_file",
			 captured ? captured->path : NULL, "point", "id", point->id, "parameters",
			 point_to_json(point), "backend", backend_name(sweep, task), "repetition",
			 (int)task->repetition, "sampling", cell->sampling, "fixture",
			 state->fixtures.described);
}

/* The same fields that a result has, and the reason. */
static json_t *failed_result(const struct sweep *sweep, const struct task *task, const char *reason)
{
	const struct point *point = point_of(sweep, task);
	json_t *values = point_to_json(point);
	json_t *result = result_new(sweep->scenario->name, sweep->scenario->title, point->id,
				    values, backend_name(sweep, task), task->repetition, reason);

	json_decref(values);
	return result;
}

static uint64_t limit_of(const struct sweep *sweep, const struct task *task)
{
	const struct point *point = point_of(sweep, task);
	const struct backend *backend = backend_find(backend_name(sweep, task));
	double ns = estimate_process(point, backend).process_ns * LIMIT_FACTOR + LIMIT_REST_NS;

	if (sweep->limit_ns)
		return sweep->limit_ns;
	ns += (double)point->read.samples * (double)point->read.pacing_ns;
	return ns < 1e18 ? (uint64_t)ns : (uint64_t)1e18;
}

/* Write what the process left; a failure is said at once. */
static int keep_outcome(struct state *state, const struct task *task, struct cell *cell,
			time_t started, const struct child_report *report, struct error *err)
{
	char started_at[RECORD_TIME_MAX];
	const struct sweep *sweep = state->sweep;
	const struct point *point = point_of(sweep, task);
	json_t *result;
	int r;

	if (report->outcome == CHILD_DONE) {
		result = json_incref(report->answer);
		/* The parent's view, from before fork to after wait: less the steps that the
		 * process timed, it is what the harness itself costs. */
		json_object_set_new(json_object_get(result, "times"), "process_ns",
				    json_integer((json_int_t)report->wall_ns));
		learn(state, cell, result);
		state->result->measured++;
	} else {
		result = failed_result(sweep, task, report->reason);
		state->result->failed++;
		progress_say(&state->progress, "%s %s, repetition %u failed: %s", point->id,
			     backend_name(sweep, task), task->repetition, report->reason);
	}
	if (!result)
		return error_set(err, -ENOMEM, "out of memory");
	json_object_set_new(result, "seed", json_integer((json_int_t)sweep->seed));
	json_object_set_new(result, "started_at",
			    json_string(record_time_text(started, started_at)));
	if (sweep->label)
		json_object_set_new(result, "label", json_string(sweep->label));
	r = run_dir_write(sweep->dir, point->id, backend_name(sweep, task), task->repetition,
			  result, err);
	json_decref(result);
	return r;
}

/* True: a signal arrived, which is kept. */
static bool fixture_progress(void *arg, const char *doing, uint64_t done, uint64_t of)
{
	struct state *state = arg;
	char what[sizeof(state->progress.what)];

	snprintf(what, sizeof(what), "%s, %" PRIu64 " of %" PRIu64, doing, done, of);
	progress_next(&state->progress, what, state->left_ns);
	if (!state->result->signal)
		state->result->signal = interrupt_take(state->sweep->interrupt_fd);
	return state->result->signal != 0;
}

/* Have what the task stands on. 1: interrupted. */
static int raise_fixture(struct state *state, const struct task *task, struct error *err)
{
	struct fixture_progress progress = {fixture_progress, state};
	int r = fixtures_raise(&state->fixtures, task, &progress, err);

	return state->result->signal ? 1 : r;
}

/* What was measured upon a fixture that fell meanwhile is of nothing. */
static void doubt(struct state *state, const struct task *task, struct child_report *report)
{
	const struct backend *backend = backend_find(backend_name(state->sweep, task));
	struct error err;

	if (!fixtures_check(&state->fixtures, &err) || report->outcome != CHILD_DONE ||
	    !backend->fixture)
		return;
	json_decref(report->answer);
	report->answer = NULL;
	report->outcome = CHILD_FAILED;
	snprintf(report->reason, sizeof(report->reason), "%.600s", err.text);
}

/* 1: interrupted. */
static int run_task(struct state *state, size_t index, struct error *err)
{
	const struct sweep *sweep = state->sweep;
	const struct task *task = &state->tasks[index];
	struct cell *cell = &state->cells[cell_index(sweep, task)];
	struct child_options options = {
		.limit_ns = limit_of(sweep, task),
		.interrupt_fd = sweep->interrupt_fd,
		.tick = progress_tick,
		.arg = &state->progress,
	};
	struct child_report report;
	json_t *request;
	time_t started;
	char what[160];
	int r;

	r = raise_fixture(state, task, err);
	if (r)
		return r;
	request = make_request(state, task, cell);
	if (!request)
		return error_set(err, -ENOMEM, "out of memory");
	started = time(NULL);
	describe(state, task, what, sizeof(what));
	progress_next(&state->progress, what, state->left_ns);
	r = child_run(request, &options, &report, err);
	json_decref(request);
	if (r)
		return r;
	if (report.outcome == CHILD_INTERRUPTED) {
		state->result->signal = report.signal;
		return 1;
	}
	doubt(state, task, &report);
	r = keep_outcome(state, task, cell, started, &report, err);
	json_decref(report.answer);
	state->done[index] = true;
	cell->left--;
	state->left_ns -= cell->process_ns;
	progress_done(&state->progress);
	return r;
}

static int run_tasks(struct state *state, struct error *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < state->nr_tasks; i++) {
		state->result->signal = interrupt_take(state->sweep->interrupt_fd);
		if (state->result->signal)
			return 0;
		if (!state->done[i])
			r = run_task(state, i, err);
	}
	return r < 0 ? r : 0;
}

/* Drop the tasks that are left out, keeping the order. */
static void leave_out(struct state *state)
{
	size_t kept = 0;

	for (size_t i = 0; i < state->nr_tasks; i++)
		if (!state->sweep->left_out[cell_index(state->sweep, &state->tasks[i])])
			state->tasks[kept++] = state->tasks[i];
	state->nr_tasks = kept;
}

/* However the sweep ended: what stays behind is said, and neither hides an error nor a signal. */
static void lower_fixtures(struct state *state)
{
	struct error err;

	if (!fixtures_fini(&state->fixtures, &err))
		return;
	state->result->left_behind = true;
	progress_say(&state->progress, "%s", err.text);
}

int sweep_run(const struct sweep *sweep, struct sweep_result *result, struct error *err)
{
	const struct scenario *scenario = sweep->scenario;
	size_t nr_cells = scenario->nr_points * scenario->nr_backends;
	struct state state = {.sweep = sweep, .result = result};
	int r;

	memset(result, 0, sizeof(*result));
	r = schedule_new(scenario->nr_points, scenario->nr_backends, scenario->repetitions,
			 sweep->seed, &state.tasks, &state.nr_tasks);
	if (r)
		return error_set(err, r, "cannot schedule %zu points: %s", scenario->nr_points,
				 strerror(-r));
	leave_out(&state);
	r = fixtures_init(&state.fixtures, scenario, sweep->machine, &sweep->fixtures,
			  sweep->left_out, state.tasks, state.nr_tasks);
	state.done = calloc(state.nr_tasks + 1, sizeof(*state.done));
	state.cells = calloc(nr_cells + 1, sizeof(*state.cells));
	state.varies = calloc(nr_parameters, sizeof(*state.varies));
	if (r || !state.done || !state.cells || !state.varies) {
		r = error_set(err, -ENOMEM, "out of memory");
		goto out;
	}
	find_varying(&state);
	r = look_back(&state, err);
	if (!r && !result->signal && result->kept < state.nr_tasks) {
		progress_begin(&state.progress, sweep->log, result->kept, state.nr_tasks);
		r = run_tasks(&state, err);
		lower_fixtures(&state);
		progress_end(&state.progress);
	}
out:
	fixtures_fini(&state.fixtures, NULL);
	for (size_t i = 0; state.cells && i < nr_cells; i++)
		json_decref(state.cells[i].sampling);
	free(state.cells);
	free(state.varies);
	free(state.done);
	free(state.tasks);
	return r;
}
