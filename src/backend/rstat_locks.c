// SPDX-License-Identifier: MIT
/* The flush locks of rstat: made, taken apart, and what is known of them handed out. */
#include "backend/rstat.h"

#include <errno.h>
#include <stdlib.h>

static unsigned nr_locks(const struct rstat *rstat)
{
	return rstat->cputime_lock ? 2 : 1;
}

static struct flush_lock *lock_at(const struct rstat *rstat, unsigned i)
{
	return i ? rstat->cputime_lock : &rstat->global->flush_lock;
}

static int lock_init(struct flush_lock *lock, enum flush_lock_model model, struct lock_times *times,
		     const char *name)
{
	int r = lock_times_init(times, name);

	if (!r)
		r = flush_lock_init(lock, model);
	if (r)
		lock_times_fini(times);
	return r;
}

static void locks_fini(struct rstat *rstat, unsigned nr)
{
	while (nr-- > 0) {
		flush_lock_fini(lock_at(rstat, nr));
		lock_times_fini(&rstat->times[nr]);
	}
	free(rstat->times);
	rstat->times = NULL;
}

int rstat_locks_init(struct rstat *rstat)
{
	enum flush_lock_model model = flush_lock_model(rstat->rules, rstat->point->counters.lock);
	static const char *const names[] = {"flush", "cputime"};
	unsigned nr = nr_locks(rstat);

	rstat->times = aligned_alloc(LOCK_TIMES_APART, nr * sizeof(*rstat->times));
	if (!rstat->times)
		return -ENOMEM;
	for (unsigned i = 0; i < nr; i++) {
		int r = lock_init(lock_at(rstat, i), model, &rstat->times[i], names[i]);

		if (r) {
			locks_fini(rstat, i);
			return r;
		}
	}
	return 0;
}

void rstat_locks_fini(struct rstat *rstat)
{
	if (rstat->times)
		locks_fini(rstat, nr_locks(rstat));
}

struct lock_times *rstat_locks(void *instance, size_t *nr)
{
	struct rstat *rstat = instance;

	*nr = nr_locks(rstat);
	return rstat->times;
}
