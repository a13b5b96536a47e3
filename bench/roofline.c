// SPDX-License-Identifier: MIT
/* See roofline.h. */
#include "roofline.h"

#include "backend/model_walk.h"

#include <errno.h>
#include <stdlib.h>

int roofline_init(struct roofline *roofline, const struct model *model)
{
	struct memcg *root = model_memcg(model, 0);
	uint32_t nr = 0;

	*roofline = (struct roofline){
		.area = model->area,
		.cpus = model->layout.cpus,
		.columns = 1 + model->layout.nodes,
		.memcgs = model->layout.memcgs,
	};
	roofline->column = calloc(roofline->columns, sizeof(*roofline->column));
	roofline->object = calloc(roofline->memcgs, sizeof(*roofline->object));
	if (!roofline->column || !roofline->object) {
		roofline_fini(roofline);
		return -ENOMEM;
	}

	for (unsigned node = 0; node < model->layout.nodes; node++)
		roofline->column[1 + node] =
			(*memcg_nodeinfo(model, root, node))->local - root->local;
	for (const struct memcg *at = root; at; at = next_link(root, at, NULL))
		roofline->object[nr++] = at->local;
	return 0;
}

void roofline_fini(struct roofline *roofline)
{
	free(roofline->column);
	free(roofline->object);
	roofline->column = NULL;
	roofline->object = NULL;
}

/* Relaxed, as all reads of counters; loads that the compiler may not leave out. */
static __always_inline uint64_t load_step(const struct roofline *roofline, unsigned char *area,
					  uint64_t object)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < roofline->columns; i++) {
		const _Atomic long *counters = area_counter(area, object + roofline->column[i], 0);

		sum += (uint64_t)atomic_load_explicit(&counters[0], memory_order_relaxed);
		sum += (uint64_t)atomic_load_explicit(&counters[NR_LRU_LISTS - 1],
						      memory_order_relaxed);
	}
	return sum;
}

static __always_inline void prefetch_step(const struct roofline *roofline, unsigned char *area,
					  uint64_t object)
{
	for (unsigned i = 0; i < roofline->columns; i++) {
		const _Atomic long *counters = area_counter(area, object + roofline->column[i], 0);

		__builtin_prefetch(&counters[0]);
		__builtin_prefetch(&counters[NR_LRU_LISTS - 1]);
	}
}

uint64_t roofline_by_memcg(const struct roofline *roofline, unsigned ahead)
{
	unsigned cpus = roofline->cpus;
	uint32_t next_memcg = ahead / cpus;
	unsigned next_cpu = ahead % cpus;
	uint64_t sum = 0;

	for (uint32_t memcg = 0; memcg < roofline->memcgs; memcg++) {
		for (unsigned cpu = 0; cpu < cpus; cpu++) {
			sum += load_step(roofline, roofline->area[cpu], roofline->object[memcg]);
			if (next_memcg < roofline->memcgs)
				prefetch_step(roofline, roofline->area[next_cpu],
					      roofline->object[next_memcg]);
			if (++next_cpu == cpus) {
				next_cpu = 0;
				next_memcg++;
			}
		}
	}
	return sum;
}

uint64_t roofline_by_cpu(const struct roofline *roofline, unsigned ahead)
{
	uint32_t memcgs = roofline->memcgs;
	unsigned next_cpu = ahead / memcgs;
	uint32_t next_memcg = ahead % memcgs;
	uint64_t sum = 0;

	for (unsigned cpu = 0; cpu < roofline->cpus; cpu++) {
		for (uint32_t memcg = 0; memcg < memcgs; memcg++) {
			sum += load_step(roofline, roofline->area[cpu], roofline->object[memcg]);
			if (next_cpu < roofline->cpus)
				prefetch_step(roofline, roofline->area[next_cpu],
					      roofline->object[next_memcg]);
			if (++next_memcg == memcgs) {
				next_memcg = 0;
				next_cpu++;
			}
		}
	}
	return sum;
}
