/* SPDX-License-Identifier: MIT */
/* Adding to a counter. Always-inlined with a tally (tally.h), for updates of all models. */
#ifndef MEMCGBENCH_BACKEND_COUNTER_ADD_H
#define MEMCGBENCH_BACKEND_COUNTER_ADD_H

#include "backend/tally.h"

#include <stdatomic.h>

/*
 * A this-CPU operation: only the owner writes, so a relaxed load and store do, without a lock
 * prefix; readers on other CPUs see the old or the new value, never half of one.
 */
static __always_inline void this_cpu_add(_Atomic long *counter, long delta, struct tally *t)
{
	long value = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, value + delta, memory_order_relaxed);
	tally_add(t, adds, 1);
	tally_touch(t, counter, sizeof(*counter));
}

/* Shared between CPUs. Relaxed: a counter orders nothing, as atomic_long_add() does not. */
static __always_inline void shared_add(_Atomic long *counter, long delta, struct tally *t)
{
	atomic_fetch_add_explicit(counter, delta, memory_order_relaxed);
	tally_add(t, atomics, 1);
	tally_touch(t, counter, sizeof(*counter));
}

#endif
