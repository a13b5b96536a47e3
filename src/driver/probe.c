// SPDX-License-Identifier: MIT
/* See probe.h. */
#include "driver/probe.h"

#include "base/rng.h"
#include "driver/churn.h"
#include "driver/flusher.h"
#include "driver/gate.h"
#include "driver/neighbour.h"
#include "driver/truth.h"
#include "driver/truth_age.h"
#include "driver/writer_record.h"
#include "scenario/target.h"
#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROBE_SEED  0x70726f6265u
#define MOST_READS  2000u
#define LEAST_READS MIN_SAMPLES
#define MOST_NS     1000000000u
/* Steps of all logs together, and of one: 8 rounds. */
#define ALL_STEPS (1u << 20)
#define LOG_STEPS (16 * ROUND_SLICES)

struct read {
	uint64_t begin_ns, value; /* of the sum whose age is asked */
	double width;
	double age_ns; /* 0: it was true during the read; NAN: asked later; INFINITY: not known */
};

/* A phase under way. */
struct probe {
	const struct sampler *sampler;
	unsigned nr_writers;
	uint32_t memcg, subtree;
	struct truth *truth;
	struct writer_record *records;
	uint64_t *from, *to; /* [nr_writers] */
	struct numa_counts counts, low, high;
	struct neighbour neighbour;
	struct read *reads; /* [MOST_READS] */
	bool has_error;
	struct probed *out;
};

static uint64_t phase_ns(const struct point *point)
{
	uint64_t paced = point->read.time_ns < MOST_NS ? point->read.time_ns : MOST_NS;

	return point->write.rate ? paced : writers_least_ns(point);
}

static uint32_t log_steps(unsigned nr_writers)
{
	uint32_t share = ALL_STEPS / nr_writers;

	return share < LOG_STEPS ? share : LOG_STEPS;
}

static int make_records(struct probe *probe)
{
	uint32_t size = log_steps(probe->nr_writers);
	size_t bytes = probe->nr_writers * sizeof(*probe->records);

	probe->records = aligned_alloc(PROGRESS_APART, bytes);
	if (!probe->records)
		return -ENOMEM;
	memset(probe->records, 0, bytes);
	for (unsigned i = 0; i < probe->nr_writers; i++) {
		struct writer_record *record = &probe->records[i];

		record->size = size;
		record->ns = calloc(size, sizeof(*record->ns));
		if (!record->ns)
			return -ENOMEM;
	}
	return 0;
}

static int make_counts(struct probe *probe)
{
	const struct point *point = probe->sampler->point;
	unsigned nodes = point->machine.nodes;
	int r;

	r = neighbour_init(&probe->neighbour, probe->sampler->backend, probe->sampler->instance,
			   point);
	if (!r)
		r = numa_counts_init(&probe->counts, nodes, point->machine.nids);
	if (!r)
		r = numa_counts_init(&probe->low, nodes, point->machine.nids);
	return r ? r : numa_counts_init(&probe->high, nodes, point->machine.nids);
}

static int make_truth(struct probe *probe, const struct writers *writers,
		      const struct oracle *oracle)
{
	const struct sampler *sampler = probe->sampler;
	const struct run **runs = calloc(probe->nr_writers, sizeof(const struct run *));

	if (!runs)
		return -ENOMEM;
	for (unsigned i = 0; i < probe->nr_writers; i++)
		runs[i] = writers_runs(writers, i);
	probe->truth = truth_new(sampler->tree, oracle, sampler->point->machine.nodes, probe->memcg,
				 probe->nr_writers, runs);
	free(runs);
	return probe->truth ? 0 : -ENOMEM;
}

static int init(struct probe *probe, const struct writers *writers, const struct oracle *oracle)
{
	const struct sampler *sampler = probe->sampler;
	int r;

	probe->nr_writers = sampler->point->write.writers;
	probe->memcg = target_of(sampler->point, sampler->tree).first;
	probe->subtree =
		probe->memcg ? memcg_tree_size(sampler->tree, probe->memcg) : sampler->tree->nr;
	probe->subtree += churn_below(sampler->churn, probe->memcg);
	probe->from = calloc(probe->nr_writers, sizeof(*probe->from));
	probe->to = calloc(probe->nr_writers, sizeof(*probe->to));
	probe->reads = calloc(MOST_READS, sizeof(*probe->reads));
	if (!probe->from || !probe->to || !probe->reads)
		return -ENOMEM;
	r = make_records(probe);
	if (!r)
		r = make_counts(probe);
	return r ? r : make_truth(probe, writers, oracle);
}

static void fini(struct probe *probe)
{
	truth_free(probe->truth);
	for (unsigned i = 0; probe->records && i < probe->nr_writers; i++)
		free(probe->records[i].ns);
	free(probe->records);
	free(probe->from);
	free(probe->to);
	free(probe->reads);
	neighbour_fini(&probe->neighbour);
	numa_counts_fini(&probe->counts);
	numa_counts_fini(&probe->low);
	numa_counts_fini(&probe->high);
}

/* Each cell against the nearer end of its bracket. */
static void compare(struct probe *probe)
{
	const struct sampler *sampler = probe->sampler;
	unsigned nodes = probe->counts.nr_nodes, columns = 1 + nodes;
	bool beyond = false, apart = false;

	for (unsigned i = 0; i < numa_nr_cells(nodes); i++) {
		uint64_t low = probe->low.cells[i], high = probe->high.cells[i];
		struct cell_error cell = {
			.scope = i / columns / NR_NUMA_ROWS,
			.row = i / columns % NR_NUMA_ROWS,
			.column = i % columns,
			.value = probe->counts.cells[i],
		};

		if (!(sampler->point->read.rows & (1u << cell.scope)))
			continue;
		cell.truth = cell.value < low ? low : cell.value > high ? high : cell.value;
		cell.pages =
			cell.value > cell.truth ? cell.value - cell.truth : cell.truth - cell.value;
		cell.bound = sampler->backend->bound(sampler->point, cell.scope, cell.row,
						     cell.column, probe->subtree, cell.truth);
		apart |= cell.pages > 0;
		beyond |= cell.pages > cell.bound;
		/* The worst cell that is said is a hierarchical one, as at rest. */
		if (cell.scope != SCOPE_HIERARCHICAL ||
		    (probe->has_error && !cell_error_worse(&cell, &probe->out->error)))
			continue;
		probe->has_error = true;
		probe->out->error = cell;
		probe->out->low = low;
		probe->out->high = high;
	}
	probe->out->apart += apart;
	probe->out->beyond += beyond;
}

static int probe_once(struct probe *probe)
{
	const struct sampler *sampler = probe->sampler;
	struct read_request request = {.memcg = probe->memcg, .rows = sampler->point->read.rows};
	size_t cell = numa_cell(probe->counts.nr_nodes, SCOPE_HIERARCHICAL, AGE_ROW, 0);
	struct read *read = &probe->reads[probe->out->reads];
	/* What that flushes is there already when memory's file is read. */
	int r = (int)neighbour_read(&probe->neighbour, &request, FORM_COUNTS, NULL);

	if (r < 0)
		return r;
	read->begin_ns = clock_now();
	for (unsigned i = 0; i < probe->nr_writers; i++)
		probe->from[i] = progress_before(&probe->records[i]);
	r = sampler->backend->read_counts(sampler->instance, &request, &probe->counts);
	progress_fence(memory_order_acquire);
	for (unsigned i = 0; i < probe->nr_writers; i++)
		probe->to[i] = progress_after(&probe->records[i]);
	if (r)
		return r;
	truth_during(probe->truth, probe->from, probe->to, &probe->low, &probe->high);
	read->value = probe->counts.cells[cell];
	read->width = (double)(probe->high.cells[cell] - probe->low.cells[cell]);
	read->age_ns =
		read->value >= probe->low.cells[cell] && read->value <= probe->high.cells[cell]
			? 0
			: NAN;
	compare(probe);
	probe->out->reads++;
	return 0;
}

static bool a_log_is_full(const struct probe *probe)
{
	for (unsigned i = 0; i < probe->nr_writers; i++)
		if (progress_before(&probe->records[i]) - probe->records[i].first >=
		    probe->records[i].size)
			return true;
	return false;
}

static void sleep_until(uint64_t due)
{
	struct timespec at = {.tv_sec = (time_t)(due / 1000000000u),
			      .tv_nsec = (long)(due % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

/* While the writers are at work. */
static int probe_often(struct probe *probe)
{
	const struct point *point = probe->sampler->point;
	struct rng rng = rng_for(PROBE_SEED, point->tree.seed, probe->nr_writers);
	uint64_t begin = clock_now(), ns = phase_ns(point), step = ns / MOST_READS;
	uint64_t due = begin;
	int r = 0;

	while (!r && probe->out->reads < MOST_READS) {
		uint64_t now = clock_now();

		if (probe->out->reads >= LEAST_READS && (now - begin >= ns || a_log_is_full(probe)))
			break;
		due += step / 2 + rng_below(&rng, step + 1);
		if (due < now)
			due = now;
		sleep_until(due);
		r = probe_once(probe);
	}
	probe->out->seconds = (double)(clock_now() - begin) / 1e9;
	return r;
}

static int run(struct probe *probe, struct writers *writers, struct error *err)
{
	const struct sampler *sampler = probe->sampler;
	struct gate gate = GATE_INITIALIZER;
	unsigned os_cpu;
	int r, stopped;

	/* As the first reader was. */
	r = placement_bind_thread(sampler->placement, 0, &os_cpu, err);
	if (r)
		return r;
	writers_record(writers, probe->records);
	r = writers_start(writers, &gate, err);
	if (!r)
		r = flusher_start(sampler->flusher, &gate, err);
	if (r) {
		gate_cancel(&gate);
	} else {
		gate_open(&gate, writers_nr(writers) + flusher_nr(sampler->flusher));
		writers_await(writers);
		r = probe_often(probe);
		if (r)
			error_set(err, r, "a read under load failed: %s", strerror(-r));
	}
	stopped = writers_stop(writers, r ? NULL : err);
	writers_record(writers, NULL);
	r = r ? r : stopped;
	stopped = flusher_stop(sampler->flusher, r ? NULL : err);
	return r ? r : stopped;
}

static double quantile_or_nan(const double *sorted, uint64_t nr, double q)
{
	double value = sorted[(uint64_t)(q * (double)(nr - 1) + 0.5)];

	return isfinite(value) ? value : NAN;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* What was not true during the read is looked up in the record. */
static int find_ages(struct probe *probe, double *ages)
{
	struct timeline *timeline =
		timeline_new(probe->truth, AGE_ROW, probe->nr_writers, probe->records);
	struct probed *out = probe->out;

	if (!timeline)
		return -ENOMEM;
	for (uint64_t i = 0; i < out->reads; i++) {
		const struct read *read = &probe->reads[i];
		uint64_t age;

		ages[i] = read->age_ns;
		if (isnan(ages[i]) && timeline_age(timeline, read->value, read->begin_ns, &age))
			ages[i] = (double)age;
		else if (isnan(ages[i]))
			ages[i] = INFINITY;
		out->age_unknown += isinf(ages[i]) != 0;
	}
	timeline_free(timeline);
	return 0;
}

static int digest(struct probe *probe, struct error *err)
{
	struct probed *out = probe->out;
	double *figures = calloc(out->reads, sizeof(*figures));
	int r = figures ? find_ages(probe, figures) : -ENOMEM;

	if (!r) {
		qsort(figures, out->reads, sizeof(*figures), by_value);
		out->age_median_ns = quantile_or_nan(figures, out->reads, 0.5);
		out->age_p99_ns = out->reads < samples_needed(0.99)
					  ? NAN
					  : quantile_or_nan(figures, out->reads, 0.99);
		out->age_max_ns = quantile_or_nan(figures, out->reads, 1);
		for (uint64_t i = 0; i < out->reads; i++)
			figures[i] = probe->reads[i].width;
		qsort(figures, out->reads, sizeof(*figures), by_value);
		out->width_median = quantile_or_nan(figures, out->reads, 0.5);
		out->width_max = quantile_or_nan(figures, out->reads, 1);
	}
	free(figures);
	return r ? error_set(err, r, "out of memory for the ages of values") : 0;
}

/* Which pages a writer moves can be told of v1 memory.numa_stat, which shows nothing else. */
static bool can_probe(const struct point *point)
{
	return point->write.writers && point_format(point)->type == STAT_NUMA_V1;
}

int probe_load(const struct sampler *sampler, struct writers *writers, const struct oracle *oracle,
	       struct probed *probed, struct error *err)
{
	struct probe probe = {.sampler = sampler, .out = probed};
	int r;

	*probed = (struct probed){.reads = 0};
	if (!can_probe(sampler->point))
		return 0;
	r = init(&probe, writers, oracle);
	if (r)
		error_set(err, r, "out of memory for the truth under load");
	if (!r)
		r = run(&probe, writers, err);
	if (!r)
		r = digest(&probe, err);
	fini(&probe);
	return r;
}

double probe_guess_ns(const struct point *point, double read_ns)
{
	if (!can_probe(point))
		return 0;
	/* Writers make their caches warm once more. */
	return writers_guess_ns(point) + (double)phase_ns(point) + LEAST_READS * read_ns;
}

uint64_t probe_guess_bytes(const struct point *point)
{
	unsigned writers = can_probe(point) ? point->write.writers : 0;
	uint64_t steps = writers ? (uint64_t)writers * log_steps(writers) : 0;
	uint64_t lists = ROUND_SLICES * 2 * sizeof(struct truth_share) + (100u << 10);

	return writers ? steps * sizeof(uint64_t) + timeline_bytes(steps) + writers * lists : 0;
}
