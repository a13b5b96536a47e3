/* SPDX-License-Identifier: MIT */
/*
 * The file whose pages are charged: without a name, so that nothing of it stays; a hole from end to
 * end, so that no disk is waited for or filled; and not on tmpfs, whose pages are no file's to the
 * memory controller, but anonymous.
 */
#ifndef MEMCGBENCH_KERNEL_PAGE_FILE_H
#define MEMCGBENCH_KERNEL_PAGE_FILE_H

#include <stdint.h>

/* Where it is looked for, ended by NULL. */
extern const char *const page_file_directories[];

/*
 * A descriptor of such a file of `bytes` in the first of the directories that will do. Where none
 * does: the -errno of the last one, and in *what (constant) what that one lacks; -ENODEV where it
 * is on tmpfs.
 */
int page_file_open(const char *const *directories, uint64_t bytes, const char **what);

#endif
