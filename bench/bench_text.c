// SPDX-License-Identifier: MIT
/* Formatting memory.numa_stat, all rows, by number of nodes: a print per cell against digits by
 * hand. */
#include "base/rng.h"
#include "bench_cases.h"
#include "memcg/numa_stat.h"
#include "timing/clock.h"
#include "timing/gb_shim.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_TEXT_NODES 64

static const unsigned node_counts[] = {1, 2, 8, MAX_TEXT_NODES};
static const char *const style_names[] = {
	[TEXT_SEQ_PRINTF] = "seq_printf",
	[TEXT_FAST] = "fast",
};

struct text_parameters {
	enum text_style style;
	unsigned nodes;
};

struct text_state {
	enum text_style style;
	uint16_t nids[MAX_TEXT_NODES];
	struct numa_counts counts;
	char *buffer;
	size_t size;
	long length;
};

static void text_teardown(void *arg)
{
	struct text_state *state = arg;

	numa_counts_fini(&state->counts);
	free(state->buffer);
	free(state);
}

/* Columns up to 100 million pages, as of a root; a row's sum is that of its columns. */
static void fill(struct numa_counts *counts)
{
	struct rng rng = {1};

	for (int scope = 0; scope < NR_SCOPES; scope++) {
		for (int row = 0; row < NR_NUMA_ROWS; row++) {
			uint64_t *cells = &counts->cells[numa_cell(
				counts->nr_nodes, (enum numa_scope)scope, (enum numa_row)row, 0)];

			cells[0] = 0;
			for (unsigned i = 1; i <= counts->nr_nodes; i++) {
				cells[i] = rng_below(&rng, 100000000);
				cells[0] += cells[i];
			}
		}
	}
}

static int text_setup(const struct gb_case *self, void **out)
{
	const struct text_parameters *parameters = self->parameters;
	struct text_state *state = calloc(1, sizeof(*state));
	int r;

	if (!state)
		return -ENOMEM;
	state->style = parameters->style;
	for (unsigned i = 0; i < parameters->nodes; i++)
		state->nids[i] = (uint16_t)i;
	r = numa_counts_init(&state->counts, parameters->nodes, state->nids);
	if (r < 0)
		goto fail;
	fill(&state->counts);
	state->size = numa_stat_text_max(parameters->nodes);
	state->buffer = malloc(state->size);
	r = -ENOMEM;
	if (!state->buffer)
		goto fail;
	*out = state;
	return 0;
fail:
	text_teardown(state);
	return r;
}

static int text_run(void *arg, uint64_t iterations)
{
	struct text_state *state = arg;

	for (uint64_t i = 0; i < iterations; i++) {
		state->length = numa_stat_text(&state->counts, ROWS_ALL, state->style,
					       state->buffer, state->size);
		if (state->length < 0)
			return (int)state->length;
		keep(state->buffer);
	}
	return 0;
}

static unsigned text_counters(void *arg, struct gb_counter *counters)
{
	const struct text_state *state = arg;
	double cells = (double)numa_nr_cells(state->counts.nr_nodes);

	counters[0] = (struct gb_counter){.name = "text_bytes", .value = (double)state->length};
	counters[1] = (struct gb_counter){.name = "cells", .value = cells};
	counters[2] =
		(struct gb_counter){.name = "cells_per_second", .value = cells, .per_second = 1};
	return 3;
}

int main(int argc, char **argv)
{
	struct bench_cases cases = {0};

	for (size_t style = 0; style < sizeof(style_names) / sizeof(style_names[0]); style++) {
		for (size_t i = 0; i < sizeof(node_counts) / sizeof(node_counts[0]); i++) {
			const struct text_parameters parameters = {(enum text_style)style,
								   node_counts[i]};
			const struct gb_case one = {
				.setup = text_setup,
				.run = text_run,
				.teardown = text_teardown,
				.counters = text_counters,
				.parameters = &parameters,
			};

			bench_cases_add(&cases, &one, sizeof(parameters), "text/%s/nodes:%u",
					style_names[style], node_counts[i]);
		}
	}
	return bench_cases_main(&cases, argc, argv);
}
