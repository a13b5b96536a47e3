/* SPDX-License-Identifier: MIT */
/* The names of operation counts in files, tables and TSV; the one place that lists them. */
#ifndef MEMCGBENCH_RESULT_COUNTS_H
#define MEMCGBENCH_RESULT_COUNTS_H

#include "backend/backend.h"

#include <stddef.h>
#include <stdint.h>

struct count_name {
	const char *name;
	size_t offset; /* of the uint64_t in struct op_counts */
};

extern const struct count_name count_names[];
extern const size_t nr_count_names;

static inline uint64_t *count_field(const struct count_name *name, struct op_counts *counts)
{
	return (uint64_t *)((unsigned char *)counts + name->offset);
}

static inline uint64_t count_value(const struct count_name *name, const struct op_counts *counts)
{
	return *(const uint64_t *)((const unsigned char *)counts + name->offset);
}

#endif
