// SPDX-License-Identifier: MIT
/*
 * walk: hierarchical rows by walking the subtree, as Linux up to 5.7 reads memory.numa_stat.
 *
 * Each hierarchical row takes a complete pre-order walk for its sum and one more for each node:
 * 4 x (1+N) walks. Each step takes a css reference on the next memcg and drops that on the one
 * before; the top of the walk has the caller's. At each memcg each item is summed over all possible
 * CPUs.
 */
#include "backend/walk.h"

#include "backend/backend_table.h"
#include "backend/bound.h"
#include "backend/model_read.h"
#include "backend/model_walk.h"
#include "scenario/target.h"

static __always_inline void read_hierarchical_rows(const struct model *model, struct memcg *top,
						   unsigned cpu, struct numa_counts *out,
						   struct tally *t)
{
	unsigned nodes = model->layout.nodes;

	for (unsigned row = 0; row < NR_NUMA_ROWS; row++) {
		uint64_t *cells = &out->cells[numa_cell(nodes, SCOPE_HIERARCHICAL, row, 0)];
		unsigned mask = numa_rows[row].lru_mask;
		struct memcg *at;
		uint64_t pages = 0;

		for (at = top; at; at = walk_step(model, top, at, cpu, t))
			pages += memcg_pages(model, at, mask, SCOPE_HIERARCHICAL, t);
		*cells++ = pages;

		for (unsigned node = 0; node < nodes; node++) {
			pages = 0;
			for (at = top; at; at = walk_step(model, top, at, cpu, t))
				pages += node_pages(model, at, node, mask, SCOPE_HIERARCHICAL, t);
			*cells++ = pages;
		}
	}
}

static __always_inline void read_rows(const struct model *model, const struct read_request *request,
				      struct numa_counts *out, struct tally *t)
{
	struct memcg *memcg = model_memcg(model, request->memcg);

	if (request->rows & ROWS_LOCAL)
		read_local_rows(model, memcg, out, t);
	if (request->rows & ROWS_HIERARCHICAL)
		read_hierarchical_rows(model, memcg, request->cpu, out, t);
}

int walk_read_counts(void *instance, const struct read_request *request, struct numa_counts *out)
{
	read_rows(instance, request, out, NULL);
	return 0;
}

int walk_count_read(void *instance, const struct read_request *request, struct numa_counts *out,
		    struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	read_rows(instance, request, out, &tally);
	return tally.error;
}

/* For guesses only. */
double walk_guess_read_ns(const struct point *point)
{
	double items = guess_items(point) * point->machine.cpus;
	struct target_size size = target_size(point);

	return guess_loads_ns(point, items * (double)size.memcgs, size.most) +
	       (double)size.files * guess_local_ns(point);
}

uint64_t walk_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
		    unsigned column, uint32_t subtree, uint64_t truth)
{
	/* Lruvecs' local counters are exact. */
	if (column > 0)
		return 0;
	return batch_bound(point, row, scope == SCOPE_LOCAL ? 1 : subtree);
}

const struct backend backend_walk = {
	.name = "walk",
	.description =
		"walks the subtree for every cell and sums each possible CPU (Linux 5.3 to 5.7)",
	.capabilities = BACKEND_UPDATE | BACKEND_CHURN,
	.files = MODEL_FILES,
	.bytes = model_bytes,
	.guess_read_ns = walk_guess_read_ns,
	.create = model_create,
	.destroy = model_destroy,
	.regions = model_regions,
	.populate = model_populate,
	.read_counts = walk_read_counts,
	.count_read = walk_count_read,
	.read_stat = walk_read_stat,
	.count_stat = walk_count_stat,
	.update = model_update,
	.count_update = model_count_update,
	.memcg_add = model_memcg_add,
	.memcg_offline = model_memcg_offline,
	.memcg_remove = model_memcg_remove,
	.bound = walk_bound,
};
