// SPDX-License-Identifier: MIT
/*
 * cached-fnptr: `cached` as the patch was first posted. Which counter is read, local or maintained,
 * of a memcg or of a lruvec, is up to four functions, and each sum over items is given a pointer to
 * one of them: a call through a pointer for each item, which nothing can inline, and which is a
 * retpoline where the kernel is built with them. Review asked for a branch inside the loop instead.
 *
 * Only that differs from `cached`: counters, answers and operation counts are the same. What it
 * does to the size of the code is what bench/reader.c shows.
 */
#include "backend/backend_table.h"
#include "backend/cached.h"
#include "backend/model_read.h"

/* One item of what lies at `from`: a struct memcg, or a struct memcg_node. */
typedef uint64_t page_state(const struct model *model, const void *from, unsigned item,
			    struct tally *t);

static __always_inline uint64_t memcg_local(const struct model *model, const struct memcg *memcg,
					    unsigned item, struct tally *t)
{
	return sum_possible(model, &memcg->local, item, SCOPE_LOCAL, t);
}

static __always_inline uint64_t node_local(const struct model *model, const struct memcg_node *info,
					   unsigned item, struct tally *t)
{
	return sum_possible(model, &info->local, item, SCOPE_LOCAL, t);
}

static __always_inline uint64_t memcg_tree(const struct memcg *memcg, unsigned item,
					   struct tally *t)
{
	return read_shared(&memcg->stat[item], t);
}

static __always_inline uint64_t node_tree(const struct memcg_node *info, unsigned item,
					  struct tally *t)
{
	return read_shared(&info->stat[item], t);
}

/* The functions to point at, without counting and with. */
static uint64_t memcg_local_plain(const struct model *model, const void *from, unsigned item,
				  struct tally *t)
{
	return memcg_local(model, from, item, NULL);
}

static uint64_t node_local_plain(const struct model *model, const void *from, unsigned item,
				 struct tally *t)
{
	return node_local(model, from, item, NULL);
}

static uint64_t memcg_tree_plain(const struct model *model, const void *from, unsigned item,
				 struct tally *t)
{
	return memcg_tree(from, item, NULL);
}

static uint64_t node_tree_plain(const struct model *model, const void *from, unsigned item,
				struct tally *t)
{
	return node_tree(from, item, NULL);
}

static uint64_t memcg_local_counted(const struct model *model, const void *from, unsigned item,
				    struct tally *t)
{
	return memcg_local(model, from, item, t);
}

static uint64_t node_local_counted(const struct model *model, const void *from, unsigned item,
				   struct tally *t)
{
	return node_local(model, from, item, t);
}

static uint64_t memcg_tree_counted(const struct model *model, const void *from, unsigned item,
				   struct tally *t)
{
	return memcg_tree(from, item, t);
}

static uint64_t node_tree_counted(const struct model *model, const void *from, unsigned item,
				  struct tally *t)
{
	return node_tree(from, item, t);
}

static page_state *const memcg_states[2][NR_SCOPES] = {
	{[SCOPE_LOCAL] = memcg_local_plain, [SCOPE_HIERARCHICAL] = memcg_tree_plain},
	{[SCOPE_LOCAL] = memcg_local_counted, [SCOPE_HIERARCHICAL] = memcg_tree_counted},
};
static page_state *const node_states[2][NR_SCOPES] = {
	{[SCOPE_LOCAL] = node_local_plain, [SCOPE_HIERARCHICAL] = node_tree_plain},
	{[SCOPE_LOCAL] = node_local_counted, [SCOPE_HIERARCHICAL] = node_tree_counted},
};

/* The lists of `mask`, through a pointer of which the compiler may not know where it points. */
static __always_inline uint64_t pages_by(page_state *state, const struct model *model,
					 const void *from, unsigned mask, struct tally *t)
{
	uint64_t pages = 0;

	__asm__("" : "+r"(state));
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		if (mask & (1u << lru))
			pages += state(model, from, lru, t);
	return pages;
}

static __always_inline void read_scope(const struct model *model, struct memcg *memcg,
				       enum numa_scope scope, struct numa_counts *out,
				       struct tally *t)
{
	unsigned nodes = model->layout.nodes;

	for (unsigned row = 0; row < NR_NUMA_ROWS; row++) {
		uint64_t *cells = &out->cells[numa_cell(nodes, scope, row, 0)];
		unsigned mask = numa_rows[row].lru_mask;

		*cells++ = pages_by(memcg_states[t != NULL][scope], model, memcg, mask, t);
		for (unsigned node = 0; node < nodes; node++)
			*cells++ = pages_by(node_states[t != NULL][scope], model,
					    node_info(model, memcg, node, t), mask, t);
	}
}

static __always_inline void read_rows(const struct model *model, const struct read_request *request,
				      struct numa_counts *out, struct tally *t)
{
	struct memcg *memcg = model_memcg(model, request->memcg);

	if (request->rows & ROWS_LOCAL)
		read_scope(model, memcg, SCOPE_LOCAL, out, t);
	if (request->rows & ROWS_HIERARCHICAL)
		read_scope(model, memcg, SCOPE_HIERARCHICAL, out, t);
}

static int cached_fnptr_read_counts(void *instance, const struct read_request *request,
				    struct numa_counts *out)
{
	read_rows(instance, request, out, NULL);
	return 0;
}

static int cached_fnptr_count_read(void *instance, const struct read_request *request,
				   struct numa_counts *out, struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	read_rows(instance, request, out, &tally);
	return tally.error;
}

const struct backend backend_cached_fnptr = {
	.name = "cached-fnptr",
	.description = "cached, each item by a call through a pointer (the patch's first version)",
	.capabilities = BACKEND_UPDATE | BACKEND_CHURN,
	.bytes = model_bytes,
	.guess_read_ns = cached_guess_read_ns,
	.create = model_create,
	.destroy = model_destroy,
	.regions = model_regions,
	.populate = model_populate,
	.read_counts = cached_fnptr_read_counts,
	.count_read = cached_fnptr_count_read,
	.update = model_update,
	.count_update = model_count_update,
	.memcg_add = model_memcg_add,
	.memcg_offline = model_memcg_offline,
	.memcg_remove = model_memcg_remove,
	.bound = cached_bound,
};
