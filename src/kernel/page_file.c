// SPDX-License-Identifier: MIT
/* See page_file.h. */
#include "kernel/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/vfs.h>
#include <unistd.h>

const char *const page_file_directories[] = {"/var/tmp", "/tmp", ".", NULL};

static int open_in(const char *directory, uint64_t bytes, const char **what)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), r = 0;
	struct statfs fs;

	*what = "cannot make a file without a name";
	if (fd < 0)
		return -errno;
	if (fstatfs(fd, &fs) < 0) {
		r = -errno;
	} else if (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC) {
		*what = "a file there lies on tmpfs, whose pages count as anonymous";
		r = -ENODEV;
	} else if (ftruncate(fd, (off_t)bytes) < 0) {
		*what = "cannot make the file as long as needed";
		r = -errno;
	}
	if (!r)
		return fd;
	close(fd);
	return r;
}

int page_file_open(const char *const *directories, uint64_t bytes, const char **what)
{
	int fd = -ENODEV;

	*what = "there is no directory for a file";
	for (; fd < 0 && *directories; directories++)
		fd = open_in(*directories, bytes, what);
	return fd;
}
