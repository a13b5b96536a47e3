/* SPDX-License-Identifier: MIT */
/* The parts of a cover letter's text that are no results. */
#ifndef MEMCGBENCH_REPORT_COMPARE_COVER_PARTS_H
#define MEMCGBENCH_REPORT_COMPARE_COVER_PARTS_H

#include "report/compare_rows.h"

#include <stdio.h>

/* Kernel, CPU, nodes, CPUs, memcgs visible and dying, depth, batch, how the file was read.
 * 0 or -ENOMEM. */
int cover_head_print(const struct compare *compare, FILE *out);

/* The commands that repeat it, as far as they are known. 0 or -ENOMEM. */
int cover_commands_print(const struct compare *compare, FILE *out);

/* The largest number of steps from the root of such a tree to a memcg. 0: out of memory. */
uint32_t cover_tree_depth(const struct tree_description *tree);

#endif
