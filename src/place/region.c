// SPDX-License-Identifier: MIT
/* See placement.h: memory that is bound to the real node behind a modelled one. */
#include "place/placement.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE_BYTES (2ul << 20)

static size_t page_bytes(enum page_size pages)
{
	return pages == PAGES_HUGE ? HUGE_PAGE_BYTES : (size_t)sysconf(_SC_PAGESIZE);
}

/* Map whole pages at a multiple of their size; the kernel aligns by itself to small pages only. */
static unsigned char *map_aligned(size_t bytes, size_t page)
{
	size_t small = (size_t)sysconf(_SC_PAGESIZE);
	size_t slack = page > small ? page - small : 0, head;
	unsigned char *base;

	if (bytes + slack < bytes) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	base = mmap(NULL, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (base == MAP_FAILED || !slack)
		return base;
	head = -(uintptr_t)base & (page - 1);
	if (head)
		munmap(base, head);
	if (slack > head)
		munmap(base + head + bytes, slack - head);
	return base + head;
}

static int advise(const struct region *region, enum page_size pages, struct error *err)
{
	int advice = pages == PAGES_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;

	if (madvise(region->base, region->bytes, advice) == 0)
		return 0;
	/* A kernel without transparent huge pages has nothing to refuse. */
	if (errno == EINVAL && pages == PAGES_SMALL)
		return 0;
	if (errno == EINVAL)
		return error_set(
			err, -EOPNOTSUPP,
			"this kernel has no transparent huge pages (machine.pages: small)");
	return error_set(err, -errno, "madvise of %zu bytes: %s", region->bytes, strerror(errno));
}

static int bind_failed(const struct machine_node *node, int code, struct error *err)
{
	if (code == EPERM || code == EACCES)
		return error_set(
			err, -EPERM,
			"mbind to node %u was refused (%s): containers need CAP_SYS_NICE, or a "
			"seccomp profile that allows mbind",
			node->os_index, strerror(code));
	return error_set(err, -code, "mbind to node %u: %s", node->os_index, strerror(code));
}

static int bind_region(const struct machine *machine, const struct machine_node *node,
		       const struct region *region, struct error *err)
{
	hwloc_obj_t object = hwloc_get_numanode_obj_by_os_index(machine->topology, node->os_index);
	int code;

	if (!object)
		return error_set(err, -ENODEV, "node %u is not known to hwloc", node->os_index);
	if (hwloc_set_area_membind(machine->topology, region->base, region->bytes, object->nodeset,
				   HWLOC_MEMBIND_BIND,
				   HWLOC_MEMBIND_STRICT | HWLOC_MEMBIND_BYNODESET) == 0)
		return 0;
	code = errno;
	/* A kernel built without NUMA cannot bind, and has but one place. */
	if (code == ENOSYS && machine->nr_nodes == 1)
		return 0;
	return bind_failed(node, code, err);
}

int placement_map(const struct placement *placement, unsigned node, size_t bytes,
		  struct region *region, struct error *err)
{
	const struct machine *machine = placement->machine;
	size_t page = page_bytes(placement->pages);
	int r;

	*region = (struct region){.node = node};
	if (!machine->thissystem)
		return error_set(err, -ENODEV,
				 "%s is not this machine: no memory can be bound there",
				 machine->source);
	if (node >= placement->nr_nodes || !bytes || bytes > SIZE_MAX - page)
		return error_set(err, -EINVAL, "cannot map %zu bytes on modelled node %u", bytes,
				 node);
	region->bytes = (bytes + page - 1) / page * page;
	region->base = map_aligned(region->bytes, page);
	if (region->base == MAP_FAILED) {
		r = error_set(err, -errno, "cannot map %zu bytes: %s%s", region->bytes,
			      strerror(errno),
			      errno == ENOMEM ? " (or more mappings than vm.max_map_count)" : "");
		*region = (struct region){.node = node};
		return r;
	}
	r = advise(region, placement->pages, err);
	if (!r)
		r = bind_region(machine, &machine->nodes[placement->real_node[node]], region, err);
	if (r)
		placement_unmap(region);
	return r;
}

void placement_unmap(struct region *region)
{
	if (region->base)
		munmap(region->base, region->bytes);
	region->base = NULL;
	region->bytes = 0;
}
