// SPDX-License-Identifier: MIT
/*
 * Memcgs of a model that come and go, as from Linux 5.3 on.
 *
 * Creating one takes what the kernel's allocation takes: zeroed per-CPU blocks of every possible
 * CPU and zeroed counters of every node. It is put behind its siblings, as list_add_tail_rcu()
 * does.
 *
 * Offline, its css reference is killed: from then on all CPUs count in one place. It stays in the
 * tree, and is walked and counted as before.
 *
 * Removing one brings home what CPUs hold in its batches (c350a99ea2b1: residues of the dead no
 * longer pile up in their ancestors): every item, events too, is summed over the possible CPUs and
 * added to the memcg and each ancestor, whether or not it is 0, and each lruvec's the same. Then it
 * is unlinked. Up to 4.15 there is nothing to bring: local counters of a memcg without pages are
 * 0.
 *
 * Links are written by one thread. Its stores of those that readers follow are releases, pairing
 * with the acquire in next_link(): whoever finds a memcg finds it whole. prev_sibling is this
 * thread's alone.
 */
#include "backend/model.h"

#include <string.h>

static void link_last(struct memcg *parent, struct memcg *child)
{
	struct memcg *eldest = atomic_load_explicit(&parent->first_child, memory_order_relaxed);
	struct memcg *youngest;

	if (!eldest) {
		child->prev_sibling = child;
		atomic_store_explicit(&parent->first_child, child, memory_order_release);
		return;
	}
	youngest = eldest->prev_sibling;
	child->prev_sibling = youngest;
	eldest->prev_sibling = child;
	atomic_store_explicit(&youngest->next_sibling, child, memory_order_release);
}

/* The child's own links stay for readers who stand on it. */
static void unlink_memcg(struct memcg *child)
{
	struct memcg *parent = child->parent;
	struct memcg *eldest = atomic_load_explicit(&parent->first_child, memory_order_relaxed);
	struct memcg *next = atomic_load_explicit(&child->next_sibling, memory_order_relaxed);

	if (next)
		next->prev_sibling = child->prev_sibling;
	else
		eldest->prev_sibling = child->prev_sibling;
	/* Releases: what is behind the child is now published by these. */
	if (child == eldest)
		atomic_store_explicit(&parent->first_child, next, memory_order_release);
	else
		atomic_store_explicit(&child->prev_sibling->next_sibling, next,
				      memory_order_release);
}

/* Nobody can find the memcg: plain stores. */
static void clear_counters(struct model *model, struct memcg *memcg)
{
	const struct model_layout *layout = &model->layout;

	for (unsigned cpu = 0; cpu < model->nr_possible; cpu++)
		memset(model->area[cpu] + memcg->local, 0, layout->object_bytes);
	memset((void *)memcg->stat, 0, layout->memcg_atomics * sizeof(*memcg->stat));
	for (unsigned node = 0; node < layout->nodes; node++)
		memset((void *)(*memcg_nodeinfo(model, memcg, node))->stat, 0,
		       layout->node_atomics * sizeof(*memcg->stat));
}

void model_memcg_add(void *instance, uint32_t memcg, uint32_t parent)
{
	struct model *model = instance;
	struct memcg *child = model_memcg(model, memcg);

	clear_counters(model, child);
	child->parent = model_memcg(model, parent);
	/* Relaxed, all of them: link_last() publishes. */
	atomic_store_explicit(&child->first_child, NULL, memory_order_relaxed);
	atomic_store_explicit(&child->next_sibling, NULL, memory_order_relaxed);
	atomic_store_explicit(&child->css_count, 0, memory_order_relaxed);
	atomic_store_explicit(&child->css_ref, child->local + model->layout.css_offset,
			      memory_order_relaxed);
	link_last(child->parent, child);
}

void model_memcg_offline(void *instance, uint32_t memcg)
{
	/* Relaxed: readers may count in either place. */
	atomic_store_explicit(&model_memcg(instance, memcg)->css_ref, CSS_REF_SHARED,
			      memory_order_relaxed);
}

/* Each counter of the batch blocks at `offset`, over all CPUs. Relaxed: their owner is this thread.
 */
static void sum_batches(const struct model *model, uint64_t offset, unsigned nr, long *sums)
{
	memset(sums, 0, nr * sizeof(*sums));
	for (unsigned cpu = 0; cpu < model->nr_possible; cpu++) {
		const _Atomic long *batch = area_counter(model->area[cpu], offset, 0);

		for (unsigned i = 0; i < nr; i++)
			sums[i] += atomic_load_explicit(&batch[i], memory_order_relaxed);
	}
}

/* Relaxed, as all of a spill is. */
static void add_all(_Atomic long *stat, const long *sums, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		atomic_fetch_add_explicit(&stat[i], sums[i], memory_order_relaxed);
}

static void flush_batches(struct model *model, struct memcg *memcg)
{
	const struct model_layout *layout = &model->layout;
	long sums[MODEL_MOST_ITEMS];

	sum_batches(model, memcg->batch, layout->memcg_atomics, sums);
	for (struct memcg *at = memcg; at; at = at->parent)
		add_all(at->stat, sums, layout->memcg_atomics);
	for (unsigned node = 0; node < layout->nodes; node++) {
		sum_batches(model, (*memcg_nodeinfo(model, memcg, node))->batch,
			    layout->node_atomics, sums);
		for (struct memcg *at = memcg; at; at = at->parent)
			add_all((*memcg_nodeinfo(model, at, node))->stat, sums,
				layout->node_atomics);
	}
}

void model_memcg_remove(void *instance, uint32_t memcg)
{
	struct model *model = instance;
	struct memcg *gone = model_memcg(model, memcg);

	if (model->layout.memcg_atomics)
		flush_batches(model, gone);
	unlink_memcg(gone);
}
