/* SPDX-License-Identifier: MIT */
/* The two files of `walk-once`: what it reads beside v1 memory.numa_stat, for struct backend. */
#ifndef MEMCGBENCH_BACKEND_WALK_ONCE_H
#define MEMCGBENCH_BACKEND_WALK_ONCE_H

#include "backend/backend.h"

int walk_once_read_stat(void *instance, const struct read_request *request,
			struct numa_counts *out);
int walk_once_count_stat(void *instance, const struct read_request *request,
			 struct numa_counts *out, struct op_probe *probe);

#endif
