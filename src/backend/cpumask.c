// SPDX-License-Identifier: MIT
/* See cpumask.h. */
#include "backend/cpumask.h"

/* No copy of these for one caller, no knowledge of what they leave alone: a call is a call. */
#ifdef __clang__
#define OUT_OF_LINE __attribute__((noinline))
#else
#define OUT_OF_LINE __attribute__((noipa))
#endif

void cpumask_set(unsigned long *mask, unsigned cpu)
{
	mask[cpu / CPUMASK_WORD_BITS] |= 1ul << (cpu % CPUMASK_WORD_BITS);
}

OUT_OF_LINE unsigned cpumask_next(unsigned cpu, const unsigned long *mask, unsigned nr)
{
	unsigned start = cpu + 1;
	unsigned long word;

	if (start >= nr)
		return nr;

	word = mask[start / CPUMASK_WORD_BITS] & (~0ul << (start % CPUMASK_WORD_BITS));
	start -= start % CPUMASK_WORD_BITS;
	while (!word) {
		start += CPUMASK_WORD_BITS;
		if (start >= nr)
			return nr;
		word = mask[start / CPUMASK_WORD_BITS];
	}
	/* Not held against nr: who iterates does that. */
	return start + (unsigned)__builtin_ctzl(word);
}
