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
	const char *path; /* of the directory of memcg 0; of the machine's root cgroup where that
			   * is read. The fixture's */
	int top; /* that directory */
	struct live_dirs dirs;
};

/* From what the fixture says of itself. */
int live_env_open(const struct backend_env *env, struct live_env *live, struct error *err);
void live_env_close(struct live_env *live);

/* As bound() of struct backend: what CPUs may hold back, whatever the row. */
uint64_t live_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
		    unsigned column, uint32_t subtree, uint64_t truth);

/*
 * Can cells of such a row be compared with what was charged? As comparable() of struct backend.
 * A page that is charged comes onto a list, and anonymous pages and those of files stay apart: but
 * on which of two lists of a kind, active or inactive, only the kernel decides.
 *
 *  v1 memory.numa_stat   all rows: they add up both lists of a kind
 *  other files           `unevictable`. Not the other lists, which have rows of their own; not what
 *                        is no list (kernel_stack, slab, pgfault, mapped ...), which nobody charged
 *                        on purpose; and not cache, rss, anon and file: they tell shared memory
 *                        from other memory, of which a model's charges have some and ours none
 */
bool live_env_comparable(const struct stat_row_format *row);

/* Of all of them: no memory of their own. */
const struct region *live_regions(const void *instance, size_t *nr);

#endif
