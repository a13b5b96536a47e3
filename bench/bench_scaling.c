// SPDX-License-Identifier: MIT
/*
 * Do two writers pay more than one? Two threads on CPUs of their own charge pages to the leaf of a
 * chain, each alone and then both at once.
 *
 *     bench_scaling [--rounds=N] [--time=T] [--strict]
 *
 * Scaling is the rate of both together by the sum of their rates alone: 1 where neither notices
 * the other. Two CPUs of a machine may share more than memory (a core, a clock rate, a host), so a
 * control stands beside each row, measured in the same round by the same two threads: plain
 * additions to counters of their own. Everything is interleaved; figures are medians over rounds,
 * with their quartiles.
 *
 * A tree each: nothing at all is shared, and at least 0.9 of the control is promised (--strict: or
 * the exit code is 1). One tree, and both at its leaf: every spill of either writes the same lines,
 * which is reported, by batch and depth. rstat goes by the rules of 6.8, and nobody flushes: its
 * counts towards the threshold reach it and stay there.
 *
 * Per-CPU areas of the model never share a line, so false sharing cannot be made with them: a row
 * of plain additions to two counters on one line says what it would cost. Another one updates
 * per-CPU counters of the other node, where there is one. With one CPU there is nothing to measure:
 * exit code 77, which test runners take for left out.
 */
#include "bench_model.h"
#include "bench_number.h"

#include "base/units.h"
#include "report/table.h"
#include "scaling_threads.h"
#include "stats/order.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROUNDS    201u
#define MAX_ROWS      64u
#define MOST_TRIES    100u /* of an interval */
#define PROMISED      0.9
#define EXIT_SKIPPED  77
#define DEFAULT_BATCH 32u
#define DEFAULT_DEPTH 8u

enum sharing {
	SHARE_NOTHING, /* a tree each */
	SHARE_TREE, /* one tree, one leaf */
	SHARE_LINE, /* no tree: counters on one line */
	SHARE_REMOTE, /* a tree each, counters on the other node */
};

struct figure {
	double v[MAX_ROUNDS];
};

/* Counters of a thread that has nothing else: the control, and what shares a line. */
struct plain {
	alignas(64) _Atomic long counter[2];
};

struct row {
	const struct backend *backend; /* NULL: plain additions */
	enum sharing sharing;
	uint32_t batch, depth;
	struct bench_model model[SCALING_THREADS];
	unsigned nr_models;
	struct plain plain[SCALING_THREADS];
	struct load load[SCALING_THREADS];
	struct figure one, two, scaling, of_control; /* ns, ns, by round */
};

struct bench {
	unsigned rounds;
	bool strict;
	uint64_t interval_ns;
	struct row *rows; /* [MAX_ROWS] */
	size_t nr_rows;
	struct plain control_counters[SCALING_THREADS];
	struct load control[SCALING_THREADS];
	struct bench_model where; /* of no back end: says which CPUs the threads are bound to */
	uint64_t again; /* intervals that were taken again */
	uint64_t given_up; /* disturbed each time */
	unsigned os_cpu[SCALING_THREADS];
};

static const struct argp_option option_table[] = {
	{"rounds", 'r', "N", 0, "times that each row is measured (11)", 0},
	{"time", 't', "TIME", 0, "of one interval (1ms)", 0},
	{"strict", 's', NULL, 0, "exit code 1 where less is found than is promised", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct bench *bench = state->input;
	uint64_t value;

	switch (key) {
	case 'r':
		bench->rounds = (unsigned)bench_number(state, arg, strlen(arg), 1, MAX_ROUNDS);
		return 0;
	case 's':
		bench->strict = true;
		return 0;
	case 't':
		if (unit_parse(arg, strlen(arg), UNIT_TIME, &value, NULL) || value < 10000 ||
		    value > 1000000000)
			argp_error(state, "'%s' is not a time from 10us to 1s", arg);
		bench->interval_ns = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.doc = "Do two writers pay more than one?",
};

/* As the model adds to a CPU's own counter. Relaxed: nobody else looks. */
static void add_plainly(void *instance, const struct update *update)
{
	_Atomic long *counter = (_Atomic long *)instance;
	long value = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, value + update->delta, memory_order_relaxed);
}

static struct load plain_load(_Atomic long *counter)
{
	return (struct load){add_plainly, (void *)counter, {.delta = 1}};
}

static void add_row(struct bench *bench, const char *backend, enum sharing sharing, uint32_t batch,
		    uint32_t depth)
{
	struct row *row = &bench->rows[bench->nr_rows++];

	row->backend = backend ? backend_find(backend) : NULL;
	row->sharing = sharing;
	row->batch = batch;
	row->depth = depth;
}

static bool has_two_nodes(const struct bench *bench)
{
	const struct machine *machine = bench->where.machine;
	unsigned nr = 0;

	for (unsigned i = 0; i < machine->nr_nodes; i++)
		nr += machine->nodes[i].allowed;
	return nr > 1;
}

static void add_rows(struct bench *bench)
{
	static const char *const writers[] = {"walk-415", "cached", "packed", "rstat"};
	static const uint32_t batches[] = {8, 32, 64, 1024}, depths[] = {1, 8, 32};

	for (size_t i = 0; i < 4; i++)
		add_row(bench, writers[i], SHARE_NOTHING, DEFAULT_BATCH, DEFAULT_DEPTH);
	for (size_t i = 0; i < 4; i++) {
		for (size_t b = 0; b < 4; b++)
			for (size_t d = 0; d < 3; d++)
				/* without batches and ancestors one row says it all */
				if (i > 0 ||
				    (batches[b] == DEFAULT_BATCH && depths[d] == DEFAULT_DEPTH))
					add_row(bench, writers[i], SHARE_TREE, batches[b],
						depths[d]);
	}
	add_row(bench, NULL, SHARE_LINE, 0, 0);
	if (has_two_nodes(bench))
		add_row(bench, "cached", SHARE_REMOTE, DEFAULT_BATCH, DEFAULT_DEPTH);
}

static int make_model(struct bench_model *model, const struct row *row, struct error *err)
{
	bool remote = row->sharing == SHARE_REMOTE;
	const struct bench_shape shape = {TREE_CHAIN, row->depth, remote ? 2 : 1, 2, 0};
	int r = bench_model_init(model, row->backend, &shape, err);

	model->point.counters.batch = row->batch;
	return r ? r : bench_model_create(model, err);
}

/* Thread i is modelled CPU i. Both run on the first node; on two, each updates its own tree as the
 * CPU of the other one does. */
static int prepare_row(struct row *row, struct error *err)
{
	bool remote = row->sharing == SHARE_REMOTE;

	for (unsigned i = 0; i < SCALING_THREADS; i++) {
		struct bench_model *model = &row->model[row->sharing == SHARE_TREE ? 0 : i];
		unsigned cpu = remote ? 1 : i;

		if (!row->backend) {
			row->load[i] = plain_load(&row->plain[0].counter[i]);
			continue;
		}
		if (!model->instance) {
			int r = make_model(model, row, err);

			row->nr_models++;
			if (r)
				return r;
		}
		row->load[i] = (struct load){
			row->backend->update,
			model->instance,
			{.memcg = row->depth, .cpu = cpu, .node = remote ? cpu : 0, .delta = 1},
		};
	}
	return 0;
}

static int measure(struct bench *bench, const struct load *loads, unsigned which,
		   struct interval *interval, struct error *err)
{
	for (unsigned i = 0; i < MOST_TRIES; i++) {
		int r = scaling_interval(bench->where.placement, loads, which, bench->interval_ns,
					 interval, err);

		if (r || !interval->disturbed)
			return r;
		bench->again++;
	}
	bench->given_up++;
	return 0;
}

/* Each alone, and both. */
static int scale(struct bench *bench, const struct load *loads, double *one, double *two,
		 double *scaling, struct error *err)
{
	static const unsigned which[] = {FIRST_ALONE, SECOND_ALONE, BOTH};
	struct interval interval[3];

	for (unsigned i = 0; i < 3; i++) {
		int r = measure(bench, loads, which[i], &interval[i], err);

		if (r)
			return r;
	}
	memcpy(bench->os_cpu, interval[2].os_cpu, sizeof(bench->os_cpu));
	*one = (interval[0].ns[0] + interval[1].ns[1]) / 2;
	*two = (interval[2].ns[0] + interval[2].ns[1]) / 2;
	*scaling = (1 / interval[2].ns[0] + 1 / interval[2].ns[1]) /
		   (1 / interval[0].ns[0] + 1 / interval[1].ns[1]);
	return 0;
}

static int run_rounds(struct bench *bench, struct figure *control, struct error *err)
{
	for (unsigned round = 0; round < bench->rounds; round++) {
		for (size_t i = 0; i < bench->nr_rows; i++) {
			struct row *row = &bench->rows[i];
			double one, two, beside;
			int r;

			r = scale(bench, bench->control, &one, &two, &beside, err);
			if (!r)
				r = scale(bench, row->load, &row->one.v[round], &row->two.v[round],
					  &row->scaling.v[round], err);
			if (r)
				return r;
			row->of_control.v[round] = row->scaling.v[round] / beside;
			control->v[round] = beside;
		}
	}
	return 0;
}

/* Sorts. */
static double quantile(struct figure *figure, unsigned rounds, double q)
{
	sort_values(figure->v, rounds);
	return figure->v[(size_t)lround(q * (rounds - 1))];
}

static void scaling_cells(struct table *table, struct figure *figure, unsigned rounds)
{
	table_cell(table, "%.2f", quantile(figure, rounds, 0.5));
	table_cell(table, "%.2f", quantile(figure, rounds, 0.25));
	table_cell(table, "%.2f", quantile(figure, rounds, 0.75));
}

static void print_row(struct table *table, struct row *row, unsigned rounds)
{
	char text[UNIT_TEXT_MAX];

	table_row(table);
	table_cell(table, "%s", row->backend ? row->backend->name : "plain");
	if (row->backend) {
		table_cell(table, "%u", row->batch);
		table_cell(table, "%u", row->depth);
	} else {
		table_cell(table, "-");
		table_cell(table, "-");
	}
	table_cell(table, "%s", unit_format_time(text, quantile(&row->one, rounds, 0.5)));
	table_cell(table, "%s", unit_format_time(text, quantile(&row->two, rounds, 0.5)));
	scaling_cells(table, &row->scaling, rounds);
	scaling_cells(table, &row->of_control, rounds);
}

static int print_rows(struct bench *bench, const char *title, enum sharing sharing)
{
	static const char *const columns[] = {"B",    "D",  "alone",      "together", "scaling",
					      "from", "to", "of control", "from",     "to"};
	struct table *table = table_new();
	int r;

	printf("\n%s\n", title);
	table_column(table, "writes", ALIGN_LEFT);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		table_column(table, columns[i], ALIGN_RIGHT);
	for (size_t i = 0; i < bench->nr_rows; i++)
		if (bench->rows[i].sharing == sharing)
			print_row(table, &bench->rows[i], bench->rounds);
	r = table_print(table, stdout);
	table_free(table);
	return r;
}

static int print(struct bench *bench, struct figure *control)
{
	int r;

	printf("Two writers on CPUs %u and %u: the time of an update, alone and together, and "
	       "their "
	       "rate\ntogether by the sum of the rates alone; medians and quartiles of %u rounds. "
	       "Of plain\nadditions, the control, that is %.2f (%.2f to %.2f). %llu intervals were "
	       "taken again,\nfor a thread was off its CPU, and %llu given up.\n",
	       bench->os_cpu[0], bench->os_cpu[1], bench->rounds,
	       quantile(control, bench->rounds, 0.5), quantile(control, bench->rounds, 0.25),
	       quantile(control, bench->rounds, 0.75), (unsigned long long)bench->again,
	       (unsigned long long)bench->given_up);
	r = print_rows(bench, "A tree each", SHARE_NOTHING);
	if (!r)
		r = print_rows(bench, "One tree, both at its leaf", SHARE_TREE);
	if (!r)
		r = print_rows(bench, "Two counters on one line: false sharing", SHARE_LINE);
	if (!r && has_two_nodes(bench))
		r = print_rows(bench, "A tree each, per-CPU counters on the other's node",
			       SHARE_REMOTE);
	else if (!r)
		puts("\nCounters on the other node: left out, this machine has one node");
	return r;
}

static bool missed(struct bench *bench)
{
	bool any = false;

	for (size_t i = 0; i < bench->nr_rows; i++) {
		struct row *row = &bench->rows[i];

		if (row->sharing != SHARE_NOTHING ||
		    quantile(&row->of_control, bench->rounds, 0.5) >= PROMISED)
			continue;
		printf("missed: %s scales less than %.1f x as the control does\n",
		       row->backend->name, PROMISED);
		any = true;
	}
	return any;
}

static bool has_two_cpus(const struct bench *bench, struct error *err)
{
	const struct placement *placement = bench->where.placement;

	return placement_os_cpu(placement, 0, err) != placement_os_cpu(placement, 1, err);
}

static int prepare(struct bench *bench, struct error *err)
{
	const struct bench_shape shape = {TREE_CHAIN, 1, 1, 2, 0};
	int r = bench_model_init(&bench->where, backend_find("cached"), &shape, err);

	if (!r)
		r = bench_model_create(&bench->where, err);
	if (r)
		return r;
	if (!has_two_cpus(bench, err))
		return -ENODEV;
	for (unsigned i = 0; i < SCALING_THREADS; i++)
		bench->control[i] = plain_load(&bench->control_counters[i].counter[0]);
	add_rows(bench);
	for (size_t i = 0; !r && i < bench->nr_rows; i++)
		r = prepare_row(&bench->rows[i], err);
	return r;
}

static void fini(struct bench *bench)
{
	for (size_t i = 0; bench->rows && i < bench->nr_rows; i++)
		for (unsigned k = 0; k < bench->rows[i].nr_models; k++)
			bench_model_fini(&bench->rows[i].model[k]);
	bench_model_fini(&bench->where);
	free(bench->rows);
	free(bench);
}

int main(int argc, char **argv)
{
	struct bench *bench = aligned_alloc(alignof(struct bench), sizeof(*bench));
	static struct figure control;
	struct error err = {0};
	int r = bench ? 0 : -ENOMEM, code;

	if (r)
		return EXIT_TROUBLE;
	*bench = (struct bench){.rounds = 11, .interval_ns = 1000000};
	argp_err_exit_status = EXIT_TROUBLE;
	argp_parse(&argp, argc, argv, 0, NULL, bench);
	bench->rows = aligned_alloc(alignof(struct row), MAX_ROWS * sizeof(*bench->rows));
	if (!bench->rows)
		r = error_set(&err, -ENOMEM, "out of memory");
	else
		memset(bench->rows, 0, MAX_ROWS * sizeof(*bench->rows));
	if (!r)
		r = prepare(bench, &err);
	if (!r)
		r = run_rounds(bench, &control, &err);
	if (!r)
		r = print(bench, &control);
	else if (r == -ENODEV)
		puts("left out: two writers need two CPUs");
	else
		error_print(stderr, &err);
	if (r)
		code = r == -ENODEV ? EXIT_SKIPPED : EXIT_TROUBLE;
	else
		code = missed(bench) && bench->strict ? EXIT_VERDICT : EXIT_FINE;
	fini(bench);
	return code;
}
