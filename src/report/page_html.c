// SPDX-License-Identifier: MIT
/* See page_html.h. */
#include "report/page_html.h"

#include <stdlib.h>
#include <string.h>

void html_text_part(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '&')
			fputs("&amp;", out);
		else if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '"')
			fputs("&quot;", out);
		else if (c == '\'')
			fputs("&#39;", out);
		else
			fputc(c < 0x20 || c == 0x7f ? ' ' : c, out);
	}
}

void html_text(FILE *out, const char *text)
{
	html_text_part(out, text, strlen(text));
}

void html_vprintf(FILE *out, const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0) {
		html_text(out, "(out of memory)");
		return;
	}
	html_text(out, text);
	free(text);
}

void html_printf(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	html_vprintf(out, format, args);
	va_end(args);
}

void html_element(FILE *out, const char *name, const char *format, ...)
{
	va_list args;

	fprintf(out, "<%s>", name);
	va_start(args, format);
	html_vprintf(out, format, args);
	va_end(args);
	fprintf(out, "</%s>\n", name);
}
