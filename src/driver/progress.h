/* SPDX-License-Identifier: MIT */
/*
 * Progress on stderr: what is being measured, done of total, time left. On a terminal one line that
 * is written over; elsewhere a line now and then.
 */
#ifndef MEMCGBENCH_DRIVER_PROGRESS_H
#define MEMCGBENCH_DRIVER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *out;
	bool terminal;
	size_t done, total;
	uint64_t begin_ns; /* clock_now() at the start */
	uint64_t printed_ns; /* when last something was printed; 0: never */
	double left_ns; /* the caller's estimate of the work not done yet */
	uint64_t since_ns; /* when that estimate was made */
	char what[160]; /* being measured */
};

void progress_begin(struct progress *progress, FILE *out, size_t done, size_t total);
/* The next process begins. */
void progress_next(struct progress *progress, const char *what, double left_ns);
/* Called a few times a second while it runs; `progress` as void * for callbacks. */
void progress_tick(void *progress);
void progress_done(struct progress *progress);
/* A message between: clears the line first. */
void progress_say(struct progress *progress, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void progress_end(struct progress *progress);

#endif
