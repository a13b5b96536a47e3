/* SPDX-License-Identifier: MIT */
/* What `run` prints for people, in 80 columns, and for programs as TSV. */
#ifndef MEMCGBENCH_REPORT_RUN_TABLE_H
#define MEMCGBENCH_REPORT_RUN_TABLE_H

#include "result/summary.h"

#include <stdio.h>

int run_table_print(const struct run_summary *summary, FILE *out);
int run_tsv_print(const struct run_summary *summary, FILE *out); /* a line per point and back end */

#endif
