/* SPDX-License-Identifier: MIT */
/*
 * Masks of CPUs that ever counted somewhere, for reads that look at no other CPU's lines. Always-
 * inlined with a tally (tally.h).
 */
#ifndef MEMCGBENCH_BACKEND_USERS_H
#define MEMCGBENCH_BACKEND_USERS_H

#include "backend/cpumask.h"
#include "backend/tally.h"

#include <stdatomic.h>
#include <stdint.h>

/*
 * The first time that a CPU counts: its bit is set, and `listed`, which is for the CPU alone, says
 * so from then on.
 *
 * Relaxed: who is to see what this CPU counted has been told so by other means, a lock or a message
 * behind the update, and these order the bit as they order the counters.
 */
static __always_inline void users_add(_Atomic unsigned long *users, unsigned cpu, uint32_t *listed,
				      struct tally *t)
{
	_Atomic unsigned long *word = &users[cpu / CPUMASK_WORD_BITS];

	atomic_fetch_or_explicit(word, 1ul << (cpu % CPUMASK_WORD_BITS), memory_order_relaxed);
	*listed = 1;
	tally_add(t, atomics, 1);
	tally_touch(t, word, sizeof(*word));
}

#endif
