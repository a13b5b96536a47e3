/* SPDX-License-Identifier: MIT */
/*
 * Steps of a pre-order walk of a model's subtree, with the css references that one takes. Always-
 * inlined with a tally (tally.h).
 *
 * Memcgs may come and go meanwhile (model_churn.c). One that is removed keeps its links, and its
 * memory is used again only after the reads that had begun: so a walk that stands on it finds its
 * way back, past others that are gone as well, to whoever is still there. Siblings stand in the
 * order of their creation, and so a walk only ever meets younger ones: it ends.
 */
#ifndef MEMCGBENCH_BACKEND_MODEL_WALK_H
#define MEMCGBENCH_BACKEND_MODEL_WALK_H

#include "backend/model.h"
#include "backend/tally.h"

/*
 * A css reference taken or dropped. Of a living memcg: the reader's CPU owns its part of the count,
 * so a relaxed load and store do. Of a dying one: an atomic that all CPUs share, and which orders
 * nothing here, since it is not what keeps a memcg there: see above. Where a memcg begins to die
 * between taking and dropping, the two are counted in different places, as in the kernel, and only
 * together are 0 again.
 */
static __always_inline void css_ref_add(const struct model *model, struct memcg *memcg,
					unsigned cpu, long change, struct tally *t)
{
	/* Relaxed: either place will do. */
	uint64_t ref = atomic_load_explicit(&memcg->css_ref, memory_order_relaxed);
	_Atomic long *count;

	tally_touch(t, &memcg->css_ref, sizeof(memcg->css_ref));
	if (ref & CSS_REF_SHARED) {
		atomic_fetch_add_explicit(&memcg->css_count, change, memory_order_relaxed);
		tally_touch(t, &memcg->css_count, sizeof(memcg->css_count));
		tally_add(t, atomics, 1);
		return;
	}
	count = area_counter(model->area[cpu], ref, 0);
	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + change,
			      memory_order_relaxed);
	tally_touch(t, &model->area[cpu], sizeof(*model->area));
	tally_touch(t, count, sizeof(*count));
}

/* The memcg after `at` in pre-order below `top`, by the links; NULL at the end. */
static __always_inline struct memcg *next_link(const struct memcg *top, const struct memcg *at,
					       struct tally *t)
{
	struct memcg *next;

	/* Acquire, which costs nothing where the kernel's rcu_dereference() does not: who finds a
	 * link sees what was written of the memcg before it was published. */
	tally_touch(t, &at->first_child, sizeof(at->first_child));
	next = atomic_load_explicit(&at->first_child, memory_order_acquire);
	if (next)
		return next;

	for (; at != top; at = at->parent) {
		tally_touch(t, &at->next_sibling, sizeof(at->next_sibling));
		next = atomic_load_explicit(&at->next_sibling, memory_order_acquire);
		if (next)
			return next;
		tally_touch(t, &at->parent, sizeof(at->parent));
	}
	return NULL;
}

/* Finds the memcg after `at` and takes a reference on it; the top's caller has one on that. */
static __always_inline struct memcg *walk_next(const struct model *model, const struct memcg *top,
					       const struct memcg *at, unsigned cpu,
					       struct tally *t)
{
	struct memcg *next = next_link(top, at, t);

	tally_add(t, memcgs_visited, 1);
	if (next) {
		css_ref_add(model, next, cpu, 1, t);
		tally_add(t, css_gets, 1);
	}
	return next;
}

/* Drops the reference that walk_next() took. */
static __always_inline void walk_leave(const struct model *model, const struct memcg *top,
				       struct memcg *at, unsigned cpu, struct tally *t)
{
	if (at != top)
		css_ref_add(model, at, cpu, -1, t);
}

/* Both: what the kernel's iterator does. */
static __always_inline struct memcg *walk_step(const struct model *model, const struct memcg *top,
					       struct memcg *at, unsigned cpu, struct tally *t)
{
	struct memcg *next = walk_next(model, top, at, cpu, t);

	walk_leave(model, top, at, cpu, t);
	return next;
}

#endif
