// SPDX-License-Identifier: MIT
/*
 * See capture_walk.h. One directory is open at a time, and the names on the way to it are kept. The
 * way back up is "..", held against what the way down has seen: where somebody has moved or removed
 * a directory meanwhile, it is the names from the top, and what cannot be found again has vanished.
 */
#include "kernel/capture_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEEPEST 65535u

/* A directory on the way, and what it lists. */
struct level {
	dev_t dev;
	ino_t ino;
	char **names; /* sorted; owned */
	size_t nr, room, at; /* names[at - 1] is the one that we are in */
};

struct progress {
	struct capture_walk *walk;
	struct level *levels;
	size_t nr, room;
	int top;
	int fd; /* of the last level; owned */
	struct error *err;
};

static void free_level(struct level *level)
{
	while (level->nr)
		free(level->names[--level->nr]);
	free(level->names);
	level->names = NULL;
}

static int add_name(struct level *level, const char *name)
{
	if (level->nr == level->room) {
		size_t room = level->room ? 2 * level->room : 16;
		char **grown = reallocarray(level->names, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		level->names = grown;
		level->room = room;
	}
	level->names[level->nr] = strdup(name);
	return level->names[level->nr++] ? 0 : -ENOMEM;
}

static bool is_directory(int fd, const struct dirent *entry)
{
	struct stat st;

	if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
		return false;
	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list(int fd, struct level *level)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (!stream) {
		r = -errno;
		if (copy >= 0)
			close(copy);
		return r;
	}
	while (!r && (errno = 0, entry = readdir(stream)))
		if (is_directory(fd, entry))
			r = add_name(level, entry->d_name);
	/* one that is removed while it is listed has no more names */
	if (!r && errno && errno != ENOENT)
		r = -errno;
	closedir(stream);
	if (level->nr)
		qsort(level->names, level->nr, sizeof(*level->names), by_name);
	return r;
}

static int fail(struct progress *progress, int code, const char *name)
{
	return error_set(progress->err, code, "cannot read directory '%.200s': %s", name,
			 strerror(-code));
}

/* Into `fd`, which becomes the progress's. */
static int push(struct progress *progress, int fd, const struct stat *st, const char *name)
{
	struct level level = {.dev = st->st_dev, .ino = st->st_ino};
	int r;

	if (progress->nr == progress->room) {
		size_t room = progress->room ? 2 * progress->room : 16;
		struct level *grown = reallocarray(progress->levels, room, sizeof(*grown));

		if (!grown) {
			close(fd);
			return fail(progress, -ENOMEM, name);
		}
		progress->levels = grown;
		progress->room = room;
	}
	if (progress->fd >= 0)
		close(progress->fd);
	progress->fd = fd;
	r = list(fd, &level);
	progress->levels[progress->nr++] = level;
	return r ? fail(progress, r, name) : 0;
}

static bool is_level(int fd, const struct level *level)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == level->dev && st.st_ino == level->ino;
}

static int open_directory(int directory, const char *name)
{
	return openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The directory of the last level by the names that led to it, or -1. */
static int find_again(const struct progress *progress)
{
	int fd = openat(progress->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; fd >= 0 && i + 1 < progress->nr; i++) {
		const struct level *level = &progress->levels[i];
		int next = open_directory(fd, level->names[level->at - 1]);

		close(fd);
		fd = next;
	}
	return fd;
}

/* Back to the last level that is still there. */
static void go_up(struct progress *progress)
{
	while (progress->nr) {
		struct level *level = &progress->levels[progress->nr - 1];
		int up = openat(progress->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (!is_level(up, level)) {
			if (up >= 0)
				close(up);
			up = find_again(progress);
		}
		if (is_level(up, level)) {
			close(progress->fd);
			progress->fd = up;
			return;
		}
		if (up >= 0)
			close(up);
		progress->walk->vanished += level->nr - level->at;
		free_level(level);
		progress->nr--;
	}
}

/* The next name of the last level. */
static int enter(struct progress *progress, const char *name)
{
	struct capture_walk *walk = progress->walk;
	int fd = open_directory(progress->fd, name), r;
	uint32_t depth = (uint32_t)progress->nr;
	struct stat st;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) {
		walk->vanished++;
		return 0;
	}
	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		r = walk->visit(walk->arg, -1, depth, name, progress->err);
		return r < 0 ? r : 0;
	}
	if (fd < 0)
		return fail(progress, -errno, name);
	r = fstat(fd, &st) < 0 ? fail(progress, -errno, name) : 0;
	/* something else is mounted there */
	if (r || st.st_dev != progress->levels[0].dev) {
		close(fd);
		return r;
	}
	r = walk->visit(walk->arg, fd, depth, name, progress->err);
	if (r > 0 && depth == DEEPEST)
		r = error_set(progress->err, -E2BIG, "directories below one another: more than %u",
			      DEEPEST);
	if (r <= 0) {
		close(fd);
		return r;
	}
	return push(progress, fd, &st, name);
}

static int start(struct progress *progress)
{
	int fd = openat(progress->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		r = fail(progress, -errno, ".");
		if (fd >= 0)
			close(fd);
		return r;
	}
	r = progress->walk->visit(progress->walk->arg, fd, 0, ".", progress->err);
	if (r <= 0) {
		close(fd);
		return r;
	}
	return push(progress, fd, &st, ".");
}

int capture_walk(struct capture_walk *walk, int top, struct error *err)
{
	struct progress progress = {.walk = walk, .top = top, .fd = -1, .err = err};
	int r = start(&progress);

	while (!r && progress.nr) {
		struct level *level = &progress.levels[progress.nr - 1];

		if (level->at < level->nr) {
			r = enter(&progress, level->names[level->at++]);
			continue;
		}
		free_level(level);
		progress.nr--;
		go_up(&progress);
	}
	while (progress.nr)
		free_level(&progress.levels[--progress.nr]);
	free(progress.levels);
	if (progress.fd >= 0)
		close(progress.fd);
	return r;
}
