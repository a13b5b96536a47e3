/* SPDX-License-Identifier: MIT */
/*
 * Pages of a file that stay: that of page_file.h, whose pages come into the page cache by being
 * spliced into pipes, where a reference to each is kept. Clean pages of a file that nobody holds
 * are the first that go when anybody reclaims: kswapd, or a proactive reclaimer such as DAMON's,
 * which takes some of any file within seconds.
 *
 * How many pages pipes may hold is limited for users without CAP_SYS_RESOURCE
 * (fs.pipe-user-pages-soft): those beyond are read and not held, and counted.
 */
#ifndef MEMCGBENCH_KERNEL_HELD_FILE_H
#define MEMCGBENCH_KERNEL_HELD_FILE_H

#include <stdint.h>

struct held_file {
	int fd; /* owned; -1: none */
	uint64_t pages, used; /* of the machine's; there is room for, and come in so far */
	uint64_t unheld; /* of those used, pages that nothing keeps */
	struct held_pipe *pipes; /* owned */
	unsigned nr_pipes, at; /* and the one that takes pages now */
};

/*
 * A file with room for so many pages, as page_file_open() finds it. No pages, no file. On error
 * `*what` says what could not be done.
 */
int held_file_open(struct held_file *file, uint64_t pages, const char *const *directories,
		   const char **what);
/* Bring the next pages in, charged to the caller's cgroup and from its memory policy. */
int held_file_touch(struct held_file *file, uint64_t pages, const char **what);
/* Map the last `pages` that came in, read once more, to be looked up. Unmap them with munmap(). */
int held_file_map(const struct held_file *file, uint64_t pages, void **base, const char **what);

#endif
