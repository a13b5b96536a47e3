// SPDX-License-Identifier: MIT
/* Laying out, mapping and linking a modelled tree. See model.h. */
#include "backend/model.h"

#include "memcg/stat_items.h"

#include <errno.h>
#include <stdlib.h>

/* Blocks of Linux 5.6, in longs. Lean blocks keep the stat items and leave out events; their batch
 * blocks and shared counters are of the LRU lists only. */
enum {
	MEMCG_STAT_ITEMS = 40,
	MEMCG_EVENTS = 85,
	MEMCG_EVENT_TARGETS = 3, /* of the memcg's events: one count and two targets */
	MEMCG_BLOCK = MEMCG_STAT_ITEMS + MEMCG_EVENTS + MEMCG_EVENT_TARGETS,
	LRUVEC_BLOCK = 36,
};
_Static_assert(MEMCG_STAT_ITEMS == (int)NR_STATE_ITEMS, "events lie behind the states");
_Static_assert((int)NR_STAT_ITEMS <= MEMCG_STAT_ITEMS + MEMCG_EVENTS, "every item has a counter");
_Static_assert((int)NR_NODE_ITEMS <= LRUVEC_BLOCK, "every item of lruvecs has a counter");
_Static_assert(MEMCG_BLOCK == 128, "the memcg's per-CPU block is 1 KiB");
_Static_assert(MEMCG_STAT_ITEMS + MEMCG_EVENTS <= MODEL_MOST_ITEMS, "room for all that spills");

static void per_cpu_layout(const struct point *point, enum model_counters counters,
			   struct model_layout *layout)
{
	bool lean = point->machine.layout == LAYOUT_LEAN;
	uint64_t memcg_local = lean ? MEMCG_STAT_ITEMS : MEMCG_BLOCK;
	uint64_t memcg_batch = lean ? NR_LRU_LISTS : MEMCG_BLOCK;
	uint64_t lruvec_batch = lean ? NR_LRU_LISTS : LRUVEC_BLOCK;

	if (counters == COUNTERS_LOCAL)
		memcg_batch = lruvec_batch = 0;
	layout->batch_offset = memcg_local * sizeof(long);
	layout->lruvec_offset = layout->batch_offset + memcg_batch * sizeof(long);
	layout->lruvec_batch_offset = LRUVEC_BLOCK * sizeof(long);
	layout->lruvec_bytes = layout->lruvec_batch_offset + lruvec_batch * sizeof(long);
	layout->css_offset = layout->lruvec_offset + layout->nodes * layout->lruvec_bytes;
	layout->object_bytes = layout->css_offset + sizeof(long);
	layout->area_bytes = area_stride(point, layout->slots * layout->object_bytes);
}

void model_layout(const struct point *point, enum model_counters counters,
		  struct model_layout *layout)
{
	bool lean = point->machine.layout == LAYOUT_LEAN;

	*layout = (struct model_layout){
		.memcgs = point->tree.memcgs + 1,
		.slots = point->tree.memcgs + 1 + point_spare(point),
		.nodes = point->machine.nodes,
		.cpus = point->machine.cpus,
		.memcg_atomics = lean ? NR_LRU_LISTS : MEMCG_STAT_ITEMS + MEMCG_EVENTS,
		.node_atomics = lean ? NR_LRU_LISTS : LRUVEC_BLOCK,
	};
	if (counters == COUNTERS_LOCAL)
		layout->memcg_atomics = layout->node_atomics = 0;
	per_cpu_layout(point, counters, layout);
	layout->memcg_bytes = round_up(sizeof(struct memcg) + layout->memcg_atomics * sizeof(long) +
					       layout->nodes * sizeof(struct memcg_node *),
				       STRUCT_ALIGN);
	layout->memcg_node_bytes = round_up(
		sizeof(struct memcg_node) + layout->node_atomics * sizeof(long), STRUCT_ALIGN);
	layout->mask_offset = round_up(layout->cpus * sizeof(unsigned char *), STRUCT_ALIGN);
	layout->memcgs_offset =
		round_up(layout->mask_offset + cpumask_bytes(layout->cpus), STRUCT_ALIGN);
	layout->shared_bytes = layout->memcgs_offset + layout->slots * layout->memcg_bytes;
	layout->node_bytes = layout->slots * layout->memcg_node_bytes;
}

uint64_t model_bytes_with(const struct point *point, enum model_counters counters)
{
	struct model_layout layout;

	model_layout(point, counters, &layout);
	return region_bytes(point, layout.shared_bytes) +
	       layout.nodes * region_bytes(point, layout.node_bytes) +
	       areas_bytes(point, layout.area_bytes);
}

uint64_t model_bytes(const struct point *point)
{
	return model_bytes_with(point, COUNTERS_MAINTAINED);
}

static int map_all(struct model *model, const struct placement *placement, unsigned char **area,
		   struct error *err)
{
	const struct model_layout *layout = &model->layout;
	unsigned char *shared = NULL;
	int ret;

	ret = regions_map(&model->regions, placement, placement->node_of_cpu[0],
			  layout->shared_bytes, &shared, err);
	for (unsigned node = 0; !ret && node < layout->nodes; node++)
		ret = regions_map(&model->regions, placement, node, layout->node_bytes,
				  &model->memcg_nodes[node], err);
	if (!ret)
		ret = areas_map(&model->regions, placement, model->point, layout->area_bytes, area,
				err);
	if (!ret)
		ret = placement_write(placement, model->regions.items, model->regions.nr, err);
	if (ret)
		return ret;

	model->area = (unsigned char **)shared;
	model->possible = (unsigned long *)(shared + layout->mask_offset);
	model->memcgs = shared + layout->memcgs_offset;
	return 0;
}

static struct memcg *link_to(const struct model *model, uint32_t memcg)
{
	return memcg == MEMCG_NONE ? NULL : model_memcg(model, memcg);
}

/* Handles, which a memcg that comes and goes keeps; all counters are zero already. */
static void fill_memcg(struct model *model, uint32_t i)
{
	const struct model_layout *layout = &model->layout;
	struct memcg *memcg = model_memcg(model, i);
	uint64_t object = i * layout->object_bytes;

	memcg->local = object;
	memcg->batch = object + layout->batch_offset;
	for (unsigned node = 0; node < layout->nodes; node++) {
		struct memcg_node *info = (struct memcg_node *)(model->memcg_nodes[node] +
								i * layout->memcg_node_bytes);

		info->memcg = memcg;
		info->local = object + layout->lruvec_offset + node * layout->lruvec_bytes;
		info->batch = info->local + layout->lruvec_batch_offset;
		*memcg_nodeinfo(model, memcg, node) = info;
	}
}

/* No reader is there yet: relaxed. */
static void link_memcg(struct model *model, const struct memcg_tree *tree, uint32_t i)
{
	struct memcg *memcg = model_memcg(model, i);
	struct memcg *next = link_to(model, tree->next_sibling[i]);
	struct memcg *eldest = NULL;

	if (tree->parent[i] != MEMCG_NONE)
		eldest = link_to(model, tree->first_child[tree->parent[i]]);
	memcg->parent = link_to(model, tree->parent[i]);
	atomic_store_explicit(&memcg->first_child, link_to(model, tree->first_child[i]),
			      memory_order_relaxed);
	atomic_store_explicit(&memcg->next_sibling, next, memory_order_relaxed);
	if (next)
		next->prev_sibling = memcg;
	else if (eldest)
		eldest->prev_sibling = memcg;
	atomic_store_explicit(&memcg->css_ref,
			      tree->dying[i]
				      ? CSS_REF_SHARED
				      : i * model->layout.object_bytes + model->layout.css_offset,
			      memory_order_relaxed);
}

int model_create_with(const struct backend_env *env, enum model_counters counters, void **instance,
		      struct error *err)
{
	unsigned nodes = env->point->machine.nodes, cpus = env->point->machine.cpus;
	unsigned char **area = NULL;
	struct model *model;
	int ret;

	ret = backend_env_check(env, err);
	if (ret)
		return ret;

	model = calloc(1, sizeof(*model));
	area = calloc(cpus, sizeof(*area));
	if (!model || !area)
		goto no_memory;
	model->point = env->point;
	model->batch = env->point->counters.batch;
	model->nr_possible = cpus;
	model_layout(env->point, counters, &model->layout);
	/* The memcgs, the lruvecs of each node, at most one run of areas per node or CPU. */
	model->regions.items = calloc(1 + (size_t)nodes + cpus, sizeof(*model->regions.items));
	model->memcg_nodes = calloc(nodes, sizeof(*model->memcg_nodes));
	if (!model->regions.items || !model->memcg_nodes)
		goto no_memory;

	ret = map_all(model, env->placement, area, err);
	if (ret)
		goto fail;
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		model->area[cpu] = area[cpu];
		cpumask_set(model->possible, cpu);
	}
	for (uint32_t i = 0; i < model->layout.slots; i++)
		fill_memcg(model, i);
	for (uint32_t i = 0; i < model->layout.memcgs; i++)
		link_memcg(model, env->tree, i);
	free(area);
	*instance = model;
	return 0;

no_memory:
	ret = error_set(err, -ENOMEM, "out of memory");
fail:
	free(area);
	model_destroy(model);
	return ret;
}

int model_create(const struct backend_env *env, void **instance, struct error *err)
{
	return model_create_with(env, COUNTERS_MAINTAINED, instance, err);
}

void model_destroy(void *instance)
{
	struct model *model = instance;

	if (!model)
		return;
	regions_unmap(&model->regions);
	free(model->memcg_nodes);
	free(model);
}

const struct region *model_regions(const void *instance, size_t *nr)
{
	const struct model *model = instance;

	*nr = model->regions.nr;
	return model->regions.items;
}
