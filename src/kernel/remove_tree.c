// SPDX-License-Identifier: MIT
/*
 * See remove_tree.h. Going down opens one name with O_NOFOLLOW; going up opens "..", and is
 * compared with what the way down has seen. So nobody who renames or replaces directories meanwhile
 * leads it anywhere else: it stops instead.
 */
#include "kernel/remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RETRY_MS 10

/* A directory on the way down: what it is called, what it is, and how far its parent was read. */
struct level {
	char *name;
	dev_t dev; /* of the directory that it is in */
	ino_t ino; /* the same */
	long position; /* in that directory */
};

struct removal {
	struct level *levels;
	size_t nr, room;
	int fd; /* where we are */
	dev_t dev; /* of all of it */
	const struct stat *is; /* the topmost; or NULL */
	uint64_t *removed;
	struct error *err;
};

/* "a/b/name" for messages, cut at the front where it is long. */
static void path_of(const struct removal *removal, const char *name, char *buffer, size_t size)
{
	size_t at = size - 1, length = strlen(name);

	buffer[at] = '\0';
	for (size_t i = removal->nr + 1; i-- > 0;) {
		const char *part = i == removal->nr ? name : removal->levels[i].name;

		length = strlen(part);
		if (length + 5 > at) {
			memcpy(buffer + (at -= 3), "...", 3);
			break;
		}
		if (buffer[at])
			buffer[--at] = '/';
		memcpy(buffer + (at -= length), part, length);
	}
	memmove(buffer, buffer + at, size - at);
}

static int fail(struct removal *removal, int code, const char *what, const char *name)
{
	char path[256];

	path_of(removal, name, path, sizeof(path));
	return error_set(removal->err, code, "cannot %s cgroup %s: %s", what, path,
			 strerror(-code));
}

/* The directory that we are in was left by the name; push it. */
static int push(struct removal *removal, const char *name, long position)
{
	struct level *level;
	struct stat st;

	if (removal->nr == removal->room) {
		size_t room = removal->room ? 2 * removal->room : 16;
		struct level *grown = reallocarray(removal->levels, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		removal->levels = grown;
		removal->room = room;
	}
	if (fstat(removal->fd, &st) < 0)
		return -errno;
	level = &removal->levels[removal->nr];
	*level = (struct level){strdup(name), st.st_dev, st.st_ino, position};
	if (!level->name)
		return -ENOMEM;
	removal->nr++;
	return 0;
}

/* 0, or 1 where there is nothing of that name that is a directory of this file system. */
static int go_down(struct removal *removal, const char *name, long position)
{
	int fd = openat(removal->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), r;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP
			       ? 1
			       : fail(removal, -errno, "open", name);
	r = fstat(fd, &st) < 0 ? -errno : 0;
	if (!r && st.st_dev != removal->dev)
		r = -EXDEV;
	if (!r)
		r = push(removal, name, position);
	if (r) {
		close(fd);
		return fail(removal, r, "enter", name);
	}
	close(removal->fd);
	removal->fd = fd;
	return 0;
}

/* Back to where the last level was left. Its name is the caller's to free. */
static int go_up(struct removal *removal, struct level *from)
{
	struct stat st;
	int fd;

	*from = removal->levels[--removal->nr];
	fd = openat(removal->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(removal, -errno, "leave", from->name);
	if (fstat(fd, &st) < 0 || st.st_dev != from->dev || st.st_ino != from->ino) {
		close(fd);
		return fail(removal, -ESTALE, "leave", from->name);
	}
	close(removal->fd);
	removal->fd = fd;
	return 0;
}

static int nap(void)
{
	struct timespec time = {.tv_nsec = RETRY_MS * 1000000L};

	return nanosleep(&time, NULL);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Is the topmost still what was meant? rmdir takes a name, so somebody may yet put another
 * directory in its place, between this look and the rmdir: an empty one would be lost.
 */
static int check_top(struct removal *removal, const char *name)
{
	struct stat st;

	if (!removal->is)
		return 0;
	if (fstatat(removal->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : fail(removal, -errno, "look at", name);
	return is_same(&st, removal->is) ? 0 : fail(removal, -ESTALE, "remove", name);
}

/* Nothing is below it any more. */
static int remove_empty(struct removal *removal, const char *name)
{
	for (int waited = 0;; waited += RETRY_MS) {
		if (unlinkat(removal->fd, name, AT_REMOVEDIR) == 0) {
			++*removal->removed;
			return 0;
		}
		if (errno == ENOENT)
			return 0; /* somebody was faster */
		if (errno != EBUSY || waited >= REMOVE_PATIENCE_MS)
			return fail(removal, -errno, "remove", name);
		nap();
	}
}

static bool may_be_directory(const struct dirent *entry)
{
	return (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
	       strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/*
 * From `position` on, remove what goes at once. 1: went down into what did not. A position of a
 * stream holds in another stream of the same directory: in kernfs it is the name's hash.
 */
static int sweep(struct removal *removal, long position)
{
	int fd = openat(removal->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!stream) {
		r = fail(removal, -errno, "read", ".");
		if (fd >= 0)
			close(fd);
		return r;
	}
	if (position)
		seekdir(stream, position);
	while (!r && (errno = 0, entry = readdir(stream))) {
		if (!may_be_directory(entry))
			continue;
		if (unlinkat(removal->fd, entry->d_name, AT_REMOVEDIR) == 0) {
			++*removal->removed;
			continue;
		}
		if (errno == ENOENT || errno == ENOTDIR)
			continue;
		if (errno != EBUSY && errno != ENOTEMPTY && errno != EEXIST)
			r = fail(removal, -errno, "remove", entry->d_name);
		else
			r = go_down(removal, entry->d_name, telldir(stream));
		if (r == 0)
			r = 1;
		else if (r == 1)
			r = 0; /* not a directory after all */
	}
	if (!entry && errno)
		r = fail(removal, -errno, "read", ".");
	closedir(stream);
	return r;
}

static int remove_below(struct removal *removal)
{
	long position = 0;

	for (;;) {
		struct level from;
		int r = sweep(removal, position);

		position = 0;
		if (r < 0)
			return r;
		if (r == 1)
			continue;
		r = go_up(removal, &from);
		if (!r && !removal->nr)
			r = check_top(removal, from.name);
		if (!r)
			r = remove_empty(removal, from.name);
		position = from.position;
		free(from.name);
		if (r || !removal->nr)
			return r;
	}
}

int remove_tree(int parent, const char *name, const struct stat *is, uint64_t *removed,
		struct error *err)
{
	struct removal removal = {.removed = removed, .is = is, .err = err};
	struct stat st;
	int r;

	*removed = 0;
	removal.fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (removal.fd < 0 || fstat(removal.fd, &st) < 0) {
		r = fail(&removal, -errno, "reach", name);
		goto out;
	}
	removal.dev = st.st_dev;
	r = go_down(&removal, name, 0);
	if (r == 1)
		r = fail(&removal, -ENOENT, "find", name);
	else if (!r && is && (fstat(removal.fd, &st) < 0 || !is_same(&st, is)))
		r = fail(&removal, -ESTALE, "remove", name);
	else if (!r)
		r = remove_below(&removal);
out:
	while (removal.nr)
		free(removal.levels[--removal.nr].name);
	free(removal.levels);
	if (removal.fd >= 0)
		close(removal.fd);
	return r;
}

int has_directories(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), found = 0;
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (!stream) {
		found = -errno;
		if (copy >= 0)
			close(copy);
		return found;
	}
	while (!found && (errno = 0, entry = readdir(stream)))
		found = may_be_directory(entry);
	if (!entry && errno)
		found = -errno;
	closedir(stream);
	return found;
}
