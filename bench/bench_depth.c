// SPDX-License-Identifier: MIT
/*
 * What an update costs by the depth of its memcg, and how that grows: the leaf of a chain of 1 to
 * 32 memcgs is charged page by page, and uncharged again.
 *
 *     bench_depth [--rounds=N] [--batch=N]
 *
 * Four questions, a table each:
 * - An update on average, spills included, all that rstat links being linked: `cached` and `packed`
 *   write two lines a level once in B + 1 pages, so a level costs 2 / (B + 1) of an atomic. For
 *   `walk-415` there are no ancestors. `rstat` is flat by the rules of 5.13, and nearly so by those
 *   of 5.16, but adds to a count of each ancestor by those of 6.8.
 * - The same counted: additions to per-CPU counters, and accesses of shared ones.
 * - The first update behind a flush, timed alone, the timer's floor in it: rstat then links the
 *   memcg and each of its ancestors.
 * - These links, counted.
 *
 * All cells are measured once in each round. Times are medians over rounds, `a level` is the slope
 * of the least squares line over depths, +- its standard error. Counts come from the counting
 * instantiation of the back ends.
 */
#include "bench_model.h"
#include "bench_number.h"

#include "base/units.h"
#include "report/table.h"
#include "stats/order.h"
#include "timing/clock.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROUNDS 201u
#define NR_DEPTHS  6u
#define BATCHES    64u /* of B + 1 pages, charged and then uncharged, in one sample */
#define FLUSHES    21u /* in a round */

static const uint32_t depths[NR_DEPTHS] = {1, 2, 4, 8, 16, 32};

static const struct writer {
	const char *title, *backend;
	enum flush_rules rules;
} writers[] = {
	{"walk-415", "walk-415", FLUSH_V6_8},  {"cached", "cached", FLUSH_V6_8},
	{"packed", "packed", FLUSH_V6_8},      {"rstat v5.13", "rstat", FLUSH_V5_13},
	{"rstat v5.16", "rstat", FLUSH_V5_16}, {"rstat v6.8", "rstat", FLUSH_V6_8},
};
#define NR_WRITERS (sizeof(writers) / sizeof(writers[0]))

/* A writer at a depth. */
struct cell {
	struct bench_model model;
	double update_ns[MAX_ROUNDS], first_ns[MAX_ROUNDS];
	struct op_counts counts; /* of B + 1 pages charged */
	struct op_counts first; /* of the first update behind a flush */
};

struct bench {
	unsigned rounds;
	uint32_t batch;
	struct cell cells[NR_WRITERS][NR_DEPTHS];
};

static const struct argp_option option_table[] = {
	{"rounds", 'r', "N", 0, "times that each cell is measured (21)", 0},
	{"batch", 'b', "N", 0, "counters.batch (32)", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct bench *bench = state->input;

	switch (key) {
	case 'r':
		bench->rounds = (unsigned)bench_number(state, arg, strlen(arg), 1, MAX_ROUNDS);
		return 0;
	case 'b':
		bench->batch = (unsigned)bench_number(state, arg, strlen(arg), 1, 4096);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.doc = "What an update costs by the depth of its memcg.",
};

static struct update leaf_update(const struct cell *cell, long delta)
{
	return (struct update){
		.memcg = cell->model.point.tree.memcgs, /* the last of the chain */
		.lru = LRU_ACTIVE_ANON,
		.delta = delta,
	};
}

static void charge(const struct cell *cell, unsigned pages, long delta)
{
	const struct bench_model *model = &cell->model;
	struct update update = leaf_update(cell, delta);

	for (unsigned i = 0; i < pages; i++)
		model->backend->update(model->instance, &update);
}

static double time_updates(const struct bench *bench, const struct cell *cell)
{
	unsigned pages = BATCHES * (bench->batch + 1);
	uint64_t then;

	charge(cell, pages, 1); /* links what is to be linked, and makes it warm */
	charge(cell, pages, -1);
	then = clock_now();
	charge(cell, pages, 1);
	charge(cell, pages, -1);
	return (double)(clock_now() - then) / (2 * pages);
}

static double time_first(const struct cell *cell)
{
	const struct bench_model *model = &cell->model;
	double ns[FLUSHES];

	for (unsigned i = 0; i < FLUSHES; i++) {
		struct update update = leaf_update(cell, i % 2 ? -1 : 1);
		uint64_t then;

		model->backend->flush(model->instance, 0);
		then = clock_now();
		model->backend->update(model->instance, &update);
		ns[i] = (double)(clock_now() - then);
	}
	return median(ns, FLUSHES);
}

/* What batches and counts towards thresholds hold at first changes nothing: B + 1 pages spill once.
 */
static void count(const struct bench *bench, struct cell *cell)
{
	const struct bench_model *model = &cell->model;
	struct update update = leaf_update(cell, 1);
	struct op_probe probe = {.lines = NULL}, first = {.lines = NULL};

	if (model->backend->flush)
		model->backend->flush(model->instance, 0);
	model->backend->count_update(model->instance, &update, &first);
	for (unsigned i = 0; i <= bench->batch; i++)
		model->backend->count_update(model->instance, &update, &probe);
	cell->counts = probe.counts;
	cell->first = first.counts;
}

static int prepare_cell(const struct bench *bench, const struct writer *writer, uint32_t depth,
			struct cell *cell, struct error *err)
{
	const struct bench_shape shape = {TREE_CHAIN, depth, 1, 2, 0};
	int r = bench_model_init(&cell->model, backend_find(writer->backend), &shape, err);

	cell->model.point.counters.flush = writer->rules;
	cell->model.point.counters.batch = bench->batch;
	if (!r)
		r = bench_model_create(&cell->model, err);
	if (!r)
		r = bench_model_bind(&cell->model, err);
	if (!r)
		count(bench, cell);
	return r;
}

static int prepare(struct bench *bench, struct error *err)
{
	int r = 0;

	for (size_t w = 0; w < NR_WRITERS; w++)
		for (size_t d = 0; !r && d < NR_DEPTHS; d++)
			r = prepare_cell(bench, &writers[w], depths[d], &bench->cells[w][d], err);
	return r;
}

static void run_rounds(struct bench *bench)
{
	for (unsigned round = 0; round < bench->rounds; round++) {
		for (size_t w = 0; w < NR_WRITERS; w++) {
			for (size_t d = 0; d < NR_DEPTHS; d++) {
				struct cell *cell = &bench->cells[w][d];

				cell->update_ns[round] = time_updates(bench, cell);
				if (cell->model.backend->flush)
					cell->first_ns[round] = time_first(cell);
			}
		}
	}
}

/* Least squares of y on depth. */
static void fit(const double *y, double *slope, double *error)
{
	double sum_x = 0, sum_y = 0, xx = 0, xy = 0, rest = 0;

	for (size_t d = 0; d < NR_DEPTHS; d++) {
		sum_x += depths[d];
		sum_y += y[d];
	}
	for (size_t d = 0; d < NR_DEPTHS; d++) {
		double x = depths[d] - sum_x / NR_DEPTHS;

		xx += x * x;
		xy += x * y[d];
	}
	*slope = xy / xx;
	for (size_t d = 0; d < NR_DEPTHS; d++) {
		double line = sum_y / NR_DEPTHS + *slope * (depths[d] - sum_x / NR_DEPTHS);

		rest += (y[d] - line) * (y[d] - line);
	}
	*error = sqrt(rest / (NR_DEPTHS - 2) / xx);
}

static struct table *depth_table(const char *title)
{
	struct table *table = table_new();
	char text[24];

	printf("\n%s\n", title);
	table_column(table, "writes", ALIGN_LEFT);
	for (size_t d = 0; d < NR_DEPTHS; d++) {
		snprintf(text, sizeof(text), "D=%u", depths[d]);
		table_column(table, text, ALIGN_RIGHT);
	}
	table_column(table, "a level", ALIGN_RIGHT);
	table_column(table, "+-", ALIGN_RIGHT);
	return table;
}

static int table_end(struct table *table)
{
	int r = table_print(table, stdout);

	table_free(table);
	return r;
}

static int print_times(struct bench *bench, const char *title, bool first)
{
	struct table *table = depth_table(title);
	char text[UNIT_TEXT_MAX];

	for (size_t w = 0; w < NR_WRITERS; w++) {
		double ns[NR_DEPTHS], slope, error;

		if (first && !bench->cells[w][0].model.backend->flush)
			continue;
		table_row(table);
		table_cell(table, "%s", writers[w].title);
		for (size_t d = 0; d < NR_DEPTHS; d++) {
			struct cell *cell = &bench->cells[w][d];

			ns[d] = median(first ? cell->first_ns : cell->update_ns, bench->rounds);
			table_cell(table, "%s", unit_format_time(text, ns[d]));
		}
		fit(ns, &slope, &error);
		table_cell(table, "%.3f ns", slope);
		table_cell(table, "%.3f", error);
	}
	return table_end(table);
}

static uint64_t adds_of(const struct cell *cell)
{
	return cell->counts.adds;
}

static uint64_t atomics_of(const struct cell *cell)
{
	return cell->counts.atomics;
}

static uint64_t links_of(const struct cell *cell)
{
	return cell->first.memcgs_visited;
}

static int print_counts(struct bench *bench, const char *title,
			uint64_t (*count_of)(const struct cell *cell))
{
	struct table *table = depth_table(title);

	for (size_t w = 0; w < NR_WRITERS; w++) {
		double y[NR_DEPTHS], slope, error;

		if (count_of == links_of && !bench->cells[w][0].model.backend->flush)
			continue;
		table_row(table);
		table_cell(table, "%s", writers[w].title);
		for (size_t d = 0; d < NR_DEPTHS; d++) {
			uint64_t nr = count_of(&bench->cells[w][d]);

			y[d] = (double)nr;
			table_cell(table, "%llu", (unsigned long long)nr);
		}
		fit(y, &slope, &error);
		table_cell(table, "%.3f", slope);
		table_cell(table, "%.3f", error);
	}
	return table_end(table);
}

static int print(struct bench *bench)
{
	struct timer_floor floor;
	char title[120];
	int r;

	timer_floor_measure(&floor);
	printf("Updates at the leaf of a chain of D memcgs, batch %u; medians of %u rounds.\n",
	       bench->batch, bench->rounds);
	r = print_times(bench, "An update on average, linked", false);
	snprintf(title, sizeof(title), "Additions to per-CPU counters in %u pages",
		 bench->batch + 1);
	if (!r)
		r = print_counts(bench, title, adds_of);
	snprintf(title, sizeof(title), "Accesses of shared counters in %u pages", bench->batch + 1);
	if (!r)
		r = print_counts(bench, title, atomics_of);
	snprintf(title, sizeof(title),
		 "The first update behind a flush, timed alone: an empty interval takes %.1f ns",
		 floor.median_ns);
	if (!r)
		r = print_times(bench, title, true);
	return r ? r : print_counts(bench, "Links that it makes", links_of);
}

int main(int argc, char **argv)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct error err = {0};
	int r;

	if (!bench)
		return EXIT_TROUBLE;
	bench->rounds = 21;
	bench->batch = 32;
	argp_err_exit_status = EXIT_TROUBLE;
	argp_parse(&argp, argc, argv, 0, NULL, bench);
	r = prepare(bench, &err);
	if (r) {
		error_print(stderr, &err);
	} else {
		run_rounds(bench);
		r = print(bench);
	}
	for (size_t w = 0; w < NR_WRITERS; w++)
		for (size_t d = 0; d < NR_DEPTHS; d++)
			bench_model_fini(&bench->cells[w][d].model);
	free(bench);
	return r ? EXIT_TROUBLE : EXIT_FINE;
}
