/* SPDX-License-Identifier: MIT */
/*
 * A spinning lock, as the kernel's raw spinlocks around its trees of updated cgroups. Not a fair
 * queue as theirs are. Whoever waits for long lets others run: a model may have more threads than
 * CPUs, and a holder that was preempted would cost the rest of a time slice.
 */
#ifndef MEMCGBENCH_BACKEND_RSTAT_LOCK_H
#define MEMCGBENCH_BACKEND_RSTAT_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rstat_lock {
	_Atomic uint32_t held;
	_Atomic uint32_t waiting; /* threads */
};

/* Of the holder alone, who writes them under the lock. */
struct rstat_lock_times {
	uint64_t taken, contended; /* times; of them, after waiting */
	uint64_t wait_ns; /* of the contended ones */
	uint64_t hold_ns, hold_max_ns;
	uint64_t since; /* clock_now() when it was taken last */
};

void rstat_lock_wait(struct rstat_lock *lock);

/* Acquire: what the holder before has written under the lock is seen. */
static inline bool rstat_lock_try(struct rstat_lock *lock)
{
	return !atomic_exchange_explicit(&lock->held, 1, memory_order_acquire);
}

static inline void rstat_lock_take(struct rstat_lock *lock)
{
	if (!rstat_lock_try(lock))
		rstat_lock_wait(lock);
}

/* Release: pairs with the acquire above. */
static inline void rstat_lock_drop(struct rstat_lock *lock)
{
	atomic_store_explicit(&lock->held, 0, memory_order_release);
}

/* Does anyone wait? A hint to the holder; it orders nothing. */
static inline bool rstat_lock_is_wanted(struct rstat_lock *lock)
{
	return atomic_load_explicit(&lock->waiting, memory_order_relaxed);
}

/* The same with a record of who waited and how long it was held. */
bool rstat_lock_try_timed(struct rstat_lock *lock, struct rstat_lock_times *times);
void rstat_lock_take_timed(struct rstat_lock *lock, struct rstat_lock_times *times);
void rstat_lock_drop_timed(struct rstat_lock *lock, struct rstat_lock_times *times);

#endif
