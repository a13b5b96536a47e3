/* SPDX-License-Identifier: MIT */
/*
 * Two runs held against each other: for each point and back end whether the metric changed, by how
 * much, and how sure that is; the same for the ratios of back ends, which were measured side by
 * side and stand what the machine does to both; and operation counts, which are exact.
 *
 * The observations are processes. p is the exact rank test's over them, q its false discovery rate
 * over all points and back ends of the comparison (ratios are a comparison of their own). A change
 * is called one where q < alpha and it is at least as large as the least effect that matters.
 */
#ifndef MEMCGBENCH_VERDICT_COMPARE_H
#define MEMCGBENCH_VERDICT_COMPARE_H

#include "base/error.h"
#include "result/counts.h"
#include "result/record.h"
#include "scenario/parameter.h"
#include "stats/hodges_lehmann.h"

#include <stdbool.h>
#include <stddef.h>

enum verdict {
	VERDICT_NO_DATA, /* a side has no value of this metric */
	VERDICT_UNDECIDED, /* nothing shown, and a change that matters is not ruled out */
	VERDICT_NO_DIFFERENCE, /* nothing shown, and the interval holds no change that matters */
	VERDICT_SMALL, /* shown, and less than matters */
	VERDICT_IMPROVEMENT,
	VERDICT_REGRESSION
};
/* "no_data", "undecided", "no_difference", "below_min_effect", "improvement", "regression" */
const char *verdict_word(enum verdict verdict);

struct compare_options {
	const struct metric *metric;
	double alpha; /* 0.05 */
	double min_effect; /* 0.03: a change by less does not matter; of ratios, either way round */
	/*
	 * The verdict of shared machines: only what another tenant cannot change. Host classes may
	 * differ, then counts and errors only are compared.
	 */
	bool gate;
};

struct compared_side {
	unsigned processes; /* with a value */
	unsigned failed;
	double median, low, high, level; /* low..high: NAN below 6 processes */
};

/* One point and back end; or, with `other`, its ratio to another back end. */
struct comparison {
	const struct record_cell *base_cell, *new_cell;
	const char *other; /* back end that is divided by, process by process; or NULL */
	struct compared_side base, new;
	struct shift shift; /* new - base, in the metric's unit; of ratios without one */
	struct shift factor; /* new / base */
	double p, q; /* NAN without data */
	bool exact;
	double spread; /* of the logarithms of processes; NAN: not known */
	size_t needed; /* more processes on each side to decide; 0: none, or not known */
	enum verdict verdict;
};

/*
 * How much it changed, as a share of base: 0.03 is 3 % more. Where values are not all above 0
 * there is no factor, and it is the shift by the median of base: infinite where that is 0 and new
 * is not. NAN without data; low and high NAN without an interval.
 */
struct relative_change {
	double estimate, low, high;
};
struct relative_change comparison_change(const struct comparison *comparison);

/*
 * Why a ratio changed: the back end whose own time moved more (on a logarithmic scale) is what
 * moved it. The verdict of a ratio is a regression where that one got worse, and an improvement
 * where it got better.
 */
struct ratio_cause {
	const struct comparison *mover; /* of compare->comparisons */
	bool worse; /* than it was, as far as wall time tells */
};

/* An operation count that is not the same on both sides. */
struct count_difference {
	const struct record_cell *base_cell, *new_cell;
	const char *name; /* of counts.h; "bytes_touched" too */
	uint64_t base, new; /* COUNT_UNKNOWN: not known on that side */
};

/* Points that share a value and changed together. */
struct family {
	const char *backend;
	const struct parameter *parameter; /* NULL: all points of the back end */
	const struct point *example; /* has the value */
	enum verdict verdict; /* IMPROVEMENT or REGRESSION */
	size_t changed, points; /* so many of so many */
	double factor; /* median over those that changed */
};

/* A pair that only one side has. */
struct unmatched {
	const struct record_cell *cell;
	bool in_base;
};

struct compare {
	const struct record *base, *new; /* not owned */
	struct compare_options options;
	size_t nr;
	struct comparison *comparisons; /* in the order of `new` */
	size_t nr_ratios;
	struct comparison *ratios;
	size_t nr_counts;
	struct count_difference *counts;
	size_t nr_counted; /* pairs whose counts are known on both sides */
	size_t nr_families;
	struct family *families;
	size_t nr_unmatched;
	struct unmatched *unmatched;
	bool same_class; /* of hosts; without it there are no comparisons and no ratios */
	bool worse; /* the verdict: exit code 1 */
};

/*
 * 0; -EXDEV where host classes differ and it is no gate, with a message that names both; -ENODATA
 * where no point and back end is on both sides; -ENOMEM. The records must outlive the comparison.
 */
int compare_new(const struct record *base, const struct record *new,
		const struct compare_options *options, struct compare **out, struct error *err);
void compare_free(struct compare *compare);

/* The comparison of a cell of NEW, or NULL. */
const struct comparison *compare_find(const struct compare *compare,
				      const struct record_cell *cell);

/* `mover` is NULL where times cannot be told apart. */
struct ratio_cause compare_ratio_cause(const struct compare *compare,
				       const struct comparison *ratio);
/* The back end that a ratio divides by, in NEW. */
const struct record_cell *compare_ratio_denominator(const struct compare *compare,
						    const struct comparison *ratio);

#endif
