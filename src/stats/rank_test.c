// SPDX-License-Identifier: MIT
/*
 * Ranks two samples by sorting each and merging them, which gives U and the groups of equal values,
 * and looks U up in its distribution (rank_distribution.h). Keeping distributions in tables gained
 * nothing measurable in searches for change points: most of the time is not spent here.
 */
#include "stats/rank_test.h"

#include "stats/order.h"
#include "stats/rank_distribution.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The pooled samples in order. */
struct ranking {
	size_t twice_u; /* of x */
	size_t *groups, nr; /* how many values are equal, from the lowest */
	double ties; /* sum of t^3 - t */
};

static int untied_tail(size_t n, size_t m, size_t u, double *tail)
{
	double *below = malloc((u + 1) * sizeof(*below));

	if (!below)
		return -ENOMEM;
	rank_untied_below(n, m, u, below);
	*tail = below[u];
	free(below);
	return 0;
}

static void reverse(size_t *v, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		size_t other = v[i];

		v[i] = v[n - 1 - i];
		v[n - 1 - i] = other;
	}
}

/* Counts over the smaller sample, from the end where its U is small. */
static int tied_tail(struct ranking *ranking, size_t n, size_t m, double *tail)
{
	size_t twice_u = n <= m ? ranking->twice_u : 2 * n * m - ranking->twice_u;

	if (twice_u > n * m) {
		reverse(ranking->groups, ranking->nr);
		twice_u = 2 * n * m - twice_u;
	}
	return n <= m ? rank_tied_tail(ranking->groups, ranking->nr, n, m, twice_u, tail)
		      : rank_tied_tail(ranking->groups, ranking->nr, m, n, twice_u, tail);
}

/* Both samples sorted. */
static void rank(const double *x, size_t n, const double *y, size_t m, struct ranking *ranking)
{
	size_t i = 0, j = 0;

	while (i < n || j < m) {
		double value = j == m || (i < n && x[i] < y[j]) ? x[i] : y[j], size;
		size_t in_x = 0, in_y = 0;

		while (i + in_x < n && x[i + in_x] == value)
			in_x++;
		while (j + in_y < m && y[j + in_y] == value)
			in_y++;
		size = (double)(in_x + in_y);
		ranking->twice_u += in_x * (2 * j + in_y);
		ranking->groups[ranking->nr++] = in_x + in_y;
		ranking->ties += size * size * size - size;
		i += in_x;
		j += in_y;
	}
}

static int test_ranked(struct ranking *ranking, size_t n, size_t m, struct rank_test *out)
{
	size_t twice_u = ranking->twice_u, middle = n * m;
	size_t twice_tail = twice_u < middle ? twice_u : 2 * middle - twice_u;
	bool tied = ranking->nr < n + m;
	double tail;
	int err;

	out->u = (double)twice_u / 2;
	out->exact = tied ? rank_tied_affordable(n, m, twice_tail)
			  : rank_untied_affordable(n, m, twice_tail / 2);
	if (!out->exact) {
		out->p = rank_normal_p(n, m, out->u, ranking->ties);
		return 0;
	}
	err = tied ? tied_tail(ranking, n, m, &tail) : untied_tail(n, m, twice_tail / 2, &tail);
	if (err)
		return err;
	out->p = tail < 0.5 ? 2 * tail : 1;
	return 0;
}

static bool any_nan(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (isnan(v[i]))
			return true;
	}
	return false;
}

int rank_test(const double *x, size_t n, const double *y, size_t m, struct rank_test *out)
{
	struct ranking ranking = {0};
	double *sorted;
	int err;

	if (n == 0 || m == 0 || any_nan(x, n) || any_nan(y, m))
		return -EDOM;
	sorted = malloc((n + m) * (sizeof(*sorted) + sizeof(*ranking.groups)));
	if (!sorted)
		return -ENOMEM;
	ranking.groups = (size_t *)(sorted + n + m);
	memcpy(sorted, x, n * sizeof(*x));
	memcpy(sorted + n, y, m * sizeof(*y));
	sort_values(sorted, n);
	sort_values(sorted + n, m);
	rank(sorted, n, sorted + n, m, &ranking);
	err = test_ranked(&ranking, n, m, out);
	free(sorted);
	return err;
}

double rank_test_least_p(size_t n, size_t m)
{
	double p = 2 / binomial(n + m, n);

	return p < 1 ? p : 1;
}

long rank_test_critical_u(size_t n, size_t m, double alpha)
{
	long u;
	double p;

	return rank_critical(n, m, alpha, &u, &p) ? -1 : u;
}
