/* SPDX-License-Identifier: MIT */
/* Threads bound to the CPUs of real nodes, inside of placement. */
#ifndef MEMCGBENCH_PLACE_THREADS_H
#define MEMCGBENCH_PLACE_THREADS_H

#include "place/placement.h"

#include <pthread.h>

/* A thread that calls work(arg), bound to the allowed CPUs of a real node (an index into
 * machine->nodes), or to all allowed ones where the node has none. */
struct worker {
	const struct machine *machine;
	unsigned real;
	void (*work)(void *arg);
	void *arg;
	pthread_t thread;
	int result;
	struct error err;
};

int worker_start(struct worker *worker, struct error *err);
/* What became of the binding: 0, or -errno and work() was not called. */
int worker_join(struct worker *worker, struct error *err);

/* -ENODEV with the message that the machine is a foreign one. */
int threads_not_here(const struct machine *machine, struct error *err);

#endif
