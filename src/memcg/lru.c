// SPDX-License-Identifier: MIT
/* See lru.h. */
#include "memcg/lru.h"

#define ANON ((1u << LRU_INACTIVE_ANON) | (1u << LRU_ACTIVE_ANON))
#define FILE_BACKED ((1u << LRU_INACTIVE_FILE) | (1u << LRU_ACTIVE_FILE))
#define UNEVICTABLE (1u << LRU_UNEVICTABLE)

const char *const lru_names[NR_LRU_LISTS] = {
	"inactive_anon", "active_anon", "inactive_file", "active_file", "unevictable",
};

const struct numa_row_description numa_rows[NR_NUMA_ROWS] = {
	[NUMA_ROW_TOTAL] = {"total", ANON | FILE_BACKED | UNEVICTABLE},
	[NUMA_ROW_FILE] = {"file", FILE_BACKED},
	[NUMA_ROW_ANON] = {"anon", ANON},
	[NUMA_ROW_UNEVICTABLE] = {"unevictable", UNEVICTABLE},
};
