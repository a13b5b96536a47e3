/* SPDX-License-Identifier: MIT */
/*
 * v2: cgroups have the memory controller only where the cgroup above hands it down, which it does
 * where its cgroup.subtree_control lists it. The only such file outside of a run's own directory is
 * that of the hierarchy's top. It is written to with leave only, and what was written taken back:
 * whoever writes keeps a note of it before (own_note.h), so that cleanup can do so after a kill.
 */
#ifndef MEMCGBENCH_KERNEL_HAND_DOWN_H
#define MEMCGBENCH_KERNEL_HAND_DOWN_H

#include "base/error.h"
#include "kernel/hierarchy.h"

/* Does the top hand memory down? Of v1 always. 1, 0, or -errno with a message. */
int is_handed_down(const struct hierarchy *hierarchy, struct error *err);
int hand_down(const struct hierarchy *hierarchy, struct error *err);
/*
 * 0: taken back, or it is not handed down any more. -EBUSY where a cgroup of others uses it by now:
 * one that hands it down itself, or has a limit of memory set. Then it stays, and the message names
 * that cgroup.
 */
int take_back(const struct hierarchy *hierarchy, struct error *err);

#endif
