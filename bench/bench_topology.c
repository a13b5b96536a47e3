// SPDX-License-Identifier: MIT
/*
 * Creating a topology: tree, placement, and the back end's areas bound and written, not populated.
 *
 * The yardstick is one thread that maps the same bytes, small pages, and writes zeros to them:
 * memory cannot be had for less. The two take turns, so that a noisy neighbour meets both, and the
 * first round of each is thrown away: a virtual machine gets its memory from the host on first use.
 * The case's time is that of creating; `ratio_to_zeroing` is of the medians.
 */
#include "bench_cases.h"
#include "bench_model.h"
#include "stats/order.h"
#include "timing/clock.h"
#include "timing/gb_shim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ROUNDS 5

/* The last takes 2.3 GB and a second a round: the first back end stands for all there. */
static const struct bench_shape shapes[] = {
	{TREE_BALANCED, 100, 2, 72},
	{TREE_BALANCED, 1000, 2, 72},
	{TREE_BALANCED, 10000, 2, 72},
};
#define NR_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

struct topology_parameters {
	const struct backend *backend;
	struct bench_shape shape;
};

struct topology_state {
	struct bench_model model;
	uint64_t bytes;
	double ratio;
};

static int create(struct topology_state *state, double *ns)
{
	struct bench_model *model = &state->model;
	const struct region *regions;
	struct error err = {0};
	uint64_t start;
	size_t nr;
	int r;

	start = clock_now();
	r = bench_model_create(model, &err);
	*ns = (double)(clock_now() - start);
	if (r < 0) {
		error_print(stderr, &err);
		return r;
	}
	regions = model->backend->regions(model->instance, &nr);
	state->bytes = 0;
	for (size_t i = 0; i < nr; i++)
		state->bytes += regions[i].bytes;
	bench_model_destroy(model);
	return 0;
}

static int zero(const struct topology_state *state, double *ns)
{
	uint64_t start = clock_now();
	void *memory;

	memory = mmap(NULL, state->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED)
		return -errno;
	madvise(memory, state->bytes, MADV_NOHUGEPAGE);
	memset(memory, 0, state->bytes);
	keep(memory);
	*ns = (double)(clock_now() - start);
	munmap(memory, state->bytes);
	return 0;
}

/* Each leads in every other round. */
static int one_round(struct topology_state *state, unsigned nr, double *create_ns, double *zero_ns)
{
	int r;

	if (nr % 2) {
		r = zero(state, zero_ns);
		return r < 0 ? r : create(state, create_ns);
	}
	r = create(state, create_ns);
	return r < 0 ? r : zero(state, zero_ns);
}

static void topology_teardown(void *arg)
{
	struct topology_state *state = arg;

	bench_model_fini(&state->model);
	free(state);
}

static int topology_setup(const struct gb_case *self, void **out)
{
	const struct topology_parameters *parameters = self->parameters;
	struct topology_state *state = calloc(1, sizeof(*state));
	double create_ns, zero_ns;
	struct error err = {0};
	int r;

	if (!state)
		return -ENOMEM;
	r = bench_model_init(&state->model, parameters->backend, &parameters->shape, &err);
	if (r < 0)
		error_print(stderr, &err);
	else
		r = one_round(state, 0, &create_ns, &zero_ns); /* discarded */
	if (r < 0) {
		topology_teardown(state);
		return r;
	}
	*out = state;
	return 0;
}

static int topology_run(void *arg, uint64_t iterations, double *ns)
{
	struct topology_state *state = arg;
	double *create_ns = calloc(iterations, sizeof(*create_ns));
	double *zero_ns = calloc(iterations, sizeof(*zero_ns));
	int r = create_ns && zero_ns ? 0 : -ENOMEM;

	*ns = 0;
	for (uint64_t i = 0; r == 0 && i < iterations; i++) {
		r = one_round(state, (unsigned)i, &create_ns[i], &zero_ns[i]);
		*ns += create_ns[i];
	}
	if (r == 0)
		state->ratio = median(create_ns, iterations) / median(zero_ns, iterations);
	free(create_ns);
	free(zero_ns);
	return r;
}

static unsigned topology_counters(void *arg, struct gb_counter *counters)
{
	const struct topology_state *state = arg;
	double bytes = (double)state->bytes;

	counters[0] = (struct gb_counter){.name = "bytes", .value = bytes};
	counters[1] =
		(struct gb_counter){.name = "bytes_per_second", .value = bytes, .per_second = 1};
	counters[2] = (struct gb_counter){.name = "ratio_to_zeroing", .value = state->ratio};
	return 3;
}

int main(int argc, char **argv)
{
	struct bench_cases cases = {0};

	for (size_t i = 0; backends[i] && !backends[i]->fixture; i++) {
		for (size_t k = 0; k < (i == 0 ? NR_SHAPES : NR_SHAPES - 1); k++) {
			const struct topology_parameters parameters = {backends[i], shapes[k]};
			const struct gb_case one = {
				.setup = topology_setup,
				.run_timed = topology_run,
				.teardown = topology_teardown,
				.counters = topology_counters,
				.parameters = &parameters,
				.iterations = ROUNDS,
			};

			bench_cases_add(&cases, &one, sizeof(parameters),
					"topology/%s/memcgs:%u/nodes:%u/cpus:%u", backends[i]->name,
					shapes[k].memcgs, shapes[k].nodes, shapes[k].cpus);
		}
	}
	return bench_cases_main(&cases, argc, argv);
}
