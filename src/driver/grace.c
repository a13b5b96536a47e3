// SPDX-License-Identifier: MIT
/* See grace.h. */
#include "driver/grace.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define APART 128 /* what prefetchers fetch together: readers must not disturb each other */

struct grace_reader {
	alignas(APART) _Atomic uint64_t turns; /* odd: within a read */
};

struct grace {
	unsigned nr;
	uint64_t *seen; /* [nr] when grace_begin() looked; the remover's */
	struct grace_reader *reader; /* [nr] */
};

struct grace *grace_new(unsigned readers)
{
	struct grace *grace = calloc(1, sizeof(*grace));

	if (!grace)
		return NULL;
	grace->nr = readers;
	grace->seen = calloc(readers, sizeof(*grace->seen));
	grace->reader = aligned_alloc(APART, readers * sizeof(*grace->reader));
	if (!grace->seen || !grace->reader) {
		grace_free(grace);
		return NULL;
	}
	memset(grace->reader, 0, readers * sizeof(*grace->reader));
	return grace;
}

void grace_free(struct grace *grace)
{
	if (!grace)
		return;
	free(grace->seen);
	free(grace->reader);
	free(grace);
}

void grace_enter(struct grace *grace, unsigned reader)
{
	/* Acquire: of a look that came before, and so of what was removed before it. Release: a
	 * look that comes after finds this read. */
	if (grace)
		atomic_fetch_add_explicit(&grace->reader[reader].turns, 1, memory_order_acq_rel);
}

void grace_leave(struct grace *grace, unsigned reader)
{
	/* Release: what was read is read, before the remover sees it. Acquire: as above, for the
	 * reads that follow. */
	if (grace)
		atomic_fetch_add_explicit(&grace->reader[reader].turns, 1, memory_order_acq_rel);
}

void grace_begin(struct grace *grace)
{
	/* A write, so that it stands before or after each of the reader's: see grace.h. */
	for (unsigned i = 0; i < grace->nr; i++)
		grace->seen[i] =
			atomic_fetch_add_explicit(&grace->reader[i].turns, 0, memory_order_acq_rel);
}

bool grace_over(const struct grace *grace)
{
	/* Acquire: pairs with grace_leave(). */
	for (unsigned i = 0; i < grace->nr; i++)
		if (grace->seen[i] % 2 &&
		    atomic_load_explicit(&grace->reader[i].turns, memory_order_acquire) ==
			    grace->seen[i])
			return false;
	return true;
}
