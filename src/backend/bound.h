/* SPDX-License-Identifier: MIT */
/* What back ends of the model say about themselves before they run: error bounds, guessed times. */
#ifndef MEMCGBENCH_BACKEND_BOUND_H
#define MEMCGBENCH_BACKEND_BOUND_H

#include "memcg/lru.h"
#include "scenario/point.h"

#include <stdint.h>

/* Pages that the batches of `memcgs` memcgs can hold back from a row: items in the row's mask x B x
 * C x memcgs. UINT64_MAX where that does not fit. */
uint64_t batch_bound(const struct point *point, enum numa_row row, uint32_t memcgs);

/* Counters that the rows of one scope of the point's file are read from. */
double guess_items(const struct point *point);
/* Rough: `loads` of counters that lie in the areas of `memcgs` memcgs, hot or not by their size. */
double guess_loads_ns(const struct point *point, double loads, double memcgs);
/* The local rows and the text of one file, as far as the point asks for them. */
double guess_local_ns(const struct point *point);

#endif
