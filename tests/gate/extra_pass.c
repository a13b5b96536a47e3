// SPDX-License-Identifier: MIT
/*
 * A regression made on purpose: `cached` as it is, and with one pass over all memcgs in each read,
 * as if a walk had come back. A program linked with this file, and no other, has it: what it
 * defines takes the place of the library's object of cached.c.
 *
 * With EXTRA_PASS_COUNTED the pass is part of what is counted. Without, only the timed read does
 * it, which operation counts cannot see: what shows is that the back end fell behind others.
 */
#include "backend/model_read.h"

static __always_inline void read_local_rows_and_pass(const struct model *model, struct memcg *memcg,
						     struct numa_counts *out, struct tally *t)
{
	uint32_t memcgs = model->point->tree.memcgs + 1;

	read_local_rows(model, memcg, out, t);
#ifndef EXTRA_PASS_COUNTED
	if (t)
		return;
#endif
	for (uint32_t i = 0; i < memcgs; i++)
		memcg_pages(model, model_memcg(model, i), (1u << NR_LRU_LISTS) - 1,
			    SCOPE_HIERARCHICAL, t);
}

#define read_local_rows read_local_rows_and_pass
#include "backend/cached.c"
