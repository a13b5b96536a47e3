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

/* The first set bit from `start` on, word by word; `nr` when there is none. */
static OUT_OF_LINE unsigned long find_next_set(const unsigned long *words, unsigned long nr,
					       unsigned long start)
{
	unsigned long word, found;

	if (start >= nr)
		return nr;

	word = words[start / CPUMASK_WORD_BITS] & (~0ul << (start % CPUMASK_WORD_BITS));
	start -= start % CPUMASK_WORD_BITS;
	while (!word) {
		start += CPUMASK_WORD_BITS;
		if (start >= nr)
			return nr;
		word = words[start / CPUMASK_WORD_BITS];
	}
	found = start + (unsigned long)__builtin_ctzl(word);
	return found < nr ? found : nr;
}

OUT_OF_LINE unsigned cpumask_next(unsigned cpu, const unsigned long *mask, unsigned nr)
{
	return (unsigned)find_next_set(mask, nr, (unsigned)(cpu + 1));
}
