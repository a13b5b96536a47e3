/* SPDX-License-Identifier: MIT */
/*
 * The memory of a modelled tree, as Linux 5.3 to 5.12 lays it out: what `walk`, `cached` and their
 * variants share. Up to 4.15 there were local counters only: then batch blocks are empty, and the
 * shared structs hold links and handles but no counters.
 *
 * Per-CPU: each possible CPU has an area, on its own node. An object lies at the same offset in
 * every area, and areas start congruent modulo 4 KiB (but for machine.skew), as the kernel's do.
 * Per memcg, in creation order: the memcg's local block, its batch block, for each node the
 * lruvec's local and batch block, and the css reference count. The LRU counters are the first five
 * longs of each block.
 *
 * Shared: a struct memcg on the node of modelled CPU 0, the creator's, and a struct memcg_node on
 * each node. Links and handles are real pointers and offsets, which a walk loads as the kernel
 * does.
 *
 * All of it is placed by arithmetic; the memory is written once, by threads on its node.
 */
#ifndef MEMCGBENCH_BACKEND_MODEL_H
#define MEMCGBENCH_BACKEND_MODEL_H

#include "backend/areas.h"
#include "backend/backend.h"
#include "backend/cpumask.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In memcg.css_ref: counted in memcg.css_count by all CPUs, as of a killed reference. */
#define CSS_REF_SHARED 1u

/* Files that the model's counters hold all items of, but in the lean layout. */
#define MODEL_FILES (1u << STAT_NUMA_V2 | 1u << STAT_MEMORY_V1 | 1u << STAT_MEMORY_V2)

/* Counters in a batch block that spills know, at most. */
#define MODEL_MOST_ITEMS 128

struct memcg_node;

/* Which counters there are. */
enum model_counters {
	COUNTERS_MAINTAINED, /* local ones, batches, and what these spill up the tree: 5.3 to 5.12
			      */
	COUNTERS_LOCAL, /* local per-CPU ones: up to 4.15 */
};

struct memcg {
	struct memcg *parent; /* NULL for the root */
	/* Links that readers follow while memcgs come and go: published with release. One that was
	 * removed keeps its own. */
	_Atomic(struct memcg *) first_child, next_sibling;
	/* The youngest sibling's of the eldest, as in a list of the kernel; not for readers */
	struct memcg *prev_sibling;
	/* Offset of the per-CPU count, or CSS_REF_SHARED for a dying memcg */
	_Atomic uint64_t css_ref;
	_Atomic long css_count; /* beside the links, as in the kernel's css */
	uint64_t local, batch; /* offsets of the per-CPU blocks */
	/* Spilled counts of the subtree, on lines that links and references do not share; behind
	 * them the pointers to the memcg's struct memcg_node of each node. */
	alignas(STRUCT_ALIGN) _Atomic long stat[];
};
_Static_assert(offsetof(struct memcg, stat) == STRUCT_ALIGN, "links and handles fill one line");

struct memcg_node {
	struct memcg *memcg;
	uint64_t local, batch; /* offsets of the lruvec's per-CPU blocks */
	_Atomic long stat[]; /* spilled counts of the subtree; share the handles' line, as in 5.6 */
};

/* Sizes and strides in bytes: a pure function of the point and of which counters there are. */
struct model_layout {
	uint32_t memcgs; /* M' */
	uint32_t slots; /* and room for those that come and go */
	unsigned nodes, cpus;
	unsigned memcg_atomics, node_atomics; /* counters in struct memcg and memcg_node */
	uint64_t batch_offset; /* of the memcg's batch block, in its object */
	uint64_t lruvec_offset; /* of the first node's blocks */
	uint64_t lruvec_batch_offset; /* of a node's batch block, from its local one */
	uint64_t lruvec_bytes; /* both blocks of one node */
	uint64_t css_offset;
	uint64_t object_bytes; /* per memcg and area */
	uint64_t area_bytes; /* per CPU: whole pages, room for the skew included */
	uint64_t memcg_bytes, memcg_node_bytes;
	uint64_t mask_offset, memcgs_offset; /* in the shared region; 0 holds the areas' bases */
	uint64_t shared_bytes;
	uint64_t node_bytes; /* all struct memcg_node of one node */
};

struct model {
	const struct point *point;
	struct model_layout layout;
	unsigned char **area; /* [C] base of each CPU's area, like __per_cpu_offset */
	unsigned long *possible;
	unsigned nr_possible;
	long batch;
	unsigned char *memcgs;
	unsigned char **memcg_nodes; /* [N] */
	struct region_list regions;
	bool populated;
};

static inline struct memcg *model_memcg(const struct model *model, uint32_t memcg)
{
	return (struct memcg *)(model->memcgs + memcg * model->layout.memcg_bytes);
}

/* The place of the pointer to a memcg's struct of one node. */
static inline struct memcg_node **memcg_nodeinfo(const struct model *model, struct memcg *memcg,
						 unsigned node)
{
	return (struct memcg_node **)(memcg->stat + model->layout.memcg_atomics) + node;
}

/* The `item`-th counter of the block at `offset` of one CPU's area. */
static inline _Atomic long *area_counter(unsigned char *area, uint64_t offset, unsigned item)
{
	return (_Atomic long *)(area + offset) + item;
}

void model_layout(const struct point *point, enum model_counters counters,
		  struct model_layout *layout);
/* All regions' bytes: exact for small pages; for huge ones as if every node had CPUs. */
uint64_t model_bytes_with(const struct point *point, enum model_counters counters);
int model_create_with(const struct backend_env *env, enum model_counters counters, void **instance,
		      struct error *err);

/* The shared operations of struct backend, with COUNTERS_MAINTAINED. */
uint64_t model_bytes(const struct point *point);
int model_create(const struct backend_env *env, void **instance, struct error *err);
void model_destroy(void *instance);
const struct region *model_regions(const void *instance, size_t *nr);
/* Once, on a fresh instance. */
int model_populate(void *instance, const struct charge_plan *plan, struct error *err);
/* The static items of the files but v1 memory.numa_stat; nothing where the point reads that. */
void model_populate_items(struct model *model, const struct charge_plan *plan);
void model_update(void *instance, const struct update *update);
void model_count_update(void *instance, const struct update *update, struct op_probe *probe);
void model_memcg_add(void *instance, uint32_t memcg, uint32_t parent);
void model_memcg_offline(void *instance, uint32_t memcg);
void model_memcg_remove(void *instance, uint32_t memcg);

#endif
