// SPDX-License-Identifier: MIT
/*
 * Any bytes into captured_parse(). It must refuse them with a place that lies in them, or have read
 * them exactly: written again, what was read is the input, its comments left out.
 */
#include "fuzz/fuzz.h"
#include "memcg/captured.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void demand(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "fuzz_captured: %s\n", what);
	abort();
}

static void check_error(const char *text, size_t size, const struct error *err)
{
	const char *at = text, *end = text + size, *newline;

	demand(err->text[0] && err->line && err->column, "an error without text or place");
	for (unsigned line = err->line; line > 1; line--) {
		newline = memchr(at, '\n', (size_t)(end - at));
		demand(newline, "an error in a line that is not there");
		at = newline + 1;
	}
	newline = memchr(at, '\n', (size_t)(end - at));
	demand(err->column <= (size_t)((newline ? newline : end) - at) + 1,
	       "an error in a column that is not there");
}

/* The text without its comments, which begin lines and are in its head only. */
static size_t leave_comments_out(const char *text, size_t size, char *out)
{
	size_t length = 0;

	for (size_t i = 0; i < size;) {
		const char *newline = memchr(text + i, '\n', size - i);
		size_t line = newline ? (size_t)(newline - text) + 1 - i : size - i;

		if (text[i] != '#') {
			memcpy(out + length, text + i, line);
			length += line;
		}
		i += line;
	}
	return length;
}

static void check_captured(const char *text, size_t size, const struct captured *captured)
{
	char *again = NULL, *wanted = malloc(size + 1);
	size_t length, left;
	FILE *out = open_memstream(&again, &length);

	demand(out && wanted, "out of memory");
	captured_write(captured, "", out);
	fclose(out);
	left = leave_comments_out(text, size, wanted);
	demand(left == length && !memcmp(wanted, again, length), "it was not read exactly");
	demand(captured->hash != 0, "a hash that means no file");
	for (uint32_t i = 1; i < captured->nr; i++)
		demand(captured->parent[i] < i, "a child before its parent");
	free(again);
	free(wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct captured *captured = NULL;
	struct error err = {0};
	/* A copy of exactly this size, so that a sanitizer sees a read beyond it. */
	char *text = malloc(size ? size : 1);
	int r;

	demand(text, "out of memory");
	memcpy(text, data, size);
	r = captured_parse("input", text, size, &captured, &err);
	demand(r == 0 || r == -EINVAL, "another error than -EINVAL");
	if (r)
		check_error(text, size, &err);
	else
		check_captured(text, size, captured);
	demand(!r == !!captured, "a tree and an error");
	captured_free(captured);
	free(text);
	return 0;
}
