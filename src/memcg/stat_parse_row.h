/* SPDX-License-Identifier: MIT */
/* One line of a numa_stat or memory.stat: its name, and a row read from it. */
#ifndef MEMCGBENCH_MEMCG_STAT_PARSE_ROW_H
#define MEMCGBENCH_MEMCG_STAT_PARSE_ROW_H

#include "memcg/stat_parse.h"

#include <stddef.h>

struct stat_line {
	const char *file; /* for messages */
	unsigned number; /* from 1 */
	const char *start;
	const char *end; /* of its newline, or of the text */
	const char *name; /* the first run of letters, digits, _ . and - */
	const char *name_end; /* name where there is none */
	bool ended; /* by a newline */
};

/* -EINVAL with a message that points at `at`, which lies in the line or just behind it. */
#define stat_line_error(err, line, at, ...)                      \
	error_set_at(err, -EINVAL, (line)->file, (line)->number, \
		     (unsigned)((at) - (line)->start) + 1, __VA_ARGS__)

/*
 * The line that starts at `at`, before `end`; at < end. Returns where the next one starts.
 */
const char *stat_line_split(struct stat_line *line, const char *at, const char *end);

/* Read a line whose name is known in `type` into a zeroed `row`, which the caller frees. */
int stat_row_read(const struct stat_line *line, enum stat_type type, struct stat_row *row,
		  struct error *err);

#endif
