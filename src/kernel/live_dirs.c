// SPDX-License-Identifier: MIT
/* See live_dirs.h. */
#include "kernel/live_dirs.h"

#include "memcg/tree_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Long enough for a message. */
#define PATH_SHOWN 400

int live_dirs_init(struct live_dirs *dirs, const struct memcg_tree *tree, int top,
		   struct error *err)
{
	*dirs = (struct live_dirs){.tree = tree, .top = top};
	for (unsigned i = 0; i < LIVE_DIRS_OPEN; i++)
		dirs->slot[i].memcg = MEMCG_NONE;
	dirs->way = calloc((size_t)tree->max_depth + 1, sizeof(*dirs->way));
	return dirs->way ? 0 : error_set(err, -ENOMEM, "out of memory");
}

void live_dirs_fini(struct live_dirs *dirs)
{
	for (unsigned i = 0; i < LIVE_DIRS_OPEN; i++)
		if (dirs->slot[i].memcg != MEMCG_NONE)
			close(dirs->slot[i].fd);
	free(dirs->way);
	dirs->way = NULL;
}

static int fail(const struct live_dirs *dirs, uint32_t memcg, int code, const char *what,
		struct error *err)
{
	char buffer[PATH_SHOWN];
	const char *path = memcg_tree_path(dirs->tree, memcg, buffer, sizeof(buffer));

	return error_set(err, code, "memcg %u (%s): cannot %s: %s", memcg, path ? path : "far down",
			 what, strerror(-code));
}

static int open_name(const struct live_dirs *dirs, int parent, uint32_t memcg, struct error *err)
{
	char name[MEMCG_NAME_MAX];
	int fd = openat(parent, memcg_tree_name(dirs->tree, memcg, name),
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? fail(dirs, memcg, -errno, "open", err) : fd;
}

/* Descend by the names of way[0..nr), the last one first; `fd` is not ours where nothing was
 * opened. The slot of each takes its descriptor. */
static int descend(struct live_dirs *dirs, int fd, uint32_t nr, struct error *err)
{
	while (nr-- > 0) {
		uint32_t memcg = dirs->way[nr];
		unsigned at = memcg % LIVE_DIRS_OPEN;
		int next = open_name(dirs, fd, memcg, err);

		if (next < 0)
			return next;
		/* What is thrown out may be the directory we have just come from. */
		if (dirs->slot[at].memcg != MEMCG_NONE)
			close(dirs->slot[at].fd);
		dirs->slot[at].memcg = memcg;
		dirs->slot[at].fd = fd = next;
	}
	return fd;
}

int live_dirs_open(struct live_dirs *dirs, uint32_t memcg, struct error *err)
{
	uint32_t nr = 0;

	for (; memcg; memcg = dirs->tree->parent[memcg]) {
		unsigned at = memcg % LIVE_DIRS_OPEN;

		if (dirs->slot[at].memcg == memcg)
			return descend(dirs, dirs->slot[at].fd, nr, err);
		dirs->way[nr++] = memcg;
	}
	return descend(dirs, dirs->top, nr, err);
}

int live_dirs_write(struct live_dirs *dirs, uint32_t memcg, const char *file, const char *text,
		    struct error *err)
{
	int directory = live_dirs_open(dirs, memcg, err), fd, r = 0;
	size_t length = strlen(text);
	char what[100];
	ssize_t put;

	if (directory < 0)
		return directory;
	fd = openat(directory, file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	put = fd < 0 ? -1 : write(fd, text, length);
	if (put != (ssize_t)length)
		r = put < 0 ? -errno : -EIO;
	if (fd >= 0)
		close(fd);
	if (!r)
		return 0;
	snprintf(what, sizeof(what), "write '%.30s' to %.30s", text, file);
	return fail(dirs, memcg, r, what, err);
}
