// SPDX-License-Identifier: MIT
/*
 * What a writer does under rstat. One event adds to two items of its CPU, the memcg's and the
 * lruvec's; puts the memcg and those of its ancestors that are not there yet into the CPU's updated
 * tree; and counts the pages towards the threshold that the rules have: none, one for all memcgs,
 * or one for the memcg and each ancestor.
 *
 * Whether the memcg is in the tree already is looked up without the CPU's lock, and without a
 * barrier between the add and the look. A flush that has taken the memcg out of the tree at that
 * very moment may then have read the item before the add is seen: the pages stay behind until the
 * CPU's next update of the memcg. The kernel had a barrier there for two years, and took it out
 * again for what it cost.
 */
#include "backend/rstat.h"

#include <stdlib.h>

/* Only the owner writes, so a relaxed load and store do; a flush sees the old or the new value. */
static __always_inline void this_cpu_add(_Atomic long *item, long delta, struct tally *t)
{
	long value = atomic_load_explicit(item, memory_order_relaxed);

	atomic_store_explicit(item, value + delta, memory_order_relaxed);
	tally_add(t, adds, 1);
	tally_touch(t, item, sizeof(*item));
}

/*
 * Links are shared with flushes, which take the CPU's lock. A memcg in the tree has all its
 * ancestors there: the first one found ends the climb.
 */
static __always_inline void link_updated(struct rstat_cpu *cpu, unsigned char *area,
					 struct rstat_memcg *memcg, struct tally *t)
{
	struct rstat_links *links = rstat_links(area, memcg);

	tally_touch(t, links, sizeof(*links));
	/* Relaxed: speculative; see above. */
	if (atomic_load_explicit(&links->next, memory_order_relaxed))
		return;

	rstat_lock_take(&cpu->lock);
	tally_add(t, atomics, 1);
	tally_touch(t, cpu, sizeof(cpu->lock));
	/* Relaxed from here on: the lock orders. */
	while (!atomic_load_explicit(&links->next, memory_order_relaxed)) {
		struct rstat_memcg *parent = memcg->parent;
		struct rstat_links *above;

		tally_add(t, memcgs_visited, 1);
		tally_touch(t, memcg, sizeof(memcg->parent));
		if (!parent) {
			/* In no list, and busy all the same. */
			atomic_store_explicit(&links->next, memcg, memory_order_relaxed);
			break;
		}
		above = rstat_links(area, parent);
		tally_touch(t, above, sizeof(*above));
		atomic_store_explicit(&links->next, above->children, memory_order_relaxed);
		above->children = memcg;
		memcg = parent;
		links = above;
	}
	rstat_lock_drop(&cpu->lock);
}

void rstat_link(const struct rstat *rstat, struct rstat_memcg *memcg, unsigned cpu)
{
	unsigned char *area = rstat->area[cpu];

	link_updated((struct rstat_cpu *)area, area, memcg, NULL);
}

/* Relaxed: the count orders nothing, and a flush that takes it takes what it stands for, too. */
static __always_inline void count_globally(const struct rstat *rstat, struct rstat_cpu *cpu,
					   long pages, struct tally *t)
{
	long held = pages + atomic_load_explicit(&cpu->updates, memory_order_relaxed);

	tally_add(t, adds, 1);
	tally_touch(t, &cpu->updates, sizeof(cpu->updates));
	if (held > rstat->batch) {
		long batches = rstat->batch ? held / rstat->batch : held;

		/* Release: pairs with the acquire of the flush that takes the count away. */
		atomic_fetch_add_explicit(&rstat->global->updates, batches, memory_order_release);
		tally_add(t, atomics, 1);
		tally_touch(t, &rstat->global->updates, sizeof(rstat->global->updates));
		held = 0;
	}
	atomic_store_explicit(&cpu->updates, held, memory_order_relaxed);
}

/*
 * Release on both counts: a flush that takes one away (acquire) sees the items that it stands for.
 * Under load it may be that it is taken away and written again: then too much is counted.
 */
static __always_inline void count_in_ancestors(const struct rstat *rstat, struct rstat_head *head,
					       long pages, struct tally *t)
{
	long limit = rstat->batch * (long)rstat->nr_possible;

	for (; head; head = head->parent) {
		long held = pages + atomic_load_explicit(&head->updates, memory_order_relaxed);
		_Atomic long *shared;

		tally_add(t, adds, 1);
		tally_touch(t, head, sizeof(*head));
		if (held >= rstat->batch) {
			shared = &head->memcg->updates;
			tally_add(t, atomics, 1);
			tally_touch(t, shared, sizeof(*shared));
			/* Beyond the limit, more of it would change nothing. */
			if (atomic_load_explicit(shared, memory_order_relaxed) <= limit)
				atomic_fetch_add_explicit(shared, held, memory_order_release);
			held = 0;
		}
		atomic_store_explicit(&head->updates, held, memory_order_release);
	}
}

static __always_inline void update_items(const struct rstat *rstat, const struct update *update,
					 struct tally *t)
{
	struct rstat_memcg *memcg = rstat_memcg(rstat, update->memcg);
	unsigned char *area = rstat->area[update->cpu];
	struct rstat_cpu *cpu = (struct rstat_cpu *)area;

	tally_touch(t, &rstat->area[update->cpu], sizeof(*rstat->area));
	tally_touch(t, &memcg->object, sizeof(memcg->object));
	this_cpu_add(&rstat_memcg_items(rstat, area, memcg)[update->lru], update->delta, t);
	this_cpu_add(&rstat_node_items(rstat, area, memcg, update->node)[update->lru],
		     update->delta, t);
	link_updated(cpu, area, memcg, t);
	if (rstat->rules == FLUSH_V5_16)
		count_globally(rstat, cpu, labs(update->delta), t);
	else if (rstat_counts_per_memcg(rstat))
		count_in_ancestors(rstat, rstat_head(rstat, area, memcg), labs(update->delta), t);
}

void rstat_update(void *instance, const struct update *update)
{
	update_items(instance, update, NULL);
}

void rstat_count_update(void *instance, const struct update *update, struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	update_items(instance, update, &tally);
}
