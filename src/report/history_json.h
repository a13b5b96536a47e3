/* SPDX-License-Identifier: MIT */
/*
 * A history as JSON, version 1. Every key is always there; what is not known is null.
 *  schema      {"name":"memcgbench-history","version":1}
 *  records, older   how many were read, and how many left out as from before `since`
 *  since       "2026-11-30T15:03:00Z" or null
 *  min_effect  what was asked for
 *  least_values     a series of fewer shows no change, whatever its values
 *  verdict     "worse" | "not_worse" | "not_searched"
 *  series [{"host_class","id","parameters","backend","metric","unit","better":"lower"|"higher",
 *                "state":"searched"|"short"|"not_positive","noise","min_effect","worse",
 *                "values":[{"started_at","build_id","kernel","label","processes","median","low",
 *                           "high"}],
 *                "changes":[{"at","before","after","factor","runs_before","runs_after","p",
 *                            "direction":"worse"|"better"}]}]
 *               at: index in `values` of the first at the new level
 */
#ifndef MEMCGBENCH_REPORT_HISTORY_JSON_H
#define MEMCGBENCH_REPORT_HISTORY_JSON_H

#include "verdict/history.h"

#include <jansson.h>

/* The caller owns it. NULL: out of memory. */
json_t *history_to_json(const struct history *history, const struct history_options *options);

#endif
