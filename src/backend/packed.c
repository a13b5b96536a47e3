// SPDX-License-Identifier: MIT
/*
 * packed: what `cached` maintains, laid out for the reader. No kernel has it; docs/packed.md says
 * what it costs, where it would hurt, and why it is correct.
 *
 * After the patch of 2020 a read still sums 10 x (1+N) x C per-CPU counters for its local rows, a
 * call of a bitmap search between two of them, and prints each cell by a formatted print: all but
 * 1 % of its time. `packed` reads each counter once:
 *
 * - A memcg's five counters and five batches of one CPU and node are one line (batches take 32
 *   bits, for B is at most 2^20). All lines of a memcg and node lie side by side on the node.
 * - A mask says which CPUs ever counted here, and only their lines are read, in one pass. It is set
 *   at a CPU's first event, and never cleared.
 * - A row sum of the local block is the sum of its columns, which are exact; so there is no local
 *   counter of the memcg. Hierarchical row sums have a counter and batches of their own, as in the
 *   kernel: added up from the columns, their error would be N times as large.
 * - Four rows of a column are formed from five counters that were read once, not ten times.
 * - The text is one short loop (packed_text.h), whatever read.text says: a cold read of ready-made
 *   counters is mostly misses of code.
 *
 * Nothing is kept between reads, so nothing can be stale. Errors are those of `cached`, or less:
 * local rows are exact, sums included.
 */
#include "backend/packed.h"

#include "backend/backend_table.h"
#include "backend/bound.h"
#include "backend/columns.h"
#include "backend/tally.h"

/* Relaxed, as all reads of counters are: each is one that was there, and they order nothing. */
static __always_inline void add_lists(long pages[NR_LRU_LISTS], const _Atomic long *counters)
{
#pragma GCC unroll 5
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		pages[lru] += atomic_load_explicit(&counters[lru], memory_order_relaxed);
}

static __always_inline void put_shared(const struct packed *packed, struct numa_counts *out,
				       unsigned column, const _Atomic long *stat, struct tally *t)
{
	long pages[NR_LRU_LISTS] = {0};

	add_lists(pages, stat);
	tally_add(t, atomics, NR_LRU_LISTS);
	tally_touch(t, stat, NR_LRU_LISTS * sizeof(*stat));
	put_column(out, packed->layout.nodes, SCOPE_HIERARCHICAL, column, pages);
}

/* The lines in use of one memcg and node; each is loaded whole, once. */
static __always_inline void read_lines(const struct packed *packed, struct packed_memcg *memcg,
				       unsigned node, long pages[NR_LRU_LISTS], struct tally *t)
{
	const _Atomic unsigned long *users = packed_users(packed, memcg, node);
	const struct packed_line *line = memcg->node[node]->line;

	tally_touch(t, users, packed->layout.words * sizeof(*users));
	for (unsigned w = 0; w < packed->layout.words; w++, line += CPUMASK_WORD_BITS) {
		unsigned long word = atomic_load_explicit(&users[w], memory_order_relaxed);

		for (; word; word &= word - 1) {
			const _Atomic long *local = line[__builtin_ctzl(word)].local;

			add_lists(pages, local);
			tally_add(t, loads_local, NR_LRU_LISTS);
			tally_touch(t, local, NR_LRU_LISTS * sizeof(*local));
		}
	}
}

static __always_inline void read_local_rows(const struct packed *packed, struct packed_memcg *memcg,
					    struct numa_counts *out, struct tally *t)
{
	long sums[NR_LRU_LISTS] = {0};

	for (unsigned k = 0; k < packed->layout.nodes; k++) {
		long pages[NR_LRU_LISTS] = {0};

		read_lines(packed, memcg, k, pages, t);
		put_column(out, packed->layout.nodes, SCOPE_LOCAL, 1 + k, pages);
#pragma GCC unroll 5
		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
			sums[lru] += pages[lru];
	}
	put_column(out, packed->layout.nodes, SCOPE_LOCAL, 0, sums);
}

static __always_inline void read_hierarchical_rows(const struct packed *packed,
						   struct packed_memcg *memcg,
						   struct numa_counts *out, struct tally *t)
{
	put_shared(packed, out, 0, memcg->stat, t);
	for (unsigned k = 0; k < packed->layout.nodes; k++)
		put_shared(packed, out, 1 + k, memcg->node[k]->stat, t);
}

/*
 * Lines that are needed last, asked for first: they arrive with those of the local rows, whose
 * addresses the processor sees ahead by itself.
 */
static __always_inline void prefetch(const struct packed *packed, struct packed_memcg *memcg,
				     unsigned rows, struct tally *t)
{
	if (rows & ROWS_HIERARCHICAL)
		__builtin_prefetch(memcg->stat);
	tally_touch(t, memcg->node, packed->layout.nodes * sizeof(*memcg->node));
	for (unsigned k = 0; rows & ROWS_HIERARCHICAL && k < packed->layout.nodes; k++)
		__builtin_prefetch(memcg->node[k]->stat);
}

static __always_inline void read_rows(const struct packed *packed,
				      const struct read_request *request, struct numa_counts *out,
				      struct tally *t)
{
	struct packed_memcg *memcg = packed_memcg(packed, request->memcg);

	prefetch(packed, memcg, request->rows, t);
	if (request->rows & ROWS_LOCAL)
		read_local_rows(packed, memcg, out, t);
	if (request->rows & ROWS_HIERARCHICAL)
		read_hierarchical_rows(packed, memcg, out, t);
}

static int packed_read_counts(void *instance, const struct read_request *request,
			      struct numa_counts *out)
{
	read_rows(instance, request, out, NULL);
	return 0;
}

static int packed_count_read(void *instance, const struct read_request *request,
			     struct numa_counts *out, struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	read_rows(instance, request, out, &tally);
	return tally.error;
}

static long packed_read_text(void *instance, const struct read_request *request,
			     struct numa_counts *scratch, enum text_style style, char *buffer,
			     size_t size)
{
	const struct packed *packed = instance;
	char *end;

	read_rows(packed, request, scratch, NULL);
	if (size < packed->text_room)
		return numa_stat_text(scratch, request->rows, TEXT_FAST, buffer, size);
	end = packed_put_text(packed->labels, scratch, request->rows, buffer);
	*end = '\0';
	return end - buffer;
}

/* Seen where the guesses of bound.c come from; nothing but plans and progress uses it. */
#define NS_PER_CELL 15.0

static double packed_guess_read_ns(const struct point *point)
{
	double columns = 1.0 + point->machine.nodes, loads = NR_LRU_LISTS * columns, ns = 0;

	if (point->read.rows & ROWS_LOCAL)
		loads += NR_LRU_LISTS * columns * point->counters.spread_cpus;
	if (point->read.form == FORM_TEXT)
		ns += 2 * NR_NUMA_ROWS * columns * NS_PER_CELL;
	return ns + guess_loads_ns(point, loads, 1);
}

static uint64_t packed_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
			     unsigned column, uint32_t subtree, uint64_t truth)
{
	return scope == SCOPE_LOCAL ? 0 : batch_bound(point, row, subtree);
}

const struct backend backend_packed = {
	.name = "packed",
	.description =
		"cached with a line per CPU and node, read once, and digits by hand (no kernel)",
	.capabilities = BACKEND_UPDATE | BACKEND_CHURN,
	.bytes = packed_bytes,
	.guess_read_ns = packed_guess_read_ns,
	.create = packed_create,
	.destroy = packed_destroy,
	.regions = packed_regions,
	.populate = packed_populate,
	.read_counts = packed_read_counts,
	.count_read = packed_count_read,
	.read_text = packed_read_text,
	.update = packed_update,
	.count_update = packed_count_update,
	.memcg_add = packed_memcg_add,
	.memcg_remove = packed_memcg_remove,
	.bound = packed_bound,
};
