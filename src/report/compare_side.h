/* SPDX-License-Identifier: MIT */
/* What the two sides of a comparison are: the facts that are the same, and those that are not. */
#ifndef MEMCGBENCH_REPORT_COMPARE_SIDE_H
#define MEMCGBENCH_REPORT_COMPARE_SIDE_H

#include "verdict/compare.h"

#include <stdbool.h>

enum side_fact {
	SIDE_PATH,
	SIDE_SCENARIO,
	SIDE_LABEL,
	SIDE_BUILD,
	SIDE_HOST_CLASS,
	SIDE_KERNEL,
	SIDE_CPU_MODEL,
	SIDE_STARTED,
	SIDE_REPETITIONS,
	NR_SIDE_FACTS
};

/* "build": how people call it. */
const char *side_fact_name(enum side_fact fact);

/* NULL where not known. `buffer` holds what is not text in the record. */
#define SIDE_TEXT_MAX 32
const char *side_fact_text(const struct record *record, enum side_fact fact,
			   char buffer[SIDE_TEXT_MAX]);

/* Is the fact the same on both sides, or known on neither? */
bool side_fact_same(const struct compare *compare, enum side_fact fact);

/* Processes of the pair with most of them. */
unsigned side_repetitions(const struct record *record);

#endif
