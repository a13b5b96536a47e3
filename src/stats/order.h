/* SPDX-License-Identifier: MIT */
/* Order statistics of small samples: medians, and intervals that assume no distribution. */
#ifndef MEMCGBENCH_STATS_ORDER_H
#define MEMCGBENCH_STATS_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ascending, in place. No value is NAN. */
void sort_values(double *v, size_t n);

/* Median of v[0..n), n >= 1; the mean of the middle two for even n. `v` is sorted in place. */
double median(double *v, size_t n);

struct median_interval {
	double median, low, high;
	double level; /* the interval's exact coverage, at least 0.95 */
};
/*
 * The narrowest symmetric interval between two order statistics that holds the true median with at
 * least 95 % (binomial; David & Nagaraja, Order Statistics, 7.1). Below 6 values there is none:
 * false, with only `median` set. `v` is sorted in place.
 */
bool median_interval(double *v, size_t n, struct median_interval *out);

/* How many samples a percentile needs before it is reported: 10/(1-q). */
uint64_t samples_needed(double q);

/* Least squares slope of log y on log x, and its standard error (NAN below 3 values).
 * All values are above 0; n >= 2. */
double log_log_slope(const double *x, const double *y, size_t n, double *standard_error);

#endif
