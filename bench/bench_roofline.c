// SPDX-License-Identifier: MIT
/*
 * How near walk-once comes to what a walk cannot beat (roofline.h), and, beside it, to what an
 * order that no walk can have would take.
 *
 *     bench_roofline [--memcgs=N] [--nodes=N] [--cpus=N] [--layout=v5.6|lean] [--rounds=N]
 *
 * All loops run once in each round, over one model, so that what else the machine does falls on
 * all of them; times are medians over rounds, ratios medians of the rounds' ratios, with their
 * intervals of 95 %. A loop is tried with several distances of prefetching, and the best one stands
 * for it. Only where the lines are many times the last-level cache is memory what is measured:
 * --memcgs=60000 --cpus=72 are 1.3 GiB of lines in 4.3 GiB.
 */
#include "bench_model.h"
#include "bench_number.h"

#include "backend/model.h"
#include "base/units.h"
#include "report/table.h"
#include "roofline.h"
#include "stats/order.h"
#include "timing/clock.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_ROUNDS 1000

enum {
	OPTION_MEMCGS = 'm',
	OPTION_NODES = 'n',
	OPTION_CPUS = 'c',
	OPTION_LAYOUT = 'l',
	OPTION_ROUNDS = 'r',
};

struct request {
	struct bench_shape shape;
	enum area_layout layout;
	unsigned rounds;
};

static const struct argp_option option_table[] = {
	{"memcgs", OPTION_MEMCGS, "N", 0, "memcgs below the root (2000)", 0},
	{"nodes", OPTION_NODES, "N", 0, "modelled nodes (2)", 0},
	{"cpus", OPTION_CPUS, "N", 0, "modelled possible CPUs (8)", 0},
	{"layout", OPTION_LAYOUT, "NAME", 0, "lean (default) or v5.6", 0},
	{"rounds", OPTION_ROUNDS, "N", 0, "times that each loop runs (11)", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case OPTION_MEMCGS:
		request->shape.memcgs = (unsigned)bench_number(state, arg, strlen(arg), 1, 4000000);
		return 0;
	case OPTION_NODES:
		request->shape.nodes =
			(unsigned)bench_number(state, arg, strlen(arg), 1, MAX_NODES);
		return 0;
	case OPTION_CPUS:
		request->shape.cpus = (unsigned)bench_number(state, arg, strlen(arg), 1, MAX_CPUS);
		return 0;
	case OPTION_LAYOUT:
		if (strcmp(arg, "lean") && strcmp(arg, "v5.6"))
			argp_error(state, "'%s' is not a layout (lean, v5.6)", arg);
		request->layout = strcmp(arg, "lean") ? LAYOUT_V5_6 : LAYOUT_LEAN;
		return 0;
	case OPTION_ROUNDS:
		request->rounds = (unsigned)bench_number(state, arg, strlen(arg), 1, MAX_ROUNDS);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument '%s'", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.doc = "Times walk-once against plain loops over the lines that it has to load.",
};

enum loop_kind {
	LOOP_WALK_ONCE,
	LOOP_BY_MEMCG,
	LOOP_BY_CPU,
	NR_LOOP_KINDS,
};

static const char *const kind_names[NR_LOOP_KINDS] = {
	[LOOP_WALK_ONCE] = "walk-once",
	[LOOP_BY_MEMCG] = "roofline, memcg by memcg",
	[LOOP_BY_CPU] = "roofline, CPU by CPU",
};

/* Distances of prefetching in steps; walk-once has its own. The first of a kind is its first. */
static const struct loop {
	enum loop_kind kind;
	unsigned ahead;
} loops[] = {
	/* clang-format off */
	{LOOP_WALK_ONCE, 0},
	{LOOP_BY_MEMCG, 4}, {LOOP_BY_MEMCG, 16}, {LOOP_BY_MEMCG, 72},
	{LOOP_BY_CPU, 4}, {LOOP_BY_CPU, 16}, {LOOP_BY_CPU, 72},
	/* clang-format on */
};
#define NR_LOOPS (sizeof(loops) / sizeof(loops[0]))

struct bench {
	struct request request;
	struct bench_model model;
	struct roofline roofline;
	struct numa_counts counts;
	uint64_t lines_bytes; /* that walk-once touches */
	double ns[NR_LOOPS][MAX_ROUNDS];
};

static const struct read_request hierarchical_rows = {.rows = ROWS_HIERARCHICAL};

static void run_loop(struct bench *bench, const struct loop *loop)
{
	switch (loop->kind) {
	case LOOP_BY_MEMCG:
		keep(roofline_by_memcg(&bench->roofline, loop->ahead));
		break;
	case LOOP_BY_CPU:
		keep(roofline_by_cpu(&bench->roofline, loop->ahead));
		break;
	default:
		bench->model.backend->read_counts(bench->model.instance, &hierarchical_rows,
						  &bench->counts);
		keep(bench->counts.cells);
	}
}

/* The thread's own time: none of the loops sleeps, and others on the CPU are nobody's cost. */
static uint64_t cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One round more than are kept: the first warms up what fits into caches. */
static void run_rounds(struct bench *bench)
{
	for (unsigned round = 0; round <= bench->request.rounds; round++) {
		for (size_t i = 0; i < NR_LOOPS; i++) {
			uint64_t start = cpu_now();

			run_loop(bench, &loops[i]);
			if (round > 0)
				bench->ns[i][round - 1] = (double)(cpu_now() - start);
		}
	}
}

/* Over rounds: of a loop's time. */
static double median_of(const struct bench *bench, size_t loop)
{
	double values[MAX_ROUNDS];

	memcpy(values, bench->ns[loop], sizeof(values));
	return median(values, bench->request.rounds);
}

/* Of the ratio of two loops' times in a round. No interval below six rounds: false. */
static bool ratio_of(const struct bench *bench, size_t loop, size_t over,
		     struct median_interval *ratio)
{
	double values[MAX_ROUNDS];

	for (unsigned i = 0; i < bench->request.rounds; i++)
		values[i] = bench->ns[loop][i] / bench->ns[over][i];
	return median_interval(values, bench->request.rounds, ratio);
}

static size_t best_of(const struct bench *bench, enum loop_kind kind)
{
	size_t best = NR_LOOPS;

	for (size_t i = 0; i < NR_LOOPS; i++)
		if (loops[i].kind == kind &&
		    (best == NR_LOOPS || median_of(bench, i) < median_of(bench, best)))
			best = i;
	return best;
}

static int print(const struct bench *bench)
{
	const struct point *point = &bench->model.point;
	double llc = (double)bench->model.machine->llc_bytes;
	double bytes = (double)bench->lines_bytes;
	size_t walk = best_of(bench, LOOP_WALK_ONCE);
	struct table *table = table_new();
	char text[UNIT_TEXT_MAX];
	int ret;

	printf("%u memcgs, %u nodes, %u CPUs, %u rounds; lines %s", point->tree.memcgs,
	       point->machine.nodes, point->machine.cpus, bench->request.rounds,
	       unit_format_bytes(text, bytes));
	if (llc > 0)
		printf(", %.2f x the last-level cache", bytes / llc);
	printf("\n\n");

	table_column(table, "loop", ALIGN_LEFT);
	table_column(table, "prefetch", ALIGN_RIGHT);
	table_column(table, "time", ALIGN_RIGHT);
	table_column(table, "a line", ALIGN_RIGHT);
	table_column(table, "walk-once is", ALIGN_RIGHT);
	table_column(table, "from", ALIGN_RIGHT);
	table_column(table, "to", ALIGN_RIGHT);
	for (unsigned kind = 0; kind < NR_LOOP_KINDS; kind++) {
		size_t best = best_of(bench, kind);
		double ns = median_of(bench, best);
		struct median_interval ratio;
		bool interval = ratio_of(bench, walk, best, &ratio);

		table_row(table);
		table_cell(table, "%s", kind_names[kind]);
		if (kind == LOOP_WALK_ONCE)
			table_cell(table, "a memcg");
		else
			table_cell(table, "%u steps", loops[best].ahead);
		table_cell(table, "%s", unit_format_time(text, ns));
		table_cell(table, "%s", unit_format_time(text, ns / (bytes / 64)));
		table_cell(table, "%.2f x", ratio.median);
		if (interval && kind != LOOP_WALK_ONCE) {
			table_cell(table, "%.2f", ratio.low);
			table_cell(table, "%.2f", ratio.high);
		} else {
			table_cell(table, "-");
			table_cell(table, "-");
		}
	}
	ret = table_print(table, stdout);
	table_free(table);
	return ret;
}

static int prepare(struct bench *bench, struct error *err)
{
	struct bench_model *model = &bench->model;
	struct op_counts counts;
	int r;

	r = bench_model_init(model, backend_find("walk-once"), &bench->request.shape, err);
	if (r < 0)
		return r;
	model->point.machine.layout = bench->request.layout;
	r = bench_model_create(model, err);
	if (r < 0)
		return r;
	r = bench_model_populate(model, err);
	if (r < 0)
		return r;
	r = bench_model_bind(model, err);
	if (r < 0)
		return r;
	if (numa_counts_init(&bench->counts, model->point.machine.nodes,
			     model->point.machine.nids) ||
	    roofline_init(&bench->roofline, model->instance))
		return error_set(err, -ENOMEM, "out of memory");
	return bench_model_count(model, &hierarchical_rows, &bench->counts, FORM_COUNTS, TEXT_FAST,
				 &counts, &bench->lines_bytes, err);
}

int main(int argc, char **argv)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct error err = {0};
	int ret;

	if (!bench)
		return EXIT_TROUBLE;
	bench->request = (struct request){
		.shape = {.shape = TREE_BALANCED, .memcgs = 2000, .nodes = 2, .cpus = 8},
		.layout = LAYOUT_LEAN,
		.rounds = 11,
	};
	argp_err_exit_status = EXIT_TROUBLE;
	argp_parse(&argp, argc, argv, 0, NULL, &bench->request);

	ret = prepare(bench, &err);
	if (ret)
		error_print(stderr, &err);
	if (!ret) {
		run_rounds(bench);
		ret = print(bench);
	}
	roofline_fini(&bench->roofline);
	numa_counts_fini(&bench->counts);
	bench_model_fini(&bench->model);
	free(bench);
	return ret ? EXIT_TROUBLE : EXIT_SUCCESS;
}
