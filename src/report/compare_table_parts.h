/* SPDX-License-Identifier: MIT */
/* The pieces of a comparison's table that are prose. */
#ifndef MEMCGBENCH_REPORT_COMPARE_TABLE_PARTS_H
#define MEMCGBENCH_REPORT_COMPARE_TABLE_PARTS_H

#include "report/compare_rows.h"

#include <stdio.h>

#define COMPARE_INDENT 11

/* What was held against what, and what to be wary of. */
void compare_head_print(const struct compare_layout *layout, FILE *out);

/* What a gate failed on, or that it passed. 0 or -ENOMEM. */
int compare_gate_print(const struct compare_layout *layout, FILE *out);

/* What the columns mean; each sentence speaks only of what is shown. */
void compare_notes_print(const struct compare *compare, FILE *out);
void compare_ratio_notes_print(const struct compare *compare, FILE *out);

/* Failed repetitions, and pairs of one side only. 0 or -ENOMEM. */
int compare_left_over_print(const struct compare_layout *layout, FILE *out);

/* Sentences on what casts doubt on the comparison as a whole, for each output that has room. */
void compare_warnings(const struct compare *compare, void (*say)(void *arg, const char *sentence),
		      void *arg);

#endif
