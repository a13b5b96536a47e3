/* SPDX-License-Identifier: MIT */
/*
 * The locks of rstat.
 *
 * A CPU's lock spins, as the kernel's raw spinlocks around its trees of updated cgroups. Not a fair
 * queue as theirs are. Whoever waits looks for a few microseconds and then lets others run, over
 * and over: a model may have more threads than CPUs, and a holder that was preempted would cost the
 * rest of a time slice, or for ever where it has a lower priority.
 *
 * The flush lock is one of several models (counters.lock), and a record is kept of how long it was
 * waited for and held. That costs 60 ns a taking, two looks at the clock most of it: taking and
 * giving back take 69 ns with it and 9 without; giving up between two CPUs takes 45 ns, with one
 * look (a quiet virtual machine, Xeon model 207). A flush that gives it up between two CPUs takes
 * it again behind those who wait: it looks on, as long as a spin, until one of them has it, and
 * lets others run where none came. So nobody is starved by a flush that gives up and takes again
 * all the time, nor does a flush wait for a thread that does not run. Kernels queue, which does the
 * same where no holder is preempted.
 */
#ifndef MEMCGBENCH_BACKEND_RSTAT_LOCK_H
#define MEMCGBENCH_BACKEND_RSTAT_LOCK_H

#include "backend/lock_times.h"
#include "scenario/point.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rstat_lock {
	_Atomic uint32_t held;
	_Atomic uint32_t waiting; /* threads */
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

struct flush_lock {
	enum flush_lock_model model; /* not FLUSH_LOCK_RULES */
	struct rstat_lock spin;
	pthread_mutex_t mutex; /* instead of it */
};

/* The model that stands for FLUSH_LOCK_RULES: what a kernel of these rules does. */
enum flush_lock_model flush_lock_model(enum flush_rules rules, enum flush_lock_model asked);

int flush_lock_init(struct flush_lock *lock, enum flush_lock_model model); /* 0 or -errno */
void flush_lock_fini(struct flush_lock *lock);

void flush_lock_take(struct flush_lock *lock, struct lock_times *times);
/* False, and passed by, where another has it. */
bool flush_lock_try(struct flush_lock *lock, struct lock_times *times);
void flush_lock_drop(struct flush_lock *lock, struct lock_times *times);
/* Between two CPUs: give it up and take it again, where the model says so. True: it was given up.
 */
bool flush_lock_between(struct flush_lock *lock, struct lock_times *times);

#endif
