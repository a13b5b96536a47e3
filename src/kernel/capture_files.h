/* SPDX-License-Identifier: MIT */
/* What the files of one cgroup's directory say of its pages; part of capture.c. */
#ifndef MEMCGBENCH_KERNEL_CAPTURE_FILES_H
#define MEMCGBENCH_KERNEL_CAPTURE_FILES_H

#include "base/error.h"
#include "memcg/captured.h"

/* v1: the cgroup's own pages. v2: with those of all below it. */
struct capture_counts {
	uint64_t pages[CAPTURED_NIDS_MAX][NR_LRU_LISTS];
	bool node[CAPTURED_NIDS_MAX]; /* has a column */
	bool by_node; /* memory.numa_stat was read */
	bool by_list; /* active and inactive are known */
	bool cut; /* only of all nodes together, and cut over them */
	uint64_t dying; /* v2: below it; CAPTURED_UNKNOWN */
};

/*
 * 0; -ENODEV where the cgroup is gone, -ENOENT where it has neither of the files, another -errno
 * with a message where one is there but cannot be used.
 */
int capture_read_counts(int directory, unsigned version, uint64_t page_size,
			struct capture_counts *counts, struct error *err);

/* The whole of a regular file; the caller's to free. -errno, with a message. */
int capture_read_file(int directory, const char *name, char **text, size_t *length,
		      struct error *err);

#endif
