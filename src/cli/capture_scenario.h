/* SPDX-License-Identifier: MIT */
/* What `memcgbench capture` says beside the tree: a scenario that replays it, and remarks. */
#ifndef MEMCGBENCH_CLI_CAPTURE_SCENARIO_H
#define MEMCGBENCH_CLI_CAPTURE_SCENARIO_H

#include "memcg/captured.h"

#include <stdio.h>

/* `base`: the name of the tree's file, without ".tree"; letters, digits and "._-". */
void capture_scenario_write(const struct captured *captured, const char *base, FILE *out);

/* Comments of the tree's file: what its head cannot say for people. */
void capture_remarks_write(const struct captured *captured, FILE *out);

/* What was found and what was left out, each a line with `prefix`. */
void capture_outcome_write(const struct captured *captured, uint64_t no_memory,
			   const struct error *first_unreadable, FILE *out);

#endif
