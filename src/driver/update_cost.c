// SPDX-License-Identifier: MIT
/* See update_cost.h. */
#include "driver/update_cost.h"

#include "backend/update_stream.h"
#include "stats/order.h"

#include <errno.h>
#include <stdlib.h>

#define STREAM_SEED   0x7772697465u
#define BUDGET_NS     20000000u
#define DRAWN         2048u /* updates; as many again undo them */
#define LIST          ((size_t)2 * DRAWN)
#define MOST_ROUNDS   64u /* over the list, in a batch */
#define LEAST_BATCHES 5
#define MOST_BATCHES  201

/* The next single page that comes, goes or moves. A huge page that moves is two events of that
 * size, and both are passed over: the oracle stays what the stream relies on. */
static void draw(struct update_stream *stream, struct oracle *oracle, struct update *update)
{
	do
		update_stream_next(stream, update);
	while (labs(update->delta) != 1);
	oracle_update(oracle, update);
}

/* There, and all the way back. */
static void draw_list(const struct point *point, struct oracle *oracle, struct update *list)
{
	struct update_stream stream;

	update_stream_init(&stream, STREAM_SEED, point, oracle);
	for (size_t i = 0; i < DRAWN; i++)
		draw(&stream, oracle, &list[i]);
	for (size_t i = DRAWN; i < LIST; i++) {
		list[i] = list[LIST - 1 - i];
		list[i].delta = -list[i].delta;
		oracle_update(oracle, &list[i]);
	}
}

static double time_batch(const struct sampler *sampler, const struct update *list, uint64_t rounds)
{
	void (*update)(void *, const struct update *) = sampler->backend->update;
	void *instance = sampler->instance;
	uint64_t then = clock_now();

	for (uint64_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < LIST; i++)
			update(instance, &list[i]);
	return (double)(clock_now() - then);
}

uint64_t update_cost_budget_ns(const struct point *point)
{
	return point->read.time_ns < BUDGET_NS ? point->read.time_ns : BUDGET_NS;
}

static void time_batches(const struct sampler *sampler, const struct update *list,
			 struct update_cost *cost)
{
	uint64_t begin = clock_now(), budget = update_cost_budget_ns(sampler->point), rounds = 1;
	double enough = FLOORS_PER_SAMPLE * sampler->floor.median_ns, v[MOST_BATCHES];
	size_t taken = 0;

	time_batch(sampler, list, rounds); /* the first one makes caches warm */
	while (taken < LEAST_BATCHES || (taken < MOST_BATCHES && clock_now() - begin < budget)) {
		double ns = time_batch(sampler, list, rounds);

		if (ns < enough && rounds < MOST_ROUNDS) {
			rounds *= 2; /* a coarse clock; batches are all of one length */
			taken = 0;
			continue;
		}
		v[taken++] = ns / (double)(rounds * LIST);
	}
	cost->median_ns = median(v, taken);
	cost->updates_per_sample = rounds * LIST;
	cost->updates = taken * cost->updates_per_sample;
}

int update_cost_measure(const struct sampler *sampler, struct oracle *oracle,
			struct update_cost *cost, struct error *err)
{
	struct update *list;
	unsigned os_cpu;
	int r;

	*cost = (struct update_cost){0};
	if (!(sampler->backend->capabilities & BACKEND_UPDATE))
		return 0;
	r = placement_bind_thread(sampler->placement, 0, &os_cpu, err);
	if (r)
		return r;
	list = calloc(LIST, sizeof(*list));
	if (!list)
		return error_set(err, -ENOMEM, "out of memory for a list of updates");
	draw_list(sampler->point, oracle, list);
	time_batches(sampler, list, cost);
	free(list);
	return 0;
}

double update_cost_guess_ns(const struct point *point, const struct backend *backend)
{
	return backend->capabilities & BACKEND_UPDATE ? 2 * (double)update_cost_budget_ns(point)
						      : 0;
}
