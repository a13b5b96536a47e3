/* SPDX-License-Identifier: MIT */
/*
 * The memory of `packed` (packed.c says why it is so).
 *
 * For each memcg a struct packed_memcg on the creator's node, as in the kernel:
 *
 *     line 0      spilled row sums of the subtree, and the way up: all that a spill needs
 *     line 1..    where its parts lie, and which CPUs have a line that is in use: read often,
 *                 written once a CPU. One line up to 2 nodes and 128 CPUs
 *
 * For each memcg and node one struct packed_node, on that node:
 *
 *     line 0      spilled counts of the subtree, and the way up
 *     then C      one line for each possible CPU: what it counted, and what it holds back
 *
 * So a read finds the addresses of all other lines on one. And per-CPU, on the CPU's own node,
 * densely over memcgs: what the CPU holds back from row sums, which nobody else ever reads.
 */
#ifndef MEMCGBENCH_BACKEND_PACKED_H
#define MEMCGBENCH_BACKEND_PACKED_H

#include "backend/areas.h"
#include "backend/backend.h"
#include "backend/cpumask.h"
#include "backend/packed_text.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One CPU's line of one memcg and node. Written by its CPU alone; others read `local` only. */
struct packed_line {
	alignas(STRUCT_ALIGN) _Atomic long local[NR_LRU_LISTS]; /* exact */
	_Atomic int32_t held[NR_LRU_LISTS]; /* not yet spilled: -B..B, and B <= 2^20 */
	uint32_t listed; /* the CPU's bit in packed_users() is set; for its CPU alone */
};
_Static_assert(sizeof(struct packed_line) == STRUCT_ALIGN, "a CPU's counters are one line");

/* What one CPU holds back from the row sums of one memcg: 32 bytes, none straddles lines. */
struct packed_batch {
	_Atomic int32_t held[NR_LRU_LISTS];
	int32_t spare[3];
};

struct packed_node {
	alignas(STRUCT_ALIGN) _Atomic long stat[NR_LRU_LISTS];
	struct packed_node *parent; /* the parent memcg's of the same node; NULL for the root's */
	struct packed_line line[]; /* [C] */
};
_Static_assert(offsetof(struct packed_node, line) == STRUCT_ALIGN, "a spill needs one line");

struct packed_memcg {
	alignas(STRUCT_ALIGN) _Atomic long stat[NR_LRU_LISTS];
	struct packed_memcg *parent; /* NULL for the root */
	alignas(STRUCT_ALIGN) uint64_t batch; /* offset of struct packed_batch in a CPU's area */
	struct packed_node *node[]; /* [N], and behind them the masks, packed_users() */
};
_Static_assert(offsetof(struct packed_memcg, batch) == STRUCT_ALIGN, "a spill needs one line");

/* Sizes in bytes: a pure function of the point. */
struct packed_layout {
	uint64_t memcg_bytes;
	unsigned nodes, words; /* words of a mask of CPUs */
	unsigned cpus;
	uint32_t memcgs; /* M' */
	uint32_t slots; /* and room for those that come and go */
	uint64_t node_object_bytes;
	uint64_t area_bytes; /* from one CPU's to the next's */
	uint64_t memcgs_offset, shared_bytes; /* in the shared region; 0 holds the areas' bases */
	uint64_t node_bytes; /* all struct packed_node of one node */
};

struct packed {
	/* What a read looks at comes first. */
	alignas(STRUCT_ALIGN) unsigned char *memcgs;
	size_t text_room; /* packed_text_room() */
	struct packed_layout layout;
	const struct point *point;
	long batch;
	unsigned char **area; /* [C] */
	unsigned char **nodes; /* [N] */
	struct region_list regions;
	bool populated;
	struct packed_label labels[]; /* packed_nr_labels() */
};

static inline struct packed_memcg *packed_memcg(const struct packed *packed, uint32_t memcg)
{
	return (struct packed_memcg *)(packed->memcgs + memcg * packed->layout.memcg_bytes);
}

/* [words] of a node: bit i is set once CPU i has counted there. */
static inline _Atomic unsigned long *packed_users(const struct packed *packed,
						  struct packed_memcg *memcg, unsigned node)
{
	return (_Atomic unsigned long *)&memcg->node[packed->layout.nodes] +
	       (size_t)node * packed->layout.words;
}

static inline struct packed_batch *packed_batch(const struct packed *packed,
						const struct packed_memcg *memcg, unsigned cpu)
{
	return (struct packed_batch *)(packed->area[cpu] + memcg->batch);
}

uint64_t packed_bytes(const struct point *point);
int packed_create(const struct backend_env *env, void **instance, struct error *err);
void packed_destroy(void *instance);
const struct region *packed_regions(const void *instance, size_t *nr);

int packed_populate(void *instance, const struct charge_plan *plan, struct error *err);
void packed_update(void *instance, const struct update *update);
void packed_count_update(void *instance, const struct update *update, struct op_probe *probe);
void packed_memcg_add(void *instance, uint32_t memcg, uint32_t parent);
void packed_memcg_remove(void *instance, uint32_t memcg);

#endif
