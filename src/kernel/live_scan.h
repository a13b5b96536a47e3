/* SPDX-License-Identifier: MIT */
/*
 * The rows that a format has, out of the text of a kernel's file: as an agent scans it, in one pass
 * and without memory of its own. stat_parse.h reads any file and keeps all of it; this one is
 * timed.
 *
 * Rows go by name, nodes by id: lines that are not known (of a newer kernel, of a vendor) are left
 * out, and rows that the kernel lacks read as 0. It is strict on what is compared with what was
 * charged (live_env_comparable()): such a row that is missing, twice there, without its newline, or
 * with other nodes than those of `out` is -EBADMSG, as is a malformed number anywhere in a row
 * that is known.
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_SCAN_H
#define MEMCGBENCH_KERNEL_LIVE_SCAN_H

#include "memcg/numa_stat.h"

/* Fill the cells of the blocks of `rows` that the format has; others are left alone. */
int live_scan(const char *text, size_t length, unsigned rows, struct numa_counts *out);
/* Add the local rows of the text to the hierarchical cells. Needs a format that has both. */
int live_scan_add(const char *text, size_t length, struct numa_counts *sum);

#endif
