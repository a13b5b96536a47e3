// SPDX-License-Identifier: MIT
/* The flush lock of rstat: made, taken apart, and what is known of it handed out. */
#include "backend/rstat.h"

#include <errno.h>
#include <stdlib.h>

/* What one holder writes must not share a line, nor the pair that prefetchers fetch, with what
 * every reader and writer looks up. */
#define APART 128

int rstat_locks_init(struct rstat *rstat)
{
	size_t bytes = (sizeof(*rstat->times) + APART - 1) / APART * APART;
	enum flush_lock_model model = flush_lock_model(rstat->rules, rstat->point->counters.lock);
	int r;

	rstat->times = aligned_alloc(APART, bytes);
	if (!rstat->times)
		return -ENOMEM;
	r = lock_times_init(rstat->times, "flush");
	if (!r)
		r = flush_lock_init(&rstat->global->flush_lock, model);
	if (!r)
		return 0;
	lock_times_fini(rstat->times);
	free(rstat->times);
	rstat->times = NULL;
	return r;
}

void rstat_locks_fini(struct rstat *rstat)
{
	if (!rstat->times)
		return;
	flush_lock_fini(&rstat->global->flush_lock);
	lock_times_fini(rstat->times);
	free(rstat->times);
}

struct lock_times *rstat_locks(void *instance, size_t *nr)
{
	struct rstat *rstat = instance;

	*nr = 1;
	return rstat->times;
}
