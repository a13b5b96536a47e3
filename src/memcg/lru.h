/* SPDX-License-Identifier: MIT */
/* LRU lists, and the rows of memory.numa_stat as masks of them. The one place that knows a mask. */
#ifndef MEMCGBENCH_MEMCG_LRU_H
#define MEMCGBENCH_MEMCG_LRU_H

enum lru_list {
	LRU_INACTIVE_ANON,
	LRU_ACTIVE_ANON,
	LRU_INACTIVE_FILE,
	LRU_ACTIVE_FILE,
	LRU_UNEVICTABLE,
	NR_LRU_LISTS,
};

enum numa_row {
	NUMA_ROW_TOTAL,
	NUMA_ROW_FILE,
	NUMA_ROW_ANON,
	NUMA_ROW_UNEVICTABLE,
	NR_NUMA_ROWS,
};

/* The two blocks of rows that v1 memory.numa_stat prints, in its order. */
enum numa_scope {
	SCOPE_LOCAL,
	SCOPE_HIERARCHICAL,
	NR_SCOPES,
};

/* In front of the names of hierarchical rows. */
#define HIERARCHICAL_PREFIX "hierarchical_"

struct numa_row_description {
	const char *name;  /* "total"; hierarchical rows print "hierarchical_total" */
	unsigned lru_mask; /* bit i: LRU list i is in the sum */
};

/* The lists that a row is the sum of. */
enum lru_mask {
	LRU_MASK_ANON = (1u << LRU_INACTIVE_ANON) | (1u << LRU_ACTIVE_ANON),
	LRU_MASK_FILE = (1u << LRU_INACTIVE_FILE) | (1u << LRU_ACTIVE_FILE),
	LRU_MASK_UNEVICTABLE = 1u << LRU_UNEVICTABLE,
	LRU_MASK_TOTAL = LRU_MASK_ANON | LRU_MASK_FILE | LRU_MASK_UNEVICTABLE,
};

/* numa_rows[row].lru_mask, a constant where `row` is one. */
static inline unsigned numa_row_mask(enum numa_row row)
{
	switch (row) {
	case NUMA_ROW_FILE:
		return LRU_MASK_FILE;
	case NUMA_ROW_ANON:
		return LRU_MASK_ANON;
	case NUMA_ROW_UNEVICTABLE:
		return LRU_MASK_UNEVICTABLE;
	default:
		return LRU_MASK_TOTAL;
	}
}

extern const char *const lru_names[NR_LRU_LISTS];
extern const struct numa_row_description numa_rows[NR_NUMA_ROWS];

static inline unsigned numa_row_items(enum numa_row row)
{
	return (unsigned)__builtin_popcount(numa_rows[row].lru_mask);
}

#endif
