/* SPDX-License-Identifier: MIT */
/*
 * How the Mann-Whitney U of n against m values is distributed where both samples are of one kind:
 * exactly, from counts of arrangements. rank_test.h is what callers want; this is what it stands
 * on.
 */
#ifndef MEMCGBENCH_STATS_RANK_DISTRIBUTION_H
#define MEMCGBENCH_STATS_RANK_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether counting up to `last` is affordable: at most 2^27 steps (about 0.1 s) and 2^22 counts
 * (32 MiB). And whether it is accurate: the smaller sample has at most 150 values (the error is
 * then below 1e-11 of the probability), and no count overflows a double.
 */
bool rank_untied_affordable(size_t n, size_t m, size_t last);

/* below[u] = P(U <= u) for u = 0..last, all values different; last <= n x m / 2. */
void rank_untied_below(size_t n, size_t m, size_t last, double *below);

/* At most 2^24 steps, of which most are spared (about 3 ms), and 8 MiB. `last` is that of twice U.
 */
bool rank_tied_affordable(size_t n, size_t m, size_t last);

/*
 * The smaller tail at twice_u <= n x m given the ties. groups[0..nr) are the numbers of equal
 * values in the pooled samples, beginning at that end from which the n values beat so few of the m:
 * U counts the pairs with the one of the n farther from that end. 0 or -ENOMEM.
 */
int rank_tied_tail(const size_t *groups, size_t nr, size_t n, size_t m, size_t twice_u,
		   double *tail);

/* Both tails beyond twice_u by the normal distribution, with its corrections for ties and for
 * continuity. `ties` is the sum of t^3 - t over the groups. */
double rank_normal_p(size_t n, size_t m, double u, double ties);

/*
 * The largest u such that 2 P(U <= u) <= alpha without ties, and that probability; -1 and 0 where
 * there is none. By the normal distribution where counting is not affordable. 0 or -ENOMEM.
 */
int rank_critical(size_t n, size_t m, double alpha, long *u, double *p);

/* The number of ways to choose k of n; infinite where it is more than a double holds. */
double binomial(size_t n, size_t k);

#endif
