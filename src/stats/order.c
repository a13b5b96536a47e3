// SPDX-License-Identifier: MIT
/* Order statistics of small samples, and the slope of a power law. Pure functions of their input.
 */
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>

#define LEVEL         0.95
#define INSERTION_MAX 24

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Most samples are ten values, which need no calls to be put in order. */
void sort_values(double *v, size_t n)
{
	if (n > INSERTION_MAX) {
		qsort(v, n, sizeof(*v), by_value);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		double value = v[i];
		size_t at = i;

		for (; at > 0 && v[at - 1] > value; at--)
			v[at] = v[at - 1];
		v[at] = value;
	}
}

static double sorted_median(const double *v, size_t n)
{
	return n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
}

double median(double *v, size_t n)
{
	sort_values(v, n);
	return sorted_median(v, n);
}

/*
 * The largest k for which [x(k), x(n+1-k)] covers the median with at least LEVEL: with X of
 * binomial(n, 1/2), the coverage is 1 - 2 P(X < k). 0 where even k = 1 falls short.
 *
 * Binomial coefficients are added up as they are, and 2^-n only comes in by exponent: the sums are
 * exact as long as they fit 53 bits, and nothing underflows for large n.
 */
static size_t interval_rank(size_t n, double *level)
{
	double term = 1, sum = 0, coverage;
	long exponent = -(long)n;
	size_t k = 0;

	*level = 0;
	while (k < n / 2) {
		coverage = 1 - 2 * ldexp(sum + term, (int)exponent);
		if (coverage < LEVEL)
			break;
		sum += term;
		*level = coverage;
		k++;
		term = term * (double)(n - k + 1) / (double)k;
		if (term > 0x1p512) {
			term = ldexp(term, -512);
			sum = ldexp(sum, -512);
			exponent += 512;
		}
	}
	return k;
}

bool median_interval(double *v, size_t n, struct median_interval *out)
{
	size_t k;

	*out = (struct median_interval){median(v, n), NAN, NAN, NAN};
	if (n < 6)
		return false;
	k = interval_rank(n, &out->level);
	out->low = v[k - 1];
	out->high = v[n - k];
	return true;
}

uint64_t samples_needed(double q)
{
	double needed = 10 / (1 - q);

	if (q >= 1 || needed >= 0x1p63)
		return UINT64_MAX;
	/* 1 - 0.9 is a little below 0.1 in binary: 100 must not become 101. */
	return (uint64_t)ceil(needed * (1 - 1e-9));
}

double log_log_slope(const double *x, const double *y, size_t n, double *standard_error)
{
	double mean_x = 0, mean_y = 0, sxx = 0, sxy = 0, residuals = 0, slope;

	for (size_t i = 0; i < n; i++) {
		mean_x += log(x[i]) / (double)n;
		mean_y += log(y[i]) / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		double dx = log(x[i]) - mean_x;

		sxx += dx * dx;
		sxy += dx * (log(y[i]) - mean_y);
	}
	slope = sxx > 0 ? sxy / sxx : NAN;
	for (size_t i = 0; i < n; i++) {
		double residual = log(y[i]) - mean_y - slope * (log(x[i]) - mean_x);

		residuals += residual * residual;
	}
	if (standard_error)
		*standard_error = n < 3 ? NAN : sqrt(residuals / (double)(n - 2) / sxx);
	return slope;
}
