// SPDX-License-Identifier: MIT
/*
 * Reads of the root's memory.numa_stat, text included, by every back end over trees of several
 * sizes. Counters are of one read: operations, and bytes of the cache lines that it touches.
 */
#include "bench_cases.h"
#include "bench_model.h"
#include "timing/clock.h"
#include "timing/gb_shim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct read_parameters {
	const struct backend *backend;
	struct bench_shape shape;
	unsigned rows;
	enum text_style style;
};

static const struct {
	struct bench_shape shape;
	unsigned rows;
	enum text_style style;
	const char *suffix; /* of the name: what is not the default */
} shapes[] = {
	{{TREE_BALANCED, 10, 2, 72}, ROWS_ALL, TEXT_SEQ_PRINTF, ""},
	{{TREE_BALANCED, 100, 2, 72}, ROWS_ALL, TEXT_SEQ_PRINTF, ""},
	{{TREE_BALANCED, 1000, 2, 72}, ROWS_ALL, TEXT_SEQ_PRINTF, ""},
	{{TREE_BALANCED, 10000, 2, 72}, ROWS_ALL, TEXT_SEQ_PRINTF, ""},
	{{TREE_BALANCED, 1000, 1, 2}, ROWS_ALL, TEXT_SEQ_PRINTF, ""},
	/* Areas of the kernel are congruent: what that costs a read that stays in the cache. */
	{{TREE_BALANCED, 100, 2, 72, .skew = 64}, ROWS_ALL, TEXT_SEQ_PRINTF, "/skew:64"},
	{{TREE_BALANCED, 100, 2, 72}, ROWS_HIERARCHICAL, TEXT_FAST, "/rows:hierarchical/text:fast"},
};
#define NR_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

struct read_state {
	const struct read_parameters *parameters;
	struct bench_model model;
	struct read_request request;
	struct numa_counts scratch;
	char *buffer;
	size_t size;
	struct op_counts counts; /* of one read */
	uint64_t bytes_touched;
};

static void read_teardown(void *arg)
{
	struct read_state *state = arg;

	free(state->buffer);
	numa_counts_fini(&state->scratch);
	bench_model_fini(&state->model);
	free(state);
}

static int prepare(struct read_state *state, struct error *err)
{
	struct bench_model *model = &state->model;
	int r;

	r = bench_model_create(model, err);
	if (r < 0)
		return r;
	r = bench_model_populate(model, err);
	if (r < 0)
		return r;
	r = bench_model_bind(model, err);
	if (r < 0)
		return r;
	r = numa_counts_init(&state->scratch, model->point.machine.nodes,
			     model->point.machine.nids);
	if (r < 0)
		return error_set(err, r, "out of memory");
	state->size = numa_stat_text_max(model->point.machine.nodes);
	state->buffer = malloc(state->size);
	if (!state->buffer)
		return error_set(err, -ENOMEM, "out of memory");
	state->request = (struct read_request){.rows = state->parameters->rows};
	return bench_model_count(model, &state->request, &state->scratch, FORM_TEXT,
				 state->parameters->style, &state->counts, &state->bytes_touched,
				 err);
}

static int read_setup(const struct gb_case *self, void **out)
{
	const struct read_parameters *parameters = self->parameters;
	struct read_state *state = calloc(1, sizeof(*state));
	struct error err = {0};
	int r;

	if (!state)
		return -ENOMEM;
	state->parameters = parameters;
	r = bench_model_init(&state->model, parameters->backend, &parameters->shape, &err);
	if (r == 0)
		r = prepare(state, &err);
	if (r < 0) {
		error_print(stderr, &err);
		read_teardown(state);
		return r;
	}
	*out = state;
	return 0;
}

static int read_run(void *arg, uint64_t iterations)
{
	struct read_state *state = arg;
	const struct bench_model *model = &state->model;
	enum text_style style = state->parameters->style;

	for (uint64_t i = 0; i < iterations; i++) {
		long length =
			backend_read(model->backend, model->instance, &state->request,
				     &state->scratch, FORM_TEXT, style, state->buffer, state->size);

		if (length < 0)
			return (int)length;
		keep(state->buffer);
	}
	return 0;
}

static unsigned read_counters(void *arg, struct gb_counter *counters)
{
	const struct read_state *state = arg;
	const struct op_counts *counts = &state->counts;
	const struct gb_counter all[] = {
		{"loads_hierarchical", (double)counts->loads_hierarchical, 0},
		{"loads_local", (double)counts->loads_local, 0},
		{"memcgs_visited", (double)counts->memcgs_visited, 0},
		{"css_gets", (double)counts->css_gets, 0},
		{"atomics", (double)counts->atomics, 0},
		{"text_bytes", (double)counts->text_bytes, 0},
		{"bytes_touched", (double)state->bytes_touched, 0},
	};
	unsigned nr = sizeof(all) / sizeof(all[0]);

	_Static_assert(sizeof(all) / sizeof(all[0]) <= GB_MAX_COUNTERS, "too many counters");
	for (unsigned i = 0; i < nr; i++)
		counters[i] = all[i];
	return nr;
}

int main(int argc, char **argv)
{
	struct bench_cases cases = {0};

	for (size_t i = 0; backends[i] && !backends[i]->fixture; i++) {
		for (size_t k = 0; k < NR_SHAPES; k++) {
			const struct bench_shape *shape = &shapes[k].shape;
			const struct read_parameters parameters = {backends[i], *shape,
								   shapes[k].rows, shapes[k].style};
			const struct gb_case one = {
				.setup = read_setup,
				.run = read_run,
				.teardown = read_teardown,
				.counters = read_counters,
				.parameters = &parameters,
			};

			bench_cases_add(&cases, &one, sizeof(parameters),
					"read/%s/memcgs:%u/nodes:%u/cpus:%u%s", backends[i]->name,
					shape->memcgs, shape->nodes, shape->cpus, shapes[k].suffix);
		}
	}
	return bench_cases_main(&cases, argc, argv);
}
