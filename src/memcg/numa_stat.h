/* SPDX-License-Identifier: MIT */
/*
 * The counts behind memory.numa_stat, and their text as cgroup v1 prints it:
 *
 *     total=44611 N0=32631 N1=7501
 *     ... file, anon, unevictable, then the same four with hierarchical_ in front
 *
 * The row sum and the columns are separate counters; the sum of the columns need not be the row's.
 */
#ifndef MEMCGBENCH_MEMCG_NUMA_STAT_H
#define MEMCGBENCH_MEMCG_NUMA_STAT_H

#include "memcg/lru.h"

#include <stddef.h>
#include <stdint.h>

/* Which blocks of rows. */
enum {
	ROWS_LOCAL = 1u << SCOPE_LOCAL,
	ROWS_HIERARCHICAL = 1u << SCOPE_HIERARCHICAL,
	ROWS_ALL = ROWS_LOCAL | ROWS_HIERARCHICAL,
};

enum text_style {
	TEXT_SEQ_PRINTF, /* one formatted print per cell, as seq_printf() costs */
	TEXT_FAST, /* digits by hand; the same bytes */
};

/* Pages, by scope, row and column; column 0 is the row's sum, column 1 + k the node nids[k]. */
struct numa_counts {
	unsigned nr_nodes;
	const uint16_t *nids; /* [nr_nodes], ascending; not owned */
	uint64_t *cells; /* [NR_SCOPES][NR_NUMA_ROWS][1 + nr_nodes], owned */
};

/* All cells 0. The node ids, as a point has them, outlive the counts. -ENOMEM. */
int numa_counts_init(struct numa_counts *counts, unsigned nr_nodes, const uint16_t *nids);
void numa_counts_fini(struct numa_counts *counts);

static inline size_t numa_nr_cells(unsigned nr_nodes)
{
	return (size_t)NR_SCOPES * NR_NUMA_ROWS * (1 + nr_nodes);
}

static inline size_t numa_cell(unsigned nr_nodes, enum numa_scope scope, enum numa_row row,
			       unsigned column)
{
	return ((size_t)scope * NR_NUMA_ROWS + row) * (1 + nr_nodes) + column;
}

/* Bytes that any text with `nr_nodes` columns fits in, the terminating NUL included. */
size_t numa_stat_text_max(unsigned nr_nodes);

/*
 * Print the blocks of `rows` into buffer[0..size). Returns the length without the NUL, or -ENOSPC
 * (what fitted is there). Byte for byte what the kernel prints for these counts.
 */
long numa_stat_text(const struct numa_counts *counts, unsigned rows, enum text_style style,
		    char *buffer, size_t size);

#endif
