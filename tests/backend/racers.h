/* SPDX-License-Identifier: MIT */
/* Threads that meet in one back end, for tests of what they lose: nothing. */
#ifndef MEMCGBENCH_TESTS_BACKEND_RACERS_H
#define MEMCGBENCH_TESTS_BACKEND_RACERS_H

#include "fixture.h"

/* On modelled CPUs of their own, in this order. Flushers need a back end that flushes. */
struct race {
	unsigned writers, readers, flushers;
	unsigned updates; /* of each writer */
	/* The n-th update of a writer; NULL: random charges and uncharges. `arg` is for it. */
	struct update (*update)(const void *arg, unsigned writer, unsigned n);
	const void *arg;
};

static inline unsigned race_threads(const struct race *race)
{
	return race->writers + race->readers + race->flushers;
}

/* Starts all at once and runs them to their end, and tells the oracle what was written. A failure
 * fails the running test.
 */
void race_run(struct test_model *f, const struct race *race);

#endif
