// SPDX-License-Identifier: MIT
/*
 * See available.h. A cgroup's directory is found as the kernel describes it to this process:
 * /proc/self/cgroup has the path within the hierarchy, /proc/self/mountinfo where that hierarchy,
 * or the part of it that a container sees, is mounted.
 */
#include "driver/available.h"

#include "base/file.h"
#include "base/mountinfo.h"
#include "driver/feasible.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define TEXT_MAX (4 * 1024 * 1024)
/* v1 says "unlimited" by a number of pages near 2^63. */
#define UNLIMITED (UINT64_C(1) << 62)

/* What one hierarchy calls its files. */
struct hierarchy {
	const char *filesystem, *controller; /* in mountinfo */
	const char *limits[2];
	const char *usage;
	const char *files[2]; /* rows of memory.stat that can be reclaimed */
};

static const struct hierarchy v1 = {
	.filesystem = "cgroup",
	.controller = "memory",
	.limits = {"memory.limit_in_bytes"},
	.usage = "memory.usage_in_bytes",
	.files = {"total_inactive_file", "total_active_file"},
};
static const struct hierarchy v2 = {
	.filesystem = "cgroup2",
	.controller = "memory",
	/* beyond memory.high a process is slowed down: no place for measurements */
	.limits = {"memory.max", "memory.high"},
	.usage = "memory.current",
	.files = {"inactive_file", "active_file"},
};

/* Threads instead of bytes. */
static const struct hierarchy pids_v1 = {
	.filesystem = "cgroup",
	.controller = "pids",
	.limits = {"pids.max"},
	.usage = "pids.current",
};
static const struct hierarchy pids_v2 = {
	.filesystem = "cgroup2",
	.controller = "pids",
	.limits = {"pids.max"},
	.usage = "pids.current",
};

static bool is_unified(const struct hierarchy *hierarchy)
{
	return !strcmp(hierarchy->filesystem, "cgroup2");
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The text of a file, or NULL; the caller frees. */
static char *read_text(const char *directory, const char *name)
{
	char path[4 * PATH_MAX], *text;
	size_t length;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return file_read(path, TEXT_MAX, &text, &length, NULL) ? NULL : text;
}

static uint64_t read_number(const char *directory, const char *name, uint64_t fallback)
{
	char *text = read_text(directory, name), *end;
	uint64_t value = fallback;

	if (text && *text >= '0' && *text <= '9') {
		value = strtoull(text, &end, 10);
		if (*end && *end != '\n')
			value = fallback;
	}
	free(text);
	return value;
}

/* The number behind a word at the start of a line; 0 where it is not there. */
static uint64_t row_of(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, word, length) && (line[length] == ' ' || line[length] == ':'))
			return strtoull(line + length + 1, NULL, 10);
	}
	return 0;
}

static uint64_t left_in(const struct hierarchy *hierarchy, const char *directory)
{
	uint64_t limit = UINT64_MAX, used = read_number(directory, hierarchy->usage, 0), files = 0;
	char *stat;

	for (size_t i = 0; i < 2 && hierarchy->limits[i]; i++)
		limit = smaller(limit, read_number(directory, hierarchy->limits[i], UINT64_MAX));
	if (limit >= UNLIMITED)
		return UINT64_MAX;
	stat = hierarchy->files[0] ? read_text(directory, "memory.stat") : NULL;
	for (size_t i = 0; stat && i < 2; i++)
		files += row_of(stat, hierarchy->files[i]);
	free(stat);
	used -= smaller(used, files);
	return limit - smaller(limit, used);
}

/* From `directory` up to the mount point, which is its first `top` bytes. */
static uint64_t left_up_to(const struct hierarchy *hierarchy, char *directory, size_t top)
{
	uint64_t left = UINT64_MAX;

	for (;;) {
		char *slash;

		left = smaller(left, left_in(hierarchy, directory));
		slash = strrchr(directory, '/');
		if (strlen(directory) <= top || !slash)
			return left;
		*slash = '\0';
	}
}

/* This process's path in the hierarchy, from a line "4:memory:/a/b" or "0::/a/b"; false: none. */
static bool own_path(const struct hierarchy *hierarchy, char *text, char *path, size_t size)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *controllers = strchr(line, ':'), *end;

		end = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!end)
			continue;
		*end = '\0';
		if (is_unified(hierarchy) ? !strcmp(controllers, ":") && !strncmp(line, "0:", 2)
					  : mountinfo_has(controllers + 1, hierarchy->controller)) {
			snprintf(path, size, "%s", end + 1);
			return true;
		}
	}
	return false;
}

/* What the mount described by a line of mountinfo leaves; UINT64_MAX where it is another's. */
static uint64_t left_at_mount(const struct hierarchy *hierarchy, const char *root, const char *own,
			      char *line)
{
	char directory[3 * PATH_MAX];
	const char *below = own;
	struct mountinfo mount;
	size_t length;

	if (!mountinfo_parse(line, &mount) || strcmp(mount.type, hierarchy->filesystem) ||
	    (!is_unified(hierarchy) && !mountinfo_has(mount.super, hierarchy->controller)))
		return UINT64_MAX;
	/* a container mounts its part only: what lies above it cannot be seen */
	length = strcmp(mount.root, "/") ? strlen(mount.root) : 0;
	if (!strncmp(own, mount.root, length) && (own[length] == '/' || !own[length]))
		below = own + length;
	if (!strncmp(own, "/..", 3) || !strcmp(below, "/"))
		below = "";
	snprintf(directory, sizeof(directory), "%s%s%s", root, mount.point, below);
	return left_up_to(hierarchy, directory, strlen(root) + strlen(mount.point));
}

static uint64_t left_in_cgroups(const struct hierarchy *hierarchy, const char *root)
{
	char directory[PATH_MAX], own[PATH_MAX], *text, *save = NULL;
	uint64_t left = UINT64_MAX;
	bool found;

	snprintf(directory, sizeof(directory), "%s/proc/self", root);
	text = read_text(directory, "cgroup");
	found = text && own_path(hierarchy, text, own, sizeof(own));
	free(text);
	if (!found)
		return UINT64_MAX;
	text = read_text(directory, "mountinfo");
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		left = smaller(left, left_at_mount(hierarchy, root, own, line));
	free(text);
	return left;
}

uint64_t available_below(const char *root)
{
	char directory[PATH_MAX], *meminfo;
	uint64_t left = UINT64_MAX, kibibytes;

	snprintf(directory, sizeof(directory), "%s/proc", root);
	meminfo = read_text(directory, "meminfo");
	kibibytes = meminfo ? row_of(meminfo, "MemAvailable") : 0;
	free(meminfo);
	if (kibibytes)
		left = kibibytes * 1024;
	left = smaller(left, left_in_cgroups(&v1, root));
	return smaller(left, left_in_cgroups(&v2, root));
}

uint64_t available_tasks(const char *root)
{
	return smaller(left_in_cgroups(&pids_v1, root), left_in_cgroups(&pids_v2, root));
}

/* Address space that the limits of this process leave. */
static uint64_t left_by_limit(int resource, uint64_t used)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return (uint64_t)limit.rlim_cur - smaller((uint64_t)limit.rlim_cur, used);
}

uint64_t available_memory(void)
{
	char *statm = read_text("/proc/self", "statm");
	uint64_t used = statm ? strtoull(statm, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;

	free(statm);
	return smaller(smaller(left_by_limit(RLIMIT_AS, used), left_by_limit(RLIMIT_DATA, 0)),
		       available_below(""));
}
