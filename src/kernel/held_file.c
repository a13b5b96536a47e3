// SPDX-License-Identifier: MIT
/* See held_file.h. */
#include "kernel/held_file.h"

#include "kernel/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of one pipe. The kernel's table of them is memory in one piece: larger ones may not be there. */
#define PIPE_PAGES 8192u

struct held_pipe {
	int in, out; /* none is ever read from */
	uint64_t room; /* pages that it still takes */
};

static long page_bytes(void)
{
	return sysconf(_SC_PAGESIZE);
}

/* The largest that this user may have. False: none. */
static int make_pipe(struct held_pipe *made)
{
	int ends[2];
	long bytes;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return 0;
	for (bytes = PIPE_PAGES * page_bytes(); bytes > page_bytes(); bytes /= 2)
		if (fcntl(ends[1], F_SETPIPE_SZ, (int)bytes) > 0)
			break;
	bytes = fcntl(ends[1], F_GETPIPE_SZ);
	*made = (struct held_pipe){ends[1], ends[0], (uint64_t)(bytes / page_bytes())};
	return 1;
}

/* All of them beforehand: their tables are the charging task's, not the memcg's it is in later. */
static int make_pipes(struct held_file *file)
{
	uint64_t room = 0, most = file->pages / 2 + 1;

	for (uint64_t i = 0; room < file->pages && i < most; i++) {
		struct held_pipe made, *grown;

		if (!make_pipe(&made))
			return 0; /* no more descriptors: the rest is not held */
		grown = reallocarray(file->pipes, file->nr_pipes + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		file->pipes = grown;
		file->pipes[file->nr_pipes++] = made;
		room += made.room;
	}
	return 0;
}

int held_file_open(struct held_file *file, uint64_t pages, const char *const *directories,
		   const char **what)
{
	*file = (struct held_file){.fd = -1, .pages = pages};
	if (!pages)
		return 0;
	file->fd = page_file_open(directories, pages * (uint64_t)page_bytes(), what);
	if (file->fd < 0)
		return file->fd;
	/* One page at a time: none is read ahead. */
	posix_fadvise(file->fd, 0, 0, POSIX_FADV_RANDOM);
	*what = "cannot make pipes that hold the file's pages";
	return make_pipes(file);
}

/* 1: held. 0: there is no room in a pipe. */
static int hold(struct held_file *file, off_t at)
{
	while (file->at < file->nr_pipes) {
		struct held_pipe *pipe = &file->pipes[file->at];
		ssize_t moved = 0;

		if (pipe->room)
			moved = splice(file->fd, &at, pipe->in, NULL, (size_t)page_bytes(),
				       SPLICE_F_NONBLOCK);
		if (moved == page_bytes()) {
			pipe->room--;
			return 1;
		}
		if (moved < 0 && errno != EAGAIN)
			return -errno;
		if (moved > 0)
			return -EIO;
		file->at++;
	}
	return 0;
}

static int bring_in(struct held_file *file)
{
	off_t at = (off_t)file->used * page_bytes();
	int held = hold(file, at);
	char byte;

	/* Some file systems cannot splice. */
	if (held == -EINVAL || held == 0) {
		if (pread(file->fd, &byte, 1, at) != 1)
			return errno ? -errno : -EIO;
		file->unheld++;
		held = 1;
	}
	file->used++;
	return held < 0 ? held : 0;
}

int held_file_touch(struct held_file *file, uint64_t pages, const char **what)
{
	int r = 0;

	*what = "more pages than there is room for";
	if (pages > file->pages - file->used)
		return -ENOSPC;
	*what = "cannot read the file";
	for (uint64_t i = 0; !r && i < pages; i++)
		r = bring_in(file);
	return r;
}

int held_file_map(const struct held_file *file, uint64_t pages, void **base, const char **what)
{
	size_t bytes = pages * (size_t)page_bytes();
	off_t at = (off_t)(file->used - pages) * page_bytes();

	*what = "cannot map the file";
	*base = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file->fd, at);
	if (*base == MAP_FAILED)
		return -errno;
	for (size_t i = 0; i < bytes; i += (size_t)page_bytes())
		(void)((volatile unsigned char *)*base)[i];
	return 0;
}
