// SPDX-License-Identifier: MIT
/* See own_note.h. */
#include "kernel/own_note.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of one length always, so that a newer text covers an older one in one write. */
#define FORMAT     "memcgbench note 1\ndevice %020" PRIu64 "\ndirectory %020" PRIu64 "\nenabled %d\n"
#define SCAN       "memcgbench note 1\ndevice %20" SCNu64 "\ndirectory %20" SCNu64 "\nenabled %1d\n"
#define LENGTH_MAX 128

int own_notes_path(char path[PATH_MAX], struct error *err)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		runtime = "/run";
	else if (!runtime || *runtime != '/')
		return error_set(err, -ENOENT,
				 "XDG_RUNTIME_DIR names no directory, and notes of what is made "
				 "have no place");
	return join_path(path, runtime, "memcgbench", err);
}

int own_notes_open(const char *path, bool make, struct error *err)
{
	struct stat st;
	int fd;

	if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
		return error_set_at(err, -errno, path, 0, 0, "cannot make: %s", strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_set_at(err, -errno, path, 0, 0, "cannot open: %s", strerror(errno));
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || st.st_mode & 022) {
		close(fd);
		return error_set_at(err, -EPERM, path, 0, 0,
				    "others may write there, so its notes prove nothing (it has to "
				    "be the user's own, mode 0700)");
	}
	return fd;
}

int own_notes_possible(const char *path, struct error *err)
{
	int fd = own_notes_open(path, false, err), r = 0;
	char above[PATH_MAX];

	if (fd >= 0) {
		if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
			r = error_set_at(err, -errno, path, 0, 0, "cannot write there: %s",
					 strerror(errno));
		close(fd);
	} else if (fd == -ENOENT && strlen(path) < sizeof(above)) {
		strcpy(above, path);
		if (faccessat(AT_FDCWD, dirname(above), W_OK | X_OK, AT_EACCESS) < 0)
			r = error_set_at(err, -errno, path, 0, 0, "cannot make: %s",
					 strerror(errno));
	} else {
		r = fd;
	}
	if (!r)
		*err = (struct error){.text = ""};
	return r;
}

/*
 * A lock that fork() does not hand on: a child that outlives its parent by a moment must not keep
 * the note. It is given up when the process ends, a zombie's too, or closes any descriptor of the
 * file.
 */
static int lock(int fd, bool wait)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int r;

	do
		r = fcntl(fd, wait ? F_SETLKW : F_SETLK, &whole);
	while (r < 0 && errno == EINTR);
	if (r == 0)
		return 0;
	return errno == EACCES || errno == EAGAIN ? -EWOULDBLOCK : -errno;
}

int own_note_write(int fd, const struct own_note *note)
{
	char text[LENGTH_MAX];
	int length =
		snprintf(text, sizeof(text), FORMAT, note->device, note->directory, note->enabled);
	ssize_t put = pwrite(fd, text, (size_t)length, 0);

	if (put == length)
		return 0;
	return put < 0 ? -errno : -ENOSPC;
}

/* 0: another process, which had it for one that was left, took it away meanwhile. */
static int is_linked(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 ? -errno : st.st_nlink > 0;
}

int own_note_make(int notes, const char *name, const struct own_note *note)
{
	for (;;) {
		int fd = openat(notes, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				0600);
		int r;

		if (fd < 0)
			return -errno;
		r = lock(fd, true);
		if (!r)
			r = is_linked(fd);
		if (r > 0) {
			r = own_note_write(fd, note);
			if (!r)
				return fd;
			unlinkat(notes, name, 0);
		}
		close(fd);
		if (r)
			return r;
	}
}

/* What is no note says that nothing was made: its maker ended before it wrote. */
static int read_note(int fd, struct own_note *note)
{
	char text[LENGTH_MAX];
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);
	int enabled = 0;

	*note = (struct own_note){.device = 0};
	if (length < 0)
		return -errno;
	text[length] = '\0';
	if (sscanf(text, SCAN, &note->device, &note->directory, &enabled) == 3)
		note->enabled = enabled;
	else
		*note = (struct own_note){.device = 0};
	return 0;
}

int own_note_take(int notes, const char *name, struct own_note *note)
{
	int fd = openat(notes, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	r = lock(fd, false);
	if (!r) {
		r = is_linked(fd);
		r = r == 0 ? -ENOENT : r < 0 ? r : read_note(fd, note);
	}
	if (!r)
		return fd;
	close(fd);
	return r;
}
