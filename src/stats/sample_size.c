// SPDX-License-Identifier: MIT
/*
 * Noether's sample size for the rank test (JASA 82, 1987): with P = P(x < y), n values on each side
 * find a difference with the wanted power where
 *
 *	n = (z(1 - alpha / 2) + z(power))^2 / (6 (P - 1/2)^2).
 *
 * Noise of benchmarks is about normal in logarithms, so that a factor of 1 + effect between two
 * samples with a spread of sigma gives P = Phi(log(1 + effect) / (sigma sqrt(2))).
 */
#include "stats/sample_size.h"

#include "stats/order.h"
#include "stats/rank_test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES 1000000

/* What turns the median, and the mean, of absolute deviations into a standard deviation. */
#define MEDIAN_TO_SIGMA 1.482602218505602
#define MEAN_TO_SIGMA   1.2533141373155003

/* The z that a standard normal value exceeds with probability p, 0 < p < 1. */
static double normal_beyond(double p)
{
	double low = -40, high = 40;

	for (int i = 0; i < 64; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle / M_SQRT2) / 2 > p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* Appends how far each logarithm lies from the sample's median; `scratch` has room for n values. A
 * single value says nothing of spread. False where a value is not above 0. */
static bool add_deviations(const double *v, size_t n, double *scratch, double *deviations,
			   size_t *nr)
{
	double middle;

	for (size_t i = 0; i < n; i++) {
		if (!(v[i] > 0 && isfinite(v[i])))
			return false;
		scratch[i] = log(v[i]);
	}
	if (n < 2)
		return true;
	middle = median(scratch, n);
	for (size_t i = 0; i < n; i++)
		deviations[(*nr)++] = fabs(scratch[i] - middle);
	return true;
}

/*
 * The median of deviations from a sample's own median is too small in small samples: on normal
 * values, 0.60 of what it should be for 3 + 3, 0.78 for 5 + 5, 0.89 for 10 + 10, 0.95 for 20 + 20.
 * Within 0.03, that is 1 - LOST / values per sample.
 */
#define LOST 1.1

/* Where more than half of the values equal their median, which says nothing, the mean has to do. */
static double sigma_of(double *deviations, size_t nr, size_t samples)
{
	double middle = median(deviations, nr), sum = 0;

	if (middle > 0)
		return middle * MEDIAN_TO_SIGMA * (double)nr /
		       ((double)nr - LOST * (double)samples);
	for (size_t i = 0; i < nr; i++)
		sum += deviations[i];
	return sum / (double)nr * MEAN_TO_SIGMA;
}

double log_spread(const double *x, size_t n, const double *y, size_t m)
{
	double *scratch, *deviations, sigma = NAN;
	size_t nr = 0;

	if (n < 2 && m < 2)
		return NAN;
	scratch = malloc(2 * (n + m) * sizeof(*scratch));
	if (!scratch)
		return NAN;
	deviations = scratch + n + m;
	if (add_deviations(x, n, scratch, deviations, &nr) &&
	    add_deviations(y, m, scratch, deviations, &nr))
		sigma = sigma_of(deviations, nr, (n > 1) + (m > 1));
	free(scratch);
	return sigma;
}

size_t values_needed(double spread, double effect, double alpha, double power)
{
	double distance = fabs(log1p(effect)), beyond_half, z, values;
	size_t least = values_needed_at_least(alpha);

	if (isnan(spread) || isnan(distance))
		return 0;
	if (least == MOST_VALUES || !(distance > 0) || !(power < 1))
		return MOST_VALUES;
	/* Phi(distance / (spread sqrt(2))) - 1/2 */
	beyond_half = spread > 0 ? erf(distance / (2 * spread)) / 2 : 0.5;
	z = normal_beyond(alpha / 2) + normal_beyond(1 - power);
	values = z > 0 ? ceil(z * z / (6 * beyond_half * beyond_half)) : 0;
	if (!(values < MOST_VALUES))
		return MOST_VALUES;
	return values > (double)least ? (size_t)values : least;
}

size_t values_needed_at_least(double alpha)
{
	size_t n = 1;

	if (!(alpha > 0))
		return MOST_VALUES;
	while (rank_test_least_p(n, n) >= alpha)
		n++;
	return n;
}
