/* SPDX-License-Identifier: MIT */
/* Whole files, read with a limit and written so that a reader sees the old or the new, never half.
 */
#ifndef MEMCGBENCH_BASE_FILE_H
#define MEMCGBENCH_BASE_FILE_H

#include "base/error.h"

#include <limits.h>
#include <stddef.h>

/*
 * Read the file at `path` ("-": standard input), at most `limit` bytes, whatever its stat size says
 * (files of procfs and sysfs say 0). `*data` is the caller's to free and has a NUL behind
 * its `*length` bytes. Directories, and files longer than the limit, are errors.
 */
int file_read(const char *path, size_t limit, char **data, size_t *length, struct error *err);

/*
 * Write by a temporary name in the same directory, fsync, rename, fsync of the directory.
 * On error nothing is left behind and what was at `path` is untouched. Signals that end the program
 * wait for the few milliseconds that takes: they would leave the temporary file.
 */
int file_write_atomic(const char *path, const char *data, size_t length, struct error *err);

/*
 * The same to where a user says. A symbolic link stays one, and what it leads to is replaced;
 * a device or a pipe is written to, where a rename would put a file in its place.
 */
int file_write_output(const char *path, const char *data, size_t length, struct error *err);

/* Make a directory and those above it, where they are not there. 0, also where all are; -errno. */
int file_make_directories(const char *path, struct error *err);

/* "directory/name" in a buffer of PATH_MAX; -ENAMETOOLONG. */
int join_path(char path[PATH_MAX], const char *directory, const char *name, struct error *err);

#endif
