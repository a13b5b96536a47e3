// SPDX-License-Identifier: MIT
/*
 * See stat_parse.h for what is accepted. In order: bytes that are not text, the format, the lines,
 * and last what only shows when all rows are known.
 */
#include "memcg/stat_parse.h"

#include "memcg/lru.h"
#include "memcg/stat_parse_names.h"
#include "memcg/stat_parse_row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct parser {
	const char *name;
	const char *text;
	const char *end;
	struct error *err;
	struct stat_file *file;
	size_t room; /* for so many rows */
	size_t nr_unknown;
};

static const char *const type_names[] = {
	[STAT_AUTO] = "auto",
	[STAT_NUMA_V1] = "v1-numa_stat",
	[STAT_NUMA_V2] = "v2-numa_stat",
	[STAT_MEMORY_V1] = "v1-memory.stat",
	[STAT_MEMORY_V2] = "v2-memory.stat",
};

static const char *const unit_names[] = {
	[STAT_PAGES] = "pages",
	[STAT_BYTES] = "bytes",
	[STAT_COUNT] = "count",
};

const char *stat_type_name(enum stat_type type)
{
	return type_names[type];
}

const char *stat_unit_name(enum stat_unit unit)
{
	return unit_names[unit];
}

void stat_file_free(struct stat_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->nr_rows; i++) {
		free(file->rows[i].name);
		free(file->rows[i].text);
		free(file->rows[i].columns);
	}
	free(file->rows);
	free(file);
}

/* Bytes that no kernel prints: then it is another file, or it was mangled on its way. */
static int check_bytes(const struct parser *p)
{
	unsigned line = 1;
	const char *start = p->text;

	for (const char *at = p->text; at < p->end; at++) {
		unsigned char byte = (unsigned char)*at;
		unsigned column = (unsigned)(at - start) + 1;

		if (byte == '\n') {
			line++;
			start = at + 1;
		} else if (byte == '\r') {
			return error_set_at(
				p->err, -EINVAL, p->name, line, column,
				"a carriage return (a kernel ends lines with newline alone)");
		} else if ((byte < ' ' && byte != '\t') || byte > '~') {
			return error_set_at(p->err, -EINVAL, p->name, line, column,
					    "byte 0x%02x (a kernel prints ASCII text)", byte);
		}
	}
	return 0;
}

static bool line_is(const struct stat_line *line, enum stat_type type)
{
	return stat_name_find(type, line->name, (size_t)(line->name_end - line->name), NULL);
}

/* What a line says about the format: by its name and what is next to it, whatever follows. */
static enum stat_type recognise_numa(const struct stat_line *line)
{
	size_t left = (size_t)(line->end - line->name_end);

	if (left >= 1 && line->name_end[0] == '=' && line_is(line, STAT_NUMA_V1))
		return STAT_NUMA_V1;
	if (left >= 2 && !memcmp(line->name_end, " N", 2) && line_is(line, STAT_NUMA_V2))
		return STAT_NUMA_V2;
	return STAT_AUTO;
}

static int detect(const struct parser *p, enum stat_type *type)
{
	struct stat_line line = {.file = p->name};
	unsigned first_common = 0; /* a row of memory.stat that v1 and v2 both have */

	for (const char *at = p->text; at < p->end && line.number < STAT_UNKNOWN_MAX;) {
		bool v1, v2;

		at = stat_line_split(&line, at, p->end);
		if (!first_common) {
			*type = recognise_numa(&line);
			if (*type != STAT_AUTO)
				return 0;
		}
		if (line.name_end == line.end || *line.name_end != ' ')
			continue;
		v1 = line_is(&line, STAT_MEMORY_V1);
		v2 = line_is(&line, STAT_MEMORY_V2);
		if (v1 != v2) {
			*type = v1 ? STAT_MEMORY_V1 : STAT_MEMORY_V2;
			return 0;
		}
		if (v1 && !first_common)
			first_common = line.number;
	}
	if (first_common)
		return error_set_at(p->err, -EINVAL, p->name, first_common, 1,
				    "memory.stat of v1 or of v2? Both have these rows; "
				    "--type tells");
	return error_set_at(p->err, -EINVAL, p->name, 1, 1,
			    "not a memory.numa_stat or memory.stat: no known row up to line %u",
			    line.number);
}

/* A zeroed row at the end of the file's. */
static struct stat_row *add_row(struct parser *p)
{
	struct stat_file *file = p->file;

	if (file->nr_rows == p->room) {
		size_t room = p->room ? 2 * p->room : 16;
		struct stat_row *grown = realloc(file->rows, room * sizeof(*grown));

		if (!grown)
			return NULL;
		file->rows = grown;
		p->room = room;
	}
	file->rows[file->nr_rows] = (struct stat_row){0};
	return &file->rows[file->nr_rows++];
}

static const struct stat_row *find_row(const struct stat_file *file, const char *name,
				       size_t length)
{
	for (size_t i = 0; i < file->nr_rows; i++) {
		const struct stat_row *row = &file->rows[i];

		if (row->known && !strncmp(row->name, name, length) && !row->name[length])
			return row;
	}
	return NULL;
}

static int keep_unknown(struct parser *p, const struct stat_line *line)
{
	size_t length = (size_t)(line->name_end - line->name);
	struct stat_row *row;

	if (!line->ended && length && line->name_end == line->end &&
	    stat_name_is_cut(p->file->type, line->name, length))
		return stat_line_error(p->err, line, line->end, "the row is cut in its name");
	if (p->nr_unknown++ == STAT_UNKNOWN_MAX)
		return stat_line_error(p->err, line, line->start,
				       "more than %d lines are not known: not a %s",
				       STAT_UNKNOWN_MAX, stat_type_name(p->file->type));
	row = add_row(p);
	if (!row)
		return error_set(p->err, -ENOMEM, "out of memory");
	row->line = line->number;
	row->text = strndup(line->start, (size_t)(line->end - line->start));
	if (!row->text)
		return error_set(p->err, -ENOMEM, "out of memory");
	return 0;
}

static int read_line(struct parser *p, const struct stat_line *line)
{
	size_t length = (size_t)(line->name_end - line->name);
	const struct stat_row *before;
	enum stat_unit unit;
	struct stat_row *row;

	if (!stat_name_find(p->file->type, line->name, length, &unit))
		return keep_unknown(p, line);
	before = find_row(p->file, line->name, length);
	if (before)
		return stat_line_error(p->err, line, line->name,
				       "the row '%s' is there twice (first in line %u)",
				       before->name, before->line);
	row = add_row(p);
	if (!row)
		return error_set(p->err, -ENOMEM, "out of memory");
	row->unit = unit;
	return stat_row_read(line, p->file->type, row, p->err);
}

/* A line found again: only errors need it. Number 0 stands for the last. */
static struct stat_line find_line(const struct parser *p, unsigned number)
{
	struct stat_line line = {.file = p->name};

	for (const char *at = p->text; at < p->end && (!number || line.number < number);)
		at = stat_line_split(&line, at, p->end);
	return line;
}

/* All rows of a numa_stat have a column for each node: a kernel prints them in one go. */
static int check_columns(const struct parser *p)
{
	unsigned first_line[STAT_NID_MAX + 1] = {0}; /* that has the node */
	unsigned nr_nids = 0;

	for (size_t i = 0; i < p->file->nr_rows; i++) {
		const struct stat_row *row = &p->file->rows[i];

		for (unsigned k = 0; k < row->nr_columns; k++) {
			unsigned *first = &first_line[row->columns[k].nid];

			nr_nids += !*first;
			if (!*first)
				*first = row->line;
		}
	}
	for (size_t i = 0; i < p->file->nr_rows; i++) {
		const struct stat_row *row = &p->file->rows[i];
		struct stat_line line;
		unsigned nid = 0;

		if (!row->known || row->nr_columns == nr_nids)
			continue;
		/* No node is twice in a row, so one of those seen is not in this one. */
		for (unsigned k = 0; k < row->nr_columns; k++)
			first_line[row->columns[k].nid] = 0;
		while (!first_line[nid])
			nid++;
		line = find_line(p, row->line);
		return stat_line_error(p->err, &line, line.end,
				       "the row is cut: N%u is missing, which line %u has", nid,
				       first_line[nid]);
	}
	return 0;
}

/* v1 numa_stat has two blocks of the same rows, or (before 2013) the local one alone. */
static int check_blocks(const struct parser *p)
{
	const size_t prefix = strlen(HIERARCHICAL_PREFIX);
	bool has[2] = {false};

	for (size_t i = 0; i < p->file->nr_rows; i++)
		if (p->file->rows[i].known)
			has[!strncmp(p->file->rows[i].name, HIERARCHICAL_PREFIX, prefix)] = true;
	if (!has[0] || !has[1])
		return 0;
	for (size_t i = 0; i < p->file->nr_rows; i++) {
		const struct stat_row *row = &p->file->rows[i];
		char twin[64];
		struct stat_line last;

		if (!row->known)
			continue;
		if (!strncmp(row->name, HIERARCHICAL_PREFIX, prefix))
			snprintf(twin, sizeof(twin), "%s", row->name + prefix);
		else
			snprintf(twin, sizeof(twin), HIERARCHICAL_PREFIX "%s", row->name);
		if (find_row(p->file, twin, strlen(twin)))
			continue;
		last = find_line(p, 0);
		return stat_line_error(p->err, &last, last.end,
				       "the file is cut: no row '%s', but line %u has '%s'", twin,
				       row->line, row->name);
	}
	return 0;
}

static int read_lines(struct parser *p)
{
	struct stat_line line = {.file = p->name};
	enum stat_type type = p->file->type;
	int r;

	for (const char *at = p->text; at < p->end;) {
		at = stat_line_split(&line, at, p->end);
		r = read_line(p, &line);
		if (r)
			return r;
	}
	if (p->nr_unknown == p->file->nr_rows)
		return error_set_at(p->err, -EINVAL, p->name, 1, 1,
				    "not a %s: none of its rows is here", stat_type_name(type));
	if (type == STAT_NUMA_V1 || type == STAT_NUMA_V2) {
		r = check_columns(p);
		if (r)
			return r;
	}
	return type == STAT_NUMA_V1 ? check_blocks(p) : 0;
}

int stat_parse(const char *name, const char *text, size_t length, enum stat_type type,
	       struct stat_file **out, struct error *err)
{
	struct parser p = {.name = name, .text = text, .end = text + length, .err = err};
	int r;

	if (length > STAT_FILE_MAX)
		return error_set_at(err, -EFBIG, name, 0, 0, "longer than %u bytes", STAT_FILE_MAX);
	if (!length)
		return error_set_at(err, -EINVAL, name, 1, 1, "the file is empty");
	r = check_bytes(&p);
	if (r)
		return r;
	if (type == STAT_AUTO) {
		r = detect(&p, &type);
		if (r)
			return r;
	}
	p.file = calloc(1, sizeof(*p.file));
	if (!p.file)
		return error_set(err, -ENOMEM, "out of memory");
	p.file->type = type;
	r = read_lines(&p);
	if (r) {
		stat_file_free(p.file);
		return r;
	}
	*out = p.file;
	return 0;
}
