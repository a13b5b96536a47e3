/* SPDX-License-Identifier: MIT */
/*
 * How long a lock of a back end was waited for and held: what its operation locks() hands out. The
 * record lies in memory of its own, apart from the lock and from what it protects, and its holder
 * alone writes it, under the lock. Making room for all times up to LOCK_TIMES_MOST_NS beforehand
 * keeps the allocator out of that.
 */
#ifndef MEMCGBENCH_BACKEND_LOCK_TIMES_H
#define MEMCGBENCH_BACKEND_LOCK_TIMES_H

#include "stats/histogram.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

/* What one holder writes must not share a line, nor the pair that prefetchers fetch, with what
 * others write or look up. */
#define LOCK_TIMES_APART 128

#define LOCK_TIMES_MOST_NS 10000000000u

struct lock_times {
	alignas(LOCK_TIMES_APART) const char *name; /* a-z; constant text */
	uint64_t taken, contended; /* times; of them, after waiting */
	uint64_t wait_ns, hold_ns; /* in total */
	struct histogram *wait; /* of the contended ones, in ps */
	struct histogram *hold; /* of each that has ended, in ps */
	uint64_t since; /* clock_now() when it was taken last */
	uint64_t lost; /* times that there was no memory for: longer than LOCK_TIMES_MOST_NS */
	_Atomic uint64_t passed_by; /* times that somebody found it taken and went on without it */
};

/* -ENOMEM. lock_times_fini() is called in either case. */
int lock_times_init(struct lock_times *times, const char *name);
void lock_times_fini(struct lock_times *times);
/* Begin anew; nobody holds the lock or waits for it. 0, or -ENOMEM: all is as it was. */
int lock_times_reset(struct lock_times *times);

/* By the holder. Taken at `now`, without waiting, or after waiting since `begin`; given back at
 * `now`. */
void lock_times_taken(struct lock_times *times, uint64_t now);
void lock_times_waited(struct lock_times *times, uint64_t begin, uint64_t now);
void lock_times_dropped(struct lock_times *times, uint64_t now);

/* The wait at or below which a share q of all takings lies; of most it is 0. NAN where none was. */
double lock_times_wait_quantile_ns(const struct lock_times *times, double q);

#endif
