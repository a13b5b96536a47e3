/* SPDX-License-Identifier: MIT */
/*
 * The buffer that a file is printed into, as the kernel's seq_file has it. It starts at one page. A
 * text that does not fit into it with a byte to spare is thrown away, the buffer doubled, and the
 * file shown again from the first row on, its counting included. What the buffer has grown to lasts
 * as long as the descriptor.
 *
 * Reopened, a reader opens the file anew for each read, and pays each time. Kept, it reads one
 * descriptor again and again: the first read, which is never timed, pays for all. Of a sweep every
 * file has a descriptor of its own that has been read once. Large: a buffer that fits any text.
 *
 * Allocating and freeing a buffer is not modelled: all of it is there from the start.
 */
#ifndef MEMCGBENCH_DRIVER_SEQ_FILE_H
#define MEMCGBENCH_DRIVER_SEQ_FILE_H

#include "backend/backend.h"

#include <stddef.h>

#define SEQ_FILE_START 4096u

/* Room for any text of a file, as the buffer grows: SEQ_FILE_START, doubled until it fits. */
size_t seq_file_most(const struct stat_format *format, unsigned nr_nodes);
/* What the buffer of a timed read starts with, where the texts before it were shorter and the file
 * may need `most`. */
size_t seq_file_start(const struct point *point, size_t most);
/* How often the file is shown for one timed read of a text of `length` bytes. */
unsigned seq_file_shows(const struct point *point, size_t length);
/* The same for plans, by the length that texts usually have. */
unsigned seq_file_guess_shows(const struct point *point);

/*
 * A buffer of *size was too small: show the file again, in one twice as large, until it fits, or
 * `most` was too small as well. *size is what the next read of the point starts with. The text's
 * length or -errno.
 */
long seq_file_show_again(const struct backend *backend, void *instance, const struct point *point,
			 const struct read_request *request, struct numa_counts *scratch,
			 char *text, size_t *size, size_t most);

/*
 * A file counted as often as a read of the point shows it, its text once. Adds to `shows` how often
 * that is, nothing for counts; COUNT_UNKNOWN of a file that was printed elsewhere: how often a
 * kernel showed what was read once is its own affair.
 */
int seq_file_count(const struct backend *backend, void *instance, const struct point *point,
		   const struct read_request *request, struct numa_counts *counts,
		   struct op_probe *probe, uint64_t *shows);

#endif
