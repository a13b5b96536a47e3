// SPDX-License-Identifier: MIT
/*
 * See placement.h: where the pages of regions lie.
 *
 * hwloc_get_area_memlocation() gives the set of nodes of an area, not how much lies on each, so
 * pages are looked up with what it uses itself: move_pages(2) without targets, which moves nothing
 * and says the node of each page. It is asked in blocks of bounded size, at about 20 us per MiB.
 * Samples of the regions then go through hwloc_get_area_memlocation(), and the two must agree.
 */
#include "place/placement.h"

#include "place/huge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK_PAGES 1024
/* Pages that are also looked up by way of hwloc, at the start of the first regions of each node. */
#define SAMPLE_PAGES   64
#define SAMPLE_REGIONS 4

struct found_node {
	uint64_t bytes;
	uint64_t misplaced;
	unsigned samples;
};

struct lookup {
	const struct placement *placement;
	size_t page;
	struct found_node *nodes; /* [placement->nr_nodes] */
	uint64_t unknown;
	hwloc_bitmap_t ours, theirs; /* of a sample: found here, found by hwloc */
};

static int lookup_block(const void **pages, int *status, unsigned long nr, struct error *err)
{
	if (syscall(SYS_move_pages, 0, nr, pages, NULL, status, 0) >= 0)
		return 0;
	if (errno == EPERM)
		return error_set(err, -EPERM,
				 "move_pages was refused (%s): containers need CAP_SYS_NICE, or a "
				 "seccomp profile that allows move_pages",
				 strerror(errno));
	return error_set(err, -errno, "move_pages: %s", strerror(errno));
}

static const struct machine_node *real_node(const struct placement *placement, unsigned node)
{
	return &placement->machine->nodes[placement->real_node[node]];
}

/* A negative status is a page that is not there (-ENOENT: never written, or swapped; -EFAULT: the
 * shared page of zeroes). */
static void count_page(struct lookup *lookup, unsigned node, int status)
{
	lookup->nodes[node].bytes += lookup->page;
	if (status < 0)
		lookup->unknown += lookup->page;
	else if ((unsigned)status != real_node(lookup->placement, node)->os_index)
		lookup->nodes[node].misplaced += lookup->page;
}

static int compare_with_hwloc(struct lookup *lookup, const struct region *region, const int *status,
			      size_t nr, struct error *err)
{
	hwloc_topology_t topology = lookup->placement->machine->topology;

	hwloc_bitmap_zero(lookup->ours);
	for (size_t i = 0; i < nr; i++)
		if (status[i] >= 0)
			hwloc_bitmap_set(lookup->ours, (unsigned)status[i]);
	if (hwloc_get_area_memlocation(topology, region->base, nr * lookup->page, lookup->theirs,
				       HWLOC_MEMBIND_BYNODESET) < 0)
		return error_set(err, -errno, "hwloc_get_area_memlocation: %s", strerror(errno));
	if (!hwloc_bitmap_isequal(lookup->ours, lookup->theirs))
		return error_set(
			err, -EIO,
			"move_pages and hwloc_get_area_memlocation disagree about where %zu "
			"pages of modelled node %u lie",
			nr, region->node);
	return 0;
}

static int lookup_region(struct lookup *lookup, const struct region *region, struct error *err)
{
	struct found_node *node = &lookup->nodes[region->node];
	const void *pages[BLOCK_PAGES];
	int status[BLOCK_PAGES], r = 0;

	for (size_t offset = 0; !r && offset < region->bytes;) {
		size_t nr = (region->bytes - offset) / lookup->page;

		if (nr > BLOCK_PAGES)
			nr = BLOCK_PAGES;
		for (size_t i = 0; i < nr; i++)
			pages[i] = region->base + offset + i * lookup->page;
		r = lookup_block(pages, status, nr, err);
		for (size_t i = 0; !r && i < nr; i++)
			count_page(lookup, region->node, status[i]);
		if (!r && !offset && node->samples < SAMPLE_REGIONS) {
			node->samples++;
			r = compare_with_hwloc(lookup, region, status,
					       nr < SAMPLE_PAGES ? nr : SAMPLE_PAGES, err);
		}
		offset += nr * lookup->page;
	}
	return r;
}

/* Without NUMA in the kernel nothing can be looked up, and there is but one place. */
static bool only_one_place(const struct machine *machine)
{
	return machine->nr_nodes == 1 && syscall(SYS_move_pages, 0, 0ul, NULL, NULL, NULL, 0) < 0 &&
	       errno == ENOSYS;
}

static int lookup_all(struct lookup *lookup, const struct region *regions, size_t nr,
		      struct error *err)
{
	bool trivial = only_one_place(lookup->placement->machine);
	int r = 0;

	for (size_t i = 0; !r && i < nr; i++) {
		if (regions[i].node >= lookup->placement->nr_nodes)
			return error_set(err, -EINVAL, "there is no modelled node %u",
					 regions[i].node);
		if (trivial)
			lookup->nodes[regions[i].node].bytes += regions[i].bytes;
		else
			r = lookup_region(lookup, &regions[i], err);
	}
	return r;
}

/* Real only where no two modelled nodes share a real one. */
static const char *placement_found(const struct placement *placement)
{
	for (unsigned n = 0; n < placement->nr_nodes; n++)
		for (unsigned m = 0; m < n; m++)
			if (placement->real_node[n] == placement->real_node[m])
				return "fold";
	return "real";
}

static json_t *found_to_json(const struct lookup *lookup, json_t *huge)
{
	const struct placement *placement = lookup->placement;
	uint64_t bytes = 0, misplaced = 0;
	json_t *nodes = json_array();

	for (unsigned n = 0; n < placement->nr_nodes; n++) {
		const struct found_node *node = &lookup->nodes[n];

		bytes += node->bytes;
		misplaced += node->misplaced;
		json_array_append_new(
			nodes, json_pack("{s:i, s:i, s:I, s:I}", "nid", (int)placement->nids[n],
					 "os_index", (int)real_node(placement, n)->os_index,
					 "bytes", (json_int_t)node->bytes, "bytes_misplaced",
					 (json_int_t)node->misplaced));
	}
	return json_pack("{s:s, s:I, s:I, s:I, s:o, s:o}", "placement", placement_found(placement),
			 "bytes", (json_int_t)bytes, "bytes_misplaced", (json_int_t)misplaced,
			 "bytes_unknown", (json_int_t)lookup->unknown, "nodes", nodes, "huge_bytes",
			 huge);
}

int placement_verify(const struct placement *placement, const struct region *regions, size_t nr,
		     json_t **found, struct error *err)
{
	struct lookup lookup = {
		.placement = placement,
		.page = (size_t)sysconf(_SC_PAGESIZE),
		.nodes = calloc(placement->nr_nodes, sizeof(*lookup.nodes)),
		.ours = hwloc_bitmap_alloc(),
		.theirs = hwloc_bitmap_alloc(),
	};
	int r = 0;

	if (!lookup.nodes || !lookup.ours || !lookup.theirs)
		r = error_set(err, -ENOMEM, "out of memory");
	if (!r)
		r = lookup_all(&lookup, regions, nr, err);
	if (!r) {
		*found = found_to_json(&lookup, huge_bytes(regions, nr));
		if (!*found)
			r = error_set(err, -ENOMEM, "out of memory");
	}
	free(lookup.nodes);
	hwloc_bitmap_free(lookup.ours);
	hwloc_bitmap_free(lookup.theirs);
	return r;
}
