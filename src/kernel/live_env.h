/* SPDX-License-Identifier: MIT */
/*
 * What live back ends share: the cgroups of the fixture that they stand on, by memcg, and what of
 * a file's cells can be compared with what was charged.
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_ENV_H
#define MEMCGBENCH_KERNEL_LIVE_ENV_H

#include "backend/backend.h"
#include "kernel/live_dirs.h"

/* Pages that a CPU may keep back from LRU lists, undrained: a folio batch that is not full. */
#define FOLIO_BATCH_HELD 31

struct live_env {
	const struct point *point;
	unsigned version; /* of cgroup */
	int top; /* directory of memcg 0; of the machine's root cgroup where that is read */
	struct live_dirs dirs;
};

/* From what the fixture says of itself. */
int live_env_open(const struct backend_env *env, struct live_env *live, struct error *err);
void live_env_close(struct live_env *live);

/* As bound() of struct backend: what CPUs may hold back, whatever the row. */
uint64_t live_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
		    unsigned column, uint32_t subtree, uint64_t truth);

/* Of all of them: no memory of their own. */
const struct region *live_regions(const void *instance, size_t *nr);

#endif
