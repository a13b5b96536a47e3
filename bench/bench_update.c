// SPDX-License-Identifier: MIT
/*
 * Updates: what a writer pays to charge one page, or a huge page and back, in the deepest memcg of
 * a chain. Pages are charged only, list by list, so that batches spill into all ancestors as often
 * as they do in life: once in B + 1 events.
 */
#include "bench_cases.h"
#include "bench_model.h"
#include "timing/gb_shim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define HUGE_PAGES 512

enum event {
	EVENT_PAGE, /* +1 */
	EVENT_HUGE, /* +512, -512 in turn */
};

static const char *const event_names[] = {[EVENT_PAGE] = "page", [EVENT_HUGE] = "huge"};
static const uint32_t depths[] = {1, 3, 10, 100};

struct update_parameters {
	const struct backend *backend;
	uint32_t depth;
	enum event event;
};

struct update_state {
	const struct update_parameters *parameters;
	struct bench_model model;
	uint64_t done; /* events so far: the next one's number */
	double adds, atomics; /* of one event, on average */
};

static struct update nth_event(const struct update_state *state, uint64_t n)
{
	struct update update = {
		.memcg = state->parameters->depth, /* the last of the chain */
		.lru = (enum lru_list)(n % NR_LRU_LISTS),
		.delta = 1,
	};

	if (state->parameters->event == EVENT_HUGE)
		update.delta = n / NR_LRU_LISTS % 2 ? -HUGE_PAGES : HUGE_PAGES;
	return update;
}

/* Whole rounds of batches, for an average that is exact. */
static void count_events(struct update_state *state)
{
	const struct bench_model *model = &state->model;
	uint64_t nr = 2 * NR_LRU_LISTS * (model->point.counters.batch + 1);
	struct op_probe probe = {0};

	for (uint64_t i = 0; i < nr; i++) {
		struct update update = nth_event(state, state->done++);

		model->backend->count_update(model->instance, &update, &probe);
	}
	state->adds = (double)probe.counts.adds / (double)nr;
	state->atomics = (double)probe.counts.atomics / (double)nr;
}

static void update_teardown(void *arg)
{
	struct update_state *state = arg;

	bench_model_fini(&state->model);
	free(state);
}

static int prepare(struct update_state *state, struct error *err)
{
	int r;

	r = bench_model_create(&state->model, err);
	if (r < 0)
		return r;
	r = bench_model_bind(&state->model, err);
	if (r < 0)
		return r;
	count_events(state);
	return 0;
}

static int update_setup(const struct gb_case *self, void **out)
{
	const struct update_parameters *parameters = self->parameters;
	const struct bench_shape shape = {TREE_CHAIN, parameters->depth, 2, 2};
	struct update_state *state = calloc(1, sizeof(*state));
	struct error err = {0};
	int r;

	if (!state)
		return -ENOMEM;
	state->parameters = parameters;
	r = bench_model_init(&state->model, parameters->backend, &shape, &err);
	if (r == 0)
		r = prepare(state, &err);
	if (r < 0) {
		error_print(stderr, &err);
		update_teardown(state);
		return r;
	}
	*out = state;
	return 0;
}

static int update_run(void *arg, uint64_t iterations)
{
	struct update_state *state = arg;
	const struct bench_model *model = &state->model;

	for (uint64_t i = 0; i < iterations; i++) {
		struct update update = nth_event(state, state->done++);

		model->backend->update(model->instance, &update);
	}
	return 0;
}

static unsigned update_counters(void *arg, struct gb_counter *counters)
{
	const struct update_state *state = arg;

	counters[0] = (struct gb_counter){.name = "adds", .value = state->adds};
	counters[1] = (struct gb_counter){.name = "atomics", .value = state->atomics};
	counters[2] = (struct gb_counter){.name = "events", .value = 1, .per_second = 1};
	return 3;
}

static void add_cases(struct bench_cases *cases, const struct backend *backend, enum event event)
{
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		const struct update_parameters parameters = {backend, depths[i], event};
		const struct gb_case one = {
			.setup = update_setup,
			.run = update_run,
			.teardown = update_teardown,
			.counters = update_counters,
			.parameters = &parameters,
		};

		bench_cases_add(cases, &one, sizeof(parameters), "update/%s/event:%s/depth:%u",
				backend->name, event_names[event], depths[i]);
	}
}

int main(int argc, char **argv)
{
	struct bench_cases cases = {0};

	for (size_t i = 0; backends[i]; i++) {
		if (!(backends[i]->capabilities & BACKEND_UPDATE))
			continue;
		add_cases(&cases, backends[i], EVENT_PAGE);
		add_cases(&cases, backends[i], EVENT_HUGE);
	}
	return bench_cases_main(&cases, argc, argv);
}
