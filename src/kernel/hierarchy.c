// SPDX-License-Identifier: MIT
/* See hierarchy.h. */
#include "kernel/hierarchy.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A table of mounts: a machine with thousands of containers has megabytes of it. */
#define TABLE_MAX (64 << 20)

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

int hierarchy_file_write(int directory, const char *file, const char *text)
{
	int fd = openat(directory, file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW), r = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		r = -errno;
	if (fd >= 0)
		close(fd);
	return r;
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
static int has_memory(const struct hierarchy *hierarchy, struct error *err)
{
	int r;

	if (hierarchy->version == 1)
		return 1;
	r = hierarchy_file_lists(hierarchy->fd, "cgroup.controllers", "memory");
	return r < 0 ? error_set_at(err, r, hierarchy->mount, 0, 0,
				    "cannot read cgroup.controllers: %s", strerror(-r))
		     : r;
}

/* The same of a line; what is there may not be this mount, but one that lies upon it. */
static int open_mounted(const struct mountinfo *mount, struct hierarchy *out, struct error *err)
{
	bool unified = !strcmp(mount->type, "cgroup2");
	struct stat st;
	int r;

	if (!unified &&
	    (strcmp(mount->type, "cgroup") != 0 || !mountinfo_has(mount->super, "memory")))
		return 0;
	r = hierarchy_open(mount->point, unified ? 2 : 1, out, err);
	if (r)
		return r;
	out->read_only = mountinfo_has(mount->options, "ro") || mountinfo_has(mount->super, "ro");
	out->in_part = strcmp(mount->root, "/") != 0;
	out->with_cpuset = !unified && mountinfo_has(mount->super, "cpuset");
	r = fstat(out->fd, &st) == 0 && st.st_dev == makedev(mount->major, mount->minor)
		    ? has_memory(out, err)
		    : 0;
	if (r <= 0)
		hierarchy_close(out);
	return r;
}

/* The best of several mounts has the highest. */
static unsigned rank(const struct hierarchy *hierarchy)
{
	return 2 * !hierarchy->read_only + !hierarchy->in_part;
}

/* Keep the better of two, the first of equals. */
static void keep_better(struct hierarchy *best, struct hierarchy *other)
{
	if (best->fd >= 0 && rank(best) >= rank(other)) {
		hierarchy_close(other);
		return;
	}
	hierarchy_close(best);
	*best = *other;
}

static int find_in(char *text, const char *mounts, struct hierarchy *out, struct error *err)
{
	struct error why = {.text = ""};
	int failed = 0;
	char *line;

	for (unsigned number = 1; (line = strsep(&text, "\n")) && (*line || text); number++) {
		struct hierarchy found;
		struct mountinfo mount;
		int r;

		if (!mountinfo_parse(line, &mount))
			return error_set_at(err, -EINVAL, mounts, number, 1,
					    "is no line of a table of mounts (it has to have the "
					    "form of " HIERARCHY_MOUNTS ")");
		r = open_mounted(&mount, &found, failed ? NULL : &why);
		if (r > 0)
			keep_better(out, &found);
		else if (!failed)
			failed = r;
	}
	if (out->fd >= 0)
		return 0;
	/* One that cannot be opened may be out of our reach: only then it matters. */
	if (failed) {
		if (err)
			*err = why;
		return failed;
	}
	return error_set(err, -ENODEV,
			 "no memory controller is mounted: neither a hierarchy of cgroup v1 with "
			 "`memory` nor one of v2 with it in cgroup.controllers");
}

int hierarchy_find(const char *mounts, struct hierarchy *out, struct error *err)
{
	size_t length;
	char *text;
	int r = file_read(mounts, TABLE_MAX, &text, &length, err);

	*out = (struct hierarchy){.fd = -1};
	if (r)
		return r;
	r = find_in(text, mounts, out, err);
	if (r)
		hierarchy_close(out);
	free(text);
	return r;
}
