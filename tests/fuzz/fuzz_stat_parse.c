// SPDX-License-Identifier: MIT
/*
 * Any bytes into stat_parse(). It must refuse them with a place that lies in them, or have read
 * them exactly: a row written again from what was read is the line it came from, byte for byte.
 */
#include "fuzz/fuzz.h"
#include "memcg/stat_parse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void demand(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "fuzz_stat_parse: %s\n", what);
	abort();
}

/* Line `number` of the text, NULL beyond the end; the one behind a last newline is empty. */
static const char *line_at(const char *text, size_t size, unsigned number, size_t *length)
{
	const char *at = text, *end = text + size, *newline;

	while (--number) {
		newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline)
			return NULL;
		at = newline + 1;
	}
	newline = memchr(at, '\n', (size_t)(end - at));
	*length = (size_t)((newline ? newline : end) - at);
	return at;
}

static void check_error(const char *text, size_t size, const struct error *err)
{
	size_t length = 0;

	demand(err->text[0] && err->line && err->column, "an error without text or place");
	demand(line_at(text, size, err->line, &length), "an error in a line that is not there");
	demand(err->column <= length + 1, "an error in a column that is not there");
}

/* By the formats alone, without a look at how the parser does it. */
static char *write_row(const struct stat_row *row, enum stat_type type)
{
	bool numa = type == STAT_NUMA_V1 || type == STAT_NUMA_V2;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	demand(out, "out of memory");
	fputs(row->name, out);
	if (row->has_value)
		fprintf(out, "%c%" PRIu64, numa ? '=' : ' ', row->value);
	for (unsigned k = 0; k < row->nr_columns; k++)
		fprintf(out, " N%u=%" PRIu64, row->columns[k].nid, row->columns[k].value);
	fclose(out);
	return text;
}

static void check_file(const char *text, size_t size, const struct stat_file *file)
{
	size_t nr_known = 0;
	unsigned before = 0;

	demand(file->type != STAT_AUTO, "a file without a type");
	for (size_t i = 0; i < file->nr_rows; i++) {
		const struct stat_row *row = &file->rows[i];
		char *again = row->known ? write_row(row, file->type) : strdup(row->text);
		size_t length = 0;
		const char *line = line_at(text, size, row->line, &length);

		demand(again, "out of memory");
		demand(row->line == before + 1, "a line was lost");
		demand(line && strlen(again) == length && !memcmp(again, line, length),
		       "a row is not what its line says");
		free(again);
		before = row->line;
		nr_known += row->known;
	}
	demand(nr_known, "a file without a known row");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of exactly this size, so that a sanitizer sees a read beyond it. */
	char *text = malloc(size ? size : 1);

	demand(text, "out of memory");
	memcpy(text, data, size);
	for (enum stat_type type = STAT_AUTO; type <= STAT_MEMORY_V2; type++) {
		struct stat_file *file = NULL;
		struct error err = {0};
		int r = stat_parse("input", text, size, type, &file, &err);

		demand(r == 0 || r == -EINVAL, "another error than -EINVAL");
		if (r)
			check_error(text, size, &err);
		else
			check_file(text, size, file);
		demand(!r == !!file, "a file and an error");
		stat_file_free(file);
	}
	free(text);
	return 0;
}
