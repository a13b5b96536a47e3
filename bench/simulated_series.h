/* SPDX-License-Identifier: MIT */
/*
 * Series of runs that were never measured, made to look like those of a shared machine: the truth
 * about them is known, so that verdicts can be counted as right and wrong.
 */
#ifndef MEMCGBENCH_BENCH_SIMULATED_SERIES_H
#define MEMCGBENCH_BENCH_SIMULATED_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What happens to each run: its value is the level times exp(noise x a normal variate). A share of
 * the runs, each by its own chance, is slower still: another tenant was busy the whole time. It is
 * never faster, which is why outliers are one-sided.
 */
struct simulated_noise {
	const char *title;
	double noise; /* standard deviation of the logarithm */
	double outliers; /* share of the runs */
	double slower_min, slower_max; /* an outlier's factor, uniform between these */
};

/* What happens to the level. */
enum simulated_kind {
	SERIES_LEVEL, /* nothing */
	SERIES_STEP, /* by `size`, up or down, at a random run */
	SERIES_DRIFT, /* by `size`, up or down, in equal parts over half of the series */
};

struct simulated_plan {
	const char *title;
	enum simulated_kind kind;
	double size; /* 0.1: times or divided by 1.1 */
};

struct simulated_series {
	size_t runs;
	double *v; /* [runs], the caller's */
	bool changes, up; /* `up`: to a higher value */
	size_t at; /* first run that is not on the first level; 0: none */
};

/* Runs that lie before and after every step, at least. */
#define SIMULATED_MARGIN 5

/* Series number `index` of a seed; the same for ever. runs >= 2 x SIMULATED_MARGIN. */
void simulated_series_make(const struct simulated_noise *noise, const struct simulated_plan *plan,
			   uint64_t seed, uint64_t index, struct simulated_series *series);

#endif
