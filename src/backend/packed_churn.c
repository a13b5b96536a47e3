// SPDX-License-Identifier: MIT
/*
 * Memcgs of `packed` that come and go, by the rules of Linux 5.3 to 5.12 (model_churn.c): one that
 * leaves brings what CPUs hold back to its ancestors. Five counters a line and node, not all items
 * and events; lines of CPUs that never counted there hold nothing and are not read.
 *
 * Reads do not walk and take no references: a memcg that no CPU counts in is found by nobody.
 */
#include "backend/packed.h"

#include <string.h>

/* Nobody can find the memcg: plain stores. */
static void clear_counters(struct packed *packed, struct packed_memcg *memcg)
{
	const struct packed_layout *layout = &packed->layout;

	memset((void *)memcg->stat, 0, sizeof(memcg->stat));
	for (unsigned cpu = 0; cpu < layout->cpus; cpu++)
		memset((void *)packed_batch(packed, memcg, cpu), 0, sizeof(struct packed_batch));
	for (unsigned node = 0; node < layout->nodes; node++) {
		memset((void *)packed_users(packed, memcg, node), 0,
		       layout->words * sizeof(unsigned long));
		memset((void *)memcg->node[node], 0, layout->node_object_bytes);
	}
}

void packed_memcg_add(void *instance, uint32_t memcg, uint32_t parent)
{
	struct packed *packed = instance;
	struct packed_memcg *child = packed_memcg(packed, memcg);

	clear_counters(packed, child);
	child->parent = packed_memcg(packed, parent);
	for (unsigned node = 0; node < packed->layout.nodes; node++)
		child->node[node]->parent = child->parent->node[node];
}

/* Relaxed: batches are of this thread now, and a spill orders nothing. */
static void add_held(const _Atomic int32_t *held, long *sums)
{
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		sums[lru] += atomic_load_explicit(&held[lru], memory_order_relaxed);
}

static void add_all(_Atomic long *stat, const long *sums)
{
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		atomic_fetch_add_explicit(&stat[lru], sums[lru], memory_order_relaxed);
}

static void flush_memcg(struct packed *packed, struct packed_memcg *memcg)
{
	long sums[NR_LRU_LISTS] = {0};

	for (unsigned cpu = 0; cpu < packed->layout.cpus; cpu++)
		add_held(packed_batch(packed, memcg, cpu)->held, sums);
	for (; memcg; memcg = memcg->parent)
		add_all(memcg->stat, sums);
}

static void flush_node(struct packed *packed, struct packed_memcg *memcg, unsigned k)
{
	const _Atomic unsigned long *users = packed_users(packed, memcg, k);
	struct packed_node *node = memcg->node[k];
	struct packed_line *lines = node->line;
	long sums[NR_LRU_LISTS] = {0};

	for (unsigned w = 0; w < packed->layout.words; w++, lines += CPUMASK_WORD_BITS) {
		unsigned long left = atomic_load_explicit(&users[w], memory_order_relaxed);

		for (; left; left &= left - 1)
			add_held(lines[__builtin_ctzl(left)].held, sums);
	}
	for (; node; node = node->parent)
		add_all(node->stat, sums);
}

void packed_memcg_remove(void *instance, uint32_t memcg)
{
	struct packed *packed = instance;
	struct packed_memcg *gone = packed_memcg(packed, memcg);

	flush_memcg(packed, gone);
	for (unsigned node = 0; node < packed->layout.nodes; node++)
		flush_node(packed, gone, node);
}
