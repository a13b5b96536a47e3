// SPDX-License-Identifier: MIT
/* See lock.h. */
#include "driver/lock.h"

#include "driver/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* How often the holder is asked again. */
#define RETRY_MS 200

static int open_shared(const char *path)
{
	int fd;

	/* Without O_CREAT first: in a sticky directory fs.protected_regular refuses O_CREAT on a
	 * file of another user, though it may be opened. O_NOFOLLOW: nobody chooses the file for
	 * us. */
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (fd >= 0)
			(void)!fchmod(fd, 0666); /* past the umask; it is ours if we made it */
	}
	if (fd < 0 && errno == EACCES)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return fd;
}

static int open_lock(const char **path, struct error *err)
{
	static const char *const places[] = {"/run/lock/memcgbench.lock", "/tmp/memcgbench.lock"};
	const char *chosen = getenv("MEMCGBENCH_LOCK");
	int fd = -1;

	if (chosen && *chosen) {
		*path = chosen;
		fd = open_shared(chosen);
	} else {
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && fd < 0; i++) {
			*path = places[i];
			fd = open_shared(places[i]);
		}
	}
	if (fd < 0)
		return error_set_at(err, -errno, *path, 0, 0,
				    "cannot open the lock: %s (MEMCGBENCH_LOCK names another, "
				    "--no-lock does without)",
				    strerror(errno));
	return fd;
}

static void note_holder(int fd)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%d\n", getpid());

	/* For people only; a lock opened read-only cannot say it. */
	if (ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, text, (size_t)length, 0);
}

static void say_waiting(int fd, const char *path, FILE *log)
{
	char text[32] = "";
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

	text[length > 0 ? length : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	fprintf(log, "memcgbench: another sweep (process %s) holds %s: waiting for it to end\n",
		*text ? text : "unknown", path);
}

int lock_take(int interrupt_fd, FILE *log, int *signal_number, struct error *err)
{
	const char *path;
	int fd = open_lock(&path, err);
	bool said = false;

	if (fd < 0)
		return fd;
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			int code = -errno;

			close(fd);
			return error_set_at(err, code, path, 0, 0, "cannot lock: %s",
					    strerror(-code));
		}
		if (!said)
			say_waiting(fd, path, log);
		said = true;
		*signal_number = interrupt_wait(interrupt_fd, RETRY_MS);
		if (*signal_number) {
			close(fd);
			return error_set(err, -EINTR, "interrupted while waiting for the lock");
		}
	}
	note_holder(fd);
	return fd;
}
