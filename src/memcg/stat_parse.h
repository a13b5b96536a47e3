/* SPDX-License-Identifier: MIT */
/*
 * Reads any memory.numa_stat or memory.stat, of cgroup v1 or v2, vendor lines included.
 *
 * The first recognised row decides the format: `word=` v1 numa_stat, `word N0=` v2 numa_stat,
 * otherwise memory.stat. Rows that the format does not know are kept as text and said.
 */
#ifndef MEMCGBENCH_MEMCG_STAT_PARSE_H
#define MEMCGBENCH_MEMCG_STAT_PARSE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum stat_type {
	STAT_AUTO,
	STAT_NUMA_V1,   /* pages */
	STAT_NUMA_V2,   /* bytes */
	STAT_MEMORY_V1, /* bytes; event rows are counts */
	STAT_MEMORY_V2,
};

struct stat_column {
	unsigned nid; /* 0..1023 */
	uint64_t value;
};

struct stat_row {
	char *name;
	unsigned line;
	bool known;        /* false: a vendor line; `text` holds the whole line */
	char *text;        /* NULL for known rows */
	bool has_value;    /* v1 numa_stat's row sum, memory.stat's value */
	uint64_t value;
	unsigned nr_columns;
	struct stat_column *columns;
};

struct stat_file {
	enum stat_type type; /* never STAT_AUTO */
	size_t nr_rows;
	struct stat_row *rows;
};

/*
 * `name` stands in error messages. -EINVAL with line and column for: an empty file (1:1), malformed
 * numbers, overflow of 64 bits, duplicate rows, duplicate nodes in a row, a node id above 1023,
 * a truncated row, NUL bytes. A last line without a newline is fine. Free with stat_file_free().
 */
int stat_parse(const char *name, const char *text, size_t length, enum stat_type type,
	       struct stat_file **out, struct error *err);
void stat_file_free(struct stat_file *file);

const char *stat_type_name(enum stat_type type); /* "v1-numa_stat", ... */

#endif
