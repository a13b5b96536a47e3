// SPDX-License-Identifier: MIT
/*
 * Reading cpu.stat under rstat, and flushing the tree that CPU time has for itself by the rules of
 * 6.16: the same walk over the CPUs as memory's, under a flush lock and CPUs' locks of its own,
 * given up as counters.lock says of memory's. Under the tree that all share: rstat_flush.c.
 */
#include "backend/rstat_cputime.h"

#include "backend/fill.h"

static __always_inline void flush_cpu(const struct rstat *rstat, unsigned char *area,
				      struct rstat_memcg *top, struct tally *t)
{
	struct rstat_lock *lock = rstat_cputime_tree_lock(area);
	struct rstat_memcg *memcg;

	rstat_lock_take(lock);
	tally_add(t, atomics, 1);
	tally_touch(t, lock, sizeof(*lock));
	/* Nothing counts towards a threshold here. */
	memcg = rstat_take_updated(rstat, RSTAT_CPUTIME_TREE, area, top, 0, t);
	rstat_lock_drop(lock);
	for (; memcg; memcg = *rstat_flush_next(rstat, RSTAT_CPUTIME_TREE, memcg))
		rstat_flush_cputime_pair(rstat, area, memcg, t);
}

/* `out` may be NULL. */
static __always_inline void flush_tree(const struct rstat *rstat, struct rstat_memcg *top,
				       struct cpu_stat *out, struct tally *t)
{
	struct lock_times *times = &rstat->times[1];
	unsigned cpu;

	flush_lock_take(rstat->cputime_lock, times);
	tally_add(t, atomics, 1);
	tally_add(t, flushes, 1);
	tally_touch(t, rstat->cputime_lock, sizeof(*rstat->cputime_lock));
	tally_touch(t, rstat->possible, cpumask_bytes(rstat->nr_possible));
	for_each_possible_cpu (cpu, rstat->possible, rstat) {
		tally_touch(t, &rstat->area[cpu], sizeof(*rstat->area));
		flush_cpu(rstat, rstat->area[cpu], top, t);
		if (flush_lock_between(rstat->cputime_lock, times))
			tally_add(t, atomics, 1);
	}
	if (out)
		rstat_show_cputime(rstat, top, out, t);
	flush_lock_drop(rstat->cputime_lock, times);
}

void rstat_flush_cputime(const struct rstat *rstat, uint32_t memcg)
{
	if (rstat->cputime_lock)
		flush_tree(rstat, rstat_memcg(rstat, memcg), NULL, NULL);
}

int rstat_read_cpu_stat(void *instance, const struct read_request *request, struct cpu_stat *out)
{
	const struct rstat *rstat = instance;

	if (rstat->cputime_lock)
		flush_tree(rstat, rstat_memcg(rstat, request->memcg), out, NULL);
	else
		rstat_flush_to_cpu_stat(rstat, request->memcg, out);
	return 0;
}

int rstat_count_cpu_stat(void *instance, const struct read_request *request, struct cpu_stat *out,
			 struct op_probe *probe)
{
	struct tally tally = {.probe = probe};
	const struct rstat *rstat = instance;

	if (rstat->cputime_lock)
		flush_tree(rstat, rstat_memcg(rstat, request->memcg), out, &tally);
	else
		rstat_count_flush_to_cpu_stat(rstat, request->memcg, out, &tally);
	return tally.error;
}

void rstat_fill_cputime(const struct rstat *rstat, struct rstat_memcg *memcg, unsigned cpu,
			long events)
{
	struct rstat_cputime *cputime = rstat_cputime(rstat, rstat->area[cpu], memcg);
	struct rstat_cputime_sums *counters = rstat_cputime_sums(rstat, memcg);

	for (unsigned i = 0; i < RSTAT_CPUTIME_ITEMS; i++) {
		fill_add(&cputime->items[i], events * rstat_update_ns[i]);
		fill_add(&cputime->items[RSTAT_CPUTIME_ITEMS + i], events * rstat_update_ns[i]);
		fill_add(&counters->stats[i], events * rstat_update_ns[i]);
	}
}

void rstat_fill_parent_cputime(const struct rstat *rstat, struct rstat_memcg *memcg)
{
	struct rstat_cputime_sums *own = rstat_cputime_sums(rstat, memcg);
	struct rstat_cputime_sums *above = rstat_cputime_sums(rstat, memcg->parent);

	for (unsigned i = 0; i < RSTAT_CPUTIME_ITEMS; i++) {
		long value = atomic_load_explicit(&own->stats[i], memory_order_relaxed);

		fill_add(&above->stats[i], value);
		fill_add(&own->handed_up[i], value);
	}
}
