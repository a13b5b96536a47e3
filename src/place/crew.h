/* SPDX-License-Identifier: MIT */
/*
 * Crews: the threads that go over regions together. Each real node has one, of threads on its own
 * CPUs, which takes the regions that lie there piece by piece; all crews work at once.
 */
#ifndef MEMCGBENCH_PLACE_CREW_H
#define MEMCGBENCH_PLACE_CREW_H

#include "place/placement.h"

#define CREW_MAX 8 /* members per real node */

/*
 * Called with `arg` for each piece: a part of a region, of whole pages. `member` tells calls apart
 * that may run at the same time: it is below crew_members(). An error ends the work of all.
 */
typedef int crew_work(void *arg, unsigned member, const struct region *piece, struct error *err);

unsigned crew_members(const struct machine *machine);

int crew_run(const struct placement *placement, const struct region *regions, size_t nr,
	     crew_work *work, void *arg, struct error *err);

#endif
