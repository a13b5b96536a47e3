/* SPDX-License-Identifier: MIT */
/* How many processes it takes to show a change. */
#ifndef MEMCGBENCH_STATS_SAMPLE_SIZE_H
#define MEMCGBENCH_STATS_SAMPLE_SIZE_H

#include <stddef.h>

/*
 * The spread of processes, seen in two samples of them: the standard deviation of the logarithms,
 * from the pooled median absolute deviation as that of a normal distribution, corrected for small
 * samples. NAN where it is not known (fewer than two values on both sides, values not above 0, or
 * memory is short).
 */
double log_spread(const double *x, size_t n, const double *y, size_t m);

/*
 * Values that each of two samples of equal size needs so that the rank test at `alpha` finds a
 * shift by the factor 1 + effect with a probability of `power` (Noether, 1987), given log_spread().
 * Never fewer than the test needs to reach alpha at all. 0 where the spread is NAN. Capped at
 * 1,000,000.
 */
size_t values_needed(double spread, double effect, double alpha, double power);

/* The least n with which n against n values can reach a p below alpha. */
size_t values_needed_at_least(double alpha);

#endif
