/* SPDX-License-Identifier: MIT */
/*
 * The mounted cgroup hierarchy that has the kernel's memory controller: of cgroup v1 the one
 * mounted with `memory`, alone or with others, else the unified one of v2 where memory is among its
 * controllers. On a hybrid set-up both are mounted, and only one of them has it.
 *
 * A hierarchy may be mounted several times, read-only in one place and only in part in another (a
 * container's own part): a mount that may be written to is taken before others, and then one of
 * the whole before one of a part. A mount that another one lies upon is none.
 */
#ifndef MEMCGBENCH_KERNEL_HIERARCHY_H
#define MEMCGBENCH_KERNEL_HIERARCHY_H

#include "base/error.h"
#include "base/mountinfo.h"

#include <stdbool.h>

#define HIERARCHY_MOUNTS MOUNTINFO

struct hierarchy {
	unsigned version; /* of cgroup: 1 or 2 */
	char *mount; /* where it is mounted; owned */
	int fd; /* of that directory; owned */
	bool read_only; /* the mount, or all of it */
	bool in_part; /* what is mounted is a cgroup's directory, not that of all */
	bool with_cpuset; /* v1: cpuset shares it */
	/* v2: its top may be told to hand memory down, by who finds it. No, until the caller of
	 * hierarchy_find() says so. */
	bool may_enable;
};

/*
 * Find it in a table of mounts of the form of mountinfo, HIERARCHY_MOUNTS. -ENODEV with a message
 * where there is none: a machine on which this is not possible. -EINVAL with file and line where
 * the table is none. Free with hierarchy_close().
 */
int hierarchy_find(const char *mounts, struct hierarchy *out, struct error *err);

/*
 * Take the directory at `path` for one, whatever file system it is on: for tests, which have no
 * cgroups. `version` is what it is to be taken for.
 */
int hierarchy_open(const char *path, unsigned version, struct hierarchy *out, struct error *err);
void hierarchy_close(struct hierarchy *hierarchy);

/* Is the word among the words of the file, which spaces and line ends separate? As
 * cgroup.controllers and cgroup.subtree_control list controllers. -errno. */
int hierarchy_file_lists(int directory, const char *file, const char *word);
/* Write to a file that is there, in one write. -errno. */
int hierarchy_file_write(int directory, const char *file, const char *text);

#endif
