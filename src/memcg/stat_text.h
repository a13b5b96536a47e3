/* SPDX-License-Identifier: MIT */
/* The text of every file that stat_format.h describes, from its counts. */
#ifndef MEMCGBENCH_MEMCG_STAT_TEXT_H
#define MEMCGBENCH_MEMCG_STAT_TEXT_H

#include "memcg/numa_stat.h"

/* Bytes that any text of the file with `nr_nodes` columns fits in, the terminating NUL included. */
size_t stat_text_max(const struct stat_format *format, unsigned nr_nodes);

/*
 * Print the blocks of `rows` that the file has into buffer[0..size). Returns the length without the
 * NUL, or -ENOSPC (what fitted is there). Byte for byte what the kernel prints for these counts.
 */
long stat_text(const struct numa_counts *counts, unsigned rows, enum text_style style, char *buffer,
	       size_t size);

#endif
