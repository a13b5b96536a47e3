// SPDX-License-Identifier: MIT
/* See wrap.h. */
#include "report/wrap.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Characters of UTF-8 in bytes [text, text + length). */
static unsigned characters(const char *text, size_t length)
{
	unsigned width = 0;

	for (size_t i = 0; i < length; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

/* Bytes of the first `wide` characters of a text that has as many. */
static size_t bytes_of(const char *text, unsigned wide)
{
	size_t length = 0;

	while (wide || ((unsigned char)text[length] & 0xc0) == 0x80) {
		wide -= ((unsigned char)text[length] & 0xc0) != 0x80;
		length++;
	}
	return length;
}

static size_t word_length(const char *text)
{
	size_t length = 0;

	/* "3 %" is one word */
	while (((unsigned char)text[length] > ' ' && text[length] != 0x7f) ||
	       (length && text[length] == ' ' && text[length + 1] == '%'))
		length++;
	return length;
}

void wrap_lines(FILE *out, unsigned width, unsigned indent, const char *label, const char *text)
{
	unsigned column = characters(label, strlen(label));
	bool first = true;

	fputs(label, out);
	while (*text) {
		size_t length = word_length(text);
		unsigned wide = characters(text, length);

		if (!length) {
			text++;
			continue;
		}
		if (!first && column + 1 + wide > width) {
			fputc('\n', out);
			column = 0;
			first = true;
		}
		if (first)
			fprintf(out, "%*s", column < indent ? (int)(indent - column) : !!column,
				"");
		else
			fputc(' ', out);
		column = first ? (column < indent ? indent : column + !!column) : column + 1;
		if (column + wide > width) { /* what is too long for any line goes on in the next */
			wide = column < width ? width - column : 1;
			length = bytes_of(text, wide);
		}
		fwrite(text, 1, length, out);
		column += wide;
		text += length;
		first = false;
	}
	fputc('\n', out);
}

void wrap_print(FILE *out, unsigned indent, const char *label, const char *text)
{
	wrap_lines(out, TERMINAL_COLUMNS, indent, label, text);
}

void wrap_printf(FILE *out, unsigned indent, const char *label, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0) { /* out of memory: the format alone is better than nothing */
		wrap_print(out, indent, label, format);
		return;
	}
	wrap_print(out, indent, label, text);
	free(text);
}
