// SPDX-License-Identifier: MIT
/*
 * Updates of `packed`, and its counters after a long run of charges.
 *
 * The rules are those of Linux 5.3 to 5.12 (model_update.c): an exact local counter, a batch for
 * the lruvec and one for the memcg, each spilling, when its absolute value would exceed B,
 * strictly, into its own shared counter and every ancestor's. What differs is where they lie: an
 * event meets two lines of its CPU, and a spill one line an ancestor. There is no local counter of
 * the memcg: its columns add up to it.
 *
 * The first event of a CPU in a memcg and node also sets the CPU's bit, for good: one atomic.
 */
#include "backend/counter_add.h"
#include "backend/fill.h"
#include "backend/packed.h"
#include "backend/users.h"

#include <errno.h>
#include <stdlib.h>

/* Add to a batch; returns what spills, or 0. What stays is -B..B, and fits. */
static __always_inline long batch_add(_Atomic int32_t *batch, long delta, long limit,
				      struct tally *t)
{
	long held = delta + atomic_load_explicit(batch, memory_order_relaxed); /* this CPU's own */
	long spilled = 0;

	if (labs(held) > limit) {
		spilled = held;
		held = 0;
	}
	atomic_store_explicit(batch, (int32_t)held, memory_order_relaxed); /* the same */
	tally_add(t, adds, 1);
	tally_touch(t, batch, sizeof(*batch));
	return spilled;
}

static __always_inline void update_memcg(const struct packed *packed, struct packed_memcg *memcg,
					 const struct update *update, struct tally *t)
{
	struct packed_batch *batch = packed_batch(packed, memcg, update->cpu);
	long spilled;

	tally_touch(t, &packed->area[update->cpu], sizeof(*packed->area));
	tally_touch(t, &memcg->batch, sizeof(memcg->batch));
	spilled = batch_add(&batch->held[update->lru], update->delta, packed->batch, t);
	if (!spilled)
		return;
	for (; memcg; memcg = memcg->parent) {
		tally_touch(t, &memcg->parent, sizeof(memcg->parent));
		shared_add(&memcg->stat[update->lru], spilled, t);
	}
}

static __always_inline void update_node(const struct packed *packed, struct packed_memcg *memcg,
					const struct update *update, struct tally *t)
{
	struct packed_node *node = memcg->node[update->node];
	struct packed_line *line = &node->line[update->cpu];
	long spilled;

	tally_touch(t, &memcg->node[update->node], sizeof(memcg->node[update->node]));
	tally_touch(t, &line->listed, sizeof(line->listed));
	if (!line->listed)
		users_add(packed_users(packed, memcg, update->node), update->cpu, &line->listed, t);
	this_cpu_add(&line->local[update->lru], update->delta, t);
	spilled = batch_add(&line->held[update->lru], update->delta, packed->batch, t);
	if (!spilled)
		return;
	for (; node; node = node->parent) {
		tally_touch(t, &node->parent, sizeof(node->parent));
		shared_add(&node->stat[update->lru], spilled, t);
	}
}

static __always_inline void update_counters(const struct packed *packed,
					    const struct update *update, struct tally *t)
{
	struct packed_memcg *memcg = packed_memcg(packed, update->memcg);

	update_memcg(packed, memcg, update, t);
	update_node(packed, memcg, update, t);
}

void packed_update(void *instance, const struct update *update)
{
	update_counters(instance, update, NULL);
}

void packed_count_update(void *instance, const struct update *update, struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	update_counters(instance, update, &tally);
}

struct fill {
	const struct packed *packed;
	struct packed_memcg *memcg;
	struct fill_batch batch;
};

static void fill_charge(void *arg, const struct charge *charge)
{
	struct fill *fill = arg;
	const struct packed *packed = fill->packed;
	struct packed_memcg *memcg = fill->memcg;
	struct packed_node *node = memcg->node[charge->node];
	struct packed_line *line = &node->line[charge->cpu];
	long held = fill_batch_held(&fill->batch, charge);

	if (held)
		atomic_init(&packed_batch(packed, memcg, charge->cpu)->held[charge->lru],
			    (int32_t)held);
	fill_add(&memcg->stat[charge->lru], charge->pages - held);
	if (!charge->pages)
		return;
	if (!line->listed)
		users_add(packed_users(packed, memcg, charge->node), charge->cpu, &line->listed,
			  NULL);
	fill_add(&line->local[charge->lru], charge->pages);
	atomic_init(&line->held[charge->lru], (int32_t)charge->remainder);
	fill_add(&node->stat[charge->lru], charge->pages - charge->remainder);
}

static void add_to_parent(const struct packed *packed, struct packed_memcg *memcg)
{
	fill_add_lists(memcg->parent->stat, memcg->stat);
	for (unsigned k = 0; k < packed->layout.nodes; k++)
		fill_add_lists(memcg->node[k]->parent->stat, memcg->node[k]->stat);
}

int packed_populate(void *instance, const struct charge_plan *plan, struct error *err)
{
	struct packed *packed = instance;

	if (packed->populated)
		return error_set(err, -EBUSY, "counters are populated already");
	packed->populated = true;

	for (uint32_t i = packed->layout.memcgs; i-- > 0;) {
		struct packed_memcg *memcg = packed_memcg(packed, i);
		struct fill fill = {packed, memcg, fill_batch_none(plan, i)};

		charge_each(plan, i, fill_charge, &fill);
		if (memcg->parent)
			add_to_parent(packed, memcg);
	}
	return 0;
}
