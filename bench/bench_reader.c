// SPDX-License-Identifier: MIT
/*
 * What calls through pointers cost a read: the rows of reader.h's six readers, without text. At two
 * nodes, the hierarchical rows are 30 reads of maintained counters; `now` walks a tree of 11 memcgs
 * instead. reader_table.py puts the sizes of the objects beside these times.
 */
#include "bench_cases.h"
#include "bench_model.h"
#include "reader.h"
#include "timing/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *name, *retpolines;
	reader *read;
} readers[] = {
	{"now", "no", reader_now},
	{"pointers", "no", reader_pointers},
	{"branch", "no", reader_branch},
#ifdef READER_RETPOLINES
	{"now", "yes", reader_now_retpoline},
	{"pointers", "yes", reader_pointers_retpoline},
	{"branch", "yes", reader_branch_retpoline},
#endif
};

struct reader_parameters {
	reader *read;
	enum numa_scope scope;
};

struct reader_state {
	struct bench_model model;
	struct numa_counts counts;
	struct reader_parameters parameters;
};

static void reader_teardown(void *arg)
{
	struct reader_state *state = arg;

	numa_counts_fini(&state->counts);
	bench_model_fini(&state->model);
	free(state);
}

/* What is timed has to be right: as the back end of the same counters says. */
static int check_rows(struct reader_state *state, struct error *err)
{
	struct bench_model *model = &state->model;
	struct read_request request = {.rows = ROWS_ALL};
	enum numa_scope scope = state->parameters.scope;
	size_t first = numa_cell(2, scope, 0, 0);
	struct numa_counts truth;

	if (numa_counts_init(&truth, 2, model->point.machine.nids))
		return error_set(err, -ENOMEM, "out of memory");
	model->backend->read_counts(model->instance, &request, &truth);
	state->parameters.read(model->instance, scope, &state->counts);
	for (size_t i = first; i < first + numa_nr_cells(2) / NR_SCOPES; i++) {
		if (state->counts.cells[i] != truth.cells[i]) {
			numa_counts_fini(&truth);
			return error_set(err, -EINVAL, "cell %zu is wrong", i);
		}
	}
	numa_counts_fini(&truth);
	return 0;
}

static int prepare(struct reader_state *state, const struct backend *backend, struct error *err)
{
	const struct bench_shape shape = {TREE_BALANCED, 10, 2, 72};
	int r;

	r = bench_model_init(&state->model, backend, &shape, err);
	if (!r)
		r = bench_model_create(&state->model, err);
	if (!r)
		r = bench_model_populate(&state->model, err);
	if (!r)
		r = bench_model_bind(&state->model, err);
	if (!r && numa_counts_init(&state->counts, 2, state->model.point.machine.nids))
		r = error_set(err, -ENOMEM, "out of memory");
	return r ? r : check_rows(state, err);
}

static int reader_setup(const struct gb_case *self, void **out)
{
	struct reader_state *state = calloc(1, sizeof(*state));
	struct error err = {0};
	bool walks;
	int r;

	if (!state)
		return -ENOMEM;
	state->parameters = *(const struct reader_parameters *)self->parameters;
	walks = state->parameters.read == reader_now;
#ifdef READER_RETPOLINES
	walks |= state->parameters.read == reader_now_retpoline;
#endif
	r = prepare(state, backend_find(walks ? "walk" : "cached"), &err);
	if (r < 0) {
		error_print(stderr, &err);
		reader_teardown(state);
		return r;
	}
	*out = state;
	return 0;
}

static int reader_run(void *arg, uint64_t iterations)
{
	struct reader_state *state = arg;

	for (uint64_t i = 0; i < iterations; i++) {
		state->parameters.read(state->model.instance, state->parameters.scope,
				       &state->counts);
		keep(state->counts.cells);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const scope_names[NR_SCOPES] = {"local", "hierarchical"};
	struct bench_cases cases = {0};

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		for (unsigned scope = 0; scope < NR_SCOPES; scope++) {
			const struct reader_parameters parameters = {readers[i].read, scope};
			const struct gb_case one = {
				.setup = reader_setup,
				.run = reader_run,
				.teardown = reader_teardown,
				.parameters = &parameters,
			};

			bench_cases_add(&cases, &one, sizeof(parameters),
					"reader/%s/retpolines:%s/rows:%s", readers[i].name,
					readers[i].retpolines, scope_names[scope]);
		}
	}
	return bench_cases_main(&cases, argc, argv);
}
