// SPDX-License-Identifier: MIT
/*
 * The pilot, and the timing of a read's parts: short measurements outside the samples that count.
 * See sampler.h.
 */
#include "driver/reader.h"
#include "driver/sampler.h"

#include "memcg/stat_text.h"
#include "stats/order.h"

#include <math.h>
#include <string.h>

#define PILOT_READS      7
#define BATCH_TRIES      3
#define SURELY_ONE       1000 /* times as long as the shortest sample: no interruption is */
#define PARTS_SAMPLES    15
#define MIN_PARTS        3
#define PARTS_TIME_SHARE 8 /* of read.time_ns, for each part */

/* The first reader, bound, by itself. */
static int lone_reader(const struct sampler *sampler, struct reader **reader, struct error *err)
{
	unsigned os_cpu;
	int r = placement_bind_thread(sampler->placement, 0, &os_cpu, err);

	if (!r)
		r = readers_new(sampler, 1, 1, reader, err);
	if (r)
		return r;
	r = reader_prepare(*reader, err);
	if (r)
		readers_free(*reader, 1);
	return r;
}

/* One operation to time; `arg` is a struct reader. Negative: -errno. */
typedef long (*operation)(struct reader *reader);

static long whole_read(struct reader *reader)
{
	return reader_read(reader);
}

static long read_rows(struct reader *reader, const struct read_request *request, unsigned rows)
{
	struct read_request part = *request;
	const struct sampler *sampler = reader->sampler;

	part.rows = rows;
	return backend_read_counts(sampler->backend, sampler->instance, &part, &reader->scratch);
}

static long read_file_hierarchical(struct reader *reader, const struct read_request *request)
{
	return read_rows(reader, request, ROWS_HIERARCHICAL);
}

static long read_hierarchical(struct reader *reader)
{
	return reader_each(reader, read_file_hierarchical);
}

static long read_file_local(struct reader *reader, const struct read_request *request)
{
	return read_rows(reader, request, ROWS_LOCAL);
}

static long read_local(struct reader *reader)
{
	return reader_each(reader, read_file_local);
}

/* What is in the scratch space, for each file of a sweep once. */
static long format_file(struct reader *reader, const struct read_request *request)
{
	const struct point *point = reader->sampler->point;
	long length = stat_text(&reader->scratch, request->rows, point->read.text, reader->text,
				reader->text_size);

	keep(reader->text);
	return length;
}

static long format_text(struct reader *reader)
{
	return reader_each(reader, format_file);
}

/* ns of `reads` operations in a row, or a negative errno. */
static double time_batch(struct reader *reader, operation op, uint64_t reads)
{
	uint64_t then;

	reader_before_sample(reader);
	then = clock_now();
	for (uint64_t i = 0; i < reads; i++) {
		long r = op(reader);

		if (r < 0)
			return (double)r;
	}
	return (double)(clock_now() - then);
}

/* The shortest of some: what interrupts one would pass for the length of an operation, and a sweep
 * would keep the batch that follows from it. */
static double shortest_batch(struct reader *reader, operation op, uint64_t reads)
{
	double shortest = time_batch(reader, op, reads);

	for (unsigned i = 1; i < BATCH_TRIES && shortest >= 0; i++)
		shortest = fmin(shortest, time_batch(reader, op, reads));
	return shortest;
}

/*
 * How many operations make an interval of at least FLOORS_PER_SAMPLE timer floors. One, when cold
 * or behind spills: the second read of a batch would be hot, or find nothing changed.
 */
static int find_batch(struct reader *reader, operation op, uint64_t *batch)
{
	double enough = FLOORS_PER_SAMPLE * reader->sampler->floor.median_ns;
	uint64_t reads = 1;
	double ns;

	*batch = 1;
	if (reader->evictor || reader->sampler->point->read.spills)
		return 0;
	for (;; reads *= 2) {
		ns = time_batch(reader, op, reads);
		/* Far above what needs batches: once is enough. */
		if (ns >= 0 && ns < SURELY_ONE * enough)
			ns = fmin(ns, shortest_batch(reader, op, reads));
		if (ns < 0)
			return (int)ns;
		if (ns >= 4 * enough || (reads == 1 && ns >= enough))
			break;
	}
	if (reads > 1)
		*batch = (uint64_t)ceil(enough / (ns / (double)reads));
	return 0;
}

/* Median ns per operation of up to `samples` intervals, ending early after `budget_ns`, but never
 * before `least` of them. */
static int time_median(struct reader *reader, operation op, uint64_t batch, unsigned samples,
		       unsigned least, double budget_ns, double *result, unsigned *taken)
{
	double v[PARTS_SAMPLES > PILOT_READS ? PARTS_SAMPLES : PILOT_READS];
	double spent = 0;
	unsigned n = 0;

	while (n < samples && (n < least || spent < budget_ns)) {
		double ns = time_batch(reader, op, batch);

		if (ns < 0)
			return (int)ns;
		v[n++] = ns / (double)batch;
		spent += ns;
	}
	*result = median(v, n);
	if (taken)
		*taken = n;
	return 0;
}

/* ns of a read, and how many reads make a sample. The first read makes a hot pilot hot; where it
 * takes long enough by itself it is the estimate. */
static int estimate_read(struct reader *reader, uint64_t *batch, double *read_ns)
{
	double budget = (double)reader->sampler->point->read.time_ns / 4;
	double first = time_batch(reader, whole_read, 1);
	int r;

	*batch = 1;
	*read_ns = first;
	if (first < 0)
		return (int)first;
	if (first >= budget)
		return 0;
	r = find_batch(reader, whole_read, batch);
	if (r)
		return r;
	return time_median(reader, whole_read, *batch, PILOT_READS, 2, budget, read_ns, NULL);
}

/* Threads that share a CPU take turns: how much longer that makes a sample. */
static double crowding(const struct sampler *sampler)
{
	const struct machine *machine = sampler->placement->machine;
	const struct point *point = sampler->point;
	double threads = (double)point->read.readers + point->write.writers, cpus = 0;

	threads += point->write.churn > 0;
	for (unsigned i = 0; i < machine->nr_nodes; i++)
		cpus += machine->nodes[i].nr_allowed;
	return cpus > 0 ? fmax(threads / cpus, 1) : 1;
}

int sampler_pilot(const struct sampler *sampler, struct sampling *sampling, struct error *err)
{
	const struct point *point = sampler->point;
	struct reader *reader;
	double read_ns = 0, sample_ns, fit;
	uint64_t least;
	int r;

	r = lone_reader(sampler, &reader, err);
	if (r)
		return r;
	r = estimate_read(reader, &sampling->reads_per_sample, &read_ns);
	readers_free(reader, 1);
	if (r)
		return error_set(err, r, "a read failed: %s", strerror(-r));
	sample_ns = read_ns * (double)sampling->reads_per_sample * crowding(sampler);
	/* A paced reader's time passes between samples. */
	fit = floor((double)point->read.time_ns /
		    fmax(fmax(sample_ns, (double)point->read.pacing_ns), 1));
	least = point_reader_samples(point, MIN_SAMPLES);
	sampling->samples = point_reader_samples(point, point->read.samples);
	if (fit < (double)sampling->samples)
		sampling->samples = fit < (double)least ? least : (uint64_t)fit;
	sampling->loop_ns = sample_ns * (double)sampling->samples;
	return 0;
}

/* The first one makes the caches as they will be, and is long enough to need no batch or is not. */
static int time_part(struct reader *reader, operation op, double *result, unsigned *taken)
{
	double budget = (double)reader->sampler->point->read.time_ns / PARTS_TIME_SHARE;
	double first = time_batch(reader, op, 1);
	uint64_t batch = 1;
	int r = first < 0 ? (int)first : 0;

	if (!r && first < budget)
		r = find_batch(reader, op, &batch);
	if (r)
		return r;
	return time_median(reader, op, batch, PARTS_SAMPLES, MIN_PARTS, budget, result, taken);
}

int sampler_parts(const struct sampler *sampler, struct parts *parts, struct error *err)
{
	const struct point *point = sampler->point;
	struct reader *reader;
	bool prints;
	int r;

	*parts = (struct parts){NAN, NAN, NAN, 0};
	if (backend_is_printed(sampler->backend))
		return 0;
	r = lone_reader(sampler, &reader, err);
	if (r)
		return r;
	r = time_part(reader, read_hierarchical, &parts->hierarchical_ns, &parts->samples);
	if (!r && (point_rows(point) & ROWS_LOCAL))
		r = time_part(reader, read_local, &parts->local_ns, NULL);
	/* What a back end prints by itself cannot be timed without its read. */
	prints = sampler->backend->read_text && point_format(point)->type == STAT_NUMA_V1;
	if (!r && point->read.form == FORM_TEXT && !prints)
		r = time_part(reader, format_text, &parts->format_ns, NULL);
	readers_free(reader, 1);
	return r ? error_set(err, r, "timing a part of a read failed: %s", strerror(-r)) : 0;
}
