/* SPDX-License-Identifier: MIT */
/*
 * The names of operation counts in files, tables and TSV; the one place that lists them. A count
 * that the back end cannot know is COUNT_UNKNOWN in memory, null in files and "-" in tables.
 */
#ifndef MEMCGBENCH_RESULT_COUNTS_H
#define MEMCGBENCH_RESULT_COUNTS_H

#include "backend/backend.h"

#include <jansson.h>
#include <math.h>
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

/* A count, or bytes_touched, of an object of them. Where it is absent, the file is older than the
 * count, of which its back ends had none: 0. */
uint64_t count_from_json(const json_t *counts, const char *name);
json_t *count_to_json(uint64_t count);

/* All of its digits, or "unknown". */
#define COUNT_TEXT_MAX 24
const char *count_text(char text[COUNT_TEXT_MAX], uint64_t count);

/* NAN: not known. */
static inline double count_number(uint64_t count)
{
	return count == COUNT_UNKNOWN ? NAN : (double)count;
}

#endif
