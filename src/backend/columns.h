/* SPDX-License-Identifier: MIT */
/* The cells of one column from the five counters of a memcg, each read once. For models that load
 * no counter twice; the kernel loads it again for every row that it is part of. */
#ifndef MEMCGBENCH_BACKEND_COLUMNS_H
#define MEMCGBENCH_BACKEND_COLUMNS_H

#include "memcg/numa_stat.h"

#include <sys/cdefs.h> /* __always_inline */

/* A list below 0, for updates out of order, reads as 0. */
static __always_inline void put_column(struct numa_counts *out, unsigned nodes,
				       enum numa_scope scope, unsigned column,
				       const long lists[NR_LRU_LISTS])
{
	uint64_t *cell = &out->cells[numa_cell(nodes, scope, 0, column)];
	uint64_t pages[NR_LRU_LISTS];

#pragma GCC unroll 5
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		pages[lru] = lists[lru] > 0 ? (uint64_t)lists[lru] : 0;
#pragma GCC unroll 4
	for (unsigned row = 0; row < NR_NUMA_ROWS; row++) {
		uint64_t sum = 0;

#pragma GCC unroll 5
		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
			if (numa_row_mask((enum numa_row)row) & (1u << lru))
				sum += pages[lru];
		*cell = sum;
		cell += 1 + nodes;
	}
}

#endif
