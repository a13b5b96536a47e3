// SPDX-License-Identifier: MIT
/* See spills.h. */
#include "driver/spills.h"

#define SPILL_SEED 0x7370696c6cu

void spills_init(struct spills *spills, const struct sampler *sampler, unsigned cpu)
{
	*spills = (struct spills){
		.sampler = sampler,
		.cpu = cpu,
		.rng = rng_for(SPILL_SEED, sampler->point->tree.seed, cpu),
	};
}

void spills_make(struct spills *spills)
{
	const struct sampler *sampler = spills->sampler;
	const struct point *point = sampler->point;
	long pages = 2 * (long)point->counters.batch + 1;
	struct rng rng = spills->rng;

	for (uint32_t i = 0; i < point->read.spills; i++) {
		struct update update = {
			.memcg = 1 + (uint32_t)rng_below(&rng, point->tree.memcgs),
			.node = (unsigned)rng_below(&rng, point->machine.nodes),
			.cpu = spills->cpu,
			.lru = (enum lru_list)rng_below(&rng, NR_LRU_LISTS),
			.delta = spills->there ? -pages : pages,
		};

		sampler->backend->update(sampler->instance, &update);
	}
	/* The same numbers once more lead to the same places: there they are taken back. */
	if (spills->there)
		spills->rng = rng;
	spills->there = !spills->there;
}

void spills_undo(struct spills *spills)
{
	if (spills->there)
		spills_make(spills);
}
