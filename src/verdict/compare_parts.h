/* SPDX-License-Identifier: MIT */
/* The pieces of a comparison: what compare.c puts together. */
#ifndef MEMCGBENCH_VERDICT_COMPARE_PARTS_H
#define MEMCGBENCH_VERDICT_COMPARE_PARTS_H

#include "verdict/compare.h"

/*
 * Everything of a comparison that follows from the values of both sides; not q, the verdict and
 * how many are needed, which hang on all others, too. The values are sorted in place. 0 or -ENOMEM.
 */
int compare_values(struct comparison *comparison, double *base, size_t nr_base, double *new,
		   size_t nr_new);

/* q of a family of comparisons, their verdicts, and what the undecided ones need. 0 or -ENOMEM. */
int compare_judge(struct comparison *comparisons, size_t nr, const struct compare_options *options);

/* Fill in the ratios, the counts and the families; comparisons are there. 0 or -ENOMEM. */
int compare_ratios(struct compare *compare);
int compare_counts(struct compare *compare, const struct record_cell *base,
		   const struct record_cell *new);
int compare_families(struct compare *compare);

#endif
