/* SPDX-License-Identifier: MIT */
/*
 * Items of memory statistics beside the LRU lists: which counter of a block is which, and what a
 * memcg holds of it. The one place that knows either.
 *
 * A block of a memcg has 40 states and behind them events; a block of an lruvec the states up to
 * NR_NODE_ITEMS, at the same places. The LRU lists are the first five. What a kernel counts and
 * none of its files shows has no name here, and its counters stay 0.
 *
 * Only the LRU lists ever change. The other items are static and exact: no batch holds anything of
 * them back. They follow from the pages that were charged, list by list, so that rows fit together
 * as on a real system: what is anonymous and what is in files are all pages on the lists together,
 * shared memory being on anonymous lists and counted as files; pages that came less pages that
 * went are those charged.
 */
#ifndef MEMCGBENCH_MEMCG_STAT_ITEMS_H
#define MEMCGBENCH_MEMCG_STAT_ITEMS_H

#include "memcg/lru.h"

#include <stdbool.h>

enum stat_item {
	/* of lruvecs, and of memcgs; the LRU lists come before them */
	ITEM_SLAB_RECLAIMABLE = NR_LRU_LISTS,
	ITEM_SLAB_UNRECLAIMABLE,
	ITEM_ANON,
	ITEM_FILE,
	ITEM_SHMEM,
	ITEM_FILE_MAPPED,
	ITEM_FILE_DIRTY,
	ITEM_FILE_WRITEBACK,
	ITEM_ANON_THP, /* pages, 512 of each */
	ITEM_KERNEL_STACK, /* KiB */
	ITEM_WORKINGSET_REFAULT,
	ITEM_WORKINGSET_ACTIVATE,
	ITEM_WORKINGSET_NODERECLAIM,
	NR_NODE_ITEMS,
	/* of memcgs only */
	ITEM_SWAP = 36,
	ITEM_SOCK,
	NR_STATE_ITEMS = 40,
	EVENT_PGPGIN = NR_STATE_ITEMS,
	EVENT_PGPGOUT,
	EVENT_PGFAULT,
	EVENT_PGMAJFAULT,
	EVENT_PGREFILL,
	EVENT_PGSCAN_KSWAPD,
	EVENT_PGSCAN_DIRECT,
	EVENT_PGSTEAL_KSWAPD,
	EVENT_PGSTEAL_DIRECT,
	EVENT_PGACTIVATE,
	EVENT_PGDEACTIVATE,
	EVENT_PGLAZYFREE,
	EVENT_PGLAZYFREED,
	EVENT_THP_FAULT_ALLOC,
	EVENT_THP_COLLAPSE_ALLOC,
	NR_STAT_ITEMS,
};

/* Is it an item that some file shows, and no LRU list? */
bool stat_item_is_static(unsigned item);
/* What pages charged to a list bring to a static item, in its unit: pages, KiB or events. */
long stat_item_value(enum stat_item item, enum lru_list lru, long pages);

#endif
