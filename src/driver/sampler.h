/* SPDX-License-Identifier: MIT */
/*
 * Takes samples: timed intervals of one or more reads, by one or more reader threads that start
 * together at a gate, each pinned to a real CPU, and with writers, where there are any.
 *
 * Closed and hot, the end of one sample is the beginning of the next: the intervals cover the whole
 * loop and nothing is left out between them. Cold, paced or behind spills (spills.h), each sample
 * has a beginning of its own, after these were made, the caches evicted, or the time for it has
 * come.
 */
#ifndef MEMCGBENCH_DRIVER_SAMPLER_H
#define MEMCGBENCH_DRIVER_SAMPLER_H

#include "backend/backend.h"
#include "base/error.h"
#include "place/placement.h"
#include "stats/histogram.h"
#include "timing/clock.h"
#include "timing/lines.h"

#include <jansson.h>
#include <stdint.h>

/* A read shorter than this many timer floors is timed in batches. */
#define FLOORS_PER_SAMPLE 100
#define MIN_SAMPLES       5

struct sampler {
	const struct backend *backend;
	void *instance;
	const struct point *point;
	const struct memcg_tree *tree;
	const struct placement *placement;
	const struct line_set *lines; /* what a read touches; NULL: evict by sweeping */
	uint64_t llc_bytes;
	struct timer_floor floor;
	struct writers
		*writers; /* at work while readers are timed; NULL: nobody writes. writer.h */
	struct flusher *flusher; /* at work then; NULL: none. flusher.h */
	struct churn *churn; /* the same of memcgs that come and go; churn.h */
};

/* Numbers that the pilot fixes once for a (point, back end). */
struct sampling {
	uint64_t samples; /* of each reader */
	uint64_t reads_per_sample;
	double loop_ns; /* expected of one reader's whole loop; chooses the clock */
};

struct sampled {
	struct histogram *latency; /* of a read, all readers; owned by the caller */
	double median_ns; /* of all samples, per read */
	double histogram_mean_ns; /* of the first reader's samples */
	double benchmark_mean_ns; /* Google Benchmark's, of the same loop */
	bool manual_clock; /* it was told the intervals; otherwise it took its own wall clock */
	uint64_t late; /* paced samples whose time had passed before they could begin */
	unsigned *reader_cpus; /* [readers] OS indexes, where they were found; owned */
	unsigned tries; /* 1, unless a loop was disturbed and measured again */
	json_t *perf; /* while the first reader's loop ran, or NULL; owned */
	char *cold_method; /* how caches were made cold, or NULL; owned */
};

/* A few reads decide how many reads make a sample and how many samples fit in read.time_ns. */
int sampler_pilot(const struct sampler *sampler, struct sampling *sampling, struct error *err);

/* The measurement itself. -EPROTO where the two stopwatches disagree by more than 0.5 %. */
int sampler_run(const struct sampler *sampler, const struct sampling *sampling, struct sampled *out,
		struct error *err);
void sampled_fini(struct sampled *out);

/* Medians of a read's parts in ns, NAN where the read has no such part. */
struct parts {
	double hierarchical_ns, local_ns, format_ns;
	unsigned samples;
};
int sampler_parts(const struct sampler *sampler, struct parts *parts, struct error *err);

#endif
