/* SPDX-License-Identifier: MIT */
/*
 * What no walk can beat: plain loops over the cache lines that one pass over a tree has to load,
 * with the next lines prefetched. No links, references, handles, bitmap of CPUs, items or rows:
 * addresses come from a list in walk order, and of the five counters of a block the first and the
 * last are loaded, which are on all its lines.
 *
 * Two orders. Memcg by memcg is a walk's: it needs all of a memcg before it can go on. CPU by CPU
 * streams through one area at a time, which memory likes much better, and which a reader could only
 * do if it kept a sum for each memcg and item, as each has to be clamped after all CPUs.
 */
#ifndef MEMCGBENCH_BENCH_ROOFLINE_H
#define MEMCGBENCH_BENCH_ROOFLINE_H

#include "backend/model.h"

struct roofline {
	unsigned char *const *area; /* [cpus], the model's */
	unsigned cpus, columns; /* 1 + nodes */
	uint64_t *column; /* [columns]: offset of the LRU counters in an object */
	uint64_t *object; /* [memcgs] offset in each area, in pre-order from the root */
	uint32_t memcgs;
};

/* Over the whole tree of a model, which outlives it. -ENOMEM. */
int roofline_init(struct roofline *roofline, const struct model *model);
void roofline_fini(struct roofline *roofline);

/* One pass, with lines prefetched `ahead` steps before they are loaded; a step is what one memcg
 * has in one area. Returns a sum of all that was loaded. */
uint64_t roofline_by_memcg(const struct roofline *roofline, unsigned ahead);
uint64_t roofline_by_cpu(const struct roofline *roofline, unsigned ahead);

#endif
