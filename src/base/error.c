// SPDX-License-Identifier: MIT
/* See error.h. Control characters in messages come from user input and are printed escaped. */
#include "base/error.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

__attribute__((format(printf, 5, 0)))
static void fill(struct error *err, const char *file, unsigned line, unsigned column,
		 const char *format, va_list args)
{
	/* an empty name would look as if there were none */
	snprintf(err->file, sizeof(err->file), "%s", file && !*file ? "''" : file ? file : "");
	err->line = line;
	err->column = column;
	vsnprintf(err->text, sizeof(err->text), format, args);
}

int error_set(struct error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	fill(err, NULL, 0, 0, format, args);
	va_end(args);
	return code;
}

int error_set_at(struct error *err, int code, const char *file, unsigned line, unsigned column,
		 const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	fill(err, file, line, column, format, args);
	va_end(args);
	return code;
}

void error_list_add(struct error_list *list, const char *file, unsigned line, unsigned column,
		    const char *format, ...)
{
	va_list args;

	if (list->nr < ERROR_LIST_MAX) {
		va_start(args, format);
		fill(&list->items[list->nr++], file, line, column, format, args);
		va_end(args);
	}
	list->total++;
}

void error_list_append(struct error_list *list, const struct error_list *more)
{
	for (size_t i = 0; i < more->nr && list->nr < ERROR_LIST_MAX; i++)
		list->items[list->nr++] = more->items[i];
	list->total += more->total;
}

static void print_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (iscntrl((unsigned char)*text))
			fprintf(out, "\\x%02x", (unsigned char)*text);
		else
			fputc(*text, out);
	}
}

void error_print(FILE *out, const struct error *err)
{
	fputs("memcgbench: ", out);
	if (err->file[0]) {
		print_escaped(out, err->file);
		if (err->line)
			fprintf(out, ":%u", err->line);
		if (err->line && err->column)
			fprintf(out, ":%u", err->column);
		fputs(": ", out);
	}
	print_escaped(out, err->text);
	fputc('\n', out);
}

void error_list_print(FILE *out, const struct error_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		error_print(out, &list->items[i]);
	if (list->total > list->nr)
		fprintf(out, "memcgbench: %zu more not shown\n", list->total - list->nr);
}
