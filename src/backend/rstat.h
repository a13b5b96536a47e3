/* SPDX-License-Identifier: MIT */
/*
 * The memory of `rstat`: statistics that CPUs keep for themselves, trees that say which memcgs a
 * CPU has updated, and counters that a flush brings both to. See rstat.c.
 *
 * Per-CPU areas begin with the CPU's lock and, on a line of its own, what it has counted towards
 * the global threshold. Then come the memcgs, in creation order: the links of the updated tree,
 * the memcg's items, and those of each node's lruvec, all items with the value that the last flush
 * has seen. There are 40 state items and 31 events of a memcg, and 33 items of an lruvec (Linux
 * 6.x); the LRU lists are the first five. The lean layout has nothing but these.
 *
 * Shared: a struct rstat_memcg on the creator's node, and an lruvec's counters on their node. Both
 * have three arrays, as the kernel keeps them: counts of the subtree, local ones, and what children
 * have handed up and no flush has added yet. The layout is one under all rules.
 *
 * Where the point reads cpu.stat (read.with), there is CPU time, too: a line more for each memcg in
 * each area and in the shared part; a lock more in each area, and a flush lock, for the tree that
 * v6.16 keeps it in. The layout is one under all rules here, too.
 *
 * Who may touch what: items and counts towards thresholds are written by the CPU they belong to,
 * without a lock. Links are changed under that CPU's lock. Previous values and shared counters are
 * changed under the flush lock; shared counters are read by anyone.
 */
#ifndef MEMCGBENCH_BACKEND_RSTAT_H
#define MEMCGBENCH_BACKEND_RSTAT_H

#include "backend/areas.h"
#include "backend/backend.h"
#include "backend/cpumask.h"
#include "backend/rstat_lock.h"
#include "backend/tally.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rstat_memcg;

/* At the start of each area. Padded by hand: a skewed area starts anywhere in a line. */
struct rstat_cpu {
	struct rstat_lock lock; /* of the updated tree of this CPU */
	unsigned char pad[STRUCT_ALIGN - sizeof(struct rstat_lock)];
	_Atomic long updates; /* v5.16: pages, not yet counted globally */
	unsigned char pad_updates[STRUCT_ALIGN - sizeof(long)];
};
_Static_assert(sizeof(struct rstat_cpu) == 2 * STRUCT_ALIGN, "two lines");

/*
 * Links of one memcg in the updated tree of one CPU. The children of a memcg are a list that ends
 * in the memcg itself, so `next` is NULL for a memcg that is in no list, and only then.
 */
struct rstat_links {
	_Atomic(struct rstat_memcg *) next;
	struct rstat_memcg *children; /* the first; the memcg itself where there are none */
};

/* What cpu.stat shows, in ns. */
enum {
	RSTAT_USAGE,
	RSTAT_USER,
	RSTAT_SYSTEM,
	RSTAT_CPUTIME_ITEMS,
};

/* CPU time of one memcg on one CPU, behind its other items. */
struct rstat_cputime {
	struct rstat_links links; /* v6.16 */
	_Atomic long items[2 * RSTAT_CPUTIME_ITEMS]; /* behind them as many previous values */
};
_Static_assert(sizeof(struct rstat_cputime) == STRUCT_ALIGN, "a line");

/* The same of its subtree, behind its other counters. */
struct rstat_cputime_sums {
	_Atomic long stats[RSTAT_CPUTIME_ITEMS];
	_Atomic long handed_up[RSTAT_CPUTIME_ITEMS]; /* of them, to the parent */
	struct rstat_memcg *flush_next; /* v6.16: under the flush lock of the tree */
	unsigned char pad[STRUCT_ALIGN - 2 * RSTAT_CPUTIME_ITEMS * sizeof(long) - sizeof(void *)];
};
_Static_assert(sizeof(struct rstat_cputime_sums) == STRUCT_ALIGN, "a line");

/* Head of the items of one CPU and memcg: all that counting towards thresholds needs. */
struct rstat_head {
	_Atomic long updates; /* v6.8: pages in the subtree, not yet counted in the memcg */
	struct rstat_head *parent; /* of the same CPU; NULL for the root */
	struct rstat_memcg *memcg;
};

enum {
	RSTAT_STATE, /* of the subtree */
	RSTAT_LOCAL,
	RSTAT_PENDING,
	RSTAT_ARRAYS,
};

struct rstat_memcg {
	struct rstat_memcg *parent; /* NULL for the root */
	uint64_t object; /* offset in each area */
	struct rstat_memcg *flush_next; /* under the flush lock */
	uint64_t flush; /* the newest flush that saw it; the same */
	/* v6.8: pages updated in the subtree since its last flush, on a line of its own */
	alignas(STRUCT_ALIGN) _Atomic long updates;
	/* [RSTAT_ARRAYS][memcg_items], and behind them for each node a pointer to its counters,
	 * [RSTAT_ARRAYS][node_items] */
	alignas(STRUCT_ALIGN) _Atomic long stats[];
};

/* The kernel's globals. */
struct rstat_global {
	struct flush_lock flush_lock;
	uint64_t flushes; /* under the flush lock */
	alignas(STRUCT_ALIGN) _Atomic long updates; /* v5.16: batches since the last flush */
};

/* Sizes and strides in bytes: a pure function of the point. */
struct rstat_layout {
	uint32_t memcgs; /* M' */
	uint32_t slots; /* and room for those that come and go */
	unsigned nodes, cpus;
	unsigned memcg_items, node_items;
	uint64_t head_offset; /* of struct rstat_head in an object; items follow it */
	uint64_t lruvec_offset; /* of the first node's items */
	uint64_t lruvec_bytes;
	uint64_t cputime_offset; /* of struct rstat_cputime in an object; 0: there is none */
	uint64_t first_object; /* in an area */
	uint64_t object_bytes; /* per memcg and area */
	uint64_t area_bytes;
	uint64_t cputime_sums_offset; /* from struct rstat_memcg */
	uint64_t memcg_bytes; /* struct rstat_memcg and what lies behind it */
	uint64_t node_bytes; /* the counters of one memcg on one node */
	/* Shared; 0 holds the areas' bases. */
	uint64_t mask_offset, global_offset, cputime_lock_offset, memcgs_offset;
	uint64_t shared_bytes;
};

struct rstat {
	const struct point *point;
	struct rstat_layout layout;
	enum flush_rules rules;
	bool cputime; /* is kept */
	long batch;
	unsigned nr_possible; /* all of them online */
	unsigned char **area; /* [C] base of each CPU's area */
	unsigned long *possible;
	struct rstat_global *global;
	struct flush_lock *cputime_lock; /* of its tree, where it has one of its own; else NULL */
	/* Of the flush lock and, behind it, of cputime_lock; on lines of their own. */
	struct lock_times *times;
	unsigned char *memcgs;
	struct region_list regions;
	bool populated;
};

static inline struct rstat_memcg *rstat_memcg(const struct rstat *rstat, uint32_t memcg)
{
	return (struct rstat_memcg *)(rstat->memcgs + memcg * rstat->layout.memcg_bytes);
}

/* The place of the pointer to a memcg's counters on one node. */
static inline _Atomic long **rstat_nodeinfo(const struct rstat *rstat, struct rstat_memcg *memcg,
					    unsigned node)
{
	return (_Atomic long **)(memcg->stats + RSTAT_ARRAYS * rstat->layout.memcg_items) + node;
}

static inline struct rstat_links *rstat_links(unsigned char *area, const struct rstat_memcg *memcg)
{
	return (struct rstat_links *)(area + memcg->object);
}

static inline struct rstat_head *rstat_head(const struct rstat *rstat, unsigned char *area,
					    const struct rstat_memcg *memcg)
{
	return (struct rstat_head *)(area + memcg->object + rstat->layout.head_offset);
}

/* A CPU's items of a memcg; behind them as many previous values. */
static inline _Atomic long *rstat_memcg_items(const struct rstat *rstat, unsigned char *area,
					      const struct rstat_memcg *memcg)
{
	return (_Atomic long *)(rstat_head(rstat, area, memcg) + 1);
}

/* The same of its lruvec on one node. */
static inline _Atomic long *rstat_node_items(const struct rstat *rstat, unsigned char *area,
					     const struct rstat_memcg *memcg, unsigned node)
{
	return (_Atomic long *)(area + memcg->object + rstat->layout.lruvec_offset +
				node * rstat->layout.lruvec_bytes);
}

/* Where CPU time is kept: of a CPU and of the subtree; and the lock of a CPU's tree of it. */
static inline struct rstat_cputime *rstat_cputime(const struct rstat *rstat, unsigned char *area,
						  const struct rstat_memcg *memcg)
{
	return (struct rstat_cputime *)(area + memcg->object + rstat->layout.cputime_offset);
}

static inline struct rstat_cputime_sums *rstat_cputime_sums(const struct rstat *rstat,
							    struct rstat_memcg *memcg)
{
	return (struct rstat_cputime_sums *)((unsigned char *)memcg +
					     rstat->layout.cputime_sums_offset);
}

static inline struct rstat_lock *rstat_cputime_tree_lock(unsigned char *area)
{
	return (struct rstat_lock *)(area + sizeof(struct rstat_cpu));
}

/* Since 6.6 flushes keep local counts, too, and thresholds are per memcg: here from v6.8 on. */
static inline bool rstat_counts_per_memcg(const struct rstat *rstat)
{
	return rstat->rules >= FLUSH_V6_8;
}

void rstat_layout(const struct point *point, struct rstat_layout *layout);

/* Files that its counters hold all items of, but in the lean layout. */
#define RSTAT_FILES (1u << STAT_NUMA_V2 | 1u << STAT_MEMORY_V1 | 1u << STAT_MEMORY_V2)

/* Operations of struct backend: rstat_layout.c, rstat_populate.c, rstat_update.c. */
uint64_t rstat_bytes(const struct point *point);
int rstat_create(const struct backend_env *env, void **instance, struct error *err);
void rstat_destroy(void *instance);
const struct region *rstat_regions(const void *instance, size_t *nr);
/* Once, on a fresh instance. */
int rstat_populate(void *instance, const struct charge_plan *plan, struct error *err);
void rstat_update(void *instance, const struct update *update);
void rstat_count_update(void *instance, const struct update *update, struct op_probe *probe);

/* rstat_stat.c: files but v1 memory.numa_stat. */
int rstat_read_stat(void *instance, const struct read_request *request, struct numa_counts *out);
int rstat_count_stat(void *instance, const struct read_request *request, struct numa_counts *out,
		     struct op_probe *probe);
/* Fill in their static items, for a point that reads one of them. */
void rstat_populate_items(struct rstat *rstat, const struct charge_plan *plan);

/* rstat_churn.c */
void rstat_memcg_add(void *instance, uint32_t memcg, uint32_t parent);
void rstat_memcg_remove(void *instance, uint32_t memcg);
/* rstat_update.c: put a memcg and its ancestors into the updated trees of a CPU. */
void rstat_link(const struct rstat *rstat, struct rstat_memcg *memcg, unsigned cpu);

/* rstat_flush.c: bring what all CPUs have updated in the subtree of a memcg to the shared counters,
 * whatever the rules say. */
void rstat_flush(void *instance, uint32_t memcg);
/* What a read of the memcg does first, as the rules of the point have it. */
void rstat_read_flush(const struct rstat *rstat, uint32_t memcg);
void rstat_count_read_flush(const struct rstat *rstat, uint32_t memcg, struct tally *t);

/* What a read of cpu.stat does under the tree that all share. */
void rstat_flush_to_cpu_stat(const struct rstat *rstat, uint32_t memcg, struct cpu_stat *out);
void rstat_count_flush_to_cpu_stat(const struct rstat *rstat, uint32_t memcg, struct cpu_stat *out,
				   struct tally *t);

/* rstat_cputime.c: where the point reads cpu.stat. */
int rstat_read_cpu_stat(void *instance, const struct read_request *request, struct cpu_stat *out);
int rstat_count_cpu_stat(void *instance, const struct read_request *request, struct cpu_stat *out,
			 struct op_probe *probe);
/* Flush the tree of its own that CPU time may have. */
void rstat_flush_cputime(const struct rstat *rstat, uint32_t memcg);
/* Add what is flushed already: `events` of one CPU, and what a memcg's subtree has to its parent's.
 */
void rstat_fill_cputime(const struct rstat *rstat, struct rstat_memcg *memcg, unsigned cpu,
			long events);
void rstat_fill_parent_cputime(const struct rstat *rstat, struct rstat_memcg *memcg);

/* rstat_locks.c: the flush locks, and what is known of them. */
int rstat_locks_init(struct rstat *rstat); /* `global` is mapped and zero. 0 or -errno */
void rstat_locks_fini(struct rstat *rstat);
struct lock_times *rstat_locks(void *instance, size_t *nr);

#endif
