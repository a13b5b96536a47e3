// SPDX-License-Identifier: MIT
/*
 * The other files by walking: a complete pre-order walk of the subtree for each row, as Linux up to
 * 4.19 read v1 memory.stat. v2 memory.numa_stat, which no kernel read like this, takes one for each
 * row and node.
 *
 * At each memcg the row's items are summed over all possible CPUs, as up to 4.15. From 4.16 to 4.19
 * there was a counter for all CPUs together: with machine.cpus 1, one load is what it took.
 */
#include "backend/model_stat.h"
#include "backend/walk.h"

static __always_inline uint64_t walk_cell(const struct model *model, struct memcg *top,
					  unsigned column, const struct stat_row_format *row,
					  unsigned cpu, struct tally *t)
{
	uint64_t value = 0;

	for (struct memcg *at = top; at; at = walk_step(model, top, at, cpu, t))
		value += local_cell(model, at, column, row, SCOPE_HIERARCHICAL, t);
	return value;
}

static __always_inline void read_stat(const struct model *model, const struct read_request *request,
				      struct numa_counts *out, struct tally *t)
{
	struct memcg *memcg = model_memcg(model, request->memcg);
	unsigned row, column;
	uint64_t *cell;

	if (request->rows & ROWS_LOCAL)
		read_local_stat(model, memcg, out, t);
	if (!(request->rows & ROWS_HIERARCHICAL))
		return;
	for_each_cell(cell, row, column, out, SCOPE_HIERARCHICAL) *cell =
		walk_cell(model, memcg, column, &out->format->rows[row], request->cpu, t);
}

int walk_read_stat(void *instance, const struct read_request *request, struct numa_counts *out)
{
	read_stat(instance, request, out, NULL);
	return 0;
}

int walk_count_stat(void *instance, const struct read_request *request, struct numa_counts *out,
		    struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	read_stat(instance, request, out, &tally);
	return tally.error;
}
