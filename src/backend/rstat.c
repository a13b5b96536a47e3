// SPDX-License-Identifier: MIT
/*
 * rstat: CPUs keep statistics for themselves and remember which memcgs they have updated; a read
 * brings these, and only these, to counters of the subtree, and reads the counters. Linux 5.13 and
 * later.
 *
 * When a read flushes is `counters.flush`:
 * - v5.13: always, the memcg's subtree. Lruvecs, which followed with 5.15, are in from here on.
 * - v5.16: when more than batch x CPUs pages were updated anywhere, the whole tree. CPUs count by
 * the batch, rounded down. One flusher: others do not wait, and read what is there.
 * - v6.8: when more than batch x CPUs pages were updated in the memcg's subtree, that subtree.
 * - v6.16: the same. Until then all subsystems share one tree and one lock; from here on memory has
 * its own. That is a rule and not a model of a lock, because it changes what a flush brings along.
 *
 * How the flush lock is held is `counters.lock`; `rules` is what kernels of these rules do: v5.13
 * and v6.8 give it up between CPUs where somebody waits, v5.16 holds it (nobody waits), v6.16 gives
 * it up after each CPU (since 6.15, which brought most holds from 4-8 ms down to 16-32 us).
 *
 * Local rows sum the CPUs' own counts, which need no flush; since 6.6, here from v6.8 on, flushes
 * keep them too, and they are as old as the rest.
 *
 * Error. A flush makes a read exact. Without one, a cell may lack what is pending, counted over all
 * items together: v5.13 nothing; from v6.8 on batch x CPUs in the memcg's count, and below a batch
 * for each CPU, B x C + (B-1) x C; v5.16 C batches of up to 2B-1 pages, counted as one each, and up
 * to a batch for each CPU, (2B-1) x C + B x C, wherever in the tree. It does not grow with the
 * tree. That is at rest: what is updated while a flush is under way may come with the next one
 * only, and may be left uncounted until then (rstat_flush.c).
 *
 * cpu.stat (read.with) has no threshold: each read of it flushes the memcg's subtree. Under the
 * tree that all share, memory's items come along, under the lock that memory's readers wait for,
 * and a read of memory that follows finds nothing to do. From v6.16 on CPU time has a tree and a
 * lock of its own, and its flush looks at three items of each pending pair.
 *
 * A read that follows another at once finds nothing to do. A benchmark of hot reads alone measures
 * an idle tree: what rstat costs shows with updates in between.
 *
 * Counts: `atomics` are reads of shared counters and of thresholds, additions to thresholds, and
 * locks taken.
 */
#include "backend/rstat.h"

#include "backend/backend_table.h"
#include "backend/bound.h"
#include "backend/rstat_read.h"
#include "scenario/target.h"

/* The lists of `mask` of counters that flushes keep. */
static __always_inline uint64_t kept_pages(const _Atomic long *stats, unsigned mask,
					   struct tally *t)
{
	uint64_t pages = 0;

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		if (mask & (1u << lru))
			pages += rstat_kept_item(&stats[lru], t);
	return pages;
}

/* Rows of counters that flushes keep: array RSTAT_STATE or RSTAT_LOCAL. */
static __always_inline void read_kept_rows(const struct rstat *rstat, struct rstat_memcg *memcg,
					   unsigned array, enum numa_scope scope,
					   struct numa_counts *out, struct tally *t)
{
	const struct rstat_layout *layout = &rstat->layout;

	for (unsigned row = 0; row < NR_NUMA_ROWS; row++) {
		uint64_t *cells = &out->cells[numa_cell(layout->nodes, scope, row, 0)];
		unsigned mask = numa_rows[row].lru_mask;

		*cells++ = kept_pages(memcg->stats + array * layout->memcg_items, mask, t);
		for (unsigned node = 0; node < layout->nodes; node++)
			*cells++ = kept_pages(rstat_node_stats(rstat, memcg, node, t) +
						      array * layout->node_items,
					      mask, t);
	}
}

/* The lists of `mask`, `offset` bytes into each CPU's object of the memcg. */
static __always_inline uint64_t possible_pages(const struct rstat *rstat,
					       const struct rstat_memcg *memcg, uint64_t offset,
					       unsigned mask, struct tally *t)
{
	uint64_t pages = 0;

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		if (mask & (1u << lru))
			pages += rstat_summed_item(rstat, memcg, offset, lru, t);
	return pages;
}

/* Local rows before 6.6. */
static __always_inline void sum_local_rows(const struct rstat *rstat,
					   const struct rstat_memcg *memcg, struct numa_counts *out,
					   struct tally *t)
{
	const struct rstat_layout *layout = &rstat->layout;

	for (unsigned row = 0; row < NR_NUMA_ROWS; row++) {
		uint64_t *cells = &out->cells[numa_cell(layout->nodes, SCOPE_LOCAL, row, 0)];
		unsigned mask = numa_rows[row].lru_mask;

		*cells++ = possible_pages(rstat, memcg, rstat_memcg_offset(rstat), mask, t);
		for (unsigned node = 0; node < layout->nodes; node++)
			*cells++ = possible_pages(rstat, memcg, rstat_node_offset(rstat, node),
						  mask, t);
	}
}

/* The file flushes once, before its first row. */
static __always_inline void read_rows(const struct rstat *rstat, const struct read_request *request,
				      struct numa_counts *out, struct tally *t)
{
	struct rstat_memcg *memcg = rstat_memcg(rstat, request->memcg);

	if (t)
		rstat_count_read_flush(rstat, request->memcg, t);
	else
		rstat_read_flush(rstat, request->memcg);
	if (request->rows & ROWS_LOCAL && rstat_counts_per_memcg(rstat))
		read_kept_rows(rstat, memcg, RSTAT_LOCAL, SCOPE_LOCAL, out, t);
	else if (request->rows & ROWS_LOCAL)
		sum_local_rows(rstat, memcg, out, t);
	if (request->rows & ROWS_HIERARCHICAL)
		read_kept_rows(rstat, memcg, RSTAT_STATE, SCOPE_HIERARCHICAL, out, t);
}

static int rstat_read_counts(void *instance, const struct read_request *request,
			     struct numa_counts *out)
{
	read_rows(instance, request, out, NULL);
	return 0;
}

static int rstat_count_read(void *instance, const struct read_request *request,
			    struct numa_counts *out, struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	read_rows(instance, request, out, &tally);
	return tally.error;
}

/* An idle tree: what hot reads find. */
static double rstat_guess_read_ns(const struct point *point)
{
	double cells = guess_items(point);
	unsigned flushes =
		(point->counters.flush == FLUSH_V5_13) + (point->read.with == WITH_CPU_STAT);
	double locks = (double)flushes * point->machine.cpus;
	double loads = point->counters.flush >= FLUSH_V6_8 && point_rows(point) & ROWS_LOCAL
			       ? 2 * cells
			       : cells;

	double files = (double)target_size(point).files;

	return files * (guess_loads_ns(point, loads + 4 * locks, files) + guess_local_ns(point));
}

/* The same for all rows and columns: what is pending may be of one item. */
static uint64_t rstat_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
			    unsigned column, uint32_t subtree, uint64_t truth)
{
	uint64_t batch = point->counters.batch, cpus = point->machine.cpus;

	if (!batch)
		return 0;
	switch (point->counters.flush) {
	case FLUSH_V5_13:
		break;
	case FLUSH_V5_16:
		return scope == SCOPE_LOCAL ? 0 : cpus * (2 * batch - 1) + cpus * batch;
	case FLUSH_V6_8:
	case FLUSH_V6_16:
		return cpus * batch + cpus * (batch - 1);
	}
	return 0;
}

const struct backend backend_rstat = {
	.name = "rstat",
	.description = "reads counters that it first flushes CPUs' updates to, by the rules of "
		       "counters.flush (Linux 5.13 and later)",
	.capabilities = BACKEND_UPDATE | BACKEND_CHURN,
	.files = RSTAT_FILES,
	.bytes = rstat_bytes,
	.guess_read_ns = rstat_guess_read_ns,
	.create = rstat_create,
	.destroy = rstat_destroy,
	.regions = rstat_regions,
	.populate = rstat_populate,
	.read_counts = rstat_read_counts,
	.count_read = rstat_count_read,
	.read_stat = rstat_read_stat,
	.count_stat = rstat_count_stat,
	.read_cpu_stat = rstat_read_cpu_stat,
	.count_cpu_stat = rstat_count_cpu_stat,
	.update = rstat_update,
	.count_update = rstat_count_update,
	.memcg_add = rstat_memcg_add,
	.memcg_remove = rstat_memcg_remove,
	.flush = rstat_flush,
	.locks = rstat_locks,
	.bound = rstat_bound,
};
