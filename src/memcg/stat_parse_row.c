// SPDX-License-Identifier: MIT
/* See stat_parse_row.h. Strict: what a kernel would not print is refused where it stands. */
#include "memcg/stat_parse_row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A row being read. */
struct cursor {
	const struct stat_line *line;
	const char *at;
	struct error *err;
};

/* Without <ctype.h>: the answer must not depend on a locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '.' || c == '-';
}

const char *stat_line_split(struct stat_line *line, const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	line->number++;
	line->start = at;
	line->end = newline ? newline : end;
	line->ended = newline;
	while (at < line->end && (*at == ' ' || *at == '\t'))
		at++;
	line->name = at;
	while (at < line->end && is_name(*at))
		at++;
	line->name_end = at;
	return newline ? newline + 1 : end;
}

static bool at_end(const struct cursor *c)
{
	return c->at == c->line->end;
}

/* `what` is a text that is met, character by character, or the row ends early. */
static int expect(struct cursor *c, const char *what)
{
	for (const char *w = what; *w; w++, c->at++) {
		if (at_end(c))
			return stat_line_error(c->err, c->line, c->at,
					       "the row is cut: '%s' should follow", w);
		if (*c->at != *w)
			return stat_line_error(c->err, c->line, c->at, "'%c' where '%c' should be",
					       *c->at, *w);
	}
	return 0;
}

static int read_number(struct cursor *c, uint64_t *value)
{
	const char *first = c->at;

	*value = 0;
	if (at_end(c))
		return stat_line_error(c->err, c->line, c->at,
				       "the row is cut: a number should follow");
	for (; !at_end(c) && is_digit(*c->at); c->at++) {
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*c->at - '0'), value))
			return stat_line_error(c->err, c->line, first,
					       "a number that does not fit 64 bits");
	}
	if (c->at == first)
		return stat_line_error(c->err, c->line, c->at, "'%c' where a number should be",
				       *c->at);
	if (*first == '0' && c->at - first > 1)
		return stat_line_error(c->err, c->line, first, "a number with leading zeros");
	return 0;
}

/* A number that ends where the row ends or a blank follows. */
static int read_value(struct cursor *c, uint64_t *value)
{
	int r = read_number(c, value);

	if (r)
		return r;
	if (!at_end(c) && *c->at != ' ')
		return stat_line_error(c->err, c->line, c->at,
				       "'%c' in a number (decimal digits only)", *c->at);
	return 0;
}

static int add_column(struct stat_row *row, unsigned nid, uint64_t value)
{
	/* Room doubles whenever the number of columns is a power of two. */
	if (!(row->nr_columns & (row->nr_columns - 1))) {
		size_t room = row->nr_columns ? 2 * (size_t)row->nr_columns : 1;
		struct stat_column *grown = realloc(row->columns, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		row->columns = grown;
	}
	row->columns[row->nr_columns++] = (struct stat_column){.nid = nid, .value = value};
	return 0;
}

static int read_columns(struct cursor *c, struct stat_row *row)
{
	bool seen[STAT_NID_MAX + 1] = {false};

	while (!at_end(c)) {
		uint64_t nid, value;
		const char *id;
		int r;

		r = expect(c, " N");
		if (r)
			return r;
		id = c->at;
		r = read_number(c, &nid);
		if (r)
			return r;
		if (nid > STAT_NID_MAX)
			return stat_line_error(c->err, c->line, id, "a node id above %d",
					       STAT_NID_MAX);
		if (seen[nid])
			return stat_line_error(c->err, c->line, id - 1,
					       "node N%u is twice in this row", (unsigned)nid);
		seen[nid] = true;
		r = expect(c, "=");
		if (r)
			return r;
		r = read_value(c, &value);
		if (r)
			return r;
		if (add_column(row, (unsigned)nid, value))
			return error_set(c->err, -ENOMEM, "out of memory");
	}
	return 0;
}

static int read_cells(struct cursor *c, enum stat_type type, struct stat_row *row)
{
	bool numa = type == STAT_NUMA_V1 || type == STAT_NUMA_V2;
	int r;

	row->has_value = type != STAT_NUMA_V2;
	if (row->has_value) {
		r = expect(c, numa ? "=" : " ");
		if (r)
			return r;
		r = read_value(c, &row->value);
		if (r)
			return r;
	}
	if (numa) {
		if (at_end(c) && !row->has_value)
			return expect(c, " N");
		return read_columns(c, row);
	}
	if (!at_end(c))
		return stat_line_error(c->err, c->line, c->at, "more than one number in the row");
	return 0;
}

int stat_row_read(const struct stat_line *line, enum stat_type type, struct stat_row *row,
		  struct error *err)
{
	struct cursor c = {.line = line, .at = line->name_end, .err = err};

	if (line->name != line->start)
		return stat_line_error(err, line, line->start, "blanks before the row '%.*s'",
				       (int)(line->name_end - line->name), line->name);
	row->name = strndup(line->name, (size_t)(line->name_end - line->name));
	if (!row->name)
		return error_set(err, -ENOMEM, "out of memory");
	row->line = line->number;
	row->known = true;
	return read_cells(&c, type, row);
}
