// SPDX-License-Identifier: MIT
/*
 * See charge.h. Everything follows from (tree.seed, memcg) and a position by arithmetic: nothing is
 * stored, and parts can be computed in any order.
 *
 * Pages are cut into parts by cumulative rounding: part i of n is floor(P x (i+1) / n) - floor(P x
 * i / n), so parts differ by one page at most and add up exactly. LRU lists are cut in the same way
 * by stated shares in percent. What the hot node has is cut off each list first, and then cut by
 * CPUs.
 */
#include "backend/charge.h"

#include "backend/zipf.h"
#include "base/rng.h"
#include "memcg/captured.h"

#include <stdbool.h>

/*
 * Like a mixed server: as many file pages as anonymous ones, a tenth locked. No list is so
 * short that the default batches hide more than 5 % of it: 2 CPUs x 32 pages of 2,500.
 */
static const unsigned lru_percent[NR_LRU_LISTS] = {
	[LRU_INACTIVE_ANON] = 20, [LRU_ACTIVE_ANON] = 25, [LRU_INACTIVE_FILE] = 20,
	[LRU_ACTIVE_FILE] = 25,   [LRU_UNEVICTABLE] = 10,
};

#define HOT_NODE 0

/* Streams of random numbers; the second argument of rng_for() is the memcg. */
enum {
	STREAM_HOME = 0,
	STREAM_REMAINDER = 1,
};

/* The home of a memcg: on which nodes and from which CPUs it is charged. */
struct home {
	unsigned node; /* first; the following ones are used too, round robin */
	unsigned first_cpu; /* of the block of CPUs of the home node */
	unsigned block; /* CPUs in it; 0 where there are fewer CPUs than nodes */
	unsigned start; /* where in the block the memcg's CPUs start */
	unsigned cpus, nr_cpus; /* spread, possible */
	unsigned nodes, nr_nodes; /* spread, all */
};

static uint64_t part_of(uint64_t whole, uint64_t from, uint64_t to, uint64_t parts)
{
	uint64_t product;

	/* Nearly always, and several times as fast. */
	if (!__builtin_mul_overflow(whole, to, &product))
		return product / parts - whole * from / parts;
	return (uint64_t)((unsigned __int128)whole * to / parts) -
	       (uint64_t)((unsigned __int128)whole * from / parts);
}

static uint64_t lru_pages(uint64_t pages, enum lru_list lru)
{
	unsigned below = 0;

	for (unsigned i = 0; i < lru; i++)
		below += lru_percent[i];
	return part_of(pages, below, below + lru_percent[lru], 100);
}

/* The cells of a memcg in the file of a captured tree. */
static const struct captured_cell *cells_of(const struct point *point, uint32_t memcg, uint32_t *nr)
{
	const struct captured *captured = point->tree.captured;
	uint32_t row = captured->row[memcg];

	if (row == CAPTURED_NO_ROW) {
		*nr = 1;
		return &captured->held_by_dying;
	}
	*nr = captured->rows[row].nr_cells;
	return *nr ? &captured->cells[captured->rows[row].first_cell] : NULL;
}

/* Which modelled node has this id; ids are ascending. A scenario is refused that has it not. */
static unsigned node_of(const struct point *point, uint16_t nid)
{
	unsigned low = 0, high = point->machine.nodes - 1;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (point->machine.nids[middle] < nid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t cell_pages(const struct captured_cell *cell)
{
	uint64_t pages = 0;

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		pages += cell->pages[lru];
	return pages;
}

/* Where a memcg has most; `drawn` where it has nothing. */
static unsigned captured_home(const struct point *point, uint32_t memcg, unsigned drawn)
{
	uint64_t most = 0;
	uint32_t nr;
	const struct captured_cell *cells = cells_of(point, memcg, &nr);

	for (uint32_t i = 0; i < nr; i++) {
		uint64_t pages = cell_pages(&cells[i]);

		if (pages <= most)
			continue;
		most = pages;
		drawn = node_of(point, cells[i].nid);
	}
	return drawn;
}

static bool is_captured(const struct point *point)
{
	return point->counters.distribution == DISTRIBUTION_CAPTURED;
}

static struct home home_of(const struct point *point, uint32_t memcg)
{
	struct rng rng = rng_for(point->tree.seed, memcg, STREAM_HOME);
	uint64_t cpus = point->machine.cpus, nodes = point->machine.nodes;
	struct home home = {
		.cpus = point->counters.spread_cpus,
		.nodes = point->counters.spread_nodes,
		.nr_cpus = point->machine.cpus,
		.nr_nodes = point->machine.nodes,
	};

	if (home.cpus > cpus)
		home.cpus = point->machine.cpus;
	if (home.nodes > nodes)
		home.nodes = point->machine.nodes;
	home.node = (unsigned)rng_below(&rng, nodes);
	if (is_captured(point))
		home.node = captured_home(point, memcg, home.node);
	home.first_cpu = (unsigned)(home.node * cpus / nodes);
	home.block = (unsigned)((home.node + 1) * cpus / nodes) - home.first_cpu;
	home.start = home.block ? (unsigned)rng_below(&rng, home.block) : 0;
	return home;
}

/* The k-th CPU of the memcg: from `start` round the home block, then the CPUs behind the block. */
static unsigned home_cpu(const struct home *home, unsigned k)
{
	if (k < home->block)
		return home->first_cpu + (home->start + k) % home->block;
	return (home->first_cpu + k) % home->nr_cpus;
}

/* The reverse; home->cpus or more when the memcg never ran on the CPU. */
static unsigned home_index(const struct home *home, unsigned cpu)
{
	unsigned behind = (cpu + home->nr_cpus - home->first_cpu) % home->nr_cpus;

	if (behind < home->block)
		return (behind + home->block - home->start) % home->block;
	return behind;
}

/* Uniform in -B..B. `level` 0: the memcg's batch; 1 + node: the lruvec's. */
static long remainder_of(const struct point *point, uint32_t memcg, unsigned cpu, enum lru_list lru,
			 unsigned level)
{
	uint64_t batch = point->counters.batch;
	uint64_t key = ((uint64_t)level * MAX_CPUS + cpu) * NR_LRU_LISTS + lru;
	struct rng rng = rng_for(point->tree.seed, memcg, STREAM_REMAINDER + key);

	return (long)rng_below(&rng, 2 * batch + 1) - (long)batch;
}

uint64_t charge_pages(const struct charge_plan *plan, uint32_t memcg)
{
	const struct point *point = plan->point;
	uint32_t memcgs = point->tree.memcgs + 1, nr;
	const struct captured_cell *cells;
	uint64_t pages = 0;

	if (point->counters.distribution == DISTRIBUTION_EVEN)
		return point->counters.pages;
	if (is_captured(point)) {
		cells = cells_of(point, memcg, &nr);
		for (uint32_t i = 0; i < nr; i++)
			pages += cell_pages(&cells[i]);
		return pages;
	}
	return zipf_share(point->tree.seed, memcgs, memcg, point->counters.pages * memcgs);
}

/* One list of one memcg: how many of its pages lie on the hot node whatever the spread. */
struct list {
	uint64_t hot, spread;
};

static struct list list_of(const struct point *point, uint64_t pages, enum lru_list lru)
{
	uint64_t all = lru_pages(pages, lru);
	uint64_t hot = part_of(all, 0, point->counters.hot_ppm, 1000000);

	return (struct list){.hot = hot, .spread = all - hot};
}

static void visit_charge(const struct point *point, uint32_t memcg, struct charge *charge,
			 void (*visit)(void *arg, const struct charge *charge), void *arg)
{
	charge->remainder = 0;
	if (charge->pages)
		charge->remainder =
			remainder_of(point, memcg, charge->cpu, charge->lru, 1 + charge->node);
	visit(arg, charge);
}

/* The part of a list on a node that the i-th CPU of the memcg charged. */
static uint64_t captured_part(const struct captured_cell *cell, enum lru_list lru, unsigned i,
			      unsigned cpus)
{
	return part_of(cell->pages[lru], i, i + 1, cpus);
}

static void captured_each(const struct point *point, uint32_t memcg,
			  void (*visit)(void *arg, const struct charge *charge), void *arg)
{
	struct home home = home_of(point, memcg);
	uint32_t nr;
	const struct captured_cell *cells = cells_of(point, memcg, &nr);

	for (unsigned i = 0; i < home.cpus; i++) {
		struct charge charge = {.cpu = home_cpu(&home, i)};

		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
			charge.lru = lru;
			for (uint32_t k = 0; k < nr; k++) {
				charge.node = node_of(point, cells[k].nid);
				charge.pages = (long)captured_part(&cells[k], lru, i, home.cpus);
				visit_charge(point, memcg, &charge, visit, arg);
			}
		}
	}
}

static bool captured_on_cpu(const struct point *point, uint32_t memcg, enum lru_list lru,
			    unsigned i, unsigned cpus)
{
	uint32_t nr;
	const struct captured_cell *cells = cells_of(point, memcg, &nr);

	for (uint32_t k = 0; k < nr; k++)
		if (captured_part(&cells[k], lru, i, cpus))
			return true;
	return false;
}

void charge_each(const struct charge_plan *plan, uint32_t memcg,
		 void (*visit)(void *arg, const struct charge *charge), void *arg)
{
	const struct point *point = plan->point;
	struct home home = home_of(point, memcg);
	uint64_t parts = (uint64_t)home.cpus * home.nodes, pages;

	if (is_captured(point)) {
		captured_each(point, memcg, visit, arg);
		return;
	}
	pages = charge_pages(plan, memcg);
	for (unsigned i = 0; i < home.cpus; i++) {
		struct charge charge = {.cpu = home_cpu(&home, i)};

		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
			struct list list = list_of(point, pages, lru);
			uint64_t hot = part_of(list.hot, i, i + 1, home.cpus);

			charge.lru = lru;
			for (unsigned k = 0; k < home.nodes; k++) {
				uint64_t part = (uint64_t)i * home.nodes + k;

				charge.node = (home.node + k) % home.nr_nodes;
				charge.pages = (long)part_of(list.spread, part, part + 1, parts);
				if (charge.node == HOT_NODE) {
					charge.pages += (long)hot;
					hot = 0;
				}
				visit_charge(point, memcg, &charge, visit, arg);
			}
			if (!hot)
				continue;
			charge.node = HOT_NODE;
			charge.pages = (long)hot;
			visit_charge(point, memcg, &charge, visit, arg);
		}
	}
}

long charge_memcg_remainder(const struct charge_plan *plan, uint32_t memcg, unsigned cpu,
			    enum lru_list lru)
{
	const struct point *point = plan->point;
	struct home home = home_of(point, memcg);
	uint64_t parts = (uint64_t)home.cpus * home.nodes;
	unsigned i = home_index(&home, cpu);
	struct list list;

	if (i >= home.cpus)
		return 0;
	if (is_captured(point))
		return captured_on_cpu(point, memcg, lru, i, home.cpus)
			       ? remainder_of(point, memcg, cpu, lru, 0)
			       : 0;
	list = list_of(point, charge_pages(plan, memcg), lru);
	if (!part_of(list.hot, i, i + 1, home.cpus) &&
	    !part_of(list.spread, (uint64_t)i * home.nodes, (uint64_t)(i + 1) * home.nodes, parts))
		return 0;
	return remainder_of(point, memcg, cpu, lru, 0);
}

struct items_visit {
	void (*visit)(void *arg, const struct item_charge *charge);
	void *arg;
};

static void visit_items(void *arg, const struct charge *from)
{
	const struct items_visit *items = arg;

	for (unsigned item = NR_LRU_LISTS; item < NR_STAT_ITEMS; item++) {
		struct item_charge charge = {.node = from->node, .cpu = from->cpu, .item = item};

		charge.value = stat_item_value(charge.item, from->lru, from->pages);
		if (charge.value)
			items->visit(items->arg, &charge);
	}
}

void charge_items_each(const struct charge_plan *plan, uint32_t memcg,
		       void (*visit)(void *arg, const struct item_charge *charge), void *arg)
{
	struct items_visit items = {.visit = visit, .arg = arg};

	charge_each(plan, memcg, visit_items, &items);
}
