/* SPDX-License-Identifier: MIT */
/* How much memory, and how many threads, this process may still take before someone says no. */
#ifndef MEMCGBENCH_DRIVER_AVAILABLE_H
#define MEMCGBENCH_DRIVER_AVAILABLE_H

#include <stdint.h>

/*
 * The least of MemAvailable and what the cgroups that this process is in, up to the topmost one
 * that can be seen, leave: limit less usage, files' pages counted as free. Both hierarchies are
 * looked at. UINT64_MAX where nothing is known. `root` stands before /proc and before mount points:
 * "" but in tests.
 */
uint64_t available_below(const char *root);

/* The same for threads: what the pids limits of these cgroups leave. */
uint64_t available_tasks(const char *root);

#endif
