// SPDX-License-Identifier: MIT
/* See paragraph.h. */
#include "report/paragraph.h"

#include "report/wrap.h"

#include <stdarg.h>
#include <stdlib.h>

void paragraph_begin(struct paragraph *p)
{
	*p = (struct paragraph){0};
	p->out = open_memstream(&p->text, &p->length);
}

void paragraph_say(struct paragraph *p, const char *separator, const char *key, const char *value)
{
	paragraph_printf(p, separator, "%s%s%s", key, *key ? " " : "", value);
}

void paragraph_printf(struct paragraph *p, const char *separator, const char *format, ...)
{
	va_list args;

	if (p->out) {
		if (p->begun)
			fputs(separator, p->out);
		va_start(args, format);
		vfprintf(p->out, format, args);
		va_end(args);
	}
	p->begun = true;
}

void paragraph_end(struct paragraph *p, unsigned width, unsigned indent, const char *label,
		   FILE *out)
{
	if (!p->out || fclose(p->out))
		wrap_lines(out, width, indent, label, "(out of memory)");
	else if (p->begun)
		wrap_lines(out, width, indent, label, p->text);
	free(p->text);
}
