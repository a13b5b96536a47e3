// SPDX-License-Identifier: MIT
/* Laying out, mapping and linking the memory of rstat. See rstat.h. */
#include "backend/rstat.h"

#include "memcg/stat_items.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Items as in Linux 6.x. */
enum {
	STATE_ITEMS = 40,
	EVENTS = 31,
	LRUVEC_ITEMS = 33,
};

_Static_assert(STATE_ITEMS == (int)NR_STATE_ITEMS, "events lie behind the states");
_Static_assert((int)NR_STAT_ITEMS <= STATE_ITEMS + EVENTS, "every item has a counter");
_Static_assert((int)NR_NODE_ITEMS <= LRUVEC_ITEMS, "every item of lruvecs has a counter");

static void per_cpu_layout(const struct point *point, struct rstat_layout *layout)
{
	uint64_t items_bytes = 2 * layout->memcg_items * sizeof(long);
	bool cputime = point->read.with == WITH_CPU_STAT;

	layout->head_offset = STRUCT_ALIGN; /* links have a line of their own */
	layout->lruvec_offset = layout->head_offset +
				round_up(sizeof(struct rstat_head) + items_bytes, STRUCT_ALIGN);
	layout->lruvec_bytes = 2 * layout->node_items * sizeof(long);
	layout->object_bytes = round_up(
		layout->lruvec_offset + layout->nodes * layout->lruvec_bytes, STRUCT_ALIGN);
	layout->first_object = sizeof(struct rstat_cpu);
	if (cputime) {
		layout->cputime_offset = layout->object_bytes;
		layout->object_bytes += sizeof(struct rstat_cputime);
		layout->first_object += STRUCT_ALIGN; /* rstat_cputime_tree_lock() */
	}
	layout->area_bytes =
		area_stride(point, layout->first_object + layout->slots * layout->object_bytes);
}

void rstat_layout(const struct point *point, struct rstat_layout *layout)
{
	bool lean = point->machine.layout == LAYOUT_LEAN;

	*layout = (struct rstat_layout){
		.memcgs = point->tree.memcgs + 1,
		.slots = point->tree.memcgs + 1 + point_spare(point),
		.nodes = point->machine.nodes,
		.cpus = point->machine.cpus,
		.memcg_items = lean ? NR_LRU_LISTS : STATE_ITEMS + EVENTS,
		.node_items = lean ? NR_LRU_LISTS : LRUVEC_ITEMS,
	};
	per_cpu_layout(point, layout);
	layout->memcg_bytes = round_up(sizeof(struct rstat_memcg) +
					       RSTAT_ARRAYS * layout->memcg_items * sizeof(long) +
					       layout->nodes * sizeof(_Atomic long *),
				       STRUCT_ALIGN);
	layout->node_bytes =
		round_up(RSTAT_ARRAYS * layout->node_items * sizeof(long), STRUCT_ALIGN);
	layout->mask_offset = round_up(layout->cpus * sizeof(unsigned char *), STRUCT_ALIGN);
	layout->global_offset =
		round_up(layout->mask_offset + cpumask_bytes(layout->cpus), STRUCT_ALIGN);
	layout->memcgs_offset = layout->global_offset + sizeof(struct rstat_global);
	if (layout->cputime_offset) {
		layout->cputime_sums_offset = layout->memcg_bytes;
		layout->memcg_bytes += sizeof(struct rstat_cputime_sums);
		layout->cputime_lock_offset = layout->memcgs_offset;
		layout->memcgs_offset += round_up(sizeof(struct flush_lock), STRUCT_ALIGN);
	}
	layout->shared_bytes = layout->memcgs_offset + layout->slots * layout->memcg_bytes;
}

uint64_t rstat_bytes(const struct point *point)
{
	struct rstat_layout layout;

	rstat_layout(point, &layout);
	return region_bytes(point, layout.shared_bytes) +
	       layout.nodes * region_bytes(point, layout.slots * layout.node_bytes) +
	       areas_bytes(point, layout.area_bytes);
}

/* Map all, and write it: everything is zero then. area[C] and nodes[N] say where. */
static int map_all(struct rstat *rstat, const struct placement *placement, unsigned char **area,
		   unsigned char **nodes, struct error *err)
{
	const struct rstat_layout *layout = &rstat->layout;
	unsigned char *shared = NULL;
	int ret;

	ret = regions_map(&rstat->regions, placement, placement->node_of_cpu[0],
			  layout->shared_bytes, &shared, err);
	for (unsigned node = 0; !ret && node < layout->nodes; node++)
		ret = regions_map(&rstat->regions, placement, node,
				  layout->slots * layout->node_bytes, &nodes[node], err);
	if (!ret)
		ret = areas_map(&rstat->regions, placement, rstat->point, layout->area_bytes, area,
				err);
	if (!ret)
		ret = placement_write(placement, rstat->regions.items, rstat->regions.nr, err);
	if (ret)
		return ret;

	rstat->area = (unsigned char **)shared;
	rstat->possible = (unsigned long *)(shared + layout->mask_offset);
	rstat->global = (struct rstat_global *)(shared + layout->global_offset);
	if (rstat->cputime && rstat->rules >= FLUSH_V6_16)
		rstat->cputime_lock = (struct flush_lock *)(shared + layout->cputime_lock_offset);
	rstat->memcgs = shared + layout->memcgs_offset;
	for (unsigned cpu = 0; cpu < layout->cpus; cpu++) {
		rstat->area[cpu] = area[cpu];
		cpumask_set(rstat->possible, cpu);
	}
	return 0;
}

static void link_shared(const struct rstat *rstat, const struct memcg_tree *tree,
			unsigned char *const *nodes)
{
	const struct rstat_layout *layout = &rstat->layout;

	for (uint32_t i = 0; i < layout->slots; i++) {
		struct rstat_memcg *memcg = rstat_memcg(rstat, i);

		/* Those that come and go have no parent yet. */
		if (i < layout->memcgs && tree->parent[i] != MEMCG_NONE)
			memcg->parent = rstat_memcg(rstat, tree->parent[i]);
		memcg->object = layout->first_object + i * layout->object_bytes;
		for (unsigned node = 0; node < layout->nodes; node++)
			*rstat_nodeinfo(rstat, memcg, node) =
				(_Atomic long *)(nodes[node] + i * layout->node_bytes);
	}
}

/* The lines of each CPU that hold pointers. */
static void link_areas(const struct rstat *rstat)
{
	for (unsigned cpu = 0; cpu < rstat->layout.cpus; cpu++) {
		unsigned char *area = rstat->area[cpu];

		for (uint32_t i = 0; i < rstat->layout.slots; i++) {
			struct rstat_memcg *memcg = rstat_memcg(rstat, i);
			struct rstat_head *head = rstat_head(rstat, area, memcg);

			rstat_links(area, memcg)->children = memcg;
			if (rstat->cputime)
				rstat_cputime(rstat, area, memcg)->links.children = memcg;
			head->memcg = memcg;
			if (memcg->parent)
				head->parent = rstat_head(rstat, area, memcg->parent);
		}
	}
}

int rstat_create(const struct backend_env *env, void **instance, struct error *err)
{
	unsigned nodes = env->point->machine.nodes, cpus = env->point->machine.cpus;
	unsigned char **area = NULL, **node_base = NULL;
	struct rstat *rstat;
	int ret;

	ret = backend_env_check(env, err);
	if (ret)
		return ret;

	rstat = calloc(1, sizeof(*rstat));
	area = calloc(cpus, sizeof(*area));
	node_base = calloc(nodes, sizeof(*node_base));
	if (!rstat || !area || !node_base)
		goto no_memory;
	rstat->point = env->point;
	rstat->rules = env->point->counters.flush;
	rstat->batch = env->point->counters.batch;
	rstat->cputime = env->point->read.with == WITH_CPU_STAT;
	rstat->nr_possible = cpus;
	rstat_layout(env->point, &rstat->layout);
	/* The memcgs, the lruvecs of each node, at most one run of areas per node or CPU. */
	rstat->regions.items = calloc(1 + (size_t)nodes + cpus, sizeof(*rstat->regions.items));
	if (!rstat->regions.items)
		goto no_memory;

	ret = map_all(rstat, env->placement, area, node_base, err);
	if (ret)
		goto fail;
	link_shared(rstat, env->tree, node_base);
	link_areas(rstat);
	ret = rstat_locks_init(rstat);
	if (ret)
		goto no_memory;
	free(area);
	free(node_base);
	*instance = rstat;
	return 0;

no_memory:
	ret = error_set(err, -ENOMEM, "out of memory");
fail:
	free(area);
	free(node_base);
	rstat_destroy(rstat);
	return ret;
}

void rstat_destroy(void *instance)
{
	struct rstat *rstat = instance;

	if (!rstat)
		return;
	rstat_locks_fini(rstat);
	regions_unmap(&rstat->regions);
	free(rstat);
}

const struct region *rstat_regions(const void *instance, size_t *nr)
{
	const struct rstat *rstat = instance;

	*nr = rstat->regions.nr;
	return rstat->regions.items;
}
