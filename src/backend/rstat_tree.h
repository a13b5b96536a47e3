/* SPDX-License-Identifier: MIT */
/*
 * The updated trees of rstat: putting a memcg into a CPU's, and taking a subtree out of it. See
 * rstat.h for the links. Always-inlined with a tally (tally.h).
 *
 * A CPU has one tree, or two where cpu.stat is read by the rules of 6.16: then the memcgs whose CPU
 * time has changed are in one of their own, with a lock of its own.
 */
#ifndef MEMCGBENCH_BACKEND_RSTAT_TREE_H
#define MEMCGBENCH_BACKEND_RSTAT_TREE_H

#include "backend/rstat.h"

enum rstat_tree {
	RSTAT_TREE, /* of memory; of all, but where there is the other */
	RSTAT_CPUTIME_TREE,
};

static __always_inline struct rstat_links *rstat_tree_links(const struct rstat *rstat,
							    enum rstat_tree tree,
							    unsigned char *area,
							    const struct rstat_memcg *memcg)
{
	return tree == RSTAT_TREE ? rstat_links(area, memcg)
				  : &rstat_cputime(rstat, area, memcg)->links;
}

static __always_inline struct rstat_lock *rstat_tree_lock(enum rstat_tree tree, unsigned char *area)
{
	return tree == RSTAT_TREE ? &((struct rstat_cpu *)area)->lock
				  : rstat_cputime_tree_lock(area);
}

/* Chains what a flush has taken out, under the flush lock of the tree. */
static __always_inline struct rstat_memcg **rstat_flush_next(const struct rstat *rstat,
							     enum rstat_tree tree,
							     struct rstat_memcg *memcg)
{
	return tree == RSTAT_TREE ? &memcg->flush_next
				  : &rstat_cputime_sums(rstat, memcg)->flush_next;
}

/*
 * Links are shared with flushes, which take the CPU's lock. A memcg in the tree has all its
 * ancestors there: the first one found ends the climb.
 */
static __always_inline void rstat_link_updated(const struct rstat *rstat, enum rstat_tree tree,
					       unsigned char *area, struct rstat_memcg *memcg,
					       struct tally *t)
{
	struct rstat_links *links = rstat_tree_links(rstat, tree, area, memcg);
	struct rstat_lock *lock = rstat_tree_lock(tree, area);

	tally_touch(t, links, sizeof(*links));
	/* Relaxed: speculative; see rstat_update.c. */
	if (atomic_load_explicit(&links->next, memory_order_relaxed))
		return;

	rstat_lock_take(lock);
	tally_add(t, atomics, 1);
	tally_touch(t, lock, sizeof(*lock));
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
		above = rstat_tree_links(rstat, tree, area, parent);
		tally_touch(t, above, sizeof(*above));
		atomic_store_explicit(&links->next, above->children, memory_order_relaxed);
		above->children = memcg;
		memcg = parent;
		links = above;
	}
	rstat_lock_drop(lock);
}

/* Take `top` out of its parent's list of updated children. The CPU's lock is held. */
static __always_inline void rstat_unlink_top(const struct rstat *rstat, enum rstat_tree tree,
					     unsigned char *area, struct rstat_memcg *top,
					     struct tally *t)
{
	struct rstat_memcg *next = atomic_load_explicit(
		&rstat_tree_links(rstat, tree, area, top)->next, memory_order_relaxed);
	struct rstat_links *at;

	if (!top->parent)
		return;
	at = rstat_tree_links(rstat, tree, area, top->parent);
	tally_touch(t, at, sizeof(*at));
	if (at->children == top) {
		at->children = next;
		return;
	}
	for (struct rstat_memcg *sibling = at->children;;) {
		at = rstat_tree_links(rstat, tree, area, sibling);
		tally_touch(t, at, sizeof(*at));
		sibling = atomic_load_explicit(&at->next, memory_order_relaxed);
		if (sibling == top)
			break;
	}
	atomic_store_explicit(&at->next, next, memory_order_relaxed);
}

/* Acquire: the items that the count stands for are seen from here on. */
static __always_inline void rstat_forget_updates(_Atomic long *updates, struct tally *t)
{
	tally_touch(t, updates, sizeof(*updates));
	if (!atomic_load_explicit(updates, memory_order_acquire))
		return;
	atomic_exchange_explicit(updates, 0, memory_order_acquire);
	tally_add(t, atomics, 1);
}

/* v6.8: before any item of the memcg or below it is read in this flush, `number`. */
static __always_inline void rstat_forget_counts(const struct rstat *rstat, unsigned char *area,
						struct rstat_memcg *memcg, uint64_t number,
						struct tally *t)
{
	rstat_forget_updates(&rstat_head(rstat, area, memcg)->updates, t);
	/* Not again: other CPUs' updates may have been counted after their items were read. */
	if (memcg->flush >= number)
		return;
	memcg->flush = number;
	rstat_forget_updates(&memcg->updates, t);
}

/*
 * Take the updated memcgs of the subtree out of the CPU's tree, and chain them by
 * rstat_flush_next(), children before parents; NULL where there are none. The CPU's lock is held,
 * which orders the links. Those still to be looked at are chained by the links themselves. `number`
 * of the flush: of a tree whose updates are counted per memcg, else 0.
 */
static __always_inline struct rstat_memcg *rstat_take_updated(const struct rstat *rstat,
							      enum rstat_tree tree,
							      unsigned char *area,
							      struct rstat_memcg *top,
							      uint64_t number, struct tally *t)
{
	struct rstat_links *links = rstat_tree_links(rstat, tree, area, top);
	struct rstat_memcg *left = top, *taken = NULL;

	tally_touch(t, links, sizeof(*links));
	if (!atomic_load_explicit(&links->next, memory_order_relaxed))
		return NULL;
	rstat_unlink_top(rstat, tree, area, top, t);
	atomic_store_explicit(&links->next, NULL, memory_order_relaxed);
	while (left) {
		struct rstat_memcg *memcg = left, *child;

		links = rstat_tree_links(rstat, tree, area, memcg);
		left = atomic_load_explicit(&links->next, memory_order_relaxed);
		for (child = links->children; child != memcg;) {
			struct rstat_links *below = rstat_tree_links(rstat, tree, area, child);
			struct rstat_memcg *next =
				atomic_load_explicit(&below->next, memory_order_relaxed);

			tally_touch(t, below, sizeof(*below));
			atomic_store_explicit(&below->next, left, memory_order_relaxed);
			left = child;
			child = next;
		}
		links->children = memcg;
		atomic_store_explicit(&links->next, NULL, memory_order_relaxed);
		*rstat_flush_next(rstat, tree, memcg) = taken;
		taken = memcg;
		tally_add(t, memcgs_visited, 1);
		tally_touch(t, memcg, sizeof(*memcg));
		if (number)
			rstat_forget_counts(rstat, area, memcg, number, t);
	}
	return taken;
}

#endif
