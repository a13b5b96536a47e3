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
 *
 * Where the point reads cpu.stat, each event accounts CPU time to its memcg, too: rstat_cputime.h.
 */
#include "backend/counter_add.h"
#include "backend/rstat_cputime.h"
#include "backend/rstat_tree.h"

#include <stdlib.h>

void rstat_link(const struct rstat *rstat, struct rstat_memcg *memcg, unsigned cpu)
{
	unsigned char *area = rstat->area[cpu];

	rstat_link_updated(rstat, RSTAT_TREE, area, memcg, NULL);
	if (rstat->cputime_lock)
		rstat_link_updated(rstat, RSTAT_CPUTIME_TREE, area, memcg, NULL);
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

	tally_touch(t, &rstat->area[update->cpu], sizeof(*rstat->area));
	tally_touch(t, &memcg->object, sizeof(memcg->object));
	this_cpu_add(&rstat_memcg_items(rstat, area, memcg)[update->lru], update->delta, t);
	this_cpu_add(&rstat_node_items(rstat, area, memcg, update->node)[update->lru],
		     update->delta, t);
	if (rstat->cputime)
		rstat_account_cputime(rstat, area, memcg, t);
	rstat_link_updated(rstat, RSTAT_TREE, area, memcg, t);
	if (rstat->rules == FLUSH_V5_16)
		count_globally(rstat, (struct rstat_cpu *)area, labs(update->delta), t);
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
