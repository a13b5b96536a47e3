// SPDX-License-Identifier: MIT
/* See file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Enough for what the file says its size is, the NUL, and to see that it ends there; it need not be
 * true. */
static size_t first_room(int fd, size_t limit)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size < 4096 - 2)
		return 4096;
	return ((size_t)st.st_size < limit ? (size_t)st.st_size : limit) + 2;
}

static int read_fd(int fd, const char *path, size_t limit, char **data, size_t *length,
		   struct error *err)
{
	size_t size = 0, room = 0, next = first_room(fd, limit);
	char *buffer = NULL;

	for (;;) {
		ssize_t got;

		if (room - size < 2) {
			char *grown = realloc(buffer, next);

			if (!grown) {
				free(buffer);
				return error_set_at(err, -ENOMEM, path, 0, 0, "out of memory");
			}
			buffer = grown;
			room = next;
			next *= 2;
		}
		got = read(fd, buffer + size, room - size - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int code = -errno;

			free(buffer);
			return error_set_at(err, code, path, 0, 0, "cannot read: %s",
					    strerror(-code));
		}
		if (got == 0)
			break;
		size += (size_t)got;
		if (size > limit) {
			free(buffer);
			return error_set_at(err, -EFBIG, path, 0, 0,
					    "longer than %zu bytes, which is more than is read",
					    limit);
		}
	}
	buffer[size] = '\0';
	*data = buffer;
	*length = size;
	return 0;
}

int file_read(const char *path, size_t limit, char **data, size_t *length, struct error *err)
{
	int fd, r;

	if (!*path)
		return error_set(err, -ENOENT, "cannot open '': the name of a file is empty");
	if (!strcmp(path, "-"))
		return read_fd(STDIN_FILENO, "<stdin>", limit, data, length, err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set_at(err, -errno, path, 0, 0, "cannot open: %s", strerror(errno));
	r = read_fd(fd, path, limit, data, length, err);
	close(fd);
	return r;
}

static int write_all(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t put = write(fd, data, length);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		data += put;
		length -= (size_t)put;
	}
	return 0;
}

static int sync_directory_of(const char *path)
{
	char copy[PATH_MAX];
	int fd, r = 0;

	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		return -ENAMETOOLONG;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Some file systems cannot sync a directory and say EINVAL: the rename still stands. */
	if (fsync(fd) < 0 && errno != EINVAL)
		r = -errno;
	close(fd);
	return r;
}

/* As open() would have made it. */
static int give_usual_rights(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask) < 0 ? -errno : 0;
}

static int write_and_rename(const char *path, const char *data, size_t length, struct error *err)
{
	char temporary[PATH_MAX];
	int fd, r;

	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary))
		return error_set_at(err, -ENAMETOOLONG, path, 0, 0, "the path is too long");
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return error_set_at(err, -errno, path, 0, 0, "cannot create: %s", strerror(errno));
	r = write_all(fd, data, length);
	if (!r)
		r = give_usual_rights(fd);
	if (!r && fsync(fd) < 0)
		r = -errno;
	if (close(fd) < 0 && !r)
		r = -errno;
	if (!r && rename(temporary, path) < 0)
		r = -errno;
	if (r) {
		unlink(temporary);
		return error_set_at(err, r, path, 0, 0, "cannot write: %s", strerror(-r));
	}
	r = sync_directory_of(path);
	if (r)
		return error_set_at(err, r, path, 0, 0, "cannot sync: %s", strerror(-r));
	return 0;
}

int file_write_atomic(const char *path, const char *data, size_t length, struct error *err)
{
	sigset_t ending, before;
	int r;

	/* One of these between the temporary name and the rename would leave a file behind. They
	 * wait for the few milliseconds that takes. */
	sigemptyset(&ending);
	sigaddset(&ending, SIGHUP);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGQUIT);
	sigaddset(&ending, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ending, &before);
	r = write_and_rename(path, data, length, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

/* A device or a pipe takes what it is given. Without O_NONBLOCK, opening a pipe would wait until
 * somebody reads from it. */
static int write_into(const char *path, const char *data, size_t length, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), r = 0;

	if (fd < 0)
		return error_set_at(err, -errno, path, 0, 0, "cannot open: %s",
				    errno == ENXIO ? "nobody reads from it" : strerror(errno));
	if (fcntl(fd, F_SETFL, 0) < 0)
		r = -errno;
	if (!r)
		r = write_all(fd, data, length);
	if (close(fd) < 0 && !r)
		r = -errno;
	return r ? error_set_at(err, r, path, 0, 0, "cannot write: %s", strerror(-r)) : 0;
}

int file_write_output(const char *path, const char *data, size_t length, struct error *err)
{
	char target[PATH_MAX];
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return write_into(path, data, length, err);
	if (lstat(path, &st) < 0 || !S_ISLNK(st.st_mode))
		return file_write_atomic(path, data, length, err);
	if (realpath(path, target))
		return file_write_atomic(target, data, length, err);
	if (errno == ENOENT) /* a link to nothing: nothing is lost with it */
		return file_write_atomic(path, data, length, err);
	return error_set_at(err, -errno, path, 0, 0, "cannot write: %s", strerror(errno));
}

int file_make_directories(const char *path, struct error *err)
{
	char part[PATH_MAX];
	size_t length = strlen(path);

	if (length >= sizeof(part))
		return error_set_at(err, -ENAMETOOLONG, path, 0, 0, "the path is too long");
	for (size_t i = 1; i <= length; i++) {
		if (path[i] && path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0777) < 0 && errno != EEXIST)
			return error_set_at(err, -errno, part, 0, 0, "cannot make: %s",
					    strerror(errno));
	}
	return 0;
}

int join_path(char path[PATH_MAX], const char *directory, const char *name, struct error *err)
{
	if (snprintf(path, PATH_MAX, "%s/%s", directory, name) >= PATH_MAX)
		return error_set_at(err, -ENAMETOOLONG, directory, 0, 0, "the path is too long");
	return 0;
}
