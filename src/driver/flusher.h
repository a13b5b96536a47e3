/* SPDX-License-Identifier: MIT */
/*
 * The periodic flusher: a thread that flushes from the root every so often while samples are taken,
 * as the kernel does every two seconds since 5.15 (counters.flusher). It is pinned to the real CPU
 * that fewest others run on, of those that the model has. The first flush is due half
 * a period after the gate opens, the middle of what a timer that knows nothing of readers would
 * give; due times do not move when a flush is late.
 */
#ifndef MEMCGBENCH_DRIVER_FLUSHER_H
#define MEMCGBENCH_DRIVER_FLUSHER_H

#include "base/error.h"
#include "driver/gate.h"
#include "driver/sampler.h"

#include <stdint.h>

struct flusher;

struct flusher_cost {
	uint64_t period_ns; /* 0: there was none */
	uint64_t flushes, late; /* late: whose time had passed before they could begin */
	double median_ns, max_ns; /* of a flush; NAN where there was none */
	double total_ns, seconds; /* of all flushes; of the time it was there */
	unsigned os_cpu; /* where it was found */
};

/* `*out` is NULL where the point has none. The sampler, with its writers, outlives it. */
int flusher_new(const struct sampler *sampler, struct flusher **out, struct error *err);
/* After flusher_stop(). */
void flusher_free(struct flusher *flusher);

/* All of these take NULL for no flusher. It waits at the gate; on error none is left running once
 * the gate is cancelled and flusher_stop() was called. */
int flusher_start(struct flusher *flusher, struct gate *gate, struct error *err);
unsigned flusher_nr(const struct flusher *flusher); /* that will come to the gate: 0 or 1 */
/* End it, after the flush it is in, and wait for it. `err` may be NULL. */
int flusher_stop(struct flusher *flusher, struct error *err);

/* Of the last time that it was started. */
struct flusher_cost flusher_digest(const struct flusher *flusher);

#endif
