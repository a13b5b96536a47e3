// SPDX-License-Identifier: MIT
/*
 * Bringing a model's counters to where a long run of charges leaves them: each batch holds the
 * plan's remainder, local counters and the memcg's own shared counters hold what spilled, and those
 * of its ancestors, too.
 */
#include "backend/fill.h"
#include "backend/model.h"

#include <errno.h>

struct fill {
	const struct model *model;
	struct memcg *memcg;
	struct fill_batch batch;
};

static void fill_charge(void *arg, const struct charge *charge)
{
	struct fill *fill = arg;
	const struct model *model = fill->model;
	struct memcg *memcg = fill->memcg;
	struct memcg_node *info = *memcg_nodeinfo(model, memcg, charge->node);
	unsigned char *area = model->area[charge->cpu];
	long held = fill_batch_held(&fill->batch, charge);

	fill_add(area_counter(area, memcg->batch, charge->lru), held);
	fill_add(area_counter(area, memcg->local, charge->lru), charge->pages - held);
	fill_add(&memcg->stat[charge->lru], charge->pages - held);

	fill_add(area_counter(area, info->local, charge->lru), charge->pages);
	fill_add(area_counter(area, info->batch, charge->lru), charge->remainder);
	fill_add(&info->stat[charge->lru], charge->pages - charge->remainder);
}

static void add_to_parent(const struct model *model, struct memcg *memcg)
{
	fill_add_lists(memcg->parent->stat, memcg->stat);
	for (unsigned node = 0; node < model->layout.nodes; node++)
		fill_add_lists((*memcg_nodeinfo(model, memcg->parent, node))->stat,
			       (*memcg_nodeinfo(model, memcg, node))->stat);
}

int model_populate(void *instance, const struct charge_plan *plan, struct error *err)
{
	struct model *model = instance;

	if (model->populated)
		return error_set(err, -EBUSY, "counters are populated already");
	model->populated = true;

	for (uint32_t i = model->layout.memcgs; i-- > 0;) {
		struct memcg *memcg = model_memcg(model, i);
		struct fill fill = {model, memcg, fill_batch_none(plan, i)};

		charge_each(plan, i, fill_charge, &fill);
		if (memcg->parent)
			add_to_parent(model, memcg);
	}
	model_populate_items(model, plan);
	return 0;
}
