// SPDX-License-Identifier: MIT
/* See writer_list.h. */
#include "driver/writer_list.h"

#include "backend/charge.h"
#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>

#define HUGE_PAGES  512 /* of 4 KiB: one event of a 2 MiB page */
#define LIST_SEED   0x6c6f6164u
#define LAG         8u /* runs that are not undone yet, at most */
#define DRAWN       (ROUND_RUNS / 2)
#define MOST_REMOTE 8 /* of so many runs one goes to any node, the others to the CPU's */

struct writer_cpus writer_cpus(const struct placement *placement, const struct point *point,
			       unsigned writer)
{
	uint64_t readers = point->read.readers;
	/* the last one is the churner's, where there is one */
	uint64_t left = point->machine.cpus - readers - (point->write.churn > 0);
	unsigned first = (unsigned)(readers + writer * left / point->write.writers);
	unsigned end = (unsigned)(readers + (writer + 1) * left / point->write.writers);
	struct writer_cpus cpus = {first, first + 1};

	while (cpus.end < end && placement->node_of_cpu[cpus.end] == placement->node_of_cpu[first])
		cpus.end++;
	return cpus;
}

static uint32_t children_of_root(const struct memcg_tree *tree)
{
	uint32_t nr = 0;

	for (uint32_t i = 1; i < tree->nr; i++)
		nr += tree->parent[i] == 0;
	return nr;
}

/* Whose each memcg is; nr_writers: nobody's. Parents come before their children. */
static void deal_subtrees(const struct memcg_tree *tree, unsigned nr_writers, uint32_t *owner)
{
	uint32_t child = 0;

	owner[0] = nr_writers;
	for (uint32_t i = 1; i < tree->nr; i++)
		owner[i] = tree->parent[i] == 0 ? child++ % nr_writers : owner[tree->parent[i]];
	for (uint32_t i = 1; i < tree->nr; i++)
		if (tree->dying[i])
			owner[i] = nr_writers;
}

static void deal_memcgs(const struct memcg_tree *tree, unsigned nr_writers, uint32_t *owner)
{
	uint32_t next = 0;

	owner[0] = nr_writers;
	for (uint32_t i = 1; i < tree->nr; i++)
		owner[i] = tree->dying[i] ? nr_writers : next++ % nr_writers;
}

/* Group memcgs by owner. False where somebody has none. */
static bool group(const struct memcg_tree *tree, const uint32_t *owner,
		  struct writer_targets *targets)
{
	unsigned nr = targets->nr_writers;
	bool all = true;
	uint32_t at = 0;

	for (unsigned writer = 0; writer < nr; writer++)
		targets->start[writer] = 0;
	for (uint32_t i = 0; i < tree->nr; i++)
		if (owner[i] < nr)
			targets->start[owner[i]]++;
	for (unsigned writer = 0; writer < nr; writer++) {
		uint32_t own = targets->start[writer];

		all &= own > 0;
		targets->start[writer] = at;
		at += own;
	}
	targets->start[nr] = at;
	for (uint32_t i = 0; i < tree->nr; i++)
		if (owner[i] < nr)
			targets->memcgs[targets->start[owner[i]]++] = i;
	/* Each start is now where the next one's was. */
	for (unsigned writer = nr; writer > 0; writer--)
		targets->start[writer] = targets->start[writer - 1];
	targets->start[0] = 0;
	return all;
}

static int own_targets(const struct memcg_tree *tree, struct writer_targets *targets)
{
	uint32_t *owner = calloc(tree->nr, sizeof(*owner));
	bool all = false;

	if (!owner)
		return -ENOMEM;
	if (children_of_root(tree) >= targets->nr_writers) {
		deal_subtrees(tree, targets->nr_writers, owner);
		all = group(tree, owner, targets);
	}
	if (!all) {
		deal_memcgs(tree, targets->nr_writers, owner);
		all = group(tree, owner, targets);
	}
	free(owner);
	return all ? 0 : -EINVAL;
}

/* The same memcgs for all writers. */
static void shared_targets(const struct memcg_tree *tree, bool one, struct writer_targets *targets)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < tree->nr; i++)
		if (!tree->dying[i])
			targets->memcgs[nr++] = i;
	/* One that lives and comes last has no living child: children come after their parents. */
	if (one) {
		targets->memcgs[0] = targets->memcgs[nr - 1];
		nr = 1;
	}
	targets->start[0] = 0;
	targets->start[1] = nr;
}

/* By Zipf's law, or as captured: what the memcgs hold, added up for each writer. */
static int weigh(const struct point *point, struct writer_targets *targets)
{
	const struct charge_plan plan = {.point = point};
	uint32_t nr = targets->start[targets->nr_writers];

	if (point->counters.distribution == DISTRIBUTION_EVEN)
		return 0;
	targets->held = calloc(nr, sizeof(*targets->held));
	if (!targets->held)
		return -ENOMEM;
	for (unsigned writer = 0; writer < targets->nr_writers; writer++) {
		uint64_t held = 0;

		for (uint32_t i = targets->start[writer]; i < targets->start[writer + 1]; i++)
			targets->held[i] = held += charge_pages(&plan, targets->memcgs[i]);
	}
	return 0;
}

int writer_targets_new(const struct memcg_tree *tree, const struct point *point,
		       struct writer_targets *targets)
{
	bool own = point->write.target == WRITE_OWN;
	int r = 0;

	*targets = (struct writer_targets){.nr_writers = own ? point->write.writers : 1};
	targets->memcgs = calloc(tree->nr, sizeof(*targets->memcgs));
	targets->start = calloc(targets->nr_writers + 1, sizeof(*targets->start));
	if (!targets->memcgs || !targets->start)
		r = -ENOMEM;
	else if (own)
		r = own_targets(tree, targets);
	else
		shared_targets(tree, point->write.target == WRITE_ONE, targets);
	if (!r)
		r = weigh(point, targets);
	if (r)
		writer_targets_free(targets);
	return r;
}

void writer_targets_free(struct writer_targets *targets)
{
	free(targets->memcgs);
	free(targets->start);
	free(targets->held);
	*targets = (struct writer_targets){.memcgs = NULL};
}

static enum write_mix draw_kind(struct rng *rng, const struct point *point)
{
	static const enum write_mix eighths[] = {MIX_PAGE, MIX_PAGE, MIX_PAGE, MIX_PAGE,
						 MIX_LRU,  MIX_LRU,  MIX_HUGE, MIX_MIGRATE};
	enum write_mix kind = point->write.mix;

	if (kind == MIX_MIXED)
		kind = eighths[rng_below(rng, sizeof(eighths) / sizeof(eighths[0]))];
	return kind == MIX_MIGRATE && point->machine.nodes < 2 ? MIX_PAGE : kind;
}

/* Another one of `nr` than `not`. */
static unsigned draw_other(struct rng *rng, unsigned nr, unsigned not )
{
	return (not +1 + (unsigned)rng_below(rng, nr - 1)) % nr;
}

/* One of targets->memcgs[first..end). */
static uint32_t draw_memcg(struct rng *rng, const struct writer_targets *targets, uint32_t first,
			   uint32_t end)
{
	const uint64_t *held = targets->held;
	uint64_t page;

	if (!held || !held[end - 1])
		return targets->memcgs[first + rng_below(rng, end - first)];
	/* The first one that holds more than `page` pages together with those before it. */
	page = rng_below(rng, held[end - 1]);
	while (first < end) {
		uint32_t middle = first + (end - first) / 2;

		if (held[middle] > page)
			end = middle;
		else
			first = middle + 1;
	}
	return targets->memcgs[first];
}

static struct run draw_run(struct rng *rng, const struct placement *placement,
			   const struct point *point, const struct writer_targets *targets,
			   unsigned whose, struct writer_cpus cpus)
{
	unsigned nodes = point->machine.nodes;
	enum write_mix kind = draw_kind(rng, point);
	struct update *from, *to;
	struct run run;

	from = &run.step[0];
	to = &run.step[1];
	*from = (struct update){
		.memcg = draw_memcg(rng, targets, targets->start[whose], targets->start[whose + 1]),
		.cpu = cpus.first + (unsigned)rng_below(rng, cpus.end - cpus.first),
		.lru = (enum lru_list)rng_below(rng, NR_LRU_LISTS),
		.delta = kind == MIX_HUGE ? HUGE_PAGES : 1,
	};
	from->node = placement->node_of_cpu[from->cpu];
	if (!rng_below(rng, MOST_REMOTE))
		from->node = (unsigned)rng_below(rng, nodes);
	*to = *from;
	if (kind == MIX_LRU)
		to->lru = (enum lru_list)draw_other(rng, NR_LRU_LISTS, from->lru);
	if (kind == MIX_MIGRATE)
		to->node = draw_other(rng, nodes, from->node);
	run.takes = kind == MIX_LRU || kind == MIX_MIGRATE;
	if (run.takes)
		from->delta = -from->delta;
	return run;
}

static bool is_move(const struct run *run)
{
	return run->step[0].delta != run->step[1].delta;
}

static struct run undone(const struct run *run)
{
	struct run undo = *run;

	if (is_move(run)) {
		/* Back again: off where it went first. */
		undo.step[0] = run->step[1];
		undo.step[1] = run->step[0];
	}
	undo.step[0].delta = -undo.step[0].delta;
	undo.step[1].delta = -undo.step[1].delta;
	undo.takes = false; /* what the other one brought */
	return undo;
}

void writer_draw(const struct placement *placement, const struct point *point,
		 const struct writer_targets *targets, unsigned writer, struct run *runs)
{
	struct rng rng = rng_for(LIST_SEED, point->tree.seed, writer);
	struct writer_cpus cpus = writer_cpus(placement, point, writer);
	unsigned whose = writer % targets->nr_writers;
	struct run open[LAG];
	unsigned at = 0;

	for (unsigned i = 0; i < DRAWN + LAG; i++) {
		struct run *slot = &open[i % LAG];

		if (i >= LAG)
			runs[at++] = undone(slot);
		if (i < DRAWN)
			runs[at++] = *slot = draw_run(&rng, placement, point, targets, whose, cpus);
	}
}

void writer_each_setup(const struct run *runs,
		       void (*visit)(void *arg, const struct update *update), void *arg)
{
	for (unsigned i = 0; i < ROUND_RUNS; i++) {
		struct update update = runs[i].step[0];

		if (!runs[i].takes)
			continue;
		update.delta = -update.delta;
		for (unsigned k = 0; k < RUN_EVENTS / 2; k++)
			visit(arg, &update);
	}
}

void writer_each_of_slice(const struct run *runs, uint64_t slice,
			  void (*visit)(void *arg, const struct update *update), void *arg)
{
	const struct run *run = &runs[slice % ROUND_SLICES / RUN_SLICES];

	for (unsigned i = 0; i < SLICE_EVENTS; i++)
		visit(arg, &run->step[i % 2]);
}
