/* SPDX-License-Identifier: MIT */
/* This machine with two modelled nodes folded on it, for tests that map memory and bind threads. */
#ifndef TEST_PLACE_HERE_H
#define TEST_PLACE_HERE_H

#include "fixtures.h"

#include <sched.h>

#define MIB (1ul << 20)

/* This machine, and two modelled nodes folded on it. */
struct here {
	struct machine *machine;
	struct placement *placement;
};

static inline struct here open_here(enum page_size pages)
{
	struct here here = {.machine = open_recorded(NULL)};
	struct point point = point_of(PLACEMENT_FOLD, 2, 8);

	point.machine.nids[1] = 8;
	point.machine.pages = pages;
	here.placement = place(here.machine, &point);
	return here;
}

static inline void close_here(struct here *here)
{
	placement_free(here->placement);
	machine_free(here->machine);
}

static inline void map(const struct here *here, unsigned node, size_t bytes, struct region *region)
{
	struct error err = {0};

	if (placement_map(here->placement, node, bytes, region, &err))
		fail_msg("%s", err.text);
}

static inline void write_all(const struct here *here, const struct region *regions, size_t nr)
{
	struct error err = {0};

	if (placement_write(here->placement, regions, nr, &err))
		fail_msg("%s", err.text);
}

static inline void note_cpu(void *arg)
{
	*(int *)arg = sched_getcpu();
}

#endif
