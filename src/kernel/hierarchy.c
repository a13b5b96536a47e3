// SPDX-License-Identifier: MIT
/* See hierarchy.h. */
#include "kernel/hierarchy.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line of a table of mounts. */
#define MOUNT_MAX 4096

int hierarchy_file_lists(int directory, const char *file, const char *word)
{
	char text[1024], *rest = text;
	ssize_t length;
	int fd, code = 0;

	fd = openat(directory, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	length = read(fd, text, sizeof(text) - 1);
	if (length < 0)
		code = -errno;
	close(fd);
	if (code)
		return code;
	text[length] = '\0';
	for (char *part = strtok_r(text, " \n", &rest); part; part = strtok_r(NULL, " \n", &rest))
		if (!strcmp(part, word))
			return 1;
	return 0;
}

int hierarchy_open(const char *path, unsigned version, struct hierarchy *out, struct error *err)
{
	*out = (struct hierarchy){.version = version, .fd = -1};
	out->mount = strdup(path);
	if (!out->mount)
		return error_set(err, -ENOMEM, "out of memory");
	out->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (out->fd < 0) {
		int code =
			error_set_at(err, -errno, path, 0, 0, "cannot open: %s", strerror(errno));

		hierarchy_close(out);
		return code;
	}
	return 0;
}

void hierarchy_close(struct hierarchy *hierarchy)
{
	if (hierarchy->fd >= 0)
		close(hierarchy->fd);
	free(hierarchy->mount);
	*hierarchy = (struct hierarchy){.fd = -1};
}

/* 1 where it is one with the memory controller; 0; -errno. */
static int open_mounted(const struct mntent *mount, struct hierarchy *out, struct error *err)
{
	bool unified = !strcmp(mount->mnt_type, "cgroup2");
	int r;

	if (!unified && (strcmp(mount->mnt_type, "cgroup") != 0 || !hasmntopt(mount, "memory")))
		return 0;
	r = hierarchy_open(mount->mnt_dir, unified ? 2 : 1, out, err);
	if (r || !unified)
		return r ? r : 1;
	r = hierarchy_file_lists(out->fd, "cgroup.controllers", "memory");
	if (r <= 0)
		hierarchy_close(out);
	return r < 0 ? error_set_at(err, r, mount->mnt_dir, 0, 0,
				    "cannot read cgroup.controllers: %s", strerror(-r))
		     : r;
}

int hierarchy_find(const char *mounts, struct hierarchy *out, struct error *err)
{
	FILE *table = setmntent(mounts, "re");
	char line[MOUNT_MAX];
	struct mntent mount;
	struct error why;
	int found = 0, failed = 0;

	if (!table)
		return error_set_at(err, -errno, mounts, 0, 0, "cannot open: %s", strerror(errno));
	/* A mount that cannot be opened may be hidden by another one, or not for us: look on. */
	while (found <= 0 && getmntent_r(table, &mount, line, sizeof(line))) {
		found = open_mounted(&mount, out, failed ? NULL : &why);
		if (found < 0)
			failed = found;
	}
	endmntent(table);
	if (found > 0)
		return 0;
	if (failed) {
		if (err)
			*err = why;
		return failed;
	}
	return error_set(err, -ENODEV,
			 "no memory controller is mounted: neither a hierarchy of cgroup v1 with "
			 "`memory` nor one of v2 with it in cgroup.controllers");
}
