// SPDX-License-Identifier: MIT
/*
 * Flushing under rstat. CPU after CPU, the memcgs of a subtree that the CPU has updated are taken
 * out of its tree, children before their parents, and every item of each is compared with its
 * previous value: 71 items of the memcg and 33 of each lruvec, whether one of them has changed or
 * all. A difference goes to the memcg's counter, to its local one, and waits at the parent, which
 * is in the tree as well, for its turn.
 *
 * One CPU's pairs at a time, under the flush lock, which is held over all CPUs or given up between
 * two of them (counters.lock). The CPU's own lock, for which its writers wait, is held until the
 * items are read (5.13, 5.16), or only while the memcgs are taken out (from 6.8 on).
 *
 * Where the point reads cpu.stat, CPU time is flushed with the rest, before v6.16: rstat_cputime.h.
 *
 * What is taken out and what the thresholds count: a count is taken away before the items that it
 * stands for are read, so that an update under way is counted too much and not too little. The
 * kernel takes it away afterwards. This holds of the memcg that is flushed, and of all below it but
 * for one case: where one is found in a CPU's tree for the first time, CPUs before may have updated
 * and counted it since their turn. These pages are in their trees, and uncounted. The kernel loses
 * such counts at every CPU; here it takes updates that meet the flush of another CPU.
 */
#include "backend/rstat_cputime.h"
#include "backend/rstat_read.h"
#include "backend/rstat_tree.h"

/* Shared counters are changed under the flush lock only. Relaxed: readers take any moment's value.
 */
static __always_inline long take(_Atomic long *counter)
{
	long value = atomic_load_explicit(counter, memory_order_relaxed);

	if (value)
		atomic_store_explicit(counter, 0, memory_order_relaxed);
	return value;
}

static __always_inline void add(_Atomic long *counter, long delta)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + delta,
			      memory_order_relaxed);
}

/* One CPU's items and previous values to the `stats` of their memcg or lruvec, and the parent's. */
static __always_inline void flush_items(_Atomic long *items, unsigned nr, _Atomic long *stats,
					_Atomic long *parent, bool local, struct tally *t)
{
	tally_touch(t, items, 2 * nr * sizeof(*items));
	for (unsigned i = 0; i < nr; i++) {
		_Atomic long *previous = &items[nr + i];
		long value = atomic_load_explicit(&items[i], memory_order_relaxed);
		long changed = value - atomic_load_explicit(previous, memory_order_relaxed);
		long delta = changed + take(&stats[RSTAT_PENDING * nr + i]);

		tally_add(t, items_scanned, 1);
		tally_touch(t, &stats[RSTAT_PENDING * nr + i], sizeof(*stats));
		if (changed) {
			atomic_store_explicit(previous, value, memory_order_relaxed);
			if (local) {
				add(&stats[RSTAT_LOCAL * nr + i], changed);
				tally_touch(t, &stats[RSTAT_LOCAL * nr + i], sizeof(*stats));
			}
		}
		if (!delta)
			continue;
		add(&stats[RSTAT_STATE * nr + i], delta);
		tally_touch(t, &stats[RSTAT_STATE * nr + i], sizeof(*stats));
		if (!parent)
			continue;
		add(&parent[RSTAT_PENDING * nr + i], delta);
		tally_touch(t, &parent[RSTAT_PENDING * nr + i], sizeof(*parent));
	}
}

/* A pending pair of a CPU and a memcg. */
static __always_inline void flush_pair(const struct rstat *rstat, unsigned char *area,
				       struct rstat_memcg *memcg, struct tally *t)
{
	const struct rstat_layout *layout = &rstat->layout;
	struct rstat_memcg *parent = memcg->parent;
	bool local = rstat_counts_per_memcg(rstat);

	if (rstat->cputime && !rstat->cputime_lock)
		rstat_flush_cputime_pair(rstat, area, memcg, t);
	flush_items(rstat_memcg_items(rstat, area, memcg), layout->memcg_items, memcg->stats,
		    parent ? parent->stats : NULL, local, t);
	for (unsigned node = 0; node < layout->nodes; node++)
		flush_items(rstat_node_items(rstat, area, memcg, node), layout->node_items,
			    rstat_node_stats(rstat, memcg, node, t),
			    parent ? rstat_node_stats(rstat, parent, node, t) : NULL, local, t);
}

static __always_inline void flush_cpu(const struct rstat *rstat, unsigned char *area,
				      struct rstat_memcg *top, uint64_t number, struct tally *t)
{
	struct rstat_cpu *cpu = (struct rstat_cpu *)area;
	bool drop_early = rstat_counts_per_memcg(rstat);
	struct rstat_memcg *memcg;

	rstat_lock_take(&cpu->lock);
	tally_add(t, atomics, 1);
	tally_touch(t, cpu, sizeof(cpu->lock));
	memcg = rstat_take_updated(rstat, RSTAT_TREE, area, top, drop_early ? number : 0, t);
	if (drop_early)
		rstat_lock_drop(&cpu->lock);
	for (; memcg; memcg = memcg->flush_next)
		flush_pair(rstat, area, memcg, t);
	if (!drop_early)
		rstat_lock_drop(&cpu->lock);
}

/* The flush lock is held. Counts of all memcgs together (v5.16) are the caller's to forget. */
static __always_inline void flush_subtree(const struct rstat *rstat, struct rstat_memcg *top,
					  struct tally *t)
{
	struct rstat_global *global = rstat->global;
	uint64_t number = ++global->flushes;
	unsigned cpu;

	tally_add(t, flushes, 1);
	tally_touch(t, global, sizeof(*global));
	tally_touch(t, rstat->possible, cpumask_bytes(rstat->nr_possible));
	if (rstat_counts_per_memcg(rstat)) {
		/* Before the first CPU's items are read; not again for that CPU. */
		top->flush = number;
		rstat_forget_updates(&top->updates, t);
	}
	for_each_possible_cpu (cpu, rstat->possible, rstat) {
		tally_touch(t, &rstat->area[cpu], sizeof(*rstat->area));
		flush_cpu(rstat, rstat->area[cpu], top, number, t);
		if (flush_lock_between(&global->flush_lock, rstat->times))
			tally_add(t, atomics, 1);
	}
}

static __always_inline void flush_locked(const struct rstat *rstat, struct rstat_memcg *top,
					 struct tally *t)
{
	struct rstat_global *global = rstat->global;

	flush_lock_take(&global->flush_lock, rstat->times);
	tally_add(t, atomics, 1);
	if (rstat->rules == FLUSH_V5_16 && !top->parent)
		rstat_forget_updates(&global->updates, t);
	flush_subtree(rstat, top, t);
	flush_lock_drop(&global->flush_lock, rstat->times);
}

/* v5.16: the whole tree, where enough has been updated anywhere; one flusher, others do not wait.
 */
static __always_inline void flush_above_global(const struct rstat *rstat, struct tally *t)
{
	struct rstat_global *global = rstat->global;
	long limit = rstat->batch ? (long)rstat->nr_possible : 0;

	tally_add(t, atomics, 1);
	tally_touch(t, &global->updates, sizeof(global->updates));
	/* Relaxed: a hint. */
	if (atomic_load_explicit(&global->updates, memory_order_relaxed) <= limit)
		return;
	tally_add(t, atomics, 1);
	if (!flush_lock_try(&global->flush_lock, rstat->times))
		return;
	rstat_forget_updates(&global->updates, t);
	flush_subtree(rstat, rstat_memcg(rstat, 0), t);
	flush_lock_drop(&global->flush_lock, rstat->times);
}

/* v6.8: the subtree, where enough has been updated in it. */
static __always_inline void flush_above_own(const struct rstat *rstat, struct rstat_memcg *top,
					    struct tally *t)
{
	tally_add(t, atomics, 1);
	tally_touch(t, &top->updates, sizeof(top->updates));
	/* Relaxed: a hint. */
	if (atomic_load_explicit(&top->updates, memory_order_relaxed) >
	    rstat->batch * (long)rstat->nr_possible)
		flush_locked(rstat, top, t);
}

static __always_inline void read_flush(const struct rstat *rstat, uint32_t memcg, struct tally *t)
{
	struct rstat_memcg *top = rstat_memcg(rstat, memcg);

	switch (rstat->rules) {
	case FLUSH_V5_13:
		flush_locked(rstat, top, t);
		break;
	case FLUSH_V5_16:
		flush_above_global(rstat, t);
		break;
	case FLUSH_V6_8:
	case FLUSH_V6_16:
		flush_above_own(rstat, top, t);
		break;
	}
}

void rstat_flush(void *instance, uint32_t memcg)
{
	const struct rstat *rstat = instance;

	flush_locked(rstat, rstat_memcg(rstat, memcg), NULL);
}

void rstat_read_flush(const struct rstat *rstat, uint32_t memcg)
{
	read_flush(rstat, memcg, NULL);
}

void rstat_count_read_flush(const struct rstat *rstat, uint32_t memcg, struct tally *t)
{
	read_flush(rstat, memcg, t);
}

/*
 * cpu.stat under the tree that all share: always, and its numbers are read before the lock is given
 * back. What memory counts of each memcg is taken away with the items that it stands for; what it
 * counts of all together is not: cpu.stat does not know of it.
 */
static __always_inline void flush_and_show(const struct rstat *rstat, struct rstat_memcg *top,
					   struct cpu_stat *out, struct tally *t)
{
	struct rstat_global *global = rstat->global;

	flush_lock_take(&global->flush_lock, rstat->times);
	tally_add(t, atomics, 1);
	flush_subtree(rstat, top, t);
	rstat_show_cputime(rstat, top, out, t);
	flush_lock_drop(&global->flush_lock, rstat->times);
}

void rstat_flush_to_cpu_stat(const struct rstat *rstat, uint32_t memcg, struct cpu_stat *out)
{
	flush_and_show(rstat, rstat_memcg(rstat, memcg), out, NULL);
}

void rstat_count_flush_to_cpu_stat(const struct rstat *rstat, uint32_t memcg, struct cpu_stat *out,
				   struct tally *t)
{
	flush_and_show(rstat, rstat_memcg(rstat, memcg), out, t);
}
