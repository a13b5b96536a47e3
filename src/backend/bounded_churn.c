// SPDX-License-Identifier: MIT
/*
 * Memcgs of `bounded` that come and go. One that leaves has nothing to bring to its ancestors: each
 * of these counts for itself, and holds back by a level of its own. What a memcg costs is its
 * making, a line of every CPU and node.
 *
 * Reads do not walk and take no references: a memcg that no CPU counts in is found by nobody.
 */
#include "backend/bounded.h"

#include <string.h>

/* Nobody can find the memcg: plain stores. */
static void clear_counters(const struct bounded *bounded, struct bounded_node *node)
{
	memset((void *)node->stat, 0, sizeof(node->stat));
	memset((void *)node->level, 0, sizeof(node->level));
	memset(node->masks, 0, 2 * bounded->layout.words * sizeof(unsigned long));
	bounded_set_unit(bounded, node);
}

static void clear_cpu(struct bounded_cpu *own, uint64_t parent)
{
	struct bounded_line *line = &own->line;

	memset((void *)line->counted, 0, sizeof(line->counted));
	memset((void *)line->told, 0, sizeof(line->told));
	memset((void *)line->level, 0, sizeof(line->level));
	line->parent = parent;
	memset((void *)&own->local, 0, sizeof(own->local));
}

void bounded_memcg_add(void *instance, uint32_t memcg, uint32_t parent)
{
	struct bounded *bounded = instance;

	for (unsigned k = 0; k < bounded->layout.nodes; k++) {
		struct bounded_node *node = bounded_memcg(bounded, memcg)->node[k];
		uint64_t above = bounded_memcg(bounded, parent)->node[k]->line;

		clear_counters(bounded, node);
		for (unsigned cpu = 0; cpu < bounded->layout.cpus; cpu++)
			clear_cpu(bounded_cpu(bounded, cpu, node->line), above);
	}
}

void bounded_memcg_remove(void *instance, uint32_t memcg)
{
}
