// SPDX-License-Identifier: MIT
/* See areas.h. */
#include "backend/areas.h"

#include <stdlib.h>
#include <unistd.h>

#define HUGE_PAGE_BYTES (2ul << 20)

int regions_map(struct region_list *regions, const struct placement *placement, unsigned node,
		uint64_t bytes, unsigned char **base, struct error *err)
{
	struct region *region = &regions->items[regions->nr];
	int ret;

	ret = placement_map(placement, node, bytes, region, err);
	if (ret)
		return ret;

	regions->nr++;
	*base = region->base;
	return 0;
}

void regions_unmap(struct region_list *regions)
{
	for (size_t i = 0; i < regions->nr; i++)
		placement_unmap(&regions->items[i]);
	free(regions->items);
}

uint64_t area_stride(const struct point *point, uint64_t bytes)
{
	uint64_t stride = round_up(bytes, AREA_ALIGN);

	return point->machine.skew % AREA_ALIGN ? stride + AREA_ALIGN : stride;
}

/* The areas of all CPUs of one node lie in one region. */
int areas_map(struct region_list *regions, const struct placement *placement,
	      const struct point *point, uint64_t stride, unsigned char **area, struct error *err)
{
	uint64_t skew = point->machine.skew;
	unsigned cpus = point->machine.cpus, cpu = 0;

	while (cpu < cpus) {
		unsigned node = placement->node_of_cpu[cpu];
		unsigned first = cpu;
		unsigned char *base;
		int ret;

		while (cpu < cpus && placement->node_of_cpu[cpu] == node)
			cpu++;
		ret = regions_map(regions, placement, node, (cpu - first) * stride, &base, err);
		if (ret)
			return ret;
		for (unsigned c = first; c < cpu; c++)
			area[c] = base + (c - first) * stride + c * skew % AREA_ALIGN;
	}
	return 0;
}

uint64_t region_bytes(const struct point *point, uint64_t bytes)
{
	bool huge = point->machine.pages == PAGES_HUGE;

	return round_up(bytes, huge ? HUGE_PAGE_BYTES : (uint64_t)sysconf(_SC_PAGESIZE));
}

uint64_t areas_bytes(const struct point *point, uint64_t stride)
{
	uint64_t nodes = point->machine.nodes, cpus = point->machine.cpus;
	uint64_t bytes = 0;

	for (uint64_t node = 0; node < nodes; node++) {
		uint64_t first = node * cpus / nodes;
		uint64_t end = (node + 1) * cpus / nodes;

		bytes += region_bytes(point, (end - first) * stride);
	}
	return bytes;
}
