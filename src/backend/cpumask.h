/* SPDX-License-Identifier: MIT */
/*
 * The bitmap of possible CPUs and its iteration.
 *
 * The kernel finds the next possible CPU by calling an out-of-line bitmap search: most of the 28
 * instructions that it spends on a per-CPU load (seen in a guest, Linux 6.1) are spent there. So the
 * search lives in a file of its own, is never inlined and is never optimised across files.
 */
#ifndef MEMCGBENCH_BACKEND_CPUMASK_H
#define MEMCGBENCH_BACKEND_CPUMASK_H

#include <stddef.h>

#define CPUMASK_WORD_BITS (8 * sizeof(unsigned long))

static inline size_t cpumask_bytes(unsigned nr)
{
	return (nr + CPUMASK_WORD_BITS - 1) / CPUMASK_WORD_BITS * sizeof(unsigned long);
}

void cpumask_set(unsigned long *mask, unsigned cpu);

/* The first CPU above `cpu` (-1u: from 0) of the `nr` bits of `mask`; `nr` or more when none. */
unsigned cpumask_next(unsigned cpu, const unsigned long *mask, unsigned nr);

/* For each CPU of `mask`; `owner` has the number of its bits in nr_possible, loaded at each step. */
#define for_each_possible_cpu(cpu, mask, owner)                       \
	for ((cpu) = cpumask_next(-1u, (mask), (owner)->nr_possible); \
	     (cpu) < (owner)->nr_possible;                            \
	     (cpu) = cpumask_next((cpu), (mask), (owner)->nr_possible))

#endif
