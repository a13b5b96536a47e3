/* SPDX-License-Identifier: MIT */
/*
 * One sweep at a time on a machine: two that run together measure each other.
 *
 * An flock() on a file that all users share: $MEMCGBENCH_LOCK, or /run/lock/memcgbench.lock, or
 * /tmp/memcgbench.lock where the former cannot be written. The kernel drops it with the process,
 * however that ends.
 */
#ifndef MEMCGBENCH_DRIVER_LOCK_H
#define MEMCGBENCH_DRIVER_LOCK_H

#include "base/error.h"

#include <stdio.h>

/*
 * Take the lock, waiting for whoever holds it (said once on `log`). Returns a descriptor to close,
 * or -errno with a message; -EINTR where a signal arrived on `interrupt_fd` meanwhile: then
 * `*signal_number` is set.
 */
int lock_take(int interrupt_fd, FILE *log, int *signal_number, struct error *err);

#endif
