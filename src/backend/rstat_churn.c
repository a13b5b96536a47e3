// SPDX-License-Identifier: MIT
/*
 * Memcgs that come and go under rstat, as css_rstat_exit() has it: one that leaves is flushed,
 * whatever the rules say of reads, and is in no CPU's updated tree from then on. What it counted
 * is pending in its parent, which is still in these trees and takes it up at its next flush.
 *
 * Reads take no references here and do not walk, so nothing changes for a memcg that is dying.
 *
 * An update may find its memcg in the tree while a flush takes it out, and stay behind until the
 * next one (rstat_update.c). A memcg that leaves has no next one, and its ancestors would keep
 * those pages for ever. The kernel looks at each CPU's links once more here, and warns; the model
 * looks at the items, too, and flushes again where there is something left.
 */
#include "backend/rstat.h"

#include <string.h>

/*
 * Nobody can find the memcg: plain stores. What flushes last wrote is seen, for they and the flush
 * in rstat_memcg_remove() held one lock after the other.
 */
static void clear_counters(struct rstat *rstat, struct rstat_memcg *memcg)
{
	const struct rstat_layout *layout = &rstat->layout;

	for (unsigned cpu = 0; cpu < rstat->nr_possible; cpu++)
		memset(rstat->area[cpu] + memcg->object, 0, layout->object_bytes);
	memset((void *)memcg->stats, 0, RSTAT_ARRAYS * layout->memcg_items * sizeof(*memcg->stats));
	for (unsigned node = 0; node < layout->nodes; node++)
		memset((void *)*rstat_nodeinfo(rstat, memcg, node), 0, layout->node_bytes);
	if (rstat->cputime)
		memset((void *)rstat_cputime_sums(rstat, memcg), 0,
		       sizeof(struct rstat_cputime_sums));
	atomic_store_explicit(&memcg->updates, 0, memory_order_relaxed);
	memcg->flush_next = NULL;
	memcg->flush = 0;
}

void rstat_memcg_add(void *instance, uint32_t memcg, uint32_t parent)
{
	struct rstat *rstat = instance;
	struct rstat_memcg *child = rstat_memcg(rstat, memcg);

	clear_counters(rstat, child);
	child->parent = rstat_memcg(rstat, parent);
	/* Others find it once an update has linked it, under the CPU's lock. */
	for (unsigned cpu = 0; cpu < rstat->nr_possible; cpu++) {
		unsigned char *area = rstat->area[cpu];
		struct rstat_head *head = rstat_head(rstat, area, child);

		rstat_links(area, child)->children = child;
		if (rstat->cputime)
			rstat_cputime(rstat, area, child)->links.children = child;
		head->memcg = child;
		head->parent = rstat_head(rstat, area, child->parent);
	}
}

/* Does any item differ from what the last flush saw? Relaxed: items are of this thread, and the
 * flush that wrote the previous values is over. */
static bool left_behind(const _Atomic long *items, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		if (atomic_load_explicit(&items[i], memory_order_relaxed) !=
		    atomic_load_explicit(&items[nr + i], memory_order_relaxed))
			return true;
	return false;
}

static bool cpu_left_behind(const struct rstat *rstat, const struct rstat_memcg *memcg,
			    unsigned cpu)
{
	const struct rstat_layout *layout = &rstat->layout;
	unsigned char *area = rstat->area[cpu];

	if (rstat->cputime &&
	    left_behind(rstat_cputime(rstat, area, memcg)->items, RSTAT_CPUTIME_ITEMS))
		return true;
	if (left_behind(rstat_memcg_items(rstat, area, memcg), layout->memcg_items))
		return true;
	for (unsigned node = 0; node < layout->nodes; node++)
		if (left_behind(rstat_node_items(rstat, area, memcg, node), layout->node_items))
			return true;
	return false;
}

/* Whatever tree it is in. */
static void flush_all(struct rstat *rstat, uint32_t memcg)
{
	rstat_flush(rstat, memcg);
	rstat_flush_cputime(rstat, memcg);
}

void rstat_memcg_remove(void *instance, uint32_t memcg)
{
	struct rstat *rstat = instance;
	struct rstat_memcg *gone = rstat_memcg(rstat, memcg);
	bool left = false;

	flush_all(rstat, memcg);
	for (unsigned cpu = 0; cpu < rstat->nr_possible; cpu++) {
		if (!cpu_left_behind(rstat, gone, cpu))
			continue;
		rstat_link(rstat, gone, cpu);
		left = true;
	}
	if (left)
		flush_all(rstat, memcg);
}
