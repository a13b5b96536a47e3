// SPDX-License-Identifier: MIT
/*
 * See stat_items.h. Shares are those of a server that has been up for some days: a tenth of what is
 * on anonymous lists is shared memory, half of what is locked is anonymous, every page came three
 * times and went twice.
 */
#include "memcg/stat_items.h"

#define HUGE_PAGES 512

/* Pages that items are shares of. */
enum base {
	OF_NOTHING,
	OF_ALL,
	OF_ANON,
	OF_FILE,
	OF_SHMEM,
};

/* floor(base x times / divisor / step) x step */
struct share {
	enum base base;
	long times, divisor, step;
};

static const struct share shares[NR_STAT_ITEMS] = {
	[ITEM_SLAB_RECLAIMABLE] = {OF_FILE, 1, 16, 1},
	[ITEM_SLAB_UNRECLAIMABLE] = {OF_ANON, 1, 32, 1},
	[ITEM_ANON] = {OF_ANON, 1, 1, 1},
	[ITEM_FILE] = {OF_FILE, 1, 1, 1},
	[ITEM_SHMEM] = {OF_SHMEM, 1, 1, 1},
	[ITEM_FILE_MAPPED] = {OF_FILE, 1, 3, 1},
	[ITEM_FILE_DIRTY] = {OF_FILE, 1, 50, 1},
	[ITEM_FILE_WRITEBACK] = {OF_FILE, 1, 400, 1},
	[ITEM_ANON_THP] = {OF_ANON, 1, 4, HUGE_PAGES},
	/* a thread's 16 KiB for each MiB */
	[ITEM_KERNEL_STACK] = {OF_ANON, 16, 256, 16},
	[ITEM_WORKINGSET_REFAULT] = {OF_FILE, 1, 2, 1},
	[ITEM_WORKINGSET_ACTIVATE] = {OF_FILE, 1, 8, 1},
	[ITEM_WORKINGSET_NODERECLAIM] = {OF_FILE, 1, 1000, 1},
	[ITEM_SWAP] = {OF_ANON, 1, 20, 1},
	[ITEM_SOCK] = {OF_ANON, 1, 500, 1},
	[EVENT_PGPGIN] = {OF_ALL, 3, 1, 1},
	[EVENT_PGPGOUT] = {OF_ALL, 2, 1, 1},
	[EVENT_PGFAULT] = {OF_ALL, 5, 1, 1},
	[EVENT_PGMAJFAULT] = {OF_FILE, 1, 100, 1},
	[EVENT_PGREFILL] = {OF_ALL, 1, 1, 1},
	[EVENT_PGSCAN_KSWAPD] = {OF_FILE, 3, 1, 1},
	[EVENT_PGSCAN_DIRECT] = {OF_FILE, 1, 5, 1},
	[EVENT_PGSTEAL_KSWAPD] = {OF_FILE, 2, 1, 1},
	[EVENT_PGSTEAL_DIRECT] = {OF_FILE, 1, 8, 1},
	[EVENT_PGACTIVATE] = {OF_ALL, 1, 2, 1},
	[EVENT_PGDEACTIVATE] = {OF_ALL, 1, 4, 1},
	[EVENT_PGLAZYFREE] = {OF_ANON, 1, 40, 1},
	[EVENT_PGLAZYFREED] = {OF_ANON, 1, 80, 1},
	[EVENT_THP_FAULT_ALLOC] = {OF_ANON, 3, 4 * HUGE_PAGES, 1},
	[EVENT_THP_COLLAPSE_ALLOC] = {OF_ANON, 1, 4 * HUGE_PAGES, 1},
};

/* Each page is anonymous or of a file. */
static long base_pages(enum base base, enum lru_list lru, long pages)
{
	bool anon_list = lru == LRU_INACTIVE_ANON || lru == LRU_ACTIVE_ANON;
	long shmem = anon_list ? pages / 10 : 0, anon = 0;

	if (anon_list)
		anon = pages - shmem;
	else if (lru == LRU_UNEVICTABLE)
		anon = pages / 2;
	switch (base) {
	case OF_NOTHING:
		break;
	case OF_ALL:
		return pages;
	case OF_ANON:
		return anon;
	case OF_FILE:
		return pages - anon;
	case OF_SHMEM:
		return shmem;
	}
	return 0;
}

bool stat_item_is_static(unsigned item)
{
	return item < NR_STAT_ITEMS && shares[item].base != OF_NOTHING;
}

long stat_item_value(enum stat_item item, enum lru_list lru, long pages)
{
	const struct share *share = &shares[item];

	if (!stat_item_is_static(item))
		return 0;
	return base_pages(share->base, lru, pages) * share->times / share->divisor / share->step *
	       share->step;
}
