// SPDX-License-Identifier: MIT
/*
 * Filling a model with the items that files show beside the LRU lists. They are exact: all of an
 * item is in local counters and, where updates maintain them, in those of every ancestor, and no
 * batch holds any of it back. A point that reads v1 memory.numa_stat needs none of it.
 */
#include "backend/charge.h"
#include "backend/model.h"

/* No reader or writer runs yet: plain arithmetic on relaxed accesses. */
static void add(_Atomic long *counter, long delta)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + delta,
			      memory_order_relaxed);
}

struct fill {
	const struct model *model;
	struct memcg *memcg;
	bool maintained;
};

static void fill_item(void *arg, const struct item_charge *charge)
{
	const struct fill *fill = arg;
	unsigned char *area = fill->model->area[charge->cpu];
	struct memcg_node *info = *memcg_nodeinfo(fill->model, fill->memcg, charge->node);

	add(area_counter(area, fill->memcg->local, charge->item), charge->value);
	if (fill->maintained)
		add(&fill->memcg->stat[charge->item], charge->value);
	if (charge->item >= NR_NODE_ITEMS)
		return;
	add(area_counter(area, info->local, charge->item), charge->value);
	if (fill->maintained)
		add(&info->stat[charge->item], charge->value);
}

static void add_items(_Atomic long *to, _Atomic long *from, unsigned end)
{
	for (unsigned item = NR_LRU_LISTS; item < end; item++)
		if (stat_item_is_static(item))
			add(&to[item], atomic_load_explicit(&from[item], memory_order_relaxed));
}

static void add_to_parent(const struct model *model, struct memcg *memcg)
{
	struct memcg *parent = memcg->parent;

	add_items(parent->stat, memcg->stat, NR_STAT_ITEMS);
	for (unsigned node = 0; node < model->layout.nodes; node++)
		add_items((*memcg_nodeinfo(model, parent, node))->stat,
			  (*memcg_nodeinfo(model, memcg, node))->stat, NR_NODE_ITEMS);
}

void model_populate_items(struct model *model, const struct charge_plan *plan)
{
	struct fill fill = {.model = model, .maintained = model->layout.memcg_atomics > 0};

	if (!stat_shows_items(point_format(plan->point)))
		return;
	/* Parents are created before their children: each holds its whole subtree at its turn. */
	for (uint32_t i = model->layout.memcgs; i-- > 0;) {
		fill.memcg = model_memcg(model, i);
		charge_items_each(plan, i, fill_item, &fill);
		if (fill.maintained && fill.memcg->parent)
			add_to_parent(model, fill.memcg);
	}
}
