/* SPDX-License-Identifier: MIT */
/*
 * Seeded random updates as a workload makes them: single pages and huge ones come and go, and pages
 * move between lists. Half of the events hit a few busy memcgs from two CPUs each, so that batches
 * fill and spill; the others go anywhere. No list of a memcg on a node falls below 0, as none can
 * in a kernel: the oracle that the caller keeps up to date is asked.
 */
#ifndef MEMCGBENCH_BACKEND_UPDATE_STREAM_H
#define MEMCGBENCH_BACKEND_UPDATE_STREAM_H

#include "backend/oracle.h"
#include "base/rng.h"

#include <stdbool.h>

struct update_stream {
	struct rng rng;
	const struct point *point;
	const struct oracle *oracle; /* has seen all updates but the one handed out last */
	bool moving; /* `next` is the second half of a move */
	struct update next;
};

void update_stream_init(struct update_stream *stream, uint64_t seed, const struct point *point,
			const struct oracle *oracle);
void update_stream_next(struct update_stream *stream, struct update *update);

#endif
