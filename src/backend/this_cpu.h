/* SPDX-License-Identifier: MIT */
/* Adding to a per-CPU counter. Always-inlined with a tally (tally.h), for updates of all models. */
#ifndef MEMCGBENCH_BACKEND_THIS_CPU_H
#define MEMCGBENCH_BACKEND_THIS_CPU_H

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

#endif
