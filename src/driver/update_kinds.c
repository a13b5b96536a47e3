// SPDX-License-Identifier: MIT
/* See update_kinds.h. */
#include "driver/update_kinds.h"

#include "base/rng.h"
#include "driver/update_cost.h"
#include "stats/order.h"

#include <errno.h>
#include <stdlib.h>

#define HUGE_PAGES    512 /* of 4 KiB: one event of a 2 MiB page */
#define KINDS_SEED    0x6b696e6473u
#define SHORTEST      512u
#define LEAST_BATCHES 5
#define MOST_BATCHES  101
#define MOST_ROUNDS   64u /* in a batch */
#define MOST_ALONE    16u /* rounds of updates timed one by one */
#define MOST_PLACES   (UPDATE_KIND_LONGEST / SHORTEST)
#define MOST_REMOTE   8 /* of so many places one is on any node, the others on the CPU's */

/* `length` updates in a row at one place, each of `events` steps. */
struct stretch {
	struct update step[2];
};

/* A round: there, and all the way back. */
struct round {
	const struct sampler *sampler;
	struct stretch stretch[2 * MOST_PLACES];
	unsigned nr;
	unsigned length, events;
	uint64_t *ns; /* [nr x length] of updates timed one by one */
};

static uint64_t updates_of(const struct round *round)
{
	return (uint64_t)round->nr * round->length;
}

/* Nobody runs in a dying memcg; where all are, the root is left. */
static uint32_t draw_memcg(struct rng *rng, const struct memcg_tree *tree)
{
	uint32_t first = (uint32_t)rng_below(rng, tree->nr);

	for (uint32_t i = 0; i < tree->nr; i++) {
		uint32_t memcg = (uint32_t)(((uint64_t)first + i) % tree->nr);

		if (!tree->dying[memcg])
			return memcg;
	}
	return 0;
}

/* Another one of `nr` than `one`. */
static unsigned draw_other(struct rng *rng, unsigned nr, unsigned one)
{
	return (one + 1 + (unsigned)rng_below(rng, nr - 1)) % nr;
}

static struct stretch draw_stretch(struct rng *rng, const struct sampler *sampler,
				   enum write_mix kind)
{
	unsigned nodes = sampler->point->machine.nodes;
	struct update from = {
		.memcg = draw_memcg(rng, sampler->tree),
		.cpu = (unsigned)rng_below(rng, sampler->point->machine.cpus),
		.lru = (enum lru_list)rng_below(rng, NR_LRU_LISTS),
		.delta = kind == MIX_HUGE ? HUGE_PAGES : 1,
	};
	struct update to;

	from.node = sampler->placement->node_of_cpu[from.cpu];
	if (!rng_below(rng, MOST_REMOTE))
		from.node = (unsigned)rng_below(rng, nodes);
	to = from;
	if (kind == MIX_LRU)
		to.lru = (enum lru_list)draw_other(rng, NR_LRU_LISTS, from.lru);
	if (kind == MIX_MIGRATE)
		to.node = draw_other(rng, nodes, from.node);
	if (kind == MIX_LRU || kind == MIX_MIGRATE)
		from.delta = -from.delta;
	return (struct stretch){{from, to}};
}

static void draw_round(struct round *round, enum write_mix kind)
{
	const struct point *point = round->sampler->point;
	struct rng rng = rng_for(KINDS_SEED, point->tree.seed, kind);
	uint64_t length = 4 * ((uint64_t)point->counters.batch + 1);

	if (length < SHORTEST)
		length = SHORTEST;
	if (length > UPDATE_KIND_LONGEST)
		length = UPDATE_KIND_LONGEST;
	round->length = (unsigned)length;
	round->events = kind == MIX_LRU || kind == MIX_MIGRATE ? 2 : 1;
	round->nr = 2 * (UPDATE_KIND_LONGEST / round->length);
	for (unsigned i = 0; i < round->nr / 2; i++) {
		struct stretch *there = &round->stretch[i];
		struct stretch *back = &round->stretch[round->nr - 1 - i];
		unsigned last = round->events - 1;

		*there = draw_stretch(&rng, round->sampler, kind);
		back->step[0] = there->step[last];
		back->step[1] = there->step[1 - last];
		back->step[0].delta = -back->step[0].delta;
		back->step[1].delta = -back->step[1].delta;
	}
}

/* What moves takes away must be there first. `sign` -1: and goes again. */
static void charge_moved(const struct round *round, long sign)
{
	const struct sampler *sampler = round->sampler;

	for (unsigned i = 0; round->events == 2 && i < round->nr / 2; i++) {
		struct update update = round->stretch[i].step[0];

		update.delta = sign;
		for (unsigned k = 0; k < round->length; k++)
			sampler->backend->update(sampler->instance, &update);
	}
}

static double time_rounds(const struct round *round, uint64_t rounds)
{
	void (*update)(void *, const struct update *) = round->sampler->backend->update;
	void *instance = round->sampler->instance;
	uint64_t then = clock_now();

	for (uint64_t i = 0; i < rounds * round->nr; i++) {
		const struct stretch *stretch = &round->stretch[i % round->nr];

		for (unsigned k = 0; k < round->length; k++)
			for (unsigned event = 0; event < round->events; event++)
				update(instance, &stretch->step[event]);
	}
	return (double)(clock_now() - then);
}

static void time_batches(const struct round *round, uint64_t budget, struct update_kind_cost *cost)
{
	double enough = FLOORS_PER_SAMPLE * round->sampler->floor.median_ns, v[MOST_BATCHES];
	uint64_t begin = clock_now(), rounds = 1;
	size_t taken = 0;

	time_rounds(round, rounds); /* the first one makes caches warm */
	while (taken < LEAST_BATCHES || (taken < MOST_BATCHES && clock_now() - begin < budget)) {
		double ns = time_rounds(round, rounds);

		if (ns < enough && rounds < MOST_ROUNDS) {
			rounds *= 2; /* a coarse clock; batches are all of one length */
			taken = 0;
			continue;
		}
		v[taken++] = ns / (double)(rounds * updates_of(round));
	}
	cost->median_ns = median(v, taken);
	cost->updates_per_sample = rounds * updates_of(round);
	cost->updates = taken * cost->updates_per_sample;
}

static void time_alone(const struct round *round)
{
	void (*update)(void *, const struct update *) = round->sampler->backend->update;
	void *instance = round->sampler->instance;
	uint64_t *ns = round->ns;

	for (unsigned i = 0; i < round->nr; i++) {
		const struct stretch *stretch = &round->stretch[i];

		for (unsigned k = 0; k < round->length; k++) {
			uint64_t then = clock_now();

			for (unsigned event = 0; event < round->events; event++)
				update(instance, &stretch->step[event]);
			*ns++ = clock_now() - then;
		}
	}
}

static int time_each(const struct round *round, uint64_t budget, struct update_kind_cost *cost)
{
	struct histogram *histogram = histogram_new();
	uint64_t begin = clock_now(), nr = updates_of(round);
	int r = histogram ? 0 : -ENOMEM;

	for (unsigned i = 0; !r && i < MOST_ALONE; i++) {
		if (i && clock_now() - begin >= budget)
			break;
		time_alone(round);
		for (uint64_t k = 0; !r && k < nr; k++)
			r = histogram_record(histogram, round->ns[k] * 1000);
		cost->alone += nr;
	}
	if (!r) {
		cost->alone_median_ns = histogram_quantile_ns(histogram, 0.5);
		cost->p99_ns = histogram_quantile_ns(histogram, 0.99);
		cost->max_ns = histogram_quantile_ns(histogram, 1);
	}
	histogram_free(histogram);
	return r;
}

static int measure_kind(struct round *round, enum write_mix kind, struct update_kind_cost *cost)
{
	uint64_t budget = update_cost_budget_ns(round->sampler->point) / NR_UPDATE_KINDS;
	int r;

	draw_round(round, kind);
	charge_moved(round, 1);
	time_batches(round, budget / 2, cost);
	r = time_each(round, budget / 2, cost);
	charge_moved(round, -1);
	return r;
}

int update_kinds_measure(const struct sampler *sampler, struct update_kinds *kinds,
			 struct error *err)
{
	struct round round = {.sampler = sampler};
	unsigned os_cpu;
	int r;

	*kinds = (struct update_kinds){0};
	if (!(sampler->backend->capabilities & BACKEND_UPDATE))
		return 0;
	r = placement_bind_thread(sampler->placement, 0, &os_cpu, err);
	if (r)
		return r;
	/* Written beforehand, so that no page faults are timed. */
	round.ns = calloc(2 * UPDATE_KIND_LONGEST, sizeof(*round.ns));
	if (!round.ns)
		return error_set(err, -ENOMEM, "out of memory for times of updates");
	for (unsigned i = 0; i < 2 * UPDATE_KIND_LONGEST; i++)
		round.ns[i] = i;
	keep(round.ns);
	for (unsigned kind = 0; !r && kind < NR_UPDATE_KINDS; kind++)
		if (kind != MIX_MIGRATE || sampler->point->machine.nodes > 1)
			r = measure_kind(&round, kind, &kinds->kind[kind]);
	free(round.ns);
	return r ? error_set(err, r, "out of memory for times of updates") : 0;
}
