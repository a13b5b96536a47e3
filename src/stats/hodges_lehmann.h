/* SPDX-License-Identifier: MIT */
/*
 * How far one sample lies from another: the median of all differences (Hodges and Lehmann, 1963),
 * and the interval that the exact Mann-Whitney test does not reject (Bauer, 1972).
 */
#ifndef MEMCGBENCH_STATS_HODGES_LEHMANN_H
#define MEMCGBENCH_STATS_HODGES_LEHMANN_H

#include <stdbool.h>
#include <stddef.h>

struct shift {
	double estimate; /* of to - from; NAN where a sample is empty */
	double low, high; /* NAN where samples are too small for `wanted` */
	double level; /* coverage of low..high, at least what was wanted; NAN as they are */
};

/* 0 or -ENOMEM. `wanted`: 0.95. Values are finite. */
int shift_between(const double *from, size_t n, const double *to, size_t m, double wanted,
		  struct shift *out);

/*
 * The same as a factor: shift of the logarithms, so that 1.03 is 3 % more and halving and doubling
 * weigh the same. All NAN where a value is not above 0.
 */
int shift_factor(const double *from, size_t n, const double *to, size_t m, double wanted,
		 struct shift *out);

#endif
