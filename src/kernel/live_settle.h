/* SPDX-License-Identifier: MIT */
/*
 * Waiting for the kernel to have counted what was charged, and how many removed memcgs it keeps.
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_SETTLE_H
#define MEMCGBENCH_KERNEL_LIVE_SETTLE_H

#include "kernel/live_tree.h"

#include <stdint.h>

/* Two periods of the kernel's flusher, 2 s each, and some more. -EINTR where it was stopped. */
int live_settle(const struct live_progress *progress, struct error *err);

/*
 * Wait until memcgs that were removed before, by an earlier fixture or by others, are gone: until
 * their number has stood still for a second, but no longer than some seconds. Only v1 needs it,
 * which counts all of the machine. -EINTR where it was stopped.
 */
int live_await_release(const struct hierarchy *hierarchy, const struct live_progress *progress,
		       struct error *err);

/*
 * Memcgs that are removed but still there, below this process's own directory. v2 counts them
 * there; v1 has but the number of all memcgs of the machine, so what others make or remove in
 * between is in the difference. `before` is of before the directory was made. -1: not known.
 */
int64_t live_dying_before(const struct hierarchy *hierarchy);
int64_t live_dying_since(const struct live_tree *live, int64_t before);

#endif
