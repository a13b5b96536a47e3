/* SPDX-License-Identifier: MIT */
/*
 * Where the level of a series changed. Splits by the energy statistic (E-divisive: Matteson and
 * James, JASA 109, 2014) on logarithms, each split held against the exact rank test of the two
 * segments beside it, and dropped again where later splits take its significance away (as Hunter
 * does: arXiv 2301.03034). A change must also be large enough, and its segments long enough.
 */
#ifndef MEMCGBENCH_STATS_CHANGE_POINTS_H
#define MEMCGBENCH_STATS_CHANGE_POINTS_H

#include <stddef.h>

struct change_rules {
	double alpha; /* of the rank test between neighbouring segments */
	size_t min_segment; /* values; at least 2 */
	double min_effect; /* 0.03: medians of the segments differ by a factor of 1.03 or more */
};

/* What `history` uses, but for the effect, which is of the point: figures for it are in
 * docs/statistics.md. */
extern const struct change_rules change_rules_default;

struct change {
	size_t at; /* index of the first value of the new level */
	double before, after; /* medians of the segments on both sides */
	size_t nr_before, nr_after; /* their lengths */
	double p;
};

/*
 * All changes in v[0..n), ascending. Values are above 0; the order is that of time. `*out` is the
 * caller's to free; NULL where there is none. 0, -EDOM (a value is not above 0 or not finite),
 * -ENOMEM. Takes the square of n for each change: 200 runs 0.3 ms, 1,000 up to 20 ms, 10,000 a
 * second without changes and 20 with 200 of them.
 */
int change_points(const double *v, size_t n, const struct change_rules *rules, struct change **out,
		  size_t *nr);

#endif
