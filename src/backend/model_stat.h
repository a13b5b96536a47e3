/* SPDX-License-Identifier: MIT */
/*
 * What reading a file but v1 memory.numa_stat from a model is made of: items of rows, as the file's
 * table has them. Always-inlined with a tally (tally.h).
 */
#ifndef MEMCGBENCH_BACKEND_MODEL_STAT_H
#define MEMCGBENCH_BACKEND_MODEL_STAT_H

#include "backend/model_read.h"
#include "backend/model_walk.h"
#include "memcg/stat_items.h"

/* Where the per-CPU block of a column is told: of the memcg, or of its lruvec on a node. */
static __always_inline const uint64_t *column_local(const struct model *model, struct memcg *memcg,
						    unsigned column, struct tally *t)
{
	return column ? &node_info(model, memcg, column - 1, t)->local : &memcg->local;
}

/* One cell of one memcg, from its local per-CPU counters: each item over all possible CPUs. */
static __always_inline uint64_t local_cell(const struct model *model, struct memcg *memcg,
					   unsigned column, const struct stat_row_format *row,
					   enum numa_scope scope, struct tally *t)
{
	const uint64_t *local = column_local(model, memcg, column, t);
	uint64_t value = 0;

	for (unsigned i = 0; i < row->nr_items; i++)
		value += sum_possible(model, local, row->items[i], scope, t);
	return value;
}

/* One cell of a subtree, from maintained counters. */
static __always_inline uint64_t shared_cell(const struct model *model, struct memcg *memcg,
					    unsigned column, const struct stat_row_format *row,
					    struct tally *t)
{
	const _Atomic long *stat =
		column ? node_info(model, memcg, column - 1, t)->stat : memcg->stat;
	uint64_t value = 0;

	for (unsigned i = 0; i < row->nr_items; i++)
		value += read_shared(&stat[row->items[i]], t);
	return value;
}

/* The rows of the memcg itself: the same whatever is maintained. */
static __always_inline void read_local_stat(const struct model *model, struct memcg *memcg,
					    struct numa_counts *out, struct tally *t)
{
	unsigned row, column;
	uint64_t *cell;

	for_each_cell(cell, row, column, out, SCOPE_LOCAL) *cell =
		local_cell(model, memcg, column, &out->format->rows[row], SCOPE_LOCAL, t);
}

#endif
