/* SPDX-License-Identifier: MIT */
/*
 * The Mann-Whitney U test (Wilcoxon's rank sum test) of two small samples, with the exact
 * distribution of U: conditional on the ties where there are any. What is compared are medians of
 * fresh processes; no shape of their distribution is assumed.
 */
#ifndef MEMCGBENCH_STATS_RANK_TEST_H
#define MEMCGBENCH_STATS_RANK_TEST_H

#include <stdbool.h>
#include <stddef.h>

struct rank_test {
	double u; /* pairs with x above y, those that are equal counted half: R's W */
	double p; /* two-sided: twice the smaller tail, at most 1 */
	bool exact; /* false: large and tied, normal approximation with correction for both */
};

/* 0, -EDOM (a sample is empty, or a value is NAN), -ENOMEM. Infinite values are ranked. */
int rank_test(const double *x, size_t n, const double *y, size_t m, struct rank_test *out);

/* The smallest p that n against m values can reach, all different: 2 / binomial(n + m, n). */
double rank_test_least_p(size_t n, size_t m);

/* The largest u such that P(U <= u) <= alpha / 2 without ties; -1 where there is none. */
long rank_test_critical_u(size_t n, size_t m, double alpha);

#endif
