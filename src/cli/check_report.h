/* SPDX-License-Identifier: MIT */
/* What memcgbench check found, as a table or as JSON. */
#ifndef MEMCGBENCH_CLI_CHECK_REPORT_H
#define MEMCGBENCH_CLI_CHECK_REPORT_H

#include "backend/check.h"
#include "scenario/scenario.h"

#include <stdio.h>

/* One point and back end: with the point's batch, and with batch 0, where all must be equal. */
struct check_outcome {
	const struct point *point;
	const struct backend *backend;
	struct check_result result, unbatched;
};

static inline bool check_passed(const struct check_outcome *outcome)
{
	return !outcome->result.beyond && !outcome->unbatched.beyond;
}

struct check_report {
	const struct scenario *scenario;
	uint64_t updates;
	size_t nr;
	struct check_outcome *outcomes;
};

/* 0, -ENOMEM or -EIO. */
int check_report_table(const struct check_report *report, FILE *out);
int check_report_json(const struct check_report *report, FILE *out);

#endif
