/* SPDX-License-Identifier: MIT */
/*
 * One file of each of many cgroups, read by several threads in the way that agents read it:
 *
 * - Reopened: opened by its absolute path, read until read() says that there is no more, closed.
 *   Depth costs, as it does them. A path that is too long to be one (PATH_MAX) begins at the
 *   nearest directory above from which it is not; an agent could not read that file at all.
 * - Kept: each reader has a descriptor of its own of each file, opened beforehand: threads that
 *   share one wait for its lock. One pread() from the beginning; what is shorter than the room for
 *   it is the whole text, and there is no second call.
 *
 * Nothing is allocated, looked up or opened while a file is read but what is said here.
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_FILES_H
#define MEMCGBENCH_KERNEL_LIVE_FILES_H

#include "kernel/live_env.h"

#include <stdbool.h>
#include <stdint.h>

/* What was read since it was all 0. */
struct live_reads {
	uint64_t files, reads, bytes; /* reads: calls of read() or pread() */
};

/* Where the path of a file begins. */
struct live_path {
	int base; /* a directory's descriptor, or AT_FDCWD: the path is absolute */
	char *path; /* owned; NULL: not among the files */
};

struct live_files {
	uint32_t nr_memcgs;
	unsigned nr_readers;
	bool kept;
	struct live_path *paths; /* [nr_memcgs] */
	int *fds; /* kept: [nr_readers][nr_memcgs]; -1: none */
	int *bases; /* [nr_bases]; owned */
	size_t nr_bases;
};

/* Descriptors that so many files take that are kept, or none; and some for everything else. */
uint64_t live_files_descriptors(bool kept, uint64_t files, unsigned readers);

/*
 * The files called `name` of the memcgs of the tree that are wanted[] and visible. Raises this
 * process's limit of descriptors where it has to. -ENOENT and the like, with a message, where a
 * file cannot be opened.
 */
int live_files_open(struct live_files *files, struct live_env *live, const char *name,
		    const bool *wanted, struct error *err);
void live_files_close(struct live_files *files);

/* Is it among them? */
static inline bool live_files_has(const struct live_files *files, uint32_t memcg)
{
	return memcg < files->nr_memcgs && files->paths[memcg].path;
}

/*
 * The whole text of one that is among them, by reader 0 <= reader < nr_readers. Its length, less
 * than `size`: -ENOSPC where it does not fit with a byte to spare. -errno. Adds to `reads`, which
 * is the reader's own.
 */
long live_files_read(const struct live_files *files, unsigned reader, uint32_t memcg, char *buffer,
		     size_t size, struct live_reads *reads);

/* The same of a file that is opened for this once, from an open directory. */
long live_file_read_at(int directory, const char *name, char *buffer, size_t size,
		       struct live_reads *reads);

#endif
