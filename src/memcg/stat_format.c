// SPDX-License-Identifier: MIT
/* See stat_format.h. Rows in the order in which kernels print them. */
#include "memcg/stat_format.h"

#include "memcg/stat_items.h"

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define PAGE_SIZE 4096u
#define LOCAL     (1u << SCOPE_LOCAL)
#define SUBTREE   (1u << SCOPE_HIERARCHICAL)

#define ROW(row, units, times, ...)                                                     \
	{                                                                               \
		.name = row, .unit = units, .scale = times,                             \
		.nr_items = COUNT(((unsigned[]){__VA_ARGS__})), .items = {__VA_ARGS__}, \
	}
#define PAGES(row, ...) ROW(row, STAT_PAGES, 1, __VA_ARGS__)
#define BYTES(row, ...) ROW(row, STAT_BYTES, PAGE_SIZE, __VA_ARGS__) /* of pages */
#define KIB(row, ...)   ROW(row, STAT_BYTES, 1024, __VA_ARGS__)
#define EVENT(row, ...) ROW(row, STAT_COUNT, 1, __VA_ARGS__)

#define LRU_ROWS                                                                                  \
	BYTES("inactive_anon", LRU_INACTIVE_ANON), BYTES("active_anon", LRU_ACTIVE_ANON),         \
		BYTES("inactive_file", LRU_INACTIVE_FILE), BYTES("active_file", LRU_ACTIVE_FILE), \
		BYTES("unevictable", LRU_UNEVICTABLE)

/* The same as masks are in lru.h. */
static const struct stat_row_format numa_v1[NR_NUMA_ROWS] = {
	[NUMA_ROW_TOTAL] = PAGES("total", LRU_INACTIVE_ANON, LRU_ACTIVE_ANON, LRU_INACTIVE_FILE,
				 LRU_ACTIVE_FILE, LRU_UNEVICTABLE),
	[NUMA_ROW_FILE] = PAGES("file", LRU_INACTIVE_FILE, LRU_ACTIVE_FILE),
	[NUMA_ROW_ANON] = PAGES("anon", LRU_INACTIVE_ANON, LRU_ACTIVE_ANON),
	[NUMA_ROW_UNEVICTABLE] = PAGES("unevictable", LRU_UNEVICTABLE),
};

static const struct stat_row_format numa_v2[] = {
	BYTES("anon", ITEM_ANON),
	BYTES("file", ITEM_FILE),
	KIB("kernel_stack", ITEM_KERNEL_STACK),
	BYTES("shmem", ITEM_SHMEM),
	BYTES("file_mapped", ITEM_FILE_MAPPED),
	BYTES("file_dirty", ITEM_FILE_DIRTY),
	BYTES("file_writeback", ITEM_FILE_WRITEBACK),
	BYTES("anon_thp", ITEM_ANON_THP),
	LRU_ROWS,
	BYTES("slab_reclaimable", ITEM_SLAB_RECLAIMABLE),
	BYTES("slab_unreclaimable", ITEM_SLAB_UNRECLAIMABLE),
};

static const struct stat_row_format memory_v1[] = {
	BYTES("cache", ITEM_FILE),
	BYTES("rss", ITEM_ANON),
	BYTES("rss_huge", ITEM_ANON_THP),
	BYTES("shmem", ITEM_SHMEM),
	BYTES("mapped_file", ITEM_FILE_MAPPED),
	BYTES("dirty", ITEM_FILE_DIRTY),
	BYTES("writeback", ITEM_FILE_WRITEBACK),
	BYTES("swap", ITEM_SWAP),
	EVENT("pgpgin", EVENT_PGPGIN),
	EVENT("pgpgout", EVENT_PGPGOUT),
	EVENT("pgfault", EVENT_PGFAULT),
	EVENT("pgmajfault", EVENT_PGMAJFAULT),
	LRU_ROWS,
};

static const struct stat_row_format memory_v2[] = {
	BYTES("anon", ITEM_ANON),
	BYTES("file", ITEM_FILE),
	KIB("kernel_stack", ITEM_KERNEL_STACK),
	BYTES("slab", ITEM_SLAB_RECLAIMABLE, ITEM_SLAB_UNRECLAIMABLE),
	BYTES("sock", ITEM_SOCK),
	BYTES("shmem", ITEM_SHMEM),
	BYTES("file_mapped", ITEM_FILE_MAPPED),
	BYTES("file_dirty", ITEM_FILE_DIRTY),
	BYTES("file_writeback", ITEM_FILE_WRITEBACK),
	BYTES("anon_thp", ITEM_ANON_THP),
	LRU_ROWS,
	BYTES("slab_reclaimable", ITEM_SLAB_RECLAIMABLE),
	BYTES("slab_unreclaimable", ITEM_SLAB_UNRECLAIMABLE),
	EVENT("pgfault", EVENT_PGFAULT),
	EVENT("pgmajfault", EVENT_PGMAJFAULT),
	EVENT("workingset_refault", ITEM_WORKINGSET_REFAULT),
	EVENT("workingset_activate", ITEM_WORKINGSET_ACTIVATE),
	EVENT("workingset_nodereclaim", ITEM_WORKINGSET_NODERECLAIM),
	EVENT("pgrefill", EVENT_PGREFILL),
	EVENT("pgscan", EVENT_PGSCAN_KSWAPD, EVENT_PGSCAN_DIRECT),
	EVENT("pgsteal", EVENT_PGSTEAL_KSWAPD, EVENT_PGSTEAL_DIRECT),
	EVENT("pgactivate", EVENT_PGACTIVATE),
	EVENT("pgdeactivate", EVENT_PGDEACTIVATE),
	EVENT("pglazyfree", EVENT_PGLAZYFREE),
	EVENT("pglazyfreed", EVENT_PGLAZYFREED),
	EVENT("thp_fault_alloc", EVENT_THP_FAULT_ALLOC),
	EVENT("thp_collapse_alloc", EVENT_THP_COLLAPSE_ALLOC),
};

const struct stat_format stat_formats[] = {
	[STAT_NUMA_V1] = {.type = STAT_NUMA_V1,
			  .scopes = LOCAL | SUBTREE,
			  .hierarchical_prefix = HIERARCHICAL_PREFIX,
			  .has_sum = true,
			  .has_nodes = true,
			  .nr_rows = COUNT(numa_v1),
			  .rows = numa_v1},
	[STAT_NUMA_V2] = {.type = STAT_NUMA_V2,
			  .scopes = SUBTREE,
			  .hierarchical_prefix = "",
			  .has_nodes = true,
			  .nr_rows = COUNT(numa_v2),
			  .rows = numa_v2},
	[STAT_MEMORY_V1] = {.type = STAT_MEMORY_V1,
			    .scopes = LOCAL | SUBTREE,
			    .hierarchical_prefix = "total_",
			    .has_sum = true,
			    .has_limits = true,
			    .nr_rows = COUNT(memory_v1),
			    .rows = memory_v1},
	[STAT_MEMORY_V2] = {.type = STAT_MEMORY_V2,
			    .scopes = SUBTREE,
			    .hierarchical_prefix = "",
			    .has_sum = true,
			    .nr_rows = COUNT(memory_v2),
			    .rows = memory_v2},
};

unsigned stat_row_lists(const struct stat_row_format *row)
{
	unsigned lists = 0;

	for (unsigned i = 0; i < row->nr_items; i++)
		lists += row->items[i] < NR_LRU_LISTS;
	return lists;
}

unsigned stat_block_items(const struct stat_format *format, unsigned nr_nodes)
{
	unsigned items = 0;

	for (unsigned row = 0; row < format->nr_rows; row++)
		items += format->rows[row].nr_items;
	return items * stat_nr_columns(format, nr_nodes);
}

bool stat_shows_items(const struct stat_format *format)
{
	for (unsigned row = 0; row < format->nr_rows; row++)
		if (stat_row_lists(&format->rows[row]) < format->rows[row].nr_items)
			return true;
	return false;
}
