/* SPDX-License-Identifier: MIT */
/*
 * Where per-CPU areas lie: each on its CPU's node, those of one node behind one another, all of
 * them congruent modulo AREA_ALIGN but for machine.skew, as the kernel's are.
 */
#ifndef MEMCGBENCH_BACKEND_AREAS_H
#define MEMCGBENCH_BACKEND_AREAS_H

#include "base/error.h"
#include "place/placement.h"
#include "scenario/point.h"

#include <stddef.h>
#include <stdint.h>

/* Areas are congruent modulo this, whatever page size backs them: skew is counted within it. */
#define AREA_ALIGN 4096
/* Structs start on a line of their own, as the slab allocator places them. */
#define STRUCT_ALIGN 64

static inline uint64_t round_up(uint64_t value, uint64_t step)
{
	return (value + step - 1) / step * step;
}

/* Regions as they are mapped, in an array that is large enough for all to come. */
struct region_list {
	struct region *items; /* of calloc() */
	size_t nr;
};

/* Map one more region on a modelled node; `*base` is where it starts. -errno with a message. */
int regions_map(struct region_list *regions, const struct placement *placement, unsigned node,
		uint64_t bytes, unsigned char **base, struct error *err);

/* Unmaps all, and frees the array. */
void regions_unmap(struct region_list *regions);

/* Bytes from one area to the next, of which `bytes` are used: whole pages, with room for the skew.
 */
uint64_t area_stride(const struct point *point, uint64_t bytes);
/* Map the areas of all CPUs, at most one region for each CPU. area[C] says where each starts. */
int areas_map(struct region_list *regions, const struct placement *placement,
	      const struct point *point, uint64_t stride, unsigned char **area, struct error *err);

/* Bytes that a region of `bytes` takes in pages of the point, and all areas. Exact for small
 * pages; for huge ones as if every node had CPUs. */
uint64_t region_bytes(const struct point *point, uint64_t bytes);
uint64_t areas_bytes(const struct point *point, uint64_t stride);

#endif
