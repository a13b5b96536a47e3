// SPDX-License-Identifier: MIT
/*
 * Updates of `bounded`: counting, telling, and settling levels.
 *
 * A CPU counts in its own line of every ancestor by plain loads and stores. It tells, which is to
 * add to the shared counter, where it would hold back more than its limit. Who tells also looks
 * whether what is now known still bears the node's level.
 *
 * Three pairs of "write mine, then look at yours" keep the invariants of bounded.c. In each at
 * least one side sees the other's, for both have a full barrier in between:
 *
 * - a CPU counts, then reads its limit and what it told; whoever lowers a limit, or takes up what
 *   was told, then reads what the CPU counted;
 * - a CPU adds to the shared counter, then reads level and unit; whoever raises one of these then
 *   reads the shared counter.
 *
 * The third is the lock. So there is no race that leaves more than the bound behind.
 */
#include "backend/bounded.h"
#include "backend/counter_add.h"
#include "backend/users.h"

#include <stdlib.h>

/* smp_mb(). Not atomic_thread_fence(), which gcc does not take with its thread sanitizer; the
 * fence is the same. */
static __always_inline void full_barrier(void)
{
	__sync_synchronize();
}

/* What a CPU holds back: the difference of two numbers modulo 2^32 that are close together.
 * Relaxed: see the callers for what comes before. */
static __always_inline int32_t held_back(const struct bounded_line *line, enum lru_list lru)
{
	uint32_t told = atomic_load_explicit(&line->told[lru], memory_order_relaxed);

	return (int32_t)(atomic_load_explicit(&line->counted[lru], memory_order_relaxed) - told);
}

/*
 * Another CPU's pages beyond `limit` become known. It counts on meanwhile: look again behind each
 * exchange, for what was counted may be old by then. From its next update on it keeps the limit by
 * itself, so this ends.
 */
static void take(struct bounded_node *node, struct bounded_line *line, enum lru_list lru,
		 long limit, struct tally *t)
{
	tally_add(t, items_scanned, 1);
	tally_touch(t, line, sizeof(*line));
	for (;;) {
		/* Relaxed: behind a full barrier, at first the caller's and then the exchange's. */
		uint32_t told = atomic_load_explicit(&line->told[lru], memory_order_relaxed);
		uint32_t counted = atomic_load_explicit(&line->counted[lru], memory_order_relaxed);
		int32_t held = (int32_t)(counted - told);

		if (labs(held) <= limit)
			return;
		/* Where the CPU has told by itself meanwhile this fails, and nothing is counted
		 * twice. */
		if (atomic_compare_exchange_strong(&line->told[lru], &told, counted))
			atomic_fetch_add(&node->stat[lru], held);
		full_barrier();
		tally_add(t, atomics, 2);
	}
}

/* Down to a level that fits what is known, with the lock held. All limits fall before anyone is
 * asked for what is beyond them. Taking changes what is known: look again. */
static void lower(const struct bounded *bounded, struct bounded_node *node, enum lru_list lru,
		  struct tally *t)
{
	const unsigned long *holders = bounded_holders(bounded, node);
	unsigned nr = bounded->layout.cpus, cpu;
	/* The lock orders both. */
	long unit = atomic_load_explicit(&node->unit, memory_order_relaxed);
	unsigned level = atomic_load_explicit(&node->level[lru], memory_order_relaxed);

	while (!bounded_holds(level, unit, atomic_load(&node->stat[lru]))) {
		while (!bounded_fits(level, unit, atomic_load(&node->stat[lru])))
			level--;
		tally_add(t, flushes, 1);
		atomic_store(&node->level[lru], (uint8_t)level);
		for (cpu = cpumask_next(-1u, holders, nr); cpu < nr;
		     cpu = cpumask_next(cpu, holders, nr)) {
			struct bounded_line *line = &bounded_cpu(bounded, cpu, node->line)->line;

			if (atomic_load_explicit(&line->level[lru], memory_order_relaxed) > level)
				atomic_store_explicit(&line->level[lru], (uint8_t)level,
						      memory_order_relaxed);
		}
		full_barrier();
		for (cpu = cpumask_next(-1u, holders, nr); cpu < nr;
		     cpu = cpumask_next(cpu, holders, nr))
			take(node, &bounded_cpu(bounded, cpu, node->line)->line, lru,
			     bounded_limit(level), t);
	}
}

/* One more shares what may be held back, of all lists: levels may have to fall, at most C times
 * in the life of a memcg. With the lock held. */
static void join(const struct bounded *bounded, struct bounded_node *node, unsigned cpu,
		 struct tally *t)
{
	unsigned long *word = &bounded_holders(bounded, node)[cpu / CPUMASK_WORD_BITS];
	unsigned long bit = 1ul << (cpu % CPUMASK_WORD_BITS);

	if (*word & bit)
		return;
	*word |= bit;
	bounded_set_unit(bounded, node);
	full_barrier();
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		lower(bounded, node, (enum lru_list)lru, t);
}

/* One level up, where it fits what is known. With the lock held, by a holder. */
static bool raise(const struct bounded *bounded, struct bounded_node *node, enum lru_list lru)
{
	long unit = atomic_load_explicit(&node->unit, memory_order_relaxed); /* by the lock */
	unsigned level = 1u + atomic_load_explicit(&node->level[lru], memory_order_relaxed);

	if (level > bounded->levels || !bounded_fits(level, unit, atomic_load(&node->stat[lru])))
		return false;
	atomic_store(&node->level[lru], (uint8_t)level);
	return true;
}

static void settle(const struct bounded *bounded, struct bounded_node *node, unsigned cpu,
		   enum lru_list lru, struct tally *t)
{
	struct bounded_line *line = &bounded_cpu(bounded, cpu, node->line)->line;
	long unit, pages = atomic_load(&node->stat[lru]);
	unsigned level = atomic_load(&node->level[lru]);

	/* Only falling cannot wait until this CPU's next turn. */
	if (bounded_holds(level, atomic_load(&node->unit), pages)) {
		if (!rstat_lock_try(&node->lock))
			return;
	} else {
		rstat_lock_take(&node->lock);
	}
	tally_add(t, atomics, 1);
	tally_touch(t, &node->lock, sizeof(node->lock));

	lower(bounded, node, lru, t);
	pages = atomic_load(&node->stat[lru]);
	unit = atomic_load_explicit(&node->unit, memory_order_relaxed); /* ordered by the lock */
	if (atomic_load(&node->level[lru]) || bounded_fits(1, unit, pages))
		join(bounded, node, cpu, t);
	while (raise(bounded, node, lru))
		;
	full_barrier();
	lower(bounded, node, lru, t);
	atomic_store_explicit(&line->level[lru],
			      atomic_load_explicit(&node->level[lru], memory_order_relaxed),
			      memory_order_relaxed); /* this CPU's own, and ordered by the lock */
	rstat_lock_drop(&node->lock);
}

/* All that the CPU holds back becomes known. Atomic on its own line, as take() comes from others.
 */
static __always_inline void tell(const struct bounded *bounded, struct bounded_line *line,
				 const struct update *update, struct tally *t)
{
	struct bounded_node *node = line->node;
	enum lru_list lru = update->lru;
	uint32_t counted = atomic_load_explicit(&line->counted[lru], memory_order_relaxed);
	int32_t held = (int32_t)(counted - atomic_exchange(&line->told[lru], counted));
	/* Both sequentially consistent: a full barrier lies before what is read next. */
	long pages = held + atomic_fetch_add(&node->stat[lru], held);
	unsigned level = atomic_load(&node->level[lru]);
	long unit = atomic_load(&node->unit);

	tally_add(t, atomics, 2);
	tally_touch(t, &node->stat[lru], sizeof(node->stat[lru]));
	tally_touch(t, &node->unit, sizeof(node->unit));
	tally_touch(t, &node->level[lru], sizeof(node->level[lru]));
	if (bounded_holds(level, unit, pages) &&
	    atomic_load_explicit(&line->level[lru], memory_order_relaxed) == level &&
	    (level == bounded->levels || !bounded_fits(level + 1, unit, pages)))
		return;
	settle(bounded, node, update->cpu, lru, t);
}

static __always_inline void count_local(struct bounded_node *node, struct bounded_local *local,
					const struct update *update, struct tally *t)
{
	tally_touch(t, &local->listed, sizeof(local->listed));
	if (!local->listed)
		users_add(bounded_users(node), update->cpu, &local->listed, t);
	this_cpu_add(&local->pages[update->lru], update->delta, t);
}

/* Only its CPU counts, so a relaxed load and store do. */
static __always_inline void count(struct bounded_line *line, const struct update *update,
				  struct tally *t)
{
	_Atomic uint32_t *counted = &line->counted[update->lru];
	uint32_t value = atomic_load_explicit(counted, memory_order_relaxed);

	atomic_store_explicit(counted, value + (uint32_t)update->delta, memory_order_relaxed);
	tally_add(t, adds, 1);
	tally_touch(t, line, sizeof(*line));
}

/* Up the tree twice, so that one barrier does for all ancestors. */
static __always_inline void update_counters(const struct bounded *bounded,
					    const struct update *update, struct tally *t)
{
	struct bounded_node **slot = &bounded_memcg(bounded, update->memcg)->node[update->node];
	struct bounded_node *node = *slot;
	uint64_t at;

	tally_touch(t, slot, sizeof(*slot));
	tally_touch(t, &node->line, sizeof(node->line));
	tally_touch(t, &bounded->area[update->cpu], sizeof(*bounded->area));
	count_local(node, &bounded_cpu(bounded, update->cpu, node->line)->local, update, t);
	for (at = node->line; at != BOUNDED_TOP;) {
		struct bounded_line *line = &bounded_cpu(bounded, update->cpu, at)->line;

		count(line, update, t);
		at = line->parent;
	}
	full_barrier();
	for (at = node->line; at != BOUNDED_TOP;) {
		struct bounded_line *line = &bounded_cpu(bounded, update->cpu, at)->line;
		/* Relaxed: behind the barrier. */
		unsigned level =
			atomic_load_explicit(&line->level[update->lru], memory_order_relaxed);

		if (labs(held_back(line, update->lru)) > bounded_limit(level))
			tell(bounded, line, update, t);
		at = line->parent;
	}
}

void bounded_update(void *instance, const struct update *update)
{
	update_counters(instance, update, NULL);
}

void bounded_count_update(void *instance, const struct update *update, struct op_probe *probe)
{
	struct tally tally = {.probe = probe};

	update_counters(instance, update, &tally);
}
