// SPDX-License-Identifier: MIT
/*
 * walk-once: the fairest tree walk. One pass over the subtree makes all rows and columns, and each
 * counter of each CPU is loaded once: 5 x (1+N) x C x M'. No kernel read memory.numa_stat like
 * this; it says how much of the walk's cost was walking 4 x (1+N) times, and how much no walk can
 * avoid. Counters, writer, css references and the clamping of each item of each memcg at 0 are
 * `walk`'s, and so are its answers.
 *
 * The order is memcg, CPU, column: all that a memcg has in one CPU's area lies in one or two pages,
 * and is read together. While a memcg is read, the lines of the next one are prefetched, CPU by
 * CPU. So the next one is found, and its reference taken, before the present one is left.
 *
 * The local rows are the top's part of the same sums, and take no loads of their own.
 */
#include "backend/walk_once.h"
#include "backend/backend_table.h"
#include "backend/bound.h"
#include "backend/model_read.h"
#include "backend/model_walk.h"
#include "backend/walk.h"
#include "scenario/target.h"

#include <string.h>

/* Columns that are summed side by side. Their sums fill a few lines of stack however many nodes. */
#define COLUMNS 8
/* CPUs that are summed in a group, column by column: few enough pages for the nearest TLB. */
#define CPUS 16

/* Up to COLUMNS columns of one memcg: 0 is its own, 1 + k that of its lruvec on node k. */
struct part {
	struct memcg *memcg; /* NULL: behind the last */
	unsigned first, nr;
	uint64_t local[COLUMNS]; /* offsets of the per-CPU blocks */
};

static __always_inline struct part part_of(const struct model *model, struct memcg *memcg,
					   unsigned first, struct tally *t)
{
	struct part part = {.memcg = memcg, .first = first};
	unsigned columns = 1 + model->layout.nodes;

	for (unsigned column = first; column < columns && part.nr < COLUMNS; column++) {
		const uint64_t *handle = &memcg->local;

		if (column > 0)
			handle = &node_info(model, memcg, column - 1, t)->local;
		tally_touch(t, handle, sizeof(*handle));
		part.local[part.nr++] = *handle;
	}
	return part;
}

/*
 * The five counters may straddle two lines: asks for those of the first and of the last. Into the
 * second-level cache: what a memcg has in all areas falls into few sets of the first.
 */
static __always_inline void prefetch_counters(unsigned char *area, uint64_t local)
{
	__builtin_prefetch(area_counter(area, local, 0), 0, 2);
	__builtin_prefetch(area_counter(area, local, NR_LRU_LISTS - 1), 0, 2);
}

/* Relaxed atomic loads, as in model_read.h. */
static __always_inline void add_counters(unsigned char *area, uint64_t local, enum numa_scope scope,
					 long sums[NR_LRU_LISTS], struct tally *t)
{
	const _Atomic long *counters = area_counter(area, local, 0);

	/* Unrolled, whatever the optimiser's level: else the sums are in memory. */
#pragma GCC unroll 8
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
		sums[lru] += atomic_load_explicit(&counters[lru], memory_order_relaxed);
		/* In a register of its own: packing loads into vectors, which no kernel code may
		 * use, takes longer than adding. */
		__asm__("" : "+r"(sums[lru]));
	}
	tally_touch(t, counters, NR_LRU_LISTS * sizeof(*counters));
	if (scope == SCOPE_LOCAL)
		tally_add(t, loads_local, NR_LRU_LISTS);
	else
		tally_add(t, loads_hierarchical, NR_LRU_LISTS);
}

/* The areas of the next possible CPUs from `*cpu` on, CPUS at most. */
static __always_inline unsigned next_areas(const struct model *model, unsigned *cpu,
					   unsigned char *areas[CPUS], struct tally *t)
{
	unsigned nr = 0;

	while (nr < CPUS && *cpu < model->nr_possible) {
		tally_touch(t, &model->area[*cpu], sizeof(*model->area));
		areas[nr++] = model->area[*cpu];
		*cpu = cpumask_next(*cpu, model->possible, model->nr_possible);
	}
	return nr;
}

/* A column's sums stay in registers over the CPUs of a group. */
static __always_inline void sum_column(unsigned char *const areas[CPUS], unsigned nr,
				       uint64_t local, const uint64_t *next, enum numa_scope scope,
				       long sums[NR_LRU_LISTS], struct tally *t)
{
	long sum[NR_LRU_LISTS];

	memcpy(sum, sums, sizeof(sum));
	for (unsigned k = 0; k < nr; k++) {
		add_counters(areas[k], local, scope, sum, t);
		if (next)
			prefetch_counters(areas[k], *next);
	}
	memcpy(sums, sum, sizeof(sum));
}

static __always_inline void sum_part(const struct model *model, const struct part *part,
				     const struct part *next, enum numa_scope scope,
				     long sums[COLUMNS][NR_LRU_LISTS], struct tally *t)
{
	unsigned cpu = cpumask_next(-1u, model->possible, model->nr_possible);
	unsigned char *areas[CPUS];

	tally_touch(t, model->possible, cpumask_bytes(model->nr_possible));
	while (cpu < model->nr_possible) {
		unsigned nr = next_areas(model, &cpu, areas, t);

		for (unsigned i = 0; i < part->nr; i++)
			sum_column(areas, nr, part->local[i], i < next->nr ? &next->local[i] : NULL,
				   scope, sums[i], t);
		for (unsigned i = part->nr; i < next->nr; i++)
			for (unsigned k = 0; k < nr; k++)
				prefetch_counters(areas[k], next->local[i]);
	}
}

/* Adds one column's items, those below 0 as 0, to the rows of one scope. */
static __always_inline void add_to_rows(uint64_t *cells, unsigned columns,
					const long sums[NR_LRU_LISTS])
{
	for (unsigned row = 0; row < NR_NUMA_ROWS; row++)
		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
			if (numa_rows[row].lru_mask & (1u << lru) && sums[lru] > 0)
				cells[row * columns] += (uint64_t)sums[lru];
}

struct pass {
	const struct model *model;
	struct memcg *top;
	unsigned rows, cpu;
	enum numa_scope scope; /* that loads count for: local where only local rows are asked for */
	uint64_t *local, *hierarchical; /* cells of the two scopes */
};

static __always_inline void read_part(const struct pass *pass, const struct part *part,
				      const struct part *next, struct tally *t)
{
	long sums[COLUMNS][NR_LRU_LISTS] = {{0}};
	unsigned columns = 1 + pass->model->layout.nodes;

	sum_part(pass->model, part, next, pass->scope, sums, t);
	for (unsigned i = 0; i < part->nr; i++) {
		if (pass->rows & ROWS_HIERARCHICAL)
			add_to_rows(pass->hierarchical + part->first + i, columns, sums[i]);
		if (pass->rows & ROWS_LOCAL && part->memcg == pass->top)
			add_to_rows(pass->local + part->first + i, columns, sums[i]);
	}
}

/* What a step to `memcg` loads first: its links and handles, its pointer to its first lruvec. */
static __always_inline void prefetch_links(const struct model *model, struct memcg *memcg)
{
	if (!memcg)
		return;
	__builtin_prefetch(memcg);
	__builtin_prefetch(memcg_nodeinfo(model, memcg, 0));
}

/* The part after `part`: of the same memcg, or the first one of the next. */
static __always_inline struct part next_part(const struct pass *pass, const struct part *part,
					     struct tally *t)
{
	unsigned first = part->first + part->nr;
	struct memcg *next = NULL;

	if (first < 1 + pass->model->layout.nodes)
		return part_of(pass->model, part->memcg, first, t);
	if (pass->rows & ROWS_HIERARCHICAL)
		next = walk_next(pass->model, pass->top, part->memcg, pass->cpu, t);
	if (next) {
		/* Relaxed: they are asked for, not followed. */
		prefetch_links(pass->model,
			       atomic_load_explicit(&next->first_child, memory_order_relaxed));
		prefetch_links(pass->model,
			       atomic_load_explicit(&next->next_sibling, memory_order_relaxed));
		return part_of(pass->model, next, 0, t);
	}
	return (struct part){.memcg = NULL};
}

static __always_inline void read_rows(const struct model *model, const struct read_request *request,
				      struct numa_counts *out, struct tally *t)
{
	unsigned nodes = model->layout.nodes;
	size_t block = numa_cell(nodes, SCOPE_HIERARCHICAL, 0, 0);
	struct pass pass = {
		.model = model,
		.top = model_memcg(model, request->memcg),
		.rows = request->rows,
		.cpu = request->cpu,
		.scope = request->rows & ROWS_HIERARCHICAL ? SCOPE_HIERARCHICAL : SCOPE_LOCAL,
		.local = out->cells,
		.hierarchical = out->cells + block,
	};
	struct part part = part_of(model, pass.top, 0, t);

	if (request->rows & ROWS_LOCAL)
		memset(pass.local, 0, block * sizeof(*pass.local));
	if (request->rows & ROWS_HIERARCHICAL)
		memset(pass.hierarchical, 0, block * sizeof(*pass.hierarchical));

	while (part.memcg) {
		struct part next = next_part(&pass, &part, t);

		read_part(&pass, &part, &next, t);
		if (next.memcg != part.memcg)
			walk_leave(model, pass.top, part.memcg, request->cpu, t);
		part = next;
	}
}

static int walk_once_read_counts(void *instance, const struct read_request *request,
				 struct numa_counts *out)
{
	read_rows(instance, request, out, NULL);
	return 0;
}

static int walk_once_count_read(void *instance, const struct read_request *request,
				struct numa_counts *out, struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	read_rows(instance, request, out, &tally);
	return tally.error;
}

/* Of v1 memory.numa_stat half of walk's loads, and a search for the next CPU for all of a memcg's
 * in an area. */
static double walk_once_guess_read_ns(const struct point *point)
{
	double loads = guess_items(point) * point->machine.cpus;
	struct target_size size = target_size(point);

	if (point_format(point)->type == STAT_NUMA_V1)
		loads /= 4;
	return guess_loads_ns(point, loads * (double)size.memcgs, size.most) +
	       (double)size.files * guess_local_ns(point);
}

const struct backend backend_walk_once = {
	.name = "walk-once",
	.description =
		"walks the subtree once for all cells and loads each counter once (no kernel)",
	.capabilities = BACKEND_UPDATE | BACKEND_CHURN,
	.files = MODEL_FILES,
	.bytes = model_bytes,
	.guess_read_ns = walk_once_guess_read_ns,
	.create = model_create,
	.destroy = model_destroy,
	.regions = model_regions,
	.populate = model_populate,
	.read_counts = walk_once_read_counts,
	.count_read = walk_once_count_read,
	.read_stat = walk_once_read_stat,
	.count_stat = walk_once_count_stat,
	.update = model_update,
	.count_update = model_count_update,
	.memcg_add = model_memcg_add,
	.memcg_offline = model_memcg_offline,
	.memcg_remove = model_memcg_remove,
	.bound = walk_bound,
};
