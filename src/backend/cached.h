/* SPDX-License-Identifier: MIT */
/* What `cached` shares with a back end that reads the same counters by other code. */
#ifndef MEMCGBENCH_BACKEND_CACHED_H
#define MEMCGBENCH_BACKEND_CACHED_H

#include "backend/backend.h"

double cached_guess_read_ns(const struct point *point);
uint64_t cached_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
		      unsigned column, uint32_t subtree, uint64_t truth);

#endif
