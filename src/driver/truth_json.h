/* SPDX-License-Identifier: MIT */
/* How far a result is from the truth, at rest and under load, as result/result.h has it. */
#ifndef MEMCGBENCH_DRIVER_TRUTH_JSON_H
#define MEMCGBENCH_DRIVER_TRUTH_JSON_H

#include "driver/consistency.h"
#include "driver/probe.h"

#include <jansson.h>

/* The caller owns them. null where nothing was looked at, NULL where memory is out. */
json_t *closure_json(const struct consistency *found, const struct point *point);
json_t *inversion_json(const struct consistency *found, const struct point *point);
json_t *probed_json(const struct probed *probed, const struct point *point);

#endif
