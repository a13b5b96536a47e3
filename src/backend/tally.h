/* SPDX-License-Identifier: MIT */
/*
 * Counting without a second copy of the code.
 *
 * What reads or updates a model is written once, as always-inlined functions that take a tally. A
 * timed operation passes the constant NULL, and every trace of counting is gone at compile time;
 * the counting operation passes a real one. Both are thus instantiations of one source, and the
 * counts are of what the source does, never of a formula.
 */
#ifndef MEMCGBENCH_BACKEND_TALLY_H
#define MEMCGBENCH_BACKEND_TALLY_H

#include "backend/backend.h"

#include <sys/cdefs.h> /* __always_inline */

struct tally {
	struct op_probe *probe;
	int error; /* the first of line_set_add() */
};

#define tally_add(tally, field, number)                           \
	do {                                                      \
		if (tally)                                        \
			(tally)->probe->counts.field += (number); \
	} while (0)

/* An address in the model's memory that is loaded or stored. */
static __always_inline void tally_touch(struct tally *tally, const volatile void *address,
					size_t bytes)
{
	int ret;

	if (!tally || !tally->probe->lines)
		return;
	ret = line_set_add(tally->probe->lines, (const void *)address, bytes);
	if (ret && !tally->error)
		tally->error = ret;
}

#endif
