// SPDX-License-Identifier: MIT
/*
 * See reader.h. READER_NAME is the function to define, and one of READER_NOW, READER_POINTERS and
 * READER_BRANCH says how it reads:
 *
 * - now: local counters only; a hierarchical cell is a walk over the tree;
 * - pointers: a sum over items is given which function reads one, four of them in all;
 * - branch: it is told local or maintained, and decides for each item.
 *
 * The shape is the kernel's: sums over items are functions that are called, not copied into each
 * row with what they are told made constant, as the kernel's have callers elsewhere, too; how one
 * item is read is inline, unless something points at it.
 */
#include "reader.h"

#include "backend/model_read.h"
#include "backend/model_walk.h"

#ifdef __clang__
#define OUT_OF_LINE __attribute__((noinline))
#else
#define OUT_OF_LINE __attribute__((noipa))
#endif

static inline uint64_t memcg_state_local(const struct model *model, const struct memcg *memcg,
					 unsigned item)
{
	return sum_possible(model, &memcg->local, item, SCOPE_LOCAL, NULL);
}

static inline uint64_t node_state_local(const struct model *model, const struct memcg_node *info,
					unsigned item)
{
	return sum_possible(model, &info->local, item, SCOPE_LOCAL, NULL);
}

#ifndef READER_NOW
static inline uint64_t memcg_state(const struct model *model, const struct memcg *memcg,
				   unsigned item)
{
	return read_shared(&memcg->stat[item], NULL);
}

static inline uint64_t node_state(const struct model *model, const struct memcg_node *info,
				  unsigned item)
{
	return read_shared(&info->stat[item], NULL);
}
#endif

OUT_OF_LINE static uint64_t nr_memcg_pages(const struct model *model, struct memcg *memcg,
					   unsigned mask, bool tree)
{
#ifdef READER_POINTERS
	uint64_t (*state)(const struct model *, const struct memcg *, unsigned) =
		tree ? memcg_state : memcg_state_local;
#endif
	uint64_t pages = 0;

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
		if (!(mask & (1u << lru)))
			continue;
#if defined(READER_POINTERS)
		pages += state(model, memcg, lru);
#elif defined(READER_BRANCH)
		if (tree)
			pages += memcg_state(model, memcg, lru);
		else
			pages += memcg_state_local(model, memcg, lru);
#else
		pages += memcg_state_local(model, memcg, lru);
#endif
	}
	return pages;
}

OUT_OF_LINE static uint64_t nr_node_pages(const struct model *model, struct memcg *memcg,
					  unsigned node, unsigned mask, bool tree)
{
	const struct memcg_node *info = *memcg_nodeinfo(model, memcg, node);
#ifdef READER_POINTERS
	uint64_t (*state)(const struct model *, const struct memcg_node *, unsigned) =
		tree ? node_state : node_state_local;
#endif
	uint64_t pages = 0;

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
		if (!(mask & (1u << lru)))
			continue;
#if defined(READER_POINTERS)
		pages += state(model, info, lru);
#elif defined(READER_BRANCH)
		if (tree)
			pages += node_state(model, info, lru);
		else
			pages += node_state_local(model, info, lru);
#else
		pages += node_state_local(model, info, lru);
#endif
	}
	return pages;
}

/* A row's sum (column 0) or one node's column. */
static inline uint64_t nr_pages(const struct model *model, struct memcg *memcg, unsigned column,
				unsigned mask, bool tree)
{
	if (column == 0)
		return nr_memcg_pages(model, memcg, mask, tree);
	return nr_node_pages(model, memcg, column - 1, mask, tree);
}

static inline uint64_t cell(const struct model *model, enum numa_scope scope, unsigned column,
			    unsigned mask)
{
	struct memcg *top = model_memcg(model, 0);
#ifdef READER_NOW
	uint64_t pages = 0;

	if (scope == SCOPE_LOCAL)
		return nr_pages(model, top, column, mask, false);
	for (struct memcg *at = top; at; at = walk_step(model, top, at, 0, NULL))
		pages += nr_pages(model, at, column, mask, false);
	return pages;
#else
	return nr_pages(model, top, column, mask, scope == SCOPE_HIERARCHICAL);
#endif
}

void READER_NAME(const struct model *model, enum numa_scope scope, struct numa_counts *out)
{
	unsigned nodes = model->layout.nodes;

	for (unsigned row = 0; row < NR_NUMA_ROWS; row++) {
		uint64_t *cells = &out->cells[numa_cell(nodes, scope, row, 0)];

		for (unsigned column = 0; column <= nodes; column++)
			cells[column] = cell(model, scope, column, numa_rows[row].lru_mask);
	}
}
