/* SPDX-License-Identifier: MIT */
/*
 * One repetition, in a process of its own: build, place and verify, populate, count and check
 * against the oracle, sample, time the parts, time updates; and say all of it in a result document
 * (result/result.h).
 *
 * The request: {"scenario","title","point":{"id","parameters"},"backend","repetition",
 *               "sampling":{"samples","reads_per_sample","loop_ns"} or null: then this process is
 * the pilot}
 */
#ifndef MEMCGBENCH_DRIVER_MEASURE_H
#define MEMCGBENCH_DRIVER_MEASURE_H

#include "base/error.h"

#include <jansson.h>

/* The result (owned by the caller), or NULL with a message. */
json_t *measure(const json_t *request, struct error *err);

#endif
