// SPDX-License-Identifier: MIT
/*
 * bounded: maintained counters whose error is a stated share of the answer, counters.error, however
 * many memcgs and CPUs there are. No kernel has it; docs/bounded.md has the proof, where the idea
 * comes from, and where it would hurt.
 *
 * In 5.2 to 5.12 a batch is B pages, whatever it is a batch of. What the root does not know is what
 * every CPU holds back in every memcg: it grows with M x C. Here
 *
 * - each CPU counts for every ancestor by itself (as 6.8 does with pending updates), so an
 *   ancestor's error is what CPUs hold back from it, and M drops out;
 * - how much a CPU may hold back follows the value: a power of two of pages, the level, such that
 *   all who hold something together hold at most the stated share. So C drops out, too, and a list
 *   that is too short for any level is exact;
 * - a level rises lazily, at each CPU's next turn. When it must fall, what CPUs hold is taken from
 *   them by the one who saw it; that is once in a third of the value, so it costs next to nothing;
 * - a share of each part is a share of the sum. Row sums are sums of columns, and need no counters
 *   and no updates of their own.
 *
 * Local rows are exact, and read as `packed` reads them: only CPUs that ever counted there.
 *
 * Invariants, whenever no update is under way:
 *   stat = sum of `told` over all CPUs; |counted - told| of a CPU <= its limit; no CPU's level is
 *   above the node's, and 0 unless it is among the holders; limit x unit <= stat.
 */
#include "backend/bounded.h"

#include "backend/backend_table.h"
#include "backend/bound.h"
#include "backend/columns.h"
#include "backend/tally.h"
#include "scenario/target.h"

/* Lines in use of one memcg and node. Relaxed, as all reads of counters are: each is one that was
 * there, and they order nothing. */
static __always_inline void read_local(const struct bounded *bounded, struct bounded_node *node,
				       long pages[NR_LRU_LISTS], struct tally *t)
{
	_Atomic unsigned long *mask = bounded_users(node);

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		pages[lru] = 0;
	tally_touch(t, &node->line, sizeof(node->line));
	for (unsigned w = 0; w < bounded->layout.words; w++) {
		unsigned long users = atomic_load_explicit(&mask[w], memory_order_relaxed);

		tally_touch(t, &mask[w], sizeof(mask[w]));
		for (; users; users &= users - 1) {
			unsigned cpu = w * CPUMASK_WORD_BITS + (unsigned)__builtin_ctzl(users);
			const _Atomic long *local =
				bounded_cpu(bounded, cpu, node->line)->local.pages;

			tally_touch(t, &bounded->area[cpu], sizeof(*bounded->area));
			for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
				pages[lru] +=
					atomic_load_explicit(&local[lru], memory_order_relaxed);
			tally_add(t, loads_local, NR_LRU_LISTS);
			tally_touch(t, local, NR_LRU_LISTS * sizeof(*local));
		}
	}
}

static __always_inline void read_shared(const struct bounded_node *node, long pages[NR_LRU_LISTS],
					struct tally *t)
{
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
		long value = atomic_load_explicit(&node->stat[lru], memory_order_relaxed);

		pages[lru] = value < 0 ? 0 : value;
	}
	tally_add(t, atomics, NR_LRU_LISTS);
	tally_touch(t, node->stat, sizeof(node->stat));
}

/* Columns, and their sum before them: of local rows what CPUs counted, of others what they told. */
static __always_inline void read_scope(const struct bounded *bounded,
				       const struct bounded_memcg *memcg, enum numa_scope scope,
				       struct numa_counts *out, struct tally *t)
{
	unsigned nodes = bounded->layout.nodes;
	long sums[NR_LRU_LISTS] = {0};

	for (unsigned k = 0; k < nodes; k++) {
		long pages[NR_LRU_LISTS];

		tally_touch(t, &memcg->node[k], sizeof(memcg->node[k]));
		if (scope == SCOPE_LOCAL)
			read_local(bounded, memcg->node[k], pages, t);
		else
			read_shared(memcg->node[k], pages, t);
		put_column(out, nodes, scope, 1 + k, pages);
		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
			sums[lru] += pages[lru];
	}
	put_column(out, nodes, scope, 0, sums);
}

static __always_inline void read_rows(const struct bounded *bounded,
				      const struct read_request *request, struct numa_counts *out,
				      struct tally *t)
{
	const struct bounded_memcg *memcg = bounded_memcg(bounded, request->memcg);

	if (request->rows & ROWS_LOCAL)
		read_scope(bounded, memcg, SCOPE_LOCAL, out, t);
	if (request->rows & ROWS_HIERARCHICAL)
		read_scope(bounded, memcg, SCOPE_HIERARCHICAL, out, t);
}

static int bounded_read_counts(void *instance, const struct read_request *request,
			       struct numa_counts *out)
{
	read_rows(instance, request, out, NULL);
	return 0;
}

static int bounded_count_read(void *instance, const struct read_request *request,
			      struct numa_counts *out, struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	read_rows(instance, request, out, &tally);
	return tally.error;
}

static double bounded_guess_read_ns(const struct point *point)
{
	double files = (double)target_size(point).files;
	double loads = (double)NR_LRU_LISTS * point->machine.nodes;
	struct point text = *point;

	if (point->read.rows & ROWS_LOCAL)
		loads += loads * point->counters.spread_cpus;
	text.read.rows = ROWS_HIERARCHICAL; /* the text alone: local rows are guessed above */
	return files * (guess_loads_ns(point, loads, files) + guess_local_ns(&text));
}

/* A share of what there is, rounded down: errors are whole pages. */
static uint64_t bounded_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
			      unsigned column, uint32_t subtree, uint64_t truth)
{
	if (scope == SCOPE_LOCAL)
		return 0;
	return (uint64_t)((unsigned __int128)truth * point->counters.error_ppm / 1000000);
}

const struct backend backend_bounded = {
	.name = "bounded",
	.description = "batches that follow what they count: the error is counters.error of it (no "
		       "kernel)",
	.capabilities = BACKEND_UPDATE | BACKEND_CHURN,
	.bytes = bounded_bytes,
	.guess_read_ns = bounded_guess_read_ns,
	.create = bounded_create,
	.destroy = bounded_destroy,
	.regions = bounded_regions,
	.populate = bounded_populate,
	.read_counts = bounded_read_counts,
	.count_read = bounded_count_read,
	.update = bounded_update,
	.count_update = bounded_count_update,
	.memcg_add = bounded_memcg_add,
	.memcg_remove = bounded_memcg_remove,
	.bound = bounded_bound,
};
