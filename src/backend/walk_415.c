// SPDX-License-Identifier: MIT
/*
 * walk-415: per-CPU local counters and nothing else, as Linux up to 4.15 keeps its statistics. An
 * event is two plain additions on the writer's own CPU, of the memcg and of the lruvec: no batches,
 * no counter that CPUs share, no ancestor. Hierarchical rows can only be had by walking, and every
 * cell is exact.
 *
 * It reads as `walk` does, from the same places. What differs is the writer, and the memory: what
 * the maintained view of `walk` and `cached` costs can be seen against it.
 *
 * That is the design of those kernels' memory.stat. The sizes of their LRU lists they kept apart
 * from it, in plain numbers under the lock of the lists; here LRU lists are items like any other.
 */
#include "backend/backend_table.h"
#include "backend/charge.h"
#include "backend/counter_add.h"
#include "backend/model.h"
#include "backend/walk.h"

#include <errno.h>

static uint64_t walk_415_bytes(const struct point *point)
{
	return model_bytes_with(point, COUNTERS_LOCAL);
}

static int walk_415_create(const struct backend_env *env, void **instance, struct error *err)
{
	return model_create_with(env, COUNTERS_LOCAL, instance, err);
}

/* Adds to both local counters. */
static __always_inline void add_local(const struct model *model, struct memcg *memcg, unsigned node,
				      unsigned cpu, enum lru_list lru, long delta, struct tally *t)
{
	struct memcg_node **slot = memcg_nodeinfo(model, memcg, node);
	struct memcg_node *info = *slot;
	unsigned char *area = model->area[cpu];

	tally_touch(t, &model->area[cpu], sizeof(*model->area));
	tally_touch(t, &memcg->local, sizeof(memcg->local));
	this_cpu_add(area_counter(area, memcg->local, lru), delta, t);
	tally_touch(t, slot, sizeof(*slot));
	tally_touch(t, &info->local, sizeof(info->local));
	this_cpu_add(area_counter(area, info->local, lru), delta, t);
}

struct fill {
	const struct model *model;
	struct memcg *memcg;
};

/* No batch holds anything back: the plan's remainders have nowhere to be. */
static void fill_charge(void *arg, const struct charge *charge)
{
	const struct fill *fill = arg;

	add_local(fill->model, fill->memcg, charge->node, charge->cpu, charge->lru, charge->pages,
		  NULL);
}

static int walk_415_populate(void *instance, const struct charge_plan *plan, struct error *err)
{
	struct model *model = instance;

	if (model->populated)
		return error_set(err, -EBUSY, "counters are populated already");
	model->populated = true;

	for (uint32_t i = 0; i < model->layout.memcgs; i++) {
		struct fill fill = {.model = model, .memcg = model_memcg(model, i)};

		charge_each(plan, i, fill_charge, &fill);
	}
	model_populate_items(model, plan);
	return 0;
}

static void walk_415_update(void *instance, const struct update *update)
{
	const struct model *model = instance;

	add_local(model, model_memcg(model, update->memcg), update->node, update->cpu, update->lru,
		  update->delta, NULL);
}

static void walk_415_count_update(void *instance, const struct update *update,
				  struct op_probe *probe)
{
	const struct model *model = instance;
	struct tally tally = {.probe = probe};

	add_local(model, model_memcg(model, update->memcg), update->node, update->cpu, update->lru,
		  update->delta, &tally);
}

static uint64_t walk_415_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
			       unsigned column, uint32_t subtree, uint64_t truth)
{
	return 0;
}

const struct backend backend_walk_415 = {
	.name = "walk-415",
	.description = "walks likewise; updates keep local counters only, exactly (Linux to 4.15)",
	.capabilities = BACKEND_UPDATE | BACKEND_CHURN,
	.files = MODEL_FILES,
	.bytes = walk_415_bytes,
	.guess_read_ns = walk_guess_read_ns,
	.create = walk_415_create,
	.destroy = model_destroy,
	.regions = model_regions,
	.populate = walk_415_populate,
	.read_counts = walk_read_counts,
	.count_read = walk_count_read,
	.read_stat = walk_read_stat,
	.count_stat = walk_count_stat,
	.update = walk_415_update,
	.count_update = walk_415_count_update,
	.memcg_add = model_memcg_add,
	.memcg_offline = model_memcg_offline,
	.memcg_remove = model_memcg_remove,
	.bound = walk_415_bound,
};
