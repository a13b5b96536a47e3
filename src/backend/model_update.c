// SPDX-License-Identifier: MIT
/*
 * The one update path, as of Linux 5.3 to 5.12. The change of memory.numa_stat from walking to
 * maintained counters touched no writer, so walk and cached share it.
 *
 * One event adds to three per-CPU counters: the memcg's batch, the lruvec's local counter
 * (unbatched, hence exact) and the lruvec's batch. A batch spills when its absolute value would
 * exceed B, strictly: into the memcg or lruvec and every ancestor, and for the memcg's also into
 * its local counter. Nothing flushes what stays in a batch.
 */
#include "backend/charge.h"
#include "backend/counter_add.h"
#include "backend/model.h"

#include <stdlib.h>

/* Add to a batch; returns what spills, or 0. */
static __always_inline long batch_add(_Atomic long *batch, long delta, long limit, struct tally *t)
{
	long held = delta + atomic_load_explicit(batch, memory_order_relaxed);
	long spilled = 0;

	if (labs(held) > limit) {
		spilled = held;
		held = 0;
	}
	atomic_store_explicit(batch, held, memory_order_relaxed);
	tally_add(t, adds, 1);
	tally_touch(t, batch, sizeof(*batch));
	return spilled;
}

static __always_inline void update_memcg(const struct model *model, struct memcg *memcg,
					 const struct update *update, struct tally *t)
{
	unsigned char *area = model->area[update->cpu];
	long spilled;

	tally_touch(t, memcg, offsetof(struct memcg, stat));
	spilled = batch_add(area_counter(area, memcg->batch, update->lru), update->delta,
			    model->batch, t);
	if (!spilled)
		return;

	this_cpu_add(area_counter(area, memcg->local, update->lru), spilled, t);
	for (; memcg; memcg = memcg->parent) {
		tally_touch(t, &memcg->parent, sizeof(memcg->parent));
		shared_add(&memcg->stat[update->lru], spilled, t);
	}
}

static __always_inline void update_lruvec(const struct model *model, struct memcg *memcg,
					  const struct update *update, struct tally *t)
{
	unsigned char *area = model->area[update->cpu];
	struct memcg_node **slot = memcg_nodeinfo(model, memcg, update->node);
	struct memcg_node *info = *slot;
	long spilled;

	tally_touch(t, slot, sizeof(*slot));
	tally_touch(t, info, offsetof(struct memcg_node, stat));
	this_cpu_add(area_counter(area, info->local, update->lru), update->delta, t);
	spilled = batch_add(area_counter(area, info->batch, update->lru), update->delta,
			    model->batch, t);
	if (!spilled)
		return;

	for (;;) {
		shared_add(&info->stat[update->lru], spilled, t);
		tally_touch(t, &info->memcg, sizeof(info->memcg));
		memcg = info->memcg->parent;
		tally_touch(t, &info->memcg->parent, sizeof(memcg->parent));
		if (!memcg)
			return;
		slot = memcg_nodeinfo(model, memcg, update->node);
		tally_touch(t, slot, sizeof(*slot));
		info = *slot;
	}
}

static __always_inline void update_counters(const struct model *model, const struct update *update,
					    struct tally *t)
{
	struct memcg *memcg = model_memcg(model, update->memcg);

	tally_touch(t, &model->area[update->cpu], sizeof(*model->area));
	update_memcg(model, memcg, update, t);
	update_lruvec(model, memcg, update, t);
}

void model_update(void *instance, const struct update *update)
{
	update_counters(instance, update, NULL);
}

void model_count_update(void *instance, const struct update *update, struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	update_counters(instance, update, &tally);
}
