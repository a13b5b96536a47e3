/* SPDX-License-Identifier: MIT */
/* A paragraph in the making: pieces with separators between them, wrapped when it is complete. */
#ifndef MEMCGBENCH_REPORT_PARAGRAPH_H
#define MEMCGBENCH_REPORT_PARAGRAPH_H

#include <stdbool.h>
#include <stdio.h>

struct paragraph {
	FILE *out; /* NULL when memory ran out: paragraph_end() says so */
	char *text;
	size_t length;
	bool begun; /* a separator is due */
};

void paragraph_begin(struct paragraph *p);

/* "key value", or the value alone where the key is "". */
void paragraph_say(struct paragraph *p, const char *separator, const char *key, const char *value);
void paragraph_printf(struct paragraph *p, const char *separator, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Print it, unless nothing was said, and be done with it. */
void paragraph_end(struct paragraph *p, unsigned width, unsigned indent, const char *label,
		   FILE *out);

#endif
