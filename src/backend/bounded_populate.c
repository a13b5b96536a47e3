// SPDX-License-Identifier: MIT
/*
 * Bringing the counters of `bounded` to where a long run of the plan's charges leaves them: every
 * CPU that charged a subtree is among the holders, each list has the highest level that fits its
 * pages, and each holder has that level and holds back a seeded remainder within its limit, either
 * way.
 *
 * From the last memcg to the first, as fill.h has it.
 */
#include "backend/bounded.h"
#include "backend/fill.h"
#include "backend/users.h"
#include "base/rng.h"

#include <errno.h>

/* Streams of random numbers that no other part of the charge plan draws from. */
#define STREAM_HELD (UINT64_C(1) << 32)

struct fill {
	const struct bounded *bounded;
	const struct bounded_memcg *memcg;
};

static void add_counted(struct bounded_line *line, unsigned lru, uint32_t delta)
{
	uint32_t counted = atomic_load_explicit(&line->counted[lru], memory_order_relaxed);

	atomic_store_explicit(&line->counted[lru], counted + delta, memory_order_relaxed);
}

static void fill_charge(void *arg, const struct charge *charge)
{
	const struct fill *fill = arg;
	struct bounded_node *node = fill->memcg->node[charge->node];
	struct bounded_cpu *own = bounded_cpu(fill->bounded, charge->cpu, node->line);
	unsigned word = charge->cpu / CPUMASK_WORD_BITS;
	unsigned long bit = 1ul << (charge->cpu % CPUMASK_WORD_BITS);

	if (!charge->pages)
		return;
	users_add(bounded_users(node), charge->cpu, &own->local.listed, NULL);
	bounded_holders(fill->bounded, node)[word] |= bit;
	fill_add(&own->local.pages[charge->lru], charge->pages);
	add_counted(&own->line, charge->lru, (uint32_t)charge->pages);
	fill_add(&node->stat[charge->lru], charge->pages);
}

/* All pages are known in `node` still: none is held back yet. */
static void add_to_parent(const struct bounded *bounded, struct bounded_node *node)
{
	const unsigned long *from = bounded_holders(bounded, node);
	unsigned nr = bounded->layout.cpus, cpu;
	const struct bounded_line *line = &bounded_cpu(bounded, 0, node->line)->line;
	struct bounded_node *parent;

	if (line->parent == BOUNDED_TOP)
		return;
	parent = bounded_cpu(bounded, 0, line->parent)->line.node;
	fill_add_lists(parent->stat, node->stat);
	for (unsigned w = 0; w < bounded->layout.words; w++)
		bounded_holders(bounded, parent)[w] |= from[w];
	for (cpu = cpumask_next(-1u, from, nr); cpu < nr; cpu = cpumask_next(cpu, from, nr)) {
		line = &bounded_cpu(bounded, cpu, node->line)->line;
		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
			add_counted(
				&bounded_cpu(bounded, cpu, parent->line)->line, lru,
				atomic_load_explicit(&line->counted[lru], memory_order_relaxed));
	}
}

/* Uniform in -limit..limit. A level fits with half as much again as it needs, and what is held back
 * is less than that: it holds with what is known, too. */
static void hold_back(const struct bounded *bounded, struct bounded_node *node, unsigned cpu,
		      unsigned lru, unsigned level)
{
	struct bounded_line *line = &bounded_cpu(bounded, cpu, node->line)->line;
	uint64_t place = (uint64_t)cpu * NR_LRU_LISTS + lru;
	struct rng rng = rng_for(bounded->point->tree.seed, node->line, STREAM_HELD + place);
	long limit = bounded_limit(level);
	long held = (long)rng_below(&rng, 2 * (uint64_t)limit + 1) - limit;
	uint32_t counted = atomic_load_explicit(&line->counted[lru], memory_order_relaxed);

	atomic_store_explicit(&line->level[lru], (uint8_t)level, memory_order_relaxed);
	atomic_store_explicit(&line->told[lru], counted - (uint32_t)held, memory_order_relaxed);
	fill_add(&node->stat[lru], -held);
}

static void set_levels(const struct bounded *bounded, struct bounded_node *node)
{
	const unsigned long *holders = bounded_holders(bounded, node);
	unsigned nr = bounded->layout.cpus, cpu;
	long unit;

	bounded_set_unit(bounded, node);
	unit = atomic_load_explicit(&node->unit, memory_order_relaxed);
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
		long pages = atomic_load_explicit(&node->stat[lru], memory_order_relaxed);
		unsigned level = bounded->levels;

		while (!bounded_fits(level, unit, pages))
			level--;
		atomic_store_explicit(&node->level[lru], (uint8_t)level, memory_order_relaxed);
		for (cpu = cpumask_next(-1u, holders, nr); cpu < nr;
		     cpu = cpumask_next(cpu, holders, nr))
			hold_back(bounded, node, cpu, lru, level);
	}
}

int bounded_populate(void *instance, const struct charge_plan *plan, struct error *err)
{
	struct bounded *bounded = instance;

	if (bounded->populated)
		return error_set(err, -EBUSY, "counters are populated already");
	bounded->populated = true;

	for (uint32_t i = bounded->layout.memcgs; i-- > 0;) {
		struct fill fill = {.bounded = bounded, .memcg = bounded_memcg(bounded, i)};

		charge_each(plan, i, fill_charge, &fill);
		for (unsigned k = 0; k < bounded->layout.nodes; k++) {
			add_to_parent(bounded, fill.memcg->node[k]);
			set_levels(bounded, fill.memcg->node[k]);
		}
	}
	return 0;
}
