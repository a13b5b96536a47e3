/* SPDX-License-Identifier: MIT */
/*
 * Writers: threads that update the counters while readers are timed, and what that costs them.
 *
 * Each is pinned to a real CPU of the node whose modelled CPUs it owns (writer_list.h), one that no
 * reader, no churner and no other writer has where there are enough. All start with the readers at
 * a gate and go on until the last reader has its samples; readers that are done sooner than
 * writers_least_ns() go on reading, untimed, until then. Updates are timed in batches of one
 * length, at least FLOORS_PER_SAMPLE timer floors long when nobody else is at work.
 *
 * Paced, a batch is due every so often, open loop: due times do not move when a batch is late. The
 * writers take turns within the interval.
 */
#ifndef MEMCGBENCH_DRIVER_WRITER_H
#define MEMCGBENCH_DRIVER_WRITER_H

#include "backend/oracle.h"
#include "base/error.h"
#include "driver/gate.h"
#include "driver/sampler.h"

#include <stdint.h>

struct run;
struct writer_record;
struct writers;

/* What one writer did while it was timed. */
struct writer_share {
	double updates_per_s;
	unsigned os_cpu; /* where it was found */
};

struct writers_cost {
	unsigned writers; /* 0: there were none */
	uint64_t updates; /* timed, of all */
	uint64_t updates_per_sample; /* a batch */
	double median_ns; /* of an update, over all batches */
	double p99_batch_ns; /* the same, of the mean of a batch; NAN: too few batches */
	double updates_per_s; /* of all together */
	double seconds; /* the longest that one was at work */
	uint64_t behind; /* paced batches whose time had passed before they could begin */
	struct writer_share *share; /* [writers]; owned */
};

/*
 * The point's writers over a populated instance that nobody else uses: draws what each will do,
 * charges what they will move, finds the length of a batch. `*out` is NULL where the point has
 * none. The sampler outlives them.
 */
int writers_new(const struct sampler *sampler, struct writers **out, struct error *err);
/* After writers_stop(). */
void writers_free(struct writers *writers);

/* All of these take NULL for no writers. Those that start threads wait at the gate, each after a
 * whole round that made its caches warm. On error none is left running once the gate is cancelled
 * and writers_stop() was called. */
int writers_start(struct writers *writers, struct gate *gate, struct error *err);
unsigned writers_nr(const struct writers *writers); /* that will come to the gate */
unsigned writers_on(const struct writers *writers, int os_cpu); /* that will run on that CPU */
/* Wait until each of them is at work: what wakes a thread at the gate may take longer than a
 * reader's whole loop. */
void writers_await(const struct writers *writers);
/* End them, however far they are, and wait for them. The first error; `err` may be NULL. */
int writers_stop(struct writers *writers, struct error *err);

/* While none is at work: who wants to know how far they are, from the next writers_start() on;
 * records[write.writers], NULL: nobody any more. It makes each slice a little slower. */
void writers_record(struct writers *writers, struct writer_record *records);
/* What one of them does: runs[ROUND_RUNS]. */
const struct run *writers_runs(const struct writers *writers, unsigned writer);

/* While none is at work: tell the oracle of every update since writers_new(). Once. */
void writers_account(const struct writers *writers, struct oracle *oracle);

/* Of the last time that they were started. */
int writers_digest(const struct writers *writers, struct writers_cost *cost, struct error *err);
void writers_cost_fini(struct writers_cost *cost);

/* How long they are at work at least, however soon the readers have their samples: 100 ms, or
 * read.time where that is shorter. 0 without writers. */
uint64_t writers_least_ns(const struct point *point);
/* For plans: what they take beside the timed part. */
double writers_guess_ns(const struct point *point);
uint64_t writers_guess_bytes(const struct point *point);

#endif
