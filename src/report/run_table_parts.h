/* SPDX-License-Identifier: MIT */
/* The pieces of a run's table that are prose or stand beside the measured figures. */
#ifndef MEMCGBENCH_REPORT_RUN_TABLE_PARTS_H
#define MEMCGBENCH_REPORT_RUN_TABLE_PARTS_H

#include "report/run_groups.h"

#include <stdio.h>

/* What was asked, where it was measured, and what to be wary of. */
void run_head_print(const struct run_groups *groups, FILE *out);

/* The line above a group's table; nothing where all points are one group. */
void run_group_heading(const struct run_groups *groups, size_t group, FILE *out);

/* What the columns mean, in full sentences. Each speaks only of what its table shows. */
void latency_notes(const struct run_summary *summary, FILE *out);
void parts_notes(const struct run_summary *summary, FILE *out);
void update_notes(const struct run_summary *summary, FILE *out);
void work_notes(const struct run_summary *summary, FILE *out);
void error_notes(const struct run_summary *summary, FILE *out);
void ratio_notes(const struct run_summary *summary, FILE *out);

/* Was the cost of updates measured at all? Results of before 0.2 do not have it. */
bool update_known(const struct run_summary *summary);

/* How time grows with the parameter down the rows, where that is a number. 0 or -ENOMEM, -EIO. */
int run_slopes_print(const struct run_groups *groups, FILE *out);

/* Published figures beside the measured ones. 0 or -ENOMEM, -EIO. */
int run_references_print(const struct run_groups *groups, FILE *out);

/* What failed and what was left out, with the reasons. */
void run_failures_print(const struct run_groups *groups, FILE *out);

unsigned repetitions_of(const struct run_summary *summary);
size_t backends_of(const struct run_summary *summary);

#endif
