/* SPDX-License-Identifier: MIT */
/*
 * The memory of `bounded` (bounded.c says why it is so).
 *
 * For each memcg and node a struct bounded_node, on that node: what is known of the subtree's pages
 * on the first line, and on the second, which is seldom written, how much CPUs may hold back and
 * who they are. For each memcg a struct bounded_memcg on the creator's node, as in the kernel.
 * Per-CPU, for each memcg and node: a line that counts the subtree, and one that counts the memcg
 * itself. An update walks up the former by offsets, and meets no line but its CPU's own.
 *
 * What is called a level is 0, or 1 + the binary logarithm of how many pages a CPU may hold back.
 */
#ifndef MEMCGBENCH_BACKEND_BOUNDED_H
#define MEMCGBENCH_BACKEND_BOUNDED_H

#include "backend/areas.h"
#include "backend/backend.h"
#include "backend/cpumask.h"
#include "backend/rstat_lock.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At most 2^20 pages, as counters.batch: with an event of less than 2^30 pages on top, the 32-bit
 * difference of what was counted and what was told cannot wrap. */
#define BOUNDED_LEVELS 21

/* Of the root's line: there is none above. */
#define BOUNDED_TOP UINT64_MAX

struct bounded_node;
struct tally;

/* One CPU's part of the subtree of one memcg on one node. A line, but for skewed areas, which start
 * anywhere in one. */
struct bounded_line {
	_Atomic uint32_t counted[NR_LRU_LISTS]; /* modulo 2^32; by its CPU */
	_Atomic uint32_t told[NR_LRU_LISTS]; /* of it, added to the node's counter; by anyone */
	_Atomic uint8_t level[NR_LRU_LISTS]; /* by the lock's holder */
	struct bounded_node *node;
	uint64_t parent; /* offset of the parent memcg's line in the same area, or BOUNDED_TOP */
};
_Static_assert(sizeof(struct bounded_line) == STRUCT_ALIGN, "a CPU's part is one line");

/* What one CPU counted in the memcg itself. By its CPU alone; others read `pages`. */
struct bounded_local {
	_Atomic long pages[NR_LRU_LISTS]; /* exact */
	uint32_t listed; /* the CPU's bit in the node's mask of users is set */
	unsigned char pad[STRUCT_ALIGN - NR_LRU_LISTS * sizeof(long) - sizeof(uint32_t)];
};
_Static_assert(sizeof(struct bounded_local) == STRUCT_ALIGN, "a CPU's own pages are one line");

/* Adjacent, as an event in the memcg itself meets both. */
struct bounded_cpu {
	struct bounded_line line;
	struct bounded_local local;
};

struct bounded_node {
	alignas(STRUCT_ALIGN) _Atomic long stat[NR_LRU_LISTS]; /* what all CPUs have told */
	alignas(STRUCT_ALIGN) _Atomic long unit; /* pages there must be for each page of a level */
	uint64_t line; /* offset of the struct bounded_cpu in each CPU's area */
	struct rstat_lock lock; /* of all levels, the unit and the holders; not of counters */
	_Atomic uint8_t level[NR_LRU_LISTS];
	unsigned long masks[]; /* bounded_users(), bounded_holders() */
};

struct bounded_memcg {
	struct bounded_node *node[1]; /* [N] */
};

/* Sizes in bytes: a pure function of the point. */
struct bounded_layout {
	uint32_t memcgs; /* M' */
	uint32_t slots; /* and room for those that come and go */
	unsigned nodes, cpus, words; /* words of a mask of CPUs */
	uint64_t memcg_bytes, node_object_bytes;
	uint64_t area_bytes; /* from one CPU's to the next's */
	uint64_t memcgs_offset, shared_bytes; /* in the shared region; 0 holds the areas' bases */
	uint64_t node_bytes; /* all struct bounded_node of one node */
};

struct bounded {
	const struct point *point;
	struct bounded_layout layout;
	uint64_t error_ppm;
	unsigned levels; /* the largest there may be; 0 where no error is allowed */
	unsigned char **area; /* [C] */
	unsigned char *memcgs;
	unsigned char **nodes; /* [N] */
	struct region_list regions;
	bool populated;
};

static inline struct bounded_memcg *bounded_memcg(const struct bounded *bounded, uint32_t memcg)
{
	return (struct bounded_memcg *)(bounded->memcgs + memcg * bounded->layout.memcg_bytes);
}

static inline struct bounded_cpu *bounded_cpu(const struct bounded *bounded, unsigned cpu,
					      uint64_t offset)
{
	return (struct bounded_cpu *)(bounded->area[cpu] + offset);
}

/* Who ever counted in the memcg itself: bits are set by their CPUs and never cleared. */
static inline _Atomic unsigned long *bounded_users(struct bounded_node *node)
{
	return (_Atomic unsigned long *)node->masks;
}

/* Who may hold something back of the subtree, or ever could: under the lock. */
static inline unsigned long *bounded_holders(const struct bounded *bounded,
					     struct bounded_node *node)
{
	return node->masks + bounded->layout.words;
}

/* Pages a CPU may hold back at a level. */
static inline long bounded_limit(unsigned level)
{
	return (1l << level) >> 1;
}

/* How many pages there must be for each page of a level with so many holders: then what all of them
 * can hold back is e/(1+e) of what is known, hence at most e of what there is. */
static inline long bounded_unit(uint64_t error_ppm, unsigned holders)
{
	uint64_t whole = holders * (1000000 + error_ppm);

	return error_ppm ? (long)((whole + error_ppm - 1) / error_ppm) : 1;
}

/* With at least one, as nobody has a level before the first has joined. */
static inline void bounded_set_unit(const struct bounded *bounded, struct bounded_node *node)
{
	const unsigned long *holders = bounded_holders(bounded, node);
	unsigned nr = 0;

	for (unsigned w = 0; w < bounded->layout.words; w++)
		nr += (unsigned)__builtin_popcountl(holders[w]);
	atomic_store(&node->unit, bounded_unit(bounded->error_ppm, nr ? nr : 1));
}

/* A level may stay as long as its floor is known to be there; it is taken up with half as much
 * again, so that a value must move by a third before all holders are visited. */
static inline bool bounded_holds(unsigned level, long unit, long pages)
{
	return level == 0 || bounded_limit(level) * unit <= pages;
}

static inline bool bounded_fits(unsigned level, long unit, long pages)
{
	return level == 0 || 3 * bounded_limit(level) * unit <= 2 * pages;
}

uint64_t bounded_bytes(const struct point *point);
int bounded_create(const struct backend_env *env, void **instance, struct error *err);
void bounded_destroy(void *instance);
const struct region *bounded_regions(const void *instance, size_t *nr);

int bounded_populate(void *instance, const struct charge_plan *plan, struct error *err);
void bounded_update(void *instance, const struct update *update);
void bounded_count_update(void *instance, const struct update *update, struct op_probe *probe);
void bounded_memcg_add(void *instance, uint32_t memcg, uint32_t parent);
void bounded_memcg_remove(void *instance, uint32_t memcg);

#endif
