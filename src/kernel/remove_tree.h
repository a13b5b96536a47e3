/* SPDX-License-Identifier: MIT */
/* Removing a directory and all directories below it, and nothing else. */
#ifndef MEMCGBENCH_KERNEL_REMOVE_TREE_H
#define MEMCGBENCH_KERNEL_REMOVE_TREE_H

#include "base/error.h"

#include <stdint.h>
#include <sys/stat.h>

/*
 * Remove `name` in the directory `parent`, with all that is below it, the deepest first. No
 * symbolic link is followed, no mount entered, no file unlinked: of a cgroup only rmdir takes
 * them. Any depth, few descriptors, one stack entry a level.
 *
 * `*removed` counts the directories that are gone, also on error. A directory that stays busy for
 * REMOVE_PATIENCE_MS, since a process that was killed in it is not gone yet, is -EBUSY; the message
 * has its path below `parent`.
 *
 * `is` (may be NULL) says which directory of that name is meant: where another has taken its
 * place it is -ESTALE, and nothing of that one is removed.
 */
#define REMOVE_PATIENCE_MS 2000
int remove_tree(int parent, const char *name, const struct stat *is, uint64_t *removed,
		struct error *err);

/* Directories in the directory at `fd`: 0, 1 (or more), -errno. */
int has_directories(int fd);

#endif
