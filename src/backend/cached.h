/* SPDX-License-Identifier: MIT */
/* What `cached` shares with a back end that reads the same counters by other code. */
#ifndef MEMCGBENCH_BACKEND_CACHED_H
#define MEMCGBENCH_BACKEND_CACHED_H

#include "backend/backend.h"

/* Operations of struct backend: files but v1 memory.numa_stat. */
int cached_read_stat(void *instance, const struct read_request *request, struct numa_counts *out);
int cached_count_stat(void *instance, const struct read_request *request, struct numa_counts *out,
		      struct op_probe *probe);

double cached_guess_read_ns(const struct point *point);
uint64_t cached_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
		      unsigned column, uint32_t subtree, uint64_t truth);

#endif
