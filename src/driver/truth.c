// SPDX-License-Identifier: MIT
/* See truth.h. */
#include "driver/truth.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS        (SLICE_EVENTS / 2) /* a slice does both steps of its run so often, in turn */
#define MOST_EFFECTS 8 /* two steps, each on the sum's item and a node's, of two scopes */

/* What a run's steps do to one item. */
struct effect {
	uint32_t item;
	long step[2];
};

struct effects {
	unsigned nr;
	struct effect effect[MOST_EFFECTS];
};

/* How far an item has been from where it was before the read, by one writer. */
struct excursion {
	int64_t now, low, high;
};

struct truth_writer {
	struct effects *runs; /* [ROUND_RUNS] */
	uint64_t slice; /* of the round: what `base` and `now` have of it */
};

struct truth {
	unsigned nodes, nr_writers;
	unsigned items; /* [NR_SCOPES][1 + nodes][NR_LRU_LISTS] */
	int64_t *rest; /* [items] with the setups, and no slice */
	int64_t *now; /* [items] with all slices before each writer's `slice` */
	int64_t *low, *high; /* [items] of the read */
	struct excursion *away; /* [items]; 0 outside of truth_during() */
	uint32_t *touched; /* [items] */
	struct truth_writer *writers;
};

static unsigned item_of(unsigned nodes, enum numa_scope scope, unsigned column, unsigned lru)
{
	return ((unsigned)scope * (1 + nodes) + column) * NR_LRU_LISTS + lru;
}

static bool is_below(const struct memcg_tree *tree, uint32_t memcg, uint32_t top)
{
	while (memcg != top && memcg != 0)
		memcg = tree->parent[memcg];
	return memcg == top;
}

static void add_effect(struct effects *effects, unsigned item, unsigned step, long delta)
{
	unsigned i = 0;

	while (i < effects->nr && effects->effect[i].item != item)
		i++;
	if (i == effects->nr)
		effects->effect[effects->nr++] = (struct effect){.item = item};
	effects->effect[i].step[step] += delta;
}

/* The items that one update is counted in, for the file of `top`. */
static void add_update(struct effects *effects, const struct memcg_tree *tree, unsigned nodes,
		       uint32_t top, unsigned step, const struct update *update)
{
	for (unsigned scope = 0; scope < NR_SCOPES; scope++) {
		bool counts = scope == SCOPE_LOCAL ? update->memcg == top
						   : is_below(tree, update->memcg, top);

		if (!counts)
			continue;
		add_effect(effects, item_of(nodes, scope, 0, update->lru), step, update->delta);
		add_effect(effects, item_of(nodes, scope, 1 + update->node, update->lru), step,
			   update->delta);
	}
}

struct setup {
	const struct memcg_tree *tree;
	unsigned nodes;
	uint32_t top;
	int64_t *items;
};

static void add_setup(void *arg, const struct update *update)
{
	const struct setup *setup = arg;
	struct effects effects = {.nr = 0};

	add_update(&effects, setup->tree, setup->nodes, setup->top, 0, update);
	for (unsigned i = 0; i < effects.nr; i++)
		setup->items[effects.effect[i].item] += effects.effect[i].step[0];
}

static void add_memcg(const struct oracle *oracle, unsigned nodes, enum numa_scope scope,
		      uint32_t memcg, int64_t *items)
{
	for (unsigned node = 0; node < nodes; node++)
		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
			int64_t pages = oracle_pages(oracle, memcg, node, lru);

			if (scope == SCOPE_HIERARCHICAL)
				pages += oracle_child_pages(oracle, memcg, node, lru);
			items[item_of(nodes, scope, 0, lru)] += pages;
			items[item_of(nodes, scope, 1 + node, lru)] += pages;
		}
}

static bool allocate(struct truth *truth)
{
	size_t items = truth->items;

	truth->rest = calloc(items, sizeof(*truth->rest));
	truth->now = calloc(items, sizeof(*truth->now));
	truth->low = calloc(items, sizeof(*truth->low));
	truth->high = calloc(items, sizeof(*truth->high));
	truth->away = calloc(items, sizeof(*truth->away));
	truth->touched = calloc(items, sizeof(*truth->touched));
	truth->writers = calloc(truth->nr_writers, sizeof(*truth->writers));
	for (unsigned i = 0; truth->writers && i < truth->nr_writers; i++) {
		truth->writers[i].runs = calloc(ROUND_RUNS, sizeof(*truth->writers[i].runs));
		if (!truth->writers[i].runs)
			return false;
	}
	return truth->rest && truth->now && truth->low && truth->high && truth->away &&
	       truth->touched && truth->writers;
}

struct truth *truth_new(const struct memcg_tree *tree, const struct oracle *oracle,
			unsigned nr_nodes, uint32_t memcg, unsigned nr_writers,
			const struct run *const *runs)
{
	struct truth *truth = calloc(1, sizeof(*truth));
	struct setup setup = {tree, nr_nodes, memcg, NULL};

	if (!truth)
		return NULL;
	truth->nodes = nr_nodes;
	truth->nr_writers = nr_writers;
	truth->items = item_of(nr_nodes, NR_SCOPES, 0, 0);
	if (!allocate(truth)) {
		truth_free(truth);
		return NULL;
	}
	add_memcg(oracle, nr_nodes, SCOPE_LOCAL, memcg, truth->rest);
	for (uint32_t at = memcg; at != MEMCG_NONE; at = memcg_tree_next(tree, memcg, at))
		add_memcg(oracle, nr_nodes, SCOPE_HIERARCHICAL, at, truth->rest);
	setup.items = truth->rest;
	for (unsigned i = 0; i < nr_writers; i++) {
		writer_each_setup(runs[i], add_setup, &setup);
		for (unsigned r = 0; r < ROUND_RUNS; r++)
			for (unsigned step = 0; step < 2; step++)
				add_update(&truth->writers[i].runs[r], tree, nr_nodes, memcg, step,
					   &runs[i][r].step[step]);
	}
	memcpy(truth->now, truth->rest, truth->items * sizeof(*truth->now));
	return truth;
}

void truth_free(struct truth *truth)
{
	if (!truth)
		return;
	for (unsigned i = 0; truth->writers && i < truth->nr_writers; i++)
		free(truth->writers[i].runs);
	free(truth->writers);
	free(truth->touched);
	free(truth->away);
	free(truth->high);
	free(truth->low);
	free(truth->now);
	free(truth->rest);
	free(truth);
}

static const struct effects *effects_of(const struct truth_writer *writer, uint64_t slice)
{
	return &writer->runs[slice % ROUND_SLICES / RUN_SLICES];
}

static int64_t whole(const struct effect *effect)
{
	return PAIRS * ((int64_t)effect->step[0] + effect->step[1]);
}

/* The least and the most that an item has at any moment of a slice, from what it had before: both
 * steps go the same way, or all but the first one's take turns. */
static struct truth_share within(const struct effect *effect)
{
	int64_t first = effect->step[0], last = whole(effect) - effect->step[1];
	struct truth_share range = {0, 0};
	const int64_t turns[] = {first, last, whole(effect)};

	for (unsigned i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		range.low = turns[i] < range.low ? turns[i] : range.low;
		range.high = turns[i] > range.high ? turns[i] : range.high;
	}
	return range;
}

/* What the items were when the writer's slice number `slice` was to begin. */
static void go_to(struct truth *truth, struct truth_writer *writer, uint64_t slice)
{
	for (slice %= ROUND_SLICES; writer->slice != slice;
	     writer->slice = (writer->slice + 1) % ROUND_SLICES) {
		const struct effects *effects = effects_of(writer, writer->slice);

		for (unsigned i = 0; i < effects->nr; i++)
			truth->now[effects->effect[i].item] += whole(&effects->effect[i]);
	}
}

/* Widen the bracket by what one writer did from progress `from` to `to`. */
static void add_excursions(struct truth *truth, const struct truth_writer *writer, uint64_t from,
			   uint64_t to)
{
	unsigned nr_touched = 0;

	if (to - from > 2 * ROUND_SLICES)
		to = from + 2 * ROUND_SLICES;
	for (uint64_t slice = from / 2; 2 * slice + 1 <= to; slice++) {
		const struct effects *effects = effects_of(writer, slice);

		for (unsigned i = 0; i < effects->nr; i++) {
			const struct effect *effect = &effects->effect[i];
			struct excursion *away = &truth->away[effect->item];
			struct truth_share range = within(effect);

			if (!away->low && !away->high && (range.low || range.high))
				truth->touched[nr_touched++] = effect->item;
			if (away->now + range.low < away->low)
				away->low = away->now + range.low;
			if (away->now + range.high > away->high)
				away->high = away->now + range.high;
			away->now += whole(effect);
		}
	}
	while (nr_touched) {
		uint32_t item = truth->touched[--nr_touched];

		truth->low[item] += truth->away[item].low;
		truth->high[item] += truth->away[item].high;
		truth->away[item] = (struct excursion){0, 0, 0};
	}
}

static void sum_rows(const struct truth *truth, const int64_t *items, struct numa_counts *out)
{
	unsigned columns = 1 + truth->nodes;

	for (unsigned i = 0; i < numa_nr_cells(truth->nodes); i++) {
		enum numa_scope scope = i / columns / NR_NUMA_ROWS;
		unsigned mask = numa_rows[i / columns % NR_NUMA_ROWS].lru_mask;
		uint64_t pages = 0;

		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
			int64_t item = items[item_of(truth->nodes, scope, i % columns, lru)];

			if (mask & (1u << lru))
				pages += item > 0 ? (uint64_t)item : 0;
		}
		out->cells[i] = pages;
	}
}

void truth_during(struct truth *truth, const uint64_t *from, const uint64_t *to,
		  struct numa_counts *low, struct numa_counts *high)
{
	for (unsigned i = 0; i < truth->nr_writers; i++)
		go_to(truth, &truth->writers[i], from[i] / 2);
	memcpy(truth->low, truth->now, truth->items * sizeof(*truth->low));
	memcpy(truth->high, truth->now, truth->items * sizeof(*truth->high));
	for (unsigned i = 0; i < truth->nr_writers; i++)
		add_excursions(truth, &truth->writers[i], from[i], to[i]);
	sum_rows(truth, truth->low, low);
	sum_rows(truth, truth->high, high);
}

/* What a run's steps do to the sum of a hierarchical row. */
static struct effect row_effect(const struct truth *truth, const struct effects *effects,
				enum numa_row row)
{
	struct effect sum = {.item = 0};

	for (unsigned i = 0; i < effects->nr; i++) {
		unsigned item = effects->effect[i].item;
		unsigned first = item_of(truth->nodes, SCOPE_HIERARCHICAL, 0, 0);

		if (item < first || item >= first + NR_LRU_LISTS ||
		    !(numa_rows[row].lru_mask & (1u << (item - first))))
			continue;
		sum.step[0] += effects->effect[i].step[0];
		sum.step[1] += effects->effect[i].step[1];
	}
	return sum;
}

void truth_shares(const struct truth *truth, unsigned writer, enum numa_row row,
		  struct truth_share *shares)
{
	int64_t now = 0;

	for (unsigned slice = 0; slice < ROUND_SLICES; slice++) {
		const struct effects *effects = effects_of(&truth->writers[writer], slice);
		struct effect effect = row_effect(truth, effects, row);
		struct truth_share range = within(&effect);

		shares[2 * slice] = (struct truth_share){now, now};
		shares[2 * slice + 1] = (struct truth_share){now + range.low, now + range.high};
		now += whole(&effect);
	}
}

int64_t truth_base(const struct truth *truth, enum numa_row row)
{
	int64_t pages = 0;

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		if (numa_rows[row].lru_mask & (1u << lru))
			pages += truth->rest[item_of(truth->nodes, SCOPE_HIERARCHICAL, 0, lru)];
	return pages;
}
