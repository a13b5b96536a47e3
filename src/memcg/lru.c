// SPDX-License-Identifier: MIT
/* See lru.h. */
#include "memcg/lru.h"

const char *const lru_names[NR_LRU_LISTS] = {
	"inactive_anon", "active_anon", "inactive_file", "active_file", "unevictable",
};

const struct numa_row_description numa_rows[NR_NUMA_ROWS] = {
	[NUMA_ROW_TOTAL] = {"total", LRU_MASK_TOTAL},
	[NUMA_ROW_FILE] = {"file", LRU_MASK_FILE},
	[NUMA_ROW_ANON] = {"anon", LRU_MASK_ANON},
	[NUMA_ROW_UNEVICTABLE] = {"unevictable", LRU_MASK_UNEVICTABLE},
};
