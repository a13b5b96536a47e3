/* SPDX-License-Identifier: MIT */
/* What a back end knows of its locks, of the time that samples were taken. */
#ifndef MEMCGBENCH_DRIVER_LOCKS_H
#define MEMCGBENCH_DRIVER_LOCKS_H

#include "base/error.h"
#include "driver/flusher.h"
#include "driver/sampler.h"

#include <jansson.h>

/* Begin anew, while nobody uses the instance. Back ends without locks have nothing to do. */
int locks_reset(const struct sampler *sampler, struct error *err);

/* The document of those that were taken since, as result/result.h has it; owned by the caller. null
 * where none was, NULL where memory is out. Nobody uses the instance. */
json_t *locks_json(const struct sampler *sampler);

json_t *flusher_json(const struct flusher_cost *cost);

#endif
