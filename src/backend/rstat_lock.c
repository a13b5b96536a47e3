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

/* The lock was given up: after those who wait, and not before them. */
static void let_in(struct rstat_lock *lock)
{
	unsigned spins = 0;

	/* Relaxed: what is looked for is a sign of somebody's turn, not what it has written. */
	while (rstat_lock_is_wanted(lock) &&
	       !atomic_load_explicit(&lock->held, memory_order_relaxed)) {
		keep(spins);
		if (++spins < SPINS)
			continue;
		sched_yield();
		return;
	}
}

enum flush_lock_model flush_lock_model(enum flush_rules rules, enum flush_lock_model asked)
{
	if (asked != FLUSH_LOCK_RULES)
		return asked;
	switch (rules) {
	case FLUSH_V5_16:
		return FLUSH_LOCK_HELD;
	case FLUSH_V6_16:
		return FLUSH_LOCK_ALWAYS;
	case FLUSH_V5_13:
	case FLUSH_V6_8:
		break;
	}
	return FLUSH_LOCK_WANTED;
}

int flush_lock_init(struct flush_lock *lock, enum flush_lock_model model)
{
	lock->model = model;
	return -pthread_mutex_init(&lock->mutex, NULL);
}

void flush_lock_fini(struct flush_lock *lock)
{
	pthread_mutex_destroy(&lock->mutex);
}

static bool try(struct flush_lock *lock)
{
	if (lock->model == FLUSH_LOCK_MUTEX)
		return !pthread_mutex_trylock(&lock->mutex);
	return rstat_lock_try(&lock->spin);
}

static void drop(struct flush_lock *lock)
{
	if (lock->model == FLUSH_LOCK_MUTEX)
		pthread_mutex_unlock(&lock->mutex);
	else
		rstat_lock_drop(&lock->spin);
}

static void wait(struct flush_lock *lock, struct lock_times *times)
{
	uint64_t begin = clock_now();

	if (lock->model == FLUSH_LOCK_MUTEX)
		pthread_mutex_lock(&lock->mutex);
	else
		rstat_lock_wait(&lock->spin);
	lock_times_waited(times, begin, clock_now());
}

void flush_lock_take(struct flush_lock *lock, struct lock_times *times)
{
	if (try(lock))
		lock_times_taken(times, clock_now());
	else
		wait(lock, times);
}

bool flush_lock_try(struct flush_lock *lock, struct lock_times *times)
{
	if (try(lock)) {
		lock_times_taken(times, clock_now());
		return true;
	}
	/* Relaxed: a count that orders nothing. */
	atomic_fetch_add_explicit(&times->passed_by, 1, memory_order_relaxed);
	return false;
}

void flush_lock_drop(struct flush_lock *lock, struct lock_times *times)
{
	lock_times_dropped(times, clock_now());
	drop(lock);
}

bool flush_lock_between(struct flush_lock *lock, struct lock_times *times)
{
	bool wanted = rstat_lock_is_wanted(&lock->spin);
	uint64_t now;

	if (lock->model != FLUSH_LOCK_ALWAYS && (lock->model != FLUSH_LOCK_WANTED || !wanted))
		return false;
	now = clock_now();
	lock_times_dropped(times, now);
	drop(lock);
	if (wanted)
		let_in(&lock->spin);
	if (!try(lock))
		wait(lock, times);
	else
		lock_times_taken(times, wanted ? clock_now() : now);
	return true;
}
