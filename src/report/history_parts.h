/* SPDX-License-Identifier: MIT */
/* What the table, the markdown, the TSV and the charts of a history have in common. */
#ifndef MEMCGBENCH_REPORT_HISTORY_PARTS_H
#define MEMCGBENCH_REPORT_HISTORY_PARTS_H

#include "report/compare_words.h"
#include "report/point_groups.h"
#include "verdict/history.h"

/* The points of all series, each once. NULL: out of memory. */
struct point_groups *history_points(const struct history *history);

/* "tree.memcgs 10k, read.cache cold" or, where there is one point only, its id. The caller's to
 * free; NULL: out of memory. */
char *history_point_name(const struct point_groups *points, const struct point *point);

/* "2026-11-30", of a time: for people who read many of them. */
#define HISTORY_DATE_MAX 11
const char *history_date(int64_t seconds, char buffer[HISTORY_DATE_MAX]);

/* "searched", "short", "not_positive" */
const char *history_state_word(enum series_state state);

/* The last value of the old level and the first of the new one. */
const struct history_value *history_last_before(const struct series *series,
						const struct change *change);
const struct history_value *history_first_after(const struct series *series,
						const struct change *change);

#endif
