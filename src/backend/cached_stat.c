// SPDX-License-Identifier: MIT
/*
 * The other files from maintained counters: memory.stat since Linux 5.2, v2 memory.numa_stat since
 * it is there (5.10). Rows of the memcg itself sum all possible CPUs.
 */
#include "backend/cached.h"
#include "backend/model_stat.h"

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
		shared_cell(model, memcg, column, &out->format->rows[row], t);
}

int cached_read_stat(void *instance, const struct read_request *request, struct numa_counts *out)
{
	read_stat(instance, request, out, NULL);
	return 0;
}

int cached_count_stat(void *instance, const struct read_request *request, struct numa_counts *out,
		      struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	read_stat(instance, request, out, &tally);
	return tally.error;
}
