// SPDX-License-Identifier: MIT
/* See live_env.h. */
#include "kernel/live_env.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char *directory_of(const struct backend_env *env)
{
	const char *key = env->point->read.cgroup == TARGET_MACHINE ? "mount" : "tree";

	return json_string_value(json_object_get(env->fixture, key));
}

int live_env_open(const struct backend_env *env, struct live_env *live, struct error *err)
{
	const char *path = directory_of(env);
	int r;

	*live = (struct live_env){.point = env->point, .path = path, .top = -1};
	live->version = (unsigned)json_integer_value(json_object_get(env->fixture, "version"));
	if (!path || live->version < 1 || live->version > 2)
		return error_set(err, -EINVAL, "the fixture does not say where its cgroups are");
	live->top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (live->top < 0)
		return error_set_at(err, -errno, path, 0, 0, "cannot open: %s", strerror(errno));
	r = live_dirs_init(&live->dirs, env->tree, live->top, err);
	if (r) {
		close(live->top);
		live->top = -1;
	}
	return r;
}

void live_env_close(struct live_env *live)
{
	if (live->top < 0)
		return;
	live_dirs_fini(&live->dirs);
	close(live->top);
	live->top = -1;
}

uint64_t live_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
		    unsigned column, uint32_t subtree, uint64_t truth)
{
	(void)scope;
	(void)row;
	(void)column;
	(void)subtree;
	(void)truth;
	return FOLIO_BATCH_HELD * (uint64_t)point->machine.cpus;
}

static bool is_all_or_none(unsigned lists, unsigned kind)
{
	return (lists & kind) == kind || !(lists & kind);
}

bool live_env_comparable(const struct stat_row_format *row)
{
	unsigned lists = 0;

	for (unsigned i = 0; i < row->nr_items; i++) {
		if (row->items[i] >= NR_LRU_LISTS)
			return false;
		lists |= 1u << row->items[i];
	}
	return lists && is_all_or_none(lists, LRU_MASK_ANON) &&
	       is_all_or_none(lists, LRU_MASK_FILE);
}

const struct region *live_regions(const void *instance, size_t *nr)
{
	(void)instance;
	*nr = 0;
	return NULL;
}
