/* SPDX-License-Identifier: MIT */
/* The clock that samples are timed with, and its floor: what an empty interval costs. */
#ifndef MEMCGBENCH_TIMING_CLOCK_H
#define MEMCGBENCH_TIMING_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in ns. */
static inline uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Sleep until then, whatever interrupts it; not at all where it has passed. */
static inline void clock_sleep_until(uint64_t ns)
{
	struct timespec at = {.tv_sec = (time_t)(ns / 1000000000u),
			      .tv_nsec = (long)(ns % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

struct timer_floor {
	double median_ns; /* of empty intervals, from batches: finer than the clock's tick */
	double p99_ns; /* of single empty intervals */
	unsigned intervals;
};

/* Takes about 2 ms. Nothing is ever subtracted: the floor is stored beside the figures. */
void timer_floor_measure(struct timer_floor *floor);

/* Keeps `value` alive and forbids the compiler to move memory accesses across. */
#define keep(value) __asm__ volatile("" : : "r,m"(value) : "memory")

#endif
