// SPDX-License-Identifier: MIT
/*
 * Filling a model with the items that files show beside the LRU lists. They are exact: all of an
 * item is in local counters and, where updates maintain them, in those of every ancestor, and no
 * batch holds any of it back. A point that reads v1 memory.numa_stat needs none of it.
 */
#include "backend/fill.h"
#include "backend/model.h"

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

	fill_add(area_counter(area, fill->memcg->local, charge->item), charge->value);
	if (fill->maintained)
		fill_add(&fill->memcg->stat[charge->item], charge->value);
	if (charge->item >= NR_NODE_ITEMS)
		return;
	fill_add(area_counter(area, info->local, charge->item), charge->value);
	if (fill->maintained)
		fill_add(&info->stat[charge->item], charge->value);
}

static void add_to_parent(const struct model *model, struct memcg *memcg)
{
	struct memcg *parent = memcg->parent;

	fill_add_items(parent->stat, memcg->stat, NR_STAT_ITEMS);
	for (unsigned node = 0; node < model->layout.nodes; node++)
		fill_add_items((*memcg_nodeinfo(model, parent, node))->stat,
			       (*memcg_nodeinfo(model, memcg, node))->stat, NR_NODE_ITEMS);
}

void model_populate_items(struct model *model, const struct charge_plan *plan)
{
	struct fill fill = {.model = model, .maintained = model->layout.memcg_atomics > 0};

	if (!point_shows_items(plan->point))
		return;
	/* Parents are created before their children: each holds its whole subtree at its turn. */
	for (uint32_t i = model->layout.memcgs; i-- > 0;) {
		fill.memcg = model_memcg(model, i);
		charge_items_each(plan, i, fill_item, &fill);
		if (fill.maintained && fill.memcg->parent)
			add_to_parent(model, fill.memcg);
	}
}
