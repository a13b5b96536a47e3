/* SPDX-License-Identifier: MIT */
/*
 * When is every read over that had begun by now? Asked by the one thread that takes memcgs away
 * before it uses their memory again, as the kernel asks RCU.
 *
 * Each reader counts on a line of its own when it begins a read and when it has ended one: odd
 * within, even between. Both are atomic and so is the look at them, all of them read-modify-writes
 * with acquire and release: whichever of a reader's beginning and the remover's look comes first,
 * the other one sees all that was before it. Either the reader finds nothing that was removed, or
 * the remover waits for it. A reader between two reads, for however long, keeps nobody waiting. All
 * of it lies outside what is timed.
 *
 * Not liburcu: its readers would be registered threads of a global state, with a barrier or a
 * system call where this needs none, it would be one more library to build with, and a thread
 * sanitizer understands these few lines and not a fence.
 */
#ifndef MEMCGBENCH_DRIVER_GRACE_H
#define MEMCGBENCH_DRIVER_GRACE_H

#include <stdbool.h>

struct grace;

struct grace *grace_new(unsigned readers); /* NULL: no memory */
void grace_free(struct grace *grace);

/* Of one reader, in turn. NULL: nothing is ever removed. */
void grace_enter(struct grace *grace, unsigned reader);
void grace_leave(struct grace *grace, unsigned reader);

/* Of the remover: from here on, grace_over() says of the reads under way whether all have ended. It
 * stays true. */
void grace_begin(struct grace *grace);
bool grace_over(const struct grace *grace);

#endif
