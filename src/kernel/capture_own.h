/* SPDX-License-Identifier: MIT */
/* From counts of subtrees to those of each memcg; part of capture.c. */
#ifndef MEMCGBENCH_KERNEL_CAPTURE_OWN_H
#define MEMCGBENCH_KERNEL_CAPTURE_OWN_H

#include "memcg/captured.h"

/*
 * Rows hold what cgroup v2 says: pages, and dying memcgs, of each subtree. Take off each row what
 * the rows directly below it hold. What comes out below zero is 0 and counted: it has moved between
 * the two reads. 0 or -ENOMEM. Memory: depth x nodes.
 */
int capture_take_own(struct captured *captured);

#endif
