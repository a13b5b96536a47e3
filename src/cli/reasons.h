/* SPDX-License-Identifier: MIT */
/* Why something cannot be done here: each reason once, with how many it holds for. */
#ifndef MEMCGBENCH_CLI_REASONS_H
#define MEMCGBENCH_CLI_REASONS_H

#include "base/error.h"
#include "scenario/point.h"

#include <jansson.h>

/* 0 or -ENOMEM. `said`: an object of JSON, empty at first. */
int reasons_add(json_t *said, const struct point *point, const char *backend,
		const struct error_list *reasons);

/* One line for each reason: "PATH: point ID, BACKEND, and 3 more: REASON". */
void reasons_print(FILE *out, const char *path, const json_t *said);

#endif
