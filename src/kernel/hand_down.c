// SPDX-License-Identifier: MIT
/* See hand_down.h. */
#include "kernel/hand_down.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "cgroup.subtree_control"

/* What a cgroup's files say where nobody has set anything. Some kernels lack some. */
static const struct {
	const char *file, *value;
} unset[] = {
	{"memory.min", "0"},        {"memory.low", "0"},         {"memory.high", "max"},
	{"memory.max", "max"},      {"memory.oom.group", "0"},   {"memory.swap.high", "max"},
	{"memory.swap.max", "max"}, {"memory.zswap.max", "max"},
};

int is_handed_down(const struct hierarchy *hierarchy, struct error *err)
{
	int r = hierarchy->version == 1 ? 1
					: hierarchy_file_lists(hierarchy->fd, FILE_NAME, "memory");

	return r < 0 ? error_set_at(err, r, hierarchy->mount, 0, 0, "cannot read " FILE_NAME ": %s",
				    strerror(-r))
		     : r;
}

int hand_down(const struct hierarchy *hierarchy, struct error *err)
{
	int r = hierarchy_file_write(hierarchy->fd, FILE_NAME, "+memory");

	return r ? error_set_at(err, r, hierarchy->mount, 0, 0,
				"cannot hand the memory controller down (" FILE_NAME "): %s",
				strerror(-r))
		 : 0;
}

/* What in this cgroup uses memory; NULL: nothing. */
static const char *use_in(int directory)
{
	if (hierarchy_file_lists(directory, FILE_NAME, "memory") > 0)
		return FILE_NAME;
	for (size_t i = 0; i < sizeof(unset) / sizeof(unset[0]); i++)
		if (hierarchy_file_lists(directory, unset[i].file, unset[i].value) == 0)
			return unset[i].file;
	return NULL;
}

/* Is a cgroup of others using it? -EBUSY with its name. */
static int look_for_use(const struct hierarchy *hierarchy, DIR *stream, struct error *err)
{
	struct dirent *entry;
	const char *use = NULL;

	while (!use && (errno = 0, entry = readdir(stream))) {
		int fd;

		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		fd = openat(dirfd(stream), entry->d_name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue; /* gone */
		use = use_in(fd);
		close(fd);
	}
	if (use)
		return error_set_at(err, -EBUSY, hierarchy->mount, 0, 0,
				    "the memory controller stays handed down: cgroup %.200s uses "
				    "it by now (its %s)",
				    entry->d_name, use);
	return errno ? error_set_at(err, -errno, hierarchy->mount, 0, 0, "cannot read: %s",
				    strerror(errno))
		     : 0;
}

int take_back(const struct hierarchy *hierarchy, struct error *err)
{
	int r = is_handed_down(hierarchy, err), fd;
	DIR *stream;

	if (r <= 0 || hierarchy->version == 1)
		return r < 0 ? r : 0;
	fd = openat(hierarchy->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	stream = fd < 0 ? NULL : fdopendir(fd);
	if (!stream) {
		r = error_set_at(err, -errno, hierarchy->mount, 0, 0, "cannot read: %s",
				 strerror(errno));
		if (fd >= 0)
			close(fd);
		return r;
	}
	r = look_for_use(hierarchy, stream, err);
	closedir(stream);
	if (r)
		return r;
	/* The kernel refuses it, too, where a cgroup below hands it down. */
	r = hierarchy_file_write(hierarchy->fd, FILE_NAME, "-memory");
	return r ? error_set_at(err, r, hierarchy->mount, 0, 0,
				"the memory controller stays handed down (" FILE_NAME "): %s",
				strerror(-r))
		 : 0;
}
