// SPDX-License-Identifier: MIT
/*
 * Bringing a model's counters to where a long run of charges leaves them: each batch holds the
 * plan's remainder, local counters and the memcg's own shared counters hold what spilled. One pass
 * from the last memcg to the first then adds every memcg's shared counters to its parent's: parents
 * are created before their children, so each holds its whole subtree when its turn comes, and a
 * chain costs no more than a flat tree.
 */
#include "backend/charge.h"
#include "backend/model.h"

#include <errno.h>

/* No reader or writer runs yet: plain arithmetic on relaxed accesses. */
static void add(_Atomic long *counter, long delta)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + delta,
			      memory_order_relaxed);
}

struct fill {
	const struct model *model;
	const struct charge_plan *plan;
	uint32_t index;
	struct memcg *memcg;
	unsigned cpu; /* of the charge before; -1u: none */
	enum lru_list lru;
};

/* Charges of one (cpu, lru) come in a row: its memcg-level remainder is taken off at the first. */
static void fill_charge(void *arg, const struct charge *charge)
{
	struct fill *fill = arg;
	const struct model *model = fill->model;
	struct memcg *memcg = fill->memcg;
	struct memcg_node *info = *memcg_nodeinfo(model, memcg, charge->node);
	unsigned char *area = model->area[charge->cpu];
	long spilled = charge->pages;

	if (charge->cpu != fill->cpu || charge->lru != fill->lru) {
		long held =
			charge_memcg_remainder(fill->plan, fill->index, charge->cpu, charge->lru);

		fill->cpu = charge->cpu;
		fill->lru = charge->lru;
		add(area_counter(area, memcg->batch, charge->lru), held);
		spilled -= held;
	}
	add(area_counter(area, memcg->local, charge->lru), spilled);
	add(&memcg->stat[charge->lru], spilled);

	add(area_counter(area, info->local, charge->lru), charge->pages);
	add(area_counter(area, info->batch, charge->lru), charge->remainder);
	add(&info->stat[charge->lru], charge->pages - charge->remainder);
}

static void add_to_parent(const struct model *model, struct memcg *memcg)
{
	struct memcg *parent = memcg->parent;

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		add(&parent->stat[lru],
		    atomic_load_explicit(&memcg->stat[lru], memory_order_relaxed));
	for (unsigned node = 0; node < model->layout.nodes; node++) {
		struct memcg_node *from = *memcg_nodeinfo(model, memcg, node);
		struct memcg_node *to = *memcg_nodeinfo(model, parent, node);

		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
			add(&to->stat[lru],
			    atomic_load_explicit(&from->stat[lru], memory_order_relaxed));
	}
}

int model_populate(void *instance, const struct charge_plan *plan, struct error *err)
{
	struct model *model = instance;

	if (model->populated)
		return error_set(err, -EBUSY, "counters are populated already");
	model->populated = true;

	for (uint32_t i = model->layout.memcgs; i-- > 0;) {
		struct memcg *memcg = model_memcg(model, i);
		struct fill fill = {
			.model = model, .plan = plan, .index = i, .memcg = memcg, .cpu = -1u};

		charge_each(plan, i, fill_charge, &fill);
		if (memcg->parent)
			add_to_parent(model, memcg);
	}
	model_populate_items(model, plan);
	return 0;
}
