/* SPDX-License-Identifier: MIT */
/*
 * Can the tree of a point stand on this machine as real cgroups? Asked before anything is made; it
 * only looks.
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_POSSIBLE_H
#define MEMCGBENCH_KERNEL_LIVE_POSSIBLE_H

#include "backend/fixture.h"

/* As possible() of struct fixture. */
int live_possible(const struct point *point, const struct machine *machine,
		  const struct fixture_options *options, struct error_list *reasons);

#endif
