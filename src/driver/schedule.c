// SPDX-License-Identifier: MIT
/* See schedule.h. */
#include "driver/schedule.h"

#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_TASKS 100000000u

/* Fisher and Yates. */
static void shuffle(uint32_t *v, size_t n, struct rng *rng)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = rng_below(rng, i);
		uint32_t swap = v[i - 1];

		v[i - 1] = v[j];
		v[j] = swap;
	}
}

static void number(uint32_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = (uint32_t)i;
}

/* Which repetition the n-th round is; see schedule.h. */
static uint32_t repetition_of(uint32_t round, uint32_t repetitions)
{
	if (round % 4 == 3 && round < repetitions)
		return round + 1;
	return round % 4 ? round : round - 1;
}

int schedule_new(size_t nr_points, size_t nr_backends, uint32_t repetitions, uint64_t seed,
		 struct task **tasks, size_t *nr_tasks)
{
	size_t total, at = 0;
	uint32_t *points, *order;

	if (__builtin_mul_overflow(nr_points, nr_backends, &total) ||
	    __builtin_mul_overflow(total, (size_t)repetitions, &total) || total > MAX_TASKS)
		return -E2BIG;
	points = calloc(nr_points + nr_backends + 1, sizeof(*points));
	*tasks = calloc(total + 1, sizeof(**tasks));
	if (!points || !*tasks) {
		free(points);
		free(*tasks);
		return -ENOMEM;
	}
	order = points + nr_points;
	for (uint32_t round = 1; round <= repetitions; round++) {
		uint32_t repetition = repetition_of(round, repetitions);
		struct rng rng = rng_for(seed, repetition, 0);

		number(points, nr_points);
		shuffle(points, nr_points, &rng);
		for (size_t p = 0; p < nr_points; p++) {
			number(order, nr_backends);
			shuffle(order, nr_backends, &rng);
			for (size_t b = 0; b < nr_backends; b++)
				(*tasks)[at++] = (struct task){points[p], order[b], repetition};
		}
	}
	free(points);
	*nr_tasks = total;
	return 0;
}
