/* SPDX-License-Identifier: MIT */
/*
 * cpu.stat of v2, the file beside memory.stat that pollers read as well, as Linux 5.x to 6.x prints
 * it where the cpu controller is on:
 *
 *     usage_usec 44611
 *     user_usec 33458
 *     system_usec 11152
 *     nr_periods 0
 *     nr_throttled 0
 *     throttled_usec 0
 *
 * The last three are of the controller. Nobody limits the CPUs of a model, so they are 0.
 */
#ifndef MEMCGBENCH_MEMCG_CPU_STAT_H
#define MEMCGBENCH_MEMCG_CPU_STAT_H

#include "memcg/numa_stat.h"

#include <stddef.h>
#include <stdint.h>

/* Of a memcg's subtree, in ns. The file shows whole microseconds, rounded down. */
struct cpu_stat {
	uint64_t usage, user, system;
};

/* Bytes that any text fits in, the terminating NUL included. */
#define CPU_STAT_TEXT_MAX 160u

/*
 * Print into buffer[0..size). Returns the length without the NUL, or -ENOSPC (what fitted is
 * there). Byte for byte what the kernel prints, in two prints as it does.
 */
long cpu_stat_text(const struct cpu_stat *stat, enum text_style style, char *buffer, size_t size);

#endif
