/* SPDX-License-Identifier: MIT */
/* The sentences of a history: paragraphs of 80 columns, or items of a list in Markdown. */
#ifndef MEMCGBENCH_REPORT_HISTORY_NOTES_H
#define MEMCGBENCH_REPORT_HISTORY_NOTES_H

#include "report/history_parts.h"

#include <stdio.h>

/* How many runs, from when to when, and what all points have in common. */
void history_head(const struct history *history, const struct history_options *options,
		  const struct point_groups *points, bool markdown, FILE *out);

/* Series without a change, those too short to have one, those that cannot be searched. */
void history_quiet(const struct history *history, const struct history_options *options,
		   bool markdown, FILE *out);

/* The verdict: series that end worse than they were. 0 or -ENOMEM. */
int history_verdict(const struct history *history, const struct point_groups *points, bool markdown,
		    FILE *out);

#endif
