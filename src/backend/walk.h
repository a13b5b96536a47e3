/* SPDX-License-Identifier: MIT */
/* What `walk` shares with other back ends that walk. */
#ifndef MEMCGBENCH_BACKEND_WALK_H
#define MEMCGBENCH_BACKEND_WALK_H

#include "backend/backend.h"

/* Operations of struct backend over a struct model: local per-CPU counters are all they read. */
int walk_read_counts(void *instance, const struct read_request *request, struct numa_counts *out);
int walk_count_read(void *instance, const struct read_request *request, struct numa_counts *out,
		    struct op_probe *probe);
/* The same of files but v1 memory.numa_stat. */
int walk_read_stat(void *instance, const struct read_request *request, struct numa_counts *out);
int walk_count_stat(void *instance, const struct read_request *request, struct numa_counts *out,
		    struct op_probe *probe);
double walk_guess_read_ns(const struct point *point);
/* Of a walk over what updates with batches keep. */
uint64_t walk_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
		    unsigned column, uint32_t subtree, uint64_t truth);

#endif
