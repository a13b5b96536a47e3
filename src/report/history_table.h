/* SPDX-License-Identifier: MIT */
/* A history for people, in 80 columns; as Markdown for the page of a job; and as TSV. */
#ifndef MEMCGBENCH_REPORT_HISTORY_TABLE_H
#define MEMCGBENCH_REPORT_HISTORY_TABLE_H

#include "verdict/history.h"

#include <stdio.h>

/* All return 0, -ENOMEM or -EIO. The options are those of history_load(). */
int history_table_print(const struct history *history, const struct history_options *options,
			FILE *out);
int history_markdown_print(const struct history *history, const struct history_options *options,
			   FILE *out);
/* A line for each change, and one for each series without any. */
int history_tsv_print(const struct history *history, FILE *out);

#endif
