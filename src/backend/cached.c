// SPDX-License-Identifier: MIT
/*
 * cached: hierarchical rows from the counters that updates maintain up the tree anyway, as
 * Linux 5.8 to 5.12 reads memory.numa_stat. Local rows still sum all possible CPUs.
 *
 * The kernel chooses between local and maintained counters by a branch inside the loop over items.
 * Here the choice is a constant wherever a row is read, and the compiler drops the branch.
 */
#include "backend/cached.h"

#include "backend/backend_table.h"
#include "backend/bound.h"
#include "backend/model_read.h"
#include "scenario/target.h"

/* The lists of `mask` of maintained counters. */
static __always_inline uint64_t shared_pages(const _Atomic long *stat, unsigned mask,
					     struct tally *t)
{
	uint64_t pages = 0;

	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		if (mask & (1u << lru))
			pages += read_shared(&stat[lru], t);
	return pages;
}

static __always_inline void read_hierarchical_rows(const struct model *model, struct memcg *memcg,
						   struct numa_counts *out, struct tally *t)
{
	unsigned nodes = model->layout.nodes;

	for (unsigned row = 0; row < NR_NUMA_ROWS; row++) {
		uint64_t *cells = &out->cells[numa_cell(nodes, SCOPE_HIERARCHICAL, row, 0)];
		unsigned mask = numa_rows[row].lru_mask;

		*cells++ = shared_pages(memcg->stat, mask, t);
		for (unsigned node = 0; node < nodes; node++)
			*cells++ = shared_pages(node_info(model, memcg, node, t)->stat, mask, t);
	}
}

static __always_inline void read_rows(const struct model *model, const struct read_request *request,
				      struct numa_counts *out, struct tally *t)
{
	struct memcg *memcg = model_memcg(model, request->memcg);

	if (request->rows & ROWS_LOCAL)
		read_local_rows(model, memcg, out, t);
	if (request->rows & ROWS_HIERARCHICAL)
		read_hierarchical_rows(model, memcg, out, t);
}

static int cached_read_counts(void *instance, const struct read_request *request,
			      struct numa_counts *out)
{
	read_rows(instance, request, out, NULL);
	return 0;
}

static int cached_count_read(void *instance, const struct read_request *request,
			     struct numa_counts *out, struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	read_rows(instance, request, out, &tally);
	return tally.error;
}

double cached_guess_read_ns(const struct point *point)
{
	double files = (double)target_size(point).files;

	return files * (guess_loads_ns(point, guess_items(point), files) + guess_local_ns(point));
}

uint64_t cached_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
		      unsigned column, uint32_t subtree, uint64_t truth)
{
	if (scope == SCOPE_HIERARCHICAL)
		return batch_bound(point, row, subtree);
	return column > 0 ? 0 : batch_bound(point, row, 1);
}

const struct backend backend_cached = {
	.name = "cached",
	.description = "reads counters that updates maintain in every ancestor (Linux 5.8 to 5.12)",
	.capabilities = BACKEND_UPDATE | BACKEND_CHURN,
	.files = MODEL_FILES,
	.bytes = model_bytes,
	.guess_read_ns = cached_guess_read_ns,
	.create = model_create,
	.destroy = model_destroy,
	.regions = model_regions,
	.populate = model_populate,
	.read_counts = cached_read_counts,
	.count_read = cached_count_read,
	.read_stat = cached_read_stat,
	.count_stat = cached_count_stat,
	.update = model_update,
	.count_update = model_count_update,
	.memcg_add = model_memcg_add,
	.memcg_offline = model_memcg_offline,
	.memcg_remove = model_memcg_remove,
	.bound = cached_bound,
};
