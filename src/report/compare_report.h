/* SPDX-License-Identifier: MIT */
/* A comparison of two runs, for people, for programs, for a job's page and for a patch's cover
 * letter. All return 0 or -ENOMEM, -EIO. */
#ifndef MEMCGBENCH_REPORT_COMPARE_REPORT_H
#define MEMCGBENCH_REPORT_COMPARE_REPORT_H

#include "verdict/compare.h"

#include <jansson.h>
#include <stdio.h>

/* 80 columns: the verdict first, then what it rests on. */
int compare_table_print(const struct compare *compare, FILE *out);

/*
 * {"schema":{"name":"memcgbench-compare","version":1},
 *  "metric":{"name","title","unit","better":"lower"|"higher"}, "alpha", "min_effect", "gate",
 *  "base":{"path","scenario","label","build_id","host_class","kernel","cpu_model","started_at",
 *          "repetitions"}, "new":{..}, "same_class", "worse",
 *  "points":[{"id","parameters"}],                    all that are compared
 *  "comparisons":[{"id","backend","other":null,
 *      "base":{"processes","failed","median","low","high","level"},"new":{..},
 *      "change","change_low","change_high",           shares of base: 0.03 is 3 % more
 *      "shift":{"estimate","low","high","level"},"factor":{..},
 *      "p","q","exact","needed","verdict"}],
 *  "ratios":[the same, with "other": what is divided by, and "cause": the back end that moved it],
 *  "counts":{"pairs":compared,"differences":[{"id","backend","name","base","new"}]},
 *  "families":[{"backend","parameter","value","verdict","changed","points","factor"}],
 *  "unmatched":[{"id","backend","side":"base"|"new"}],
 *  "failures":[{"fault","id","backend","text"}]}      of a gate; null without
 * null is not known. The caller owns it; NULL: out of memory.
 */
json_t *compare_to_json(const struct compare *compare);
int compare_json_print(const struct compare *compare, FILE *out);

/* A line for each comparison and each ratio: the keys of the JSON document laid flat, as in
 * base_median, with all parameters. */
int compare_tsv_print(const struct compare *compare, FILE *out);

/* Tables as GitHub shows them. */
int compare_markdown_print(const struct compare *compare, FILE *out);

/* Plain text of at most COVER_COLUMNS. `update`: the same records compared by what an update
 * costs, or NULL. */
#define COVER_COLUMNS 72
int compare_cover_print(const struct compare *compare, const struct compare *update, FILE *out);

#endif
