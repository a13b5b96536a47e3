// SPDX-License-Identifier: MIT
/* See update_stream.h. */
#include "backend/update_stream.h"

#define HUGE_PAGES  512 /* of 4 KiB: one event of a 2 MiB page */
#define BUSY_MEMCGS 16

void update_stream_init(struct update_stream *stream, uint64_t seed, const struct point *point,
			const struct oracle *oracle)
{
	*stream = (struct update_stream){
		.rng = rng_for(seed, point->tree.seed, point->tree.memcgs),
		.point = point,
		.oracle = oracle,
	};
}

/* Who, where: a busy memcg from one of its two CPUs, or any memcg from any CPU. */
static void pick_place(struct update_stream *stream, struct update *update)
{
	uint32_t memcgs = stream->point->tree.memcgs + 1;
	unsigned cpus = stream->point->machine.cpus;
	struct rng *rng = &stream->rng;

	update->node = (unsigned)rng_below(rng, stream->point->machine.nodes);
	update->lru = (enum lru_list)rng_below(rng, NR_LRU_LISTS);
	if (rng_next(rng) & 1) {
		uint64_t busy = rng_below(rng, BUSY_MEMCGS);

		/* Spread over the creation order, the root and the last memcg among them. */
		update->memcg = (uint32_t)(busy * (memcgs - 1) / (BUSY_MEMCGS - 1));
		update->cpu = (unsigned)((busy + rng_below(rng, 2)) % cpus);
		return;
	}
	update->memcg = (uint32_t)rng_below(rng, memcgs);
	update->cpu = (unsigned)rng_below(rng, cpus);
}

void update_stream_next(struct update_stream *stream, struct update *update)
{
	struct rng *rng = &stream->rng;
	uint64_t kind;
	int64_t held;
	long size;

	if (stream->moving) {
		*update = stream->next;
		stream->moving = false;
		return;
	}

	size = rng_below(rng, 8) ? 1 : HUGE_PAGES;
	kind = rng_below(rng, 4);
	pick_place(stream, update);
	held = oracle_pages(stream->oracle, update->memcg, update->node, update->lru);
	update->delta = size;
	if (kind == 0 || held < size)
		return;

	update->delta = -size;
	if (kind == 1)
		return;
	/* Leaves this list for another one. */
	stream->moving = true;
	stream->next = *update;
	stream->next.delta = size;
	stream->next.lru = (enum lru_list)((update->lru + 1 + rng_below(rng, NR_LRU_LISTS - 1)) %
					   NR_LRU_LISTS);
}
