// SPDX-License-Identifier: MIT
/* Laying out, mapping and linking the memory of `packed`. See packed.h. */
#include "backend/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void packed_layout(const struct point *point, struct packed_layout *layout)
{
	*layout = (struct packed_layout){
		.memcgs = point->tree.memcgs + 1,
		.slots = point->tree.memcgs + 1 + point_spare(point),
		.nodes = point->machine.nodes,
		.cpus = point->machine.cpus,
		.words = (unsigned)(cpumask_bytes(point->machine.cpus) / sizeof(unsigned long)),
	};
	layout->memcg_bytes = round_up(offsetof(struct packed_memcg, node) +
					       layout->nodes * (sizeof(struct packed_node *) +
								cpumask_bytes(layout->cpus)),
				       STRUCT_ALIGN);
	layout->node_object_bytes =
		sizeof(struct packed_node) + layout->cpus * sizeof(struct packed_line);
	layout->area_bytes = area_stride(point, layout->slots * sizeof(struct packed_batch));
	layout->memcgs_offset = round_up(layout->cpus * sizeof(unsigned char *), STRUCT_ALIGN);
	layout->shared_bytes = layout->memcgs_offset + layout->slots * layout->memcg_bytes;
	layout->node_bytes = layout->slots * layout->node_object_bytes;
}

uint64_t packed_bytes(const struct point *point)
{
	struct packed_layout layout;

	packed_layout(point, &layout);
	return region_bytes(point, layout.shared_bytes) +
	       layout.nodes * region_bytes(point, layout.node_bytes) +
	       areas_bytes(point, layout.area_bytes);
}

static int map_all(struct packed *packed, const struct placement *placement, unsigned char **area,
		   struct error *err)
{
	const struct packed_layout *layout = &packed->layout;
	struct region_list *regions = &packed->regions;
	unsigned char *shared = NULL;
	int ret;

	ret = regions_map(regions, placement, placement->node_of_cpu[0], layout->shared_bytes,
			  &shared, err);
	for (unsigned node = 0; !ret && node < layout->nodes; node++)
		ret = regions_map(regions, placement, node, layout->node_bytes,
				  &packed->nodes[node], err);
	if (!ret)
		ret = areas_map(regions, placement, packed->point, layout->area_bytes, area, err);
	if (!ret)
		ret = placement_write(placement, regions->items, regions->nr, err);
	if (ret)
		return ret;

	packed->area = (unsigned char **)shared;
	packed->memcgs = shared + layout->memcgs_offset;
	return 0;
}

/* Parents are created before their children, so their structs are linked already. */
static void link_memcgs(struct packed *packed, const struct memcg_tree *tree)
{
	const struct packed_layout *layout = &packed->layout;

	for (uint32_t i = 0; i < layout->slots; i++) {
		struct packed_memcg *memcg = packed_memcg(packed, i);

		/* Those that come and go have no parent yet. */
		if (i < layout->memcgs && tree->parent[i] != MEMCG_NONE)
			memcg->parent = packed_memcg(packed, tree->parent[i]);
		memcg->batch = i * sizeof(struct packed_batch);
		for (unsigned node = 0; node < layout->nodes; node++) {
			memcg->node[node] = (struct packed_node *)(packed->nodes[node] +
								   i * layout->node_object_bytes);
			if (memcg->parent)
				memcg->node[node]->parent = memcg->parent->node[node];
		}
	}
}

int packed_create(const struct backend_env *env, void **instance, struct error *err)
{
	unsigned nodes = env->point->machine.nodes, cpus = env->point->machine.cpus;
	unsigned char **area = NULL;
	struct packed *packed;
	size_t bytes;
	int ret;

	ret = backend_env_check(env, err);
	if (ret)
		return ret;

	bytes = round_up(sizeof(*packed) + packed_nr_labels(nodes) * sizeof(struct packed_label),
			 alignof(struct packed));
	packed = aligned_alloc(alignof(struct packed), bytes);
	area = calloc(cpus, sizeof(*area));
	if (!packed)
		goto no_memory;
	memset(packed, 0, bytes);
	packed_labels_init(packed->labels, nodes, env->point->machine.nids);
	packed->text_room = packed_text_room(packed->labels, nodes);
	if (!area)
		goto no_memory;
	packed->point = env->point;
	packed->batch = env->point->counters.batch;
	packed_layout(env->point, &packed->layout);
	/* The memcgs, the structs of each node, at most one run of areas per CPU. */
	packed->regions.items = calloc(1 + (size_t)nodes + cpus, sizeof(*packed->regions.items));
	packed->nodes = calloc(nodes, sizeof(*packed->nodes));
	if (!packed->regions.items || !packed->nodes)
		goto no_memory;

	ret = map_all(packed, env->placement, area, err);
	if (ret)
		goto fail;
	for (unsigned cpu = 0; cpu < cpus; cpu++)
		packed->area[cpu] = area[cpu];
	link_memcgs(packed, env->tree);
	free(area);
	*instance = packed;
	return 0;

no_memory:
	ret = error_set(err, -ENOMEM, "out of memory");
fail:
	free(area);
	packed_destroy(packed);
	return ret;
}

void packed_destroy(void *instance)
{
	struct packed *packed = instance;

	if (!packed)
		return;
	regions_unmap(&packed->regions);
	free(packed->nodes);
	free(packed);
}

const struct region *packed_regions(const void *instance, size_t *nr)
{
	const struct packed *packed = instance;

	*nr = packed->regions.nr;
	return packed->regions.items;
}
