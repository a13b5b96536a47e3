// SPDX-License-Identifier: MIT
/* See rstat_lock.h. */
#include "backend/rstat_lock.h"

#include "timing/clock.h"

#include <sched.h>

#define SPINS 1000 /* a few microseconds */

void rstat_lock_wait(struct rstat_lock *lock)
{
	unsigned spins = 0;

	/* Relaxed: a hint for the holder. */
	atomic_fetch_add_explicit(&lock->waiting, 1, memory_order_relaxed);
	do {
		/* Only reads, until it looks free: the line stays shared meanwhile. */
		while (atomic_load_explicit(&lock->held, memory_order_relaxed)) {
			if (++spins % SPINS)
				keep(spins);
			else
				sched_yield();
		}
	} while (!rstat_lock_try(lock));
	atomic_fetch_sub_explicit(&lock->waiting, 1, memory_order_relaxed);
}

bool rstat_lock_try_timed(struct rstat_lock *lock, struct rstat_lock_times *times)
{
	if (!rstat_lock_try(lock))
		return false;
	times->taken++;
	times->since = clock_now();
	return true;
}

void rstat_lock_take_timed(struct rstat_lock *lock, struct rstat_lock_times *times)
{
	uint64_t begin;

	if (rstat_lock_try_timed(lock, times))
		return;

	begin = clock_now();
	rstat_lock_wait(lock);
	times->taken++;
	times->contended++;
	times->since = clock_now();
	times->wait_ns += times->since - begin;
}

void rstat_lock_drop_timed(struct rstat_lock *lock, struct rstat_lock_times *times)
{
	uint64_t held = clock_now() - times->since;

	times->hold_ns += held;
	if (held > times->hold_max_ns)
		times->hold_max_ns = held;
	rstat_lock_drop(lock);
}
