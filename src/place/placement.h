/* SPDX-License-Identifier: MIT */
/*
 * Where modelled nodes and CPUs lie on the real machine: what was asked, and, verified, what was
 * found. Threads and memory are bound by OS index; memory is bound strictly, written by threads that
 * run on its node, and then looked up page by page.
 */
#ifndef MEMCGBENCH_PLACE_PLACEMENT_H
#define MEMCGBENCH_PLACE_PLACEMENT_H

#include "base/error.h"
#include "place/machine.h"
#include "scenario/point.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct placement {
	const struct machine *machine; /* not owned; outlives the placement */
	enum placement_kind asked;
	unsigned nr_nodes;      /* modelled */
	unsigned *real_node;    /* [nr_nodes] index into machine->nodes */
	unsigned nr_cpus;       /* modelled possible CPUs */
	uint16_t *node_of_cpu;  /* [nr_cpus] modelled node whose memory holds the CPU's area. Blocks of
				 * CPUs in node order; a node without CPUs holds none */
	enum page_size pages;
	uint16_t *nids; /* [nr_nodes] the scenario's node ids */
};

/* A piece of memory that lies on one modelled node. */
struct region {
	unsigned char *base;
	size_t bytes;  /* a multiple of the page size asked for */
	unsigned node; /* modelled node, an index */
};

/*
 * Every reason why the point cannot be placed on the machine goes to `reasons`; then -ENODEV.
 * PLACEMENT_REAL demands as many usable real nodes as modelled ones (the scenario's node ids, where
 * they are the machine's, are matched by OS index). PLACEMENT_FOLD maps modelled nodes round robin
 * on the usable ones (allowed, with memory). Works for foreign machines; on this one, binding memory
 * is tried as well.
 */
int placement_new(const struct machine *machine, const struct point *point,
		  struct placement **out, struct error_list *reasons);
void placement_free(struct placement *placement);

/*
 * Map `bytes` (rounded up to whole pages) bound strictly to the real node behind `node`, with the
 * page size of the point (MADV_NOHUGEPAGE or MADV_HUGEPAGE); not yet written. -EPERM where binding is
 * refused (a container without CAP_SYS_NICE): the message says so. -ENOMEM, ...
 */
int placement_map(const struct placement *placement, unsigned node, size_t bytes,
		  struct region *region, struct error *err);
void placement_unmap(struct region *region);

/* Write zero to every byte of the regions, each by threads bound to CPUs of the region's own node
 * (of any allowed CPUs where the node has none). */
int placement_write(const struct placement *placement, const struct region *regions, size_t nr,
		    struct error *err);

/* Call `work(arg)` on a thread bound to the CPUs of modelled node `node`, and wait for it. */
int placement_run(const struct placement *placement, unsigned node, void (*work)(void *arg),
		  void *arg, struct error *err);

/*
 * Bind the calling thread to one real CPU, the `index`-th (round robin) of the allowed ones, those of
 * the node of modelled CPU `index` first. `*os_cpu` says where it was then found to run. -EPERM,
 * -EINVAL, -EXDEV (bound, yet found elsewhere).
 */
int placement_bind_thread(const struct placement *placement, unsigned index, unsigned *os_cpu,
			  struct error *err);
/* The OS index of the CPU that would be, or -errno. */
int placement_os_cpu(const struct placement *placement, unsigned index, struct error *err);

/*
 * Look up where every page of the regions lies. The document says, in bytes, by modelled node:
 * {"placement":"fold"|"real", "bytes":.., "bytes_misplaced":.., "bytes_unknown":..,
 *  "nodes":[{"nid":0,"os_index":0,"bytes":..,"bytes_misplaced":..},..], "huge_bytes":..|null}
 * "placement" is what was found: real only where every modelled node has a real node of its own.
 * Returns 0 even where pages are misplaced (the caller judges), -errno where it cannot be known.
 */
int placement_verify(const struct placement *placement, const struct region *regions, size_t nr,
		     json_t **found, struct error *err);

#endif
