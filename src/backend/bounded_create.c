// SPDX-License-Identifier: MIT
/* Laying out, mapping and linking the memory of `bounded`. See bounded.h. */
#include "backend/bounded.h"

#include <errno.h>
#include <stdlib.h>

static void bounded_layout(const struct point *point, struct bounded_layout *layout)
{
	*layout = (struct bounded_layout){
		.memcgs = point->tree.memcgs + 1,
		.slots = point->tree.memcgs + 1 + point_spare(point),
		.nodes = point->machine.nodes,
		.cpus = point->machine.cpus,
		.words = (unsigned)(cpumask_bytes(point->machine.cpus) / sizeof(unsigned long)),
	};
	layout->memcg_bytes = round_up(layout->nodes * sizeof(struct bounded_node *), STRUCT_ALIGN);
	layout->node_object_bytes =
		round_up(offsetof(struct bounded_node, masks) + 2 * cpumask_bytes(layout->cpus),
			 STRUCT_ALIGN);
	layout->area_bytes = area_stride(point, (uint64_t)layout->slots * layout->nodes *
							sizeof(struct bounded_cpu));
	layout->memcgs_offset = round_up(layout->cpus * sizeof(unsigned char *), STRUCT_ALIGN);
	layout->shared_bytes = layout->memcgs_offset + layout->slots * layout->memcg_bytes;
	layout->node_bytes = layout->slots * layout->node_object_bytes;
}

uint64_t bounded_bytes(const struct point *point)
{
	struct bounded_layout layout;

	bounded_layout(point, &layout);
	return region_bytes(point, layout.shared_bytes) +
	       layout.nodes * region_bytes(point, layout.node_bytes) +
	       areas_bytes(point, layout.area_bytes);
}

static int map_all(struct bounded *bounded, const struct placement *placement, unsigned char **area,
		   struct error *err)
{
	const struct bounded_layout *layout = &bounded->layout;
	struct region_list *regions = &bounded->regions;
	unsigned char *shared = NULL;
	int ret;

	ret = regions_map(regions, placement, placement->node_of_cpu[0], layout->shared_bytes,
			  &shared, err);
	for (unsigned node = 0; !ret && node < layout->nodes; node++)
		ret = regions_map(regions, placement, node, layout->node_bytes,
				  &bounded->nodes[node], err);
	if (!ret)
		ret = areas_map(regions, placement, bounded->point, layout->area_bytes, area, err);
	if (!ret)
		ret = placement_write(placement, regions->items, regions->nr, err);
	if (ret)
		return ret;

	bounded->area = (unsigned char **)shared;
	bounded->memcgs = shared + layout->memcgs_offset;
	return 0;
}

static struct bounded_node *node_of(const struct bounded *bounded, uint32_t memcg, unsigned node)
{
	return (struct bounded_node *)(bounded->nodes[node] +
				       memcg * bounded->layout.node_object_bytes);
}

/* In creation order, the lines of all nodes side by side. */
static uint64_t line_of(const struct bounded *bounded, uint32_t memcg, unsigned node)
{
	return ((uint64_t)memcg * bounded->layout.nodes + node) * sizeof(struct bounded_cpu);
}

static void link_memcgs(struct bounded *bounded, const struct memcg_tree *tree)
{
	const struct bounded_layout *layout = &bounded->layout;

	for (uint32_t i = 0; i < layout->slots; i++)
		for (unsigned k = 0; k < layout->nodes; k++) {
			struct bounded_node *node = node_of(bounded, i, k);

			bounded_memcg(bounded, i)->node[k] = node;
			node->line = line_of(bounded, i, k);
			bounded_set_unit(bounded, node);
		}
	for (unsigned cpu = 0; cpu < layout->cpus; cpu++)
		for (uint32_t i = 0; i < layout->slots; i++)
			for (unsigned k = 0; k < layout->nodes; k++) {
				uint64_t at = line_of(bounded, i, k);
				struct bounded_line *line = &bounded_cpu(bounded, cpu, at)->line;

				line->node = node_of(bounded, i, k);
				line->parent = BOUNDED_TOP;
				/* Those that come and go have no parent yet. */
				if (i < layout->memcgs && tree->parent[i] != MEMCG_NONE)
					line->parent = line_of(bounded, tree->parent[i], k);
			}
}

int bounded_create(const struct backend_env *env, void **instance, struct error *err)
{
	unsigned nodes = env->point->machine.nodes, cpus = env->point->machine.cpus;
	unsigned char **area = NULL;
	struct bounded *bounded;
	int ret;

	ret = backend_env_check(env, err);
	if (ret)
		return ret;

	bounded = calloc(1, sizeof(*bounded));
	area = calloc(cpus, sizeof(*area));
	if (!bounded || !area)
		goto no_memory;
	bounded->point = env->point;
	bounded->error_ppm = env->point->counters.error_ppm;
	bounded->levels = bounded->error_ppm ? BOUNDED_LEVELS : 0;
	bounded_layout(env->point, &bounded->layout);
	/* The memcgs, the structs of each node, at most one run of areas per CPU. */
	bounded->regions.items = calloc(1 + (size_t)nodes + cpus, sizeof(*bounded->regions.items));
	bounded->nodes = calloc(nodes, sizeof(*bounded->nodes));
	if (!bounded->regions.items || !bounded->nodes)
		goto no_memory;

	ret = map_all(bounded, env->placement, area, err);
	if (ret)
		goto fail;
	for (unsigned cpu = 0; cpu < cpus; cpu++)
		bounded->area[cpu] = area[cpu];
	link_memcgs(bounded, env->tree);
	free(area);
	*instance = bounded;
	return 0;

no_memory:
	ret = error_set(err, -ENOMEM, "out of memory");
fail:
	free(area);
	bounded_destroy(bounded);
	return ret;
}

void bounded_destroy(void *instance)
{
	struct bounded *bounded = instance;

	if (!bounded)
		return;
	regions_unmap(&bounded->regions);
	free(bounded->nodes);
	free(bounded);
}

const struct region *bounded_regions(const void *instance, size_t *nr)
{
	const struct bounded *bounded = instance;

	*nr = bounded->regions.nr;
	return bounded->regions.items;
}
