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

#include "scenario/point.h"

#include <stddef.h>

#define SEQ_FILE_START 4096u

/* Room for any text of the point, as the buffer grows: SEQ_FILE_START, doubled until it fits. */
size_t seq_file_most(const struct point *point);
/* What the buffer of a timed read starts with, where the texts before it were shorter. */
size_t seq_file_start(const struct point *point);
/* How often the file is shown for one timed read of a text of `length` bytes. */
unsigned seq_file_shows(const struct point *point, size_t length);
/* The same for plans, by the length that texts usually have. */
unsigned seq_file_guess_shows(const struct point *point);

#endif
