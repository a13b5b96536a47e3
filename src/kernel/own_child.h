/* SPDX-License-Identifier: MIT */
/* What every task begins with that is forked to charge pages: it must not outlive its parent. */
#ifndef MEMCGBENCH_KERNEL_OWN_CHILD_H
#define MEMCGBENCH_KERNEL_OWN_CHILD_H

#include <sys/types.h>

/* In the child, `parent` being the pid of who forked it. It dies with that process (with the thread
 * that forked it, to be exact), and is the first that is asked to when memory runs out. Signals
 * that end a whole group of processes are left to the parent. Does not return where that is gone
 * already.
 */
void own_child_enter(pid_t parent);

#endif
