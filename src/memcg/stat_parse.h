/* SPDX-License-Identifier: MIT */
/*
 * Reads any memory.numa_stat or memory.stat, of cgroup v1 or v2, vendor lines included.
 *
 * Which format. The first recognised row decides: `name=` v1 numa_stat, `name N` v2 numa_stat,
 * another `name ` memory.stat, where `name` is a row that a kernel prints in that format.
 * memory.stat is v1 or v2 by the first row that only one of them has. A file in which nothing is
 * recognised is an error, as is a memory.stat with nothing but rows that both have: the caller can
 * name the type.
 *
 * Which line is what. Kernels of vendors add lines: `numa_locality 0 0 0`, `numa_exectime 0`,
 * `whatever=100 N0=0`. What tells them from damage is the name, never the rest of the line:
 *
 * - The name of a line is its first run of letters, digits, `_`, `.` and `-`, blanks before it left
 *   out. If a mainline kernel prints that name in this format (stat_parse_names.c), the line is
 *   that row, and whatever is wrong with it is an error: it is never kept as an unknown line.
 * - Any other line is unknown, whatever it looks like: kept as text, never read for numbers, never
 *   an error. That a newer kernel's new rows end here too is the price of not guessing their unit.
 * - A last line without a newline that is the mere beginning of a known name is a row cut in its
 *   name.
 *
 * What shows that a file was cut: a row without its number, `N0=` without one, a blank at a row's
 * end; in a numa_stat a row without a node that another row has (a kernel prints the same nodes in
 * all); in a v1 numa_stat with both blocks, a row that one block has and the other lacks. Kernels
 * before 2013 have the local block alone. What cannot show: a last number that lost digits,
 * columns missing from an only row, rows missing from an only block or from another format.
 *
 * A kernel prints ASCII: NUL, carriage returns, other control characters but the tab, and bytes
 * above 0x7e are errors wherever they are. So are leading zeros, signs, and blanks that are not one
 * space.
 */
#ifndef MEMCGBENCH_MEMCG_STAT_PARSE_H
#define MEMCGBENCH_MEMCG_STAT_PARSE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* What is read is bounded: bytes, node ids, and lines that are not known. */
#define STAT_FILE_MAX    (16u << 20)
#define STAT_NID_MAX     1023
#define STAT_UNKNOWN_MAX 1000

enum stat_type {
	STAT_AUTO,
	STAT_NUMA_V1, /* pages */
	STAT_NUMA_V2, /* bytes; event rows are counts */
	STAT_MEMORY_V1, /* bytes; event rows are counts */
	STAT_MEMORY_V2,
};

enum stat_unit {
	STAT_PAGES,
	STAT_BYTES,
	STAT_COUNT, /* of events */
};

struct stat_column {
	unsigned nid; /* 0..STAT_NID_MAX */
	uint64_t value;
};

struct stat_row {
	char *name; /* NULL for unknown lines */
	unsigned line;
	bool known; /* false: a vendor line; `text` holds the whole line */
	char *text; /* NULL for known rows */
	enum stat_unit unit; /* of known rows */
	bool has_value; /* v1 numa_stat's row sum, memory.stat's value */
	uint64_t value;
	unsigned nr_columns;
	struct stat_column *columns; /* in the order of the line */
};

struct stat_file {
	enum stat_type type; /* never STAT_AUTO */
	size_t nr_rows;
	struct stat_row *rows; /* in the order of the file; at least one is known */
};

/*
 * `name` stands in error messages. -EINVAL with line and column for: an empty file (1:1), malformed
 * numbers, overflow of 64 bits, duplicate rows, duplicate nodes in a row, a node id above
 * STAT_NID_MAX, a truncated row, NUL bytes, and the rest of the above; -EFBIG beyond STAT_FILE_MAX;
 * -ENOMEM. A last line without a newline is fine. Takes time linear in `length`. Free with
 * stat_file_free().
 */
int stat_parse(const char *name, const char *text, size_t length, enum stat_type type,
	       struct stat_file **out, struct error *err);
void stat_file_free(struct stat_file *file);

const char *stat_type_name(enum stat_type type); /* "v1-numa_stat", ...; "auto" */
const char *stat_unit_name(enum stat_unit unit); /* "pages", "bytes", "count" */

#endif
