// SPDX-License-Identifier: MIT
/*
 * See placement.h: where the pages of regions lie.
 *
 * hwloc_get_area_memlocation() gives the set of nodes of an area, not how much lies on each, so
 * pages are looked up with what it uses itself: move_pages(2) without targets, which moves nothing
 * and says the node of each page. It is asked in blocks of bounded size, at about 20 us per MiB.
 * Samples of the regions then go through hwloc_get_area_memlocation(), and the two must agree.
 */
#include "place/crew.h"
#include "place/huge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Asked about at once: the kernel's part of the cost does not fall beyond, and both arrays fit L1.
 */
#define BLOCK_PAGES 1024
/* Pages that are also looked up by way of hwloc, at the start of so many pieces per thread. */
#define SAMPLE_PAGES  64
#define SAMPLE_PIECES 4

/* What one thread found: rows of its own, so that none waits for another. */
struct lookup {
	const struct placement *placement;
	size_t page;
	uint64_t *bytes; /* [placement->nr_nodes] looked up */
	uint64_t *misplaced; /* [placement->nr_nodes] of them, found on another node */
	uint64_t unknown;
	unsigned samples;
	hwloc_bitmap_t ours, theirs; /* of a sample: found here, found by hwloc */
};

static int lookup_init(struct lookup *lookup, const struct placement *placement)
{
	lookup->placement = placement;
	lookup->page = (size_t)sysconf(_SC_PAGESIZE);
	lookup->bytes = calloc(placement->nr_nodes, sizeof(*lookup->bytes));
	lookup->misplaced = calloc(placement->nr_nodes, sizeof(*lookup->misplaced));
	lookup->ours = hwloc_bitmap_alloc();
	lookup->theirs = hwloc_bitmap_alloc();
	if (!lookup->bytes || !lookup->misplaced || !lookup->ours || !lookup->theirs)
		return -ENOMEM;
	return 0;
}

static void lookup_fini(struct lookup *lookup)
{
	free(lookup->bytes);
	free(lookup->misplaced);
	hwloc_bitmap_free(lookup->ours);
	hwloc_bitmap_free(lookup->theirs);
}

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
static void count_pages(struct lookup *lookup, unsigned node, const int *status, size_t nr)
{
	int expected = (int)real_node(lookup->placement, node)->os_index;
	size_t unknown = 0, misplaced = 0;

	for (size_t i = 0; i < nr; i++) {
		unknown += status[i] < 0;
		misplaced += status[i] >= 0 && status[i] != expected;
	}
	lookup->bytes[node] += nr * lookup->page;
	lookup->misplaced[node] += misplaced * lookup->page;
	lookup->unknown += unknown * lookup->page;
}

static int compare_with_hwloc(struct lookup *lookup, const struct region *piece, const int *status,
			      size_t nr, struct error *err)
{
	hwloc_topology_t topology = lookup->placement->machine->topology;

	hwloc_bitmap_zero(lookup->ours);
	for (size_t i = 0; i < nr; i++)
		if (status[i] >= 0)
			hwloc_bitmap_set(lookup->ours, (unsigned)status[i]);
	if (hwloc_get_area_memlocation(topology, piece->base, nr * lookup->page, lookup->theirs,
				       HWLOC_MEMBIND_BYNODESET) < 0)
		return error_set(err, -errno, "hwloc_get_area_memlocation: %s", strerror(errno));
	if (!hwloc_bitmap_isequal(lookup->ours, lookup->theirs))
		return error_set(
			err, -EIO,
			"move_pages and hwloc_get_area_memlocation disagree about where %zu "
			"pages of modelled node %u lie",
			nr, piece->node);
	return 0;
}

static int lookup_piece(void *arg, unsigned member, const struct region *piece, struct error *err)
{
	struct lookup *lookup = &((struct lookup *)arg)[member];
	const void *pages[BLOCK_PAGES];
	int status[BLOCK_PAGES], r = 0;

	for (size_t offset = 0; !r && offset < piece->bytes;) {
		size_t nr = (piece->bytes - offset) / lookup->page;

		if (nr > BLOCK_PAGES)
			nr = BLOCK_PAGES;
		for (size_t i = 0; i < nr; i++)
			pages[i] = piece->base + offset + i * lookup->page;
		r = lookup_block(pages, status, nr, err);
		if (r)
			return r;
		count_pages(lookup, piece->node, status, nr);
		if (!offset && lookup->samples < SAMPLE_PIECES) {
			lookup->samples++;
			r = compare_with_hwloc(lookup, piece, status,
					       nr < SAMPLE_PAGES ? nr : SAMPLE_PAGES, err);
		}
		offset += nr * lookup->page;
	}
	return r;
}

/* Without NUMA in the kernel there is but one place, and nothing that could look it up. */
static int count_piece(void *arg, unsigned member, const struct region *piece, struct error *err)
{
	struct lookup *lookup = &((struct lookup *)arg)[member];

	lookup->bytes[piece->node] += piece->bytes;
	return 0;
}

static bool only_one_place(const struct machine *machine)
{
	return machine->nr_nodes == 1 && syscall(SYS_move_pages, 0, 0ul, NULL, NULL, NULL, 0) < 0 &&
	       errno == ENOSYS;
}

/* Everything into the first one. */
static void merge(struct lookup *lookups, unsigned nr)
{
	for (unsigned i = 1; i < nr; i++) {
		for (unsigned n = 0; n < lookups->placement->nr_nodes; n++) {
			lookups->bytes[n] += lookups[i].bytes[n];
			lookups->misplaced[n] += lookups[i].misplaced[n];
		}
		lookups->unknown += lookups[i].unknown;
	}
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
		bytes += lookup->bytes[n];
		misplaced += lookup->misplaced[n];
		json_array_append_new(
			nodes, json_pack("{s:i, s:i, s:I, s:I}", "nid", (int)placement->nids[n],
					 "os_index", (int)real_node(placement, n)->os_index,
					 "bytes", (json_int_t)lookup->bytes[n], "bytes_misplaced",
					 (json_int_t)lookup->misplaced[n]));
	}
	return json_pack("{s:s, s:I, s:I, s:I, s:o, s:o}", "placement", placement_found(placement),
			 "bytes", (json_int_t)bytes, "bytes_misplaced", (json_int_t)misplaced,
			 "bytes_unknown", (json_int_t)lookup->unknown, "nodes", nodes, "huge_bytes",
			 huge);
}

int placement_verify(const struct placement *placement, const struct region *regions, size_t nr,
		     json_t **found, struct error *err)
{
	unsigned members = crew_members(placement->machine), ready = 0;
	struct lookup *lookups = calloc(members, sizeof(*lookups));
	crew_work *work = only_one_place(placement->machine) ? count_piece : lookup_piece;
	int r = lookups ? 0 : -ENOMEM;

	while (!r && ready < members)
		r = lookup_init(&lookups[ready++], placement);
	if (r) {
		error_set(err, r, "out of memory");
		goto out;
	}
	r = crew_run(placement, regions, nr, work, lookups, err);
	if (r)
		goto out;
	merge(lookups, members);
	*found = found_to_json(lookups, huge_bytes(regions, nr));
	if (!*found)
		r = error_set(err, -ENOMEM, "out of memory");
out:
	while (ready)
		lookup_fini(&lookups[--ready]);
	free(lookups);
	return r;
}
