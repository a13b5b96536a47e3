/* SPDX-License-Identifier: MIT */
/*
 * Spills made between samples, untimed, so that no read finds the tree as the read before left it:
 * read.spills of them before each sample.
 *
 * One spill is one event of 2B + 1 pages, as a large folio is one, at a seeded memcg below the
 * root, node and list: whatever a batch holds of -B..B, that takes it beyond B, so every batch that
 * the event meets spills exactly once, into all ancestors. Samples take turns: every second one
 * takes back what the one before made. So an even number leaves all pages where they were.
 */
#ifndef MEMCGBENCH_DRIVER_SPILLS_H
#define MEMCGBENCH_DRIVER_SPILLS_H

#include "base/rng.h"
#include "driver/sampler.h"

#include <stdbool.h>

struct spills {
	const struct sampler *sampler;
	unsigned cpu; /* modelled CPU they come from: no one else may write from it */
	struct rng rng; /* where the pages went that are there, or where the next will go */
	bool there; /* pages that have not been taken back */
};

void spills_init(struct spills *spills, const struct sampler *sampler, unsigned cpu);
/* Those before one sample; nothing where read.spills is 0. */
void spills_make(struct spills *spills);
/* Take back what is there. */
void spills_undo(struct spills *spills);

#endif
