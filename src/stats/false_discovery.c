// SPDX-License-Identifier: MIT
/* Benjamini and Hochberg's step-up procedure, JRSS B 57 (1995), as adjusted p-values. */
#include "stats/false_discovery.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct made_test {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	double x = ((const struct made_test *)a)->p, y = ((const struct made_test *)b)->p;

	return (x > y) - (x < y);
}

int false_discovery_rates(const double *p, size_t n, double *q)
{
	struct made_test *tests;
	size_t made = 0;
	double least = 1;

	if (n == 0)
		return 0;
	tests = malloc(n * sizeof(*tests));
	if (!tests)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			tests[made++] = (struct made_test){p[i], i};
		else
			q[i] = NAN;
	}
	qsort(tests, made, sizeof(*tests), by_p);
	/* From the largest p down: no test may look worse than one with a larger p. */
	for (size_t rank = made; rank > 0; rank--) {
		double rate = tests[rank - 1].p * ((double)made / (double)rank);

		if (rate < least)
			least = rate;
		q[tests[rank - 1].at] = least;
	}
	free(tests);
	return 0;
}
