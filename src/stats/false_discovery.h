/* SPDX-License-Identifier: MIT */
/* Many tests at once: the false discovery rate of Benjamini and Hochberg (1995). */
#ifndef MEMCGBENCH_STATS_FALSE_DISCOVERY_H
#define MEMCGBENCH_STATS_FALSE_DISCOVERY_H

#include <stddef.h>

/* q[i]: the smallest rate at which test i is still called a discovery (R's p.adjust, "BH"). A test
 * whose p is NAN was not made and counts for nothing: its q is NAN. 0 or -ENOMEM; q may be p. */
int false_discovery_rates(const double *p, size_t n, double *q);

#endif
