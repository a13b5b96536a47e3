/* SPDX-License-Identifier: MIT */
/*
 * The files that are printed: a table of rows for each, which items a row adds up, in which unit.
 *
 * - v1 memory.numa_stat: pages, each row a sum and a column for each node (numa_stat.h).
 * - v2 memory.numa_stat as it was introduced (Linux 5.10): bytes, columns without a sum, of the
 *   subtree alone.
 * - v1 memory.stat as Linux 5.x prints it: bytes and events of the memcg itself, two limits, and
 * the same rows of the subtree as total_*.
 * - v2 memory.stat as Linux 5.x prints it: bytes and events, of the subtree alone.
 *
 * v2 tells anonymous pages from those of files by type, v1's numa_stat by list: shared memory is in
 * another row, and locked pages are in both.
 */
#ifndef MEMCGBENCH_MEMCG_STAT_FORMAT_H
#define MEMCGBENCH_MEMCG_STAT_FORMAT_H

#include "memcg/lru.h"
#include "memcg/stat_parse.h"

#include <stdbool.h>
#include <stddef.h>

struct stat_row_format {
	const char *name;
	enum stat_unit unit;
	unsigned scale; /* what is printed is so many times what is counted */
	unsigned nr_items;
	unsigned char items[NR_LRU_LISTS];
};

struct stat_format {
	enum stat_type type;
	unsigned scopes; /* blocks of rows that there are: bits of enum numa_scope */
	const char *hierarchical_prefix; /* in front of the names of rows of the subtree */
	bool has_sum; /* column 0: the memcg's own counter */
	bool has_nodes; /* column 1 + k: that of its lruvec on the k-th node */
	bool has_limits; /* two, between the blocks */
	unsigned nr_rows; /* of a block */
	const struct stat_row_format *rows;
};

extern const struct stat_format stat_formats[]; /* by enum stat_type; none for STAT_AUTO */

/* Columns there are, and the first. */
static inline unsigned stat_first_column(const struct stat_format *format)
{
	return format->has_sum ? 0 : 1;
}

static inline unsigned stat_end_column(const struct stat_format *format, unsigned nr_nodes)
{
	return format->has_nodes ? 1 + nr_nodes : 1;
}

static inline unsigned stat_nr_columns(const struct stat_format *format, unsigned nr_nodes)
{
	return stat_end_column(format, nr_nodes) - stat_first_column(format);
}

/* How many LRU lists a row adds up: what of it may change. */
unsigned stat_row_lists(const struct stat_row_format *row);
/* Counters that one block of rows is read from, each as often as it is read. */
unsigned stat_block_items(const struct stat_format *format, unsigned nr_nodes);
/* Does it show anything but LRU lists? */
bool stat_shows_items(const struct stat_format *format);

#endif
