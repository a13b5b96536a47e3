// SPDX-License-Identifier: MIT
/*
 * The other files by one walk: memory.stat as Linux 4.20 to 5.1 read it (8de7ecc6483b), which went
 * through the subtree once and added up all items of the file at each memcg. The rows of the memcg
 * itself are read by themselves, as there.
 */
#include "backend/model_stat.h"
#include "backend/walk_once.h"

#include <string.h>

static __always_inline void add_memcg(const struct model *model, struct memcg *memcg,
				      struct numa_counts *out, struct tally *t)
{
	unsigned row, column;
	uint64_t *cell;

	for_each_cell(cell, row, column, out, SCOPE_HIERARCHICAL) *cell +=
		local_cell(model, memcg, column, &out->format->rows[row], SCOPE_HIERARCHICAL, t);
}

static __always_inline void read_stat(const struct model *model, const struct read_request *request,
				      struct numa_counts *out, struct tally *t)
{
	struct memcg *top = model_memcg(model, request->memcg);
	size_t block = stat_nr_cells(out) / NR_SCOPES;

	if (request->rows & ROWS_LOCAL)
		read_local_stat(model, top, out, t);
	if (!(request->rows & ROWS_HIERARCHICAL))
		return;
	memset(&out->cells[SCOPE_HIERARCHICAL * block], 0, block * sizeof(*out->cells));
	for (struct memcg *at = top; at; at = walk_step(model, top, at, request->cpu, t))
		add_memcg(model, at, out, t);
}

int walk_once_read_stat(void *instance, const struct read_request *request, struct numa_counts *out)
{
	read_stat(instance, request, out, NULL);
	return 0;
}

int walk_once_count_stat(void *instance, const struct read_request *request,
			 struct numa_counts *out, struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	read_stat(instance, request, out, &tally);
	return tally.error;
}
