// SPDX-License-Identifier: MIT
/*
 * Counts of arrangements.
 *
 * Without ties, the arrangements with U = u are the coefficient of q^u in the Gaussian binomial
 * coefficient of n + m over n, the product over i = 1..n of (1 - q^(m+i)) / (1 - q^i). Multiplying
 * and dividing costs two additions for each i and u; the recurrence that only adds,
 * count(n, m, u) = count(n - 1, m, u - m) + count(n, m - 1, u), costs m times as much (25 ms and
 * more for 100 against 100). What the subtractions lose: nothing while the number of arrangements
 * is below 2^53 (28 against 28; 3 against 200), as every partial product is a polynomial of whole
 * numbers. From there on errors grow with the number of factors, and most for samples of equal
 * size. Against whole numbers of unlimited size P(U <= u) was off by at most this share of itself,
 * for every u up to the middle: 1e-15 at 50 against 50, 1e-14 at 100 against 100, 3e-12 at 150
 * against 150; but 3e-10 at 200 against 200 and 2 % at 300 against 300. Hence UNTIED_LEAST.
 *
 * With ties, arrangements are counted group by group of equal values, in the state (values of x so
 * far, twice U so far). All terms are above 0 there.
 */
#include "stats/rank_distribution.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define UNTIED_LEAST  150
#define UNTIED_STEPS  (1u << 27)
#define UNTIED_COUNTS (1u << 22)
#define TIED_STEPS    (1u << 24)
#define TIED_COUNTS   (1u << 20)

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

double binomial(size_t n, size_t k)
{
	double ways = 1;

	k = smaller(k, n - k);
	for (size_t i = 1; i <= k && isfinite(ways); i++)
		ways = ways * (double)(n - k + i) / (double)i; /* whole at each step */
	return ways;
}

bool rank_untied_affordable(size_t n, size_t m, size_t last)
{
	size_t least = smaller(n, m);

	return least <= UNTIED_LEAST && last < UNTIED_COUNTS &&
	       least <= UNTIED_STEPS / (last + 1) && isfinite(binomial(n + m, least));
}

/* Four values at a time, whatever the optimiser thinks of it: nearly all of the time is spent here.
 * `to` and `from` do not overlap. */
typedef double four_values
	__attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

static void add_times(double *restrict to, const double *restrict from, double factor, size_t n)
{
	size_t i = 0;

	for (; i + 4 <= n; i += 4)
		*(four_values *)(to + i) += factor * *(const four_values *)(from + i);
	for (; i < n; i++)
		to[i] += factor * from[i];
}

/* c[u] += c[u - stride], ascending: division by 1 - q^stride. Runs of `stride` values do not depend
 * on one another. */
static void divide(double *c, size_t last, size_t stride)
{
	if (stride < 4) {
		for (size_t u = stride; u <= last; u++)
			c[u] += c[u - stride];
		return;
	}
	for (size_t u = stride; u <= last; u += stride)
		add_times(c + u, c + u - stride, 1, smaller(stride, last + 1 - u));
}

/* c[u] -= c[u - shift], descending: multiplication by 1 - q^shift. */
static void multiply(double *c, size_t last, size_t shift)
{
	size_t end = last + 1;

	while (end > shift) {
		size_t run = smaller(shift, end - shift);

		end -= run;
		add_times(c + end, c + end - shift, -1, run);
	}
}

/* Partial products read the same from both ends, so only their lower halves are worked out. */
static void count_untied(size_t n, size_t m, size_t last, double *count)
{
	size_t known = 0;

	count[0] = 1;
	for (size_t i = 1; i <= n; i++) {
		size_t end = smaller(last, i * m / 2), degree = (i - 1) * m;

		for (size_t u = known + 1; u <= end; u++)
			count[u] = u <= degree ? count[degree - u] : 0;
		multiply(count, end, m + i);
		divide(count, end, i);
		known = end;
	}
}

void rank_untied_below(size_t n, size_t m, size_t last, double *below)
{
	size_t least = smaller(n, m);
	double all = binomial(n + m, least), sum = 0;

	count_untied(least, n + m - least, last, below);
	for (size_t u = 0; u <= last; u++) {
		sum += below[u];
		below[u] = sum / all;
	}
}

bool rank_tied_affordable(size_t n, size_t m, size_t last)
{
	size_t least = smaller(n, m);

	return last < TIED_COUNTS && least + 1 <= TIED_COUNTS / (last + 1) &&
	       n + m <= TIED_STEPS / ((least + 1) * (last + 1)) && isfinite(binomial(n + m, least));
}

struct tied_count {
	size_t n, m; /* values that count, and the others */
	size_t last; /* the largest twice U of interest */
	double *ways; /* [k][s]: arrangements with k values of x so far and twice U = s */
};

/* The largest s of interest where k values of x are among the lowest `seen`: those to come each lie
 * above the seen - k others. Below 0: nothing is. */
static long s_limit(const struct tied_count *count, size_t k, size_t seen)
{
	long others = (long)(seen - k);
	long rest = (long)count->last - 2 * (long)(count->n - k) * others;
	long most = 2 * (long)k * others;

	return rest < most ? rest : most;
}

/* One group: j of its values are of x, each above all others so far and equal to size - j. */
static void add_group(struct tied_count *count, size_t seen, size_t size)
{
	size_t width = count->last + 1, after = seen + size, total = count->n + count->m;
	size_t most = smaller(count->n, after);
	size_t fewest = count->n > total - after ? count->n - (total - after) : 0;

	/* Descending, so that what is read is still that of before the group. */
	for (size_t k = most + 1; k-- > fewest;) {
		long limit = s_limit(count, k, after);
		double choices = 1;

		for (size_t j = 1; j <= smaller(size, k); j++) {
			size_t shift;

			choices = choices * (double)(size - j + 1) / (double)j;
			if (k - j > seen)
				continue;
			shift = 2 * j * (seen - (k - j)) + j * (size - j);
			if ((long)shift <= limit)
				add_times(count->ways + k * width + shift,
					  count->ways + (k - j) * width, choices,
					  (size_t)limit + 1 - shift);
		}
	}
}

int rank_tied_tail(const size_t *groups, size_t nr, size_t n, size_t m, size_t twice_u,
		   double *tail)
{
	struct tied_count count = {.n = n, .m = m, .last = twice_u};
	double all = binomial(n + m, smaller(n, m)), below = 0, at, above;
	const double *ways;
	size_t seen = 0;

	count.ways = calloc((n + 1) * (twice_u + 1), sizeof(*count.ways));
	if (!count.ways)
		return -ENOMEM;
	count.ways[0] = 1;
	for (size_t i = 0; i < nr; i++) {
		add_group(&count, seen, groups[i]);
		seen += groups[i];
	}
	ways = count.ways + n * (twice_u + 1);
	for (size_t s = 0; s <= twice_u; s++)
		below += ways[s];
	at = ways[twice_u];
	free(count.ways);
	/* Ties can make it lopsided: near the mean, the tail beyond may be the smaller. */
	above = (all - below + at) / all;
	below /= all;
	*tail = below < above ? below : above;
	return 0;
}

double rank_normal_p(size_t n, size_t m, double u, double ties)
{
	double pairs = (double)n * (double)m, total = (double)n + (double)m;
	double variance = pairs / 12 * (total + 1 - ties / (total * (total - 1)));
	double distance = fabs(u - pairs / 2) - 0.5;

	if (!(variance > 0) || distance <= 0)
		return 1;
	return erfc(distance / sqrt(2 * variance));
}

static long normal_critical_u(size_t n, size_t m, double alpha)
{
	long low = -1, high = (long)(n * m / 2);

	while (high - low > 1) {
		long middle = low + (high - low) / 2;

		if (rank_normal_p(n, m, (double)middle, 0) <= alpha)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int rank_critical(size_t n, size_t m, double alpha, long *u, double *p)
{
	size_t length = n * m / 2 + 1, end = 0;
	double *below;

	*u = -1;
	*p = 0;
	if (n == 0 || m == 0 || !(alpha > 0))
		return 0;
	if (!rank_untied_affordable(n, m, length - 1)) {
		*u = normal_critical_u(n, m, alpha);
		*p = *u < 0 ? 0 : rank_normal_p(n, m, (double)*u, 0);
		return 0;
	}
	below = malloc(length * sizeof(*below));
	if (!below)
		return -ENOMEM;
	rank_untied_below(n, m, length - 1, below);
	/* 1 - 0.9 is a little below 0.1 in binary, and 1 in 20 must not be lost for that. */
	while (end < length && 2 * below[end] <= alpha * (1 + 1e-12))
		end++;
	*u = (long)end - 1;
	*p = end > 0 ? 2 * below[end - 1] : 0;
	free(below);
	return 0;
}
