// SPDX-License-Identifier: MIT
/*
 * Order statistics of all differences, of which there are n x m: none is stored. The k-th is found
 * by bisection over the doubles themselves: how many differences are at most v is counted in one
 * pass over both sorted samples, and 64 halvings lead to the one double that is the k-th. That is
 * exact, takes memory for n + m values, and 10,000 against 10,000 are done in milliseconds.
 */
#include "stats/hodges_lehmann.h"

#include "stats/order.h"
#include "stats/rank_distribution.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Both sorted. */
struct samples {
	double *from, *to;
	size_t n, m;
};

/* Doubles in their order as whole numbers; the other way round it is its own inverse. */
static int64_t swap_order(int64_t bits)
{
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

static int64_t key_of(double value)
{
	int64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return swap_order(bits);
}

static double value_of(int64_t key)
{
	int64_t bits = swap_order(key);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static size_t differences_up_to(const struct samples *s, double limit)
{
	size_t count = 0, i = 0;

	/* What is too far below to[j] is too far below to[j + 1]. */
	for (size_t j = 0; j < s->m && i < s->n; j++) {
		while (i < s->n && s->to[j] - s->from[i] > limit)
			i++;
		count += s->n - i;
	}
	return count;
}

/* k = 1 is the smallest. */
static double difference(const struct samples *s, size_t k)
{
	int64_t low = key_of(s->to[0] - s->from[s->n - 1]);
	int64_t high = key_of(s->to[s->m - 1] - s->from[0]);

	while (low < high) {
		/* Rounded down; the sum of the two could overflow. */
		int64_t middle = (low & high) + ((low ^ high) >> 1);

		if (differences_up_to(s, value_of(middle)) >= k)
			high = middle;
		else
			low = middle + 1;
	}
	return value_of(low) + 0.0; /* no -0 */
}

static double median_difference(const struct samples *s)
{
	size_t pairs = s->n * s->m;
	double low = difference(s, (pairs + 1) / 2);
	double high = pairs % 2 ? low : difference(s, pairs / 2 + 1);

	if (low == high)
		return low;
	return isfinite(low + high) ? (low + high) / 2 : low / 2 + high / 2;
}

/*
 * How many differences to leave out at each end, -1 where even all together cover too little, and
 * the probability of being outside. As in R, what covers exactly what is wanted is only taken where
 * nothing wider can be had: the interval then leaves 0 out where p is below, not at, 1 - wanted.
 */
static int left_out(size_t n, size_t m, double wanted, long *u, double *p)
{
	double alpha = 1 - wanted;
	int err = rank_critical(n, m, alpha * (1 - 1e-9), u, p);

	return err || *u >= 0 ? err : rank_critical(n, m, alpha, u, p);
}

static int shift_of_sorted(const struct samples *s, double wanted, struct shift *out)
{
	long u;
	double p;
	int err = left_out(s->n, s->m, wanted, &u, &p);

	if (err)
		return err;
	out->estimate = median_difference(s);
	if (u < 0)
		return 0;
	out->low = difference(s, (size_t)u + 1);
	out->high = difference(s, s->n * s->m - (size_t)u);
	out->level = 1 - p;
	return 0;
}

static double same(double value)
{
	return value;
}

static int shift_of(const double *from, size_t n, const double *to, size_t m, double wanted,
		    double (*scale)(double), struct shift *out)
{
	struct samples s = {.n = n, .m = m};
	int err;

	*out = (struct shift){NAN, NAN, NAN, NAN};
	if (n == 0 || m == 0)
		return 0;
	s.from = malloc((n + m) * sizeof(*s.from));
	if (!s.from)
		return -ENOMEM;
	s.to = s.from + n;
	for (size_t i = 0; i < n; i++)
		s.from[i] = scale(from[i]);
	for (size_t i = 0; i < m; i++)
		s.to[i] = scale(to[i]);
	sort_values(s.from, n);
	sort_values(s.to, m);
	err = shift_of_sorted(&s, wanted, out);
	free(s.from);
	return err;
}

int shift_between(const double *from, size_t n, const double *to, size_t m, double wanted,
		  struct shift *out)
{
	return shift_of(from, n, to, m, wanted, same, out);
}

static bool all_above_0(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!(v[i] > 0))
			return false;
	}
	return true;
}

int shift_factor(const double *from, size_t n, const double *to, size_t m, double wanted,
		 struct shift *out)
{
	int err;

	*out = (struct shift){NAN, NAN, NAN, NAN};
	if (!all_above_0(from, n) || !all_above_0(to, m))
		return 0;
	err = shift_of(from, n, to, m, wanted, log, out);
	if (err)
		return err;
	out->estimate = exp(out->estimate);
	out->low = exp(out->low);
	out->high = exp(out->high);
	return 0;
}
