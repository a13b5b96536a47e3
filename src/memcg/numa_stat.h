/* SPDX-License-Identifier: MIT */
/*
 * The counts behind a file, and the text of memory.numa_stat as cgroup v1 prints it:
 *
 *     total=44611 N0=32631 N1=7501
 *     ... file, anon, unevictable, then the same four with hierarchical_ in front
 *
 * The row sum and the columns are separate counters; the sum of the columns need not be the row's.
 */
#ifndef MEMCGBENCH_MEMCG_NUMA_STAT_H
#define MEMCGBENCH_MEMCG_NUMA_STAT_H

#include "memcg/lru.h"
#include "memcg/stat_format.h"

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

/*
 * Counts by scope, row and column, as the file's format has rows and columns; column 0 is the row's
 * sum, column 1 + k the node nids[k]. In pages but for rows that count something else.
 */
struct numa_counts {
	const struct stat_format *format;
	unsigned nr_nodes;
	const uint16_t *nids; /* [nr_nodes], ascending; not owned */
	uint64_t *cells; /* [NR_SCOPES][rows][columns], owned */
};

/* Of v1 memory.numa_stat, and of any file. */
int numa_counts_init(struct numa_counts *counts, unsigned nr_nodes, const uint16_t *nids);
int stat_counts_init(struct numa_counts *counts, const struct stat_format *format,
		     unsigned nr_nodes, const uint16_t *nids);
void numa_counts_fini(struct numa_counts *counts);

static inline bool counts_are_numa_v1(const struct numa_counts *counts)
{
	return counts->format == &stat_formats[STAT_NUMA_V1];
}

static inline size_t stat_nr_cells(const struct numa_counts *counts)
{
	return (size_t)NR_SCOPES * counts->format->nr_rows *
	       stat_nr_columns(counts->format, counts->nr_nodes);
}

static inline size_t stat_cell(const struct numa_counts *counts, enum numa_scope scope,
			       unsigned row, unsigned column)
{
	const struct stat_format *format = counts->format;

	return ((size_t)scope * format->nr_rows + row) * stat_nr_columns(format, counts->nr_nodes) +
	       column - stat_first_column(format);
}

/* Every cell of a block of rows, in the order of the file; `cell` is a variable for an lvalue. */
#define for_each_cell(cell, row, column, out, scope)                              \
	for ((cell) = &(out)->cells[stat_cell((out), (scope), 0,                  \
					      stat_first_column((out)->format))], \
	    (row) = 0;                                                            \
	     (row) < (out)->format->nr_rows; (row)++)                             \
		for ((column) = stat_first_column((out)->format);                 \
		     (column) < stat_end_column((out)->format, (out)->nr_nodes);  \
		     (column)++, (cell)++)

/* The same of v1 memory.numa_stat, for those who read nothing else. */

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
