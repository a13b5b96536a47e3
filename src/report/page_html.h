/* SPDX-License-Identifier: MIT */
/* Text that is safe in HTML. Everything that a page says of a run goes through here. */
#ifndef MEMCGBENCH_REPORT_PAGE_HTML_H
#define MEMCGBENCH_REPORT_PAGE_HTML_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* In text and in quoted attributes: markup becomes characters, control characters become blanks. */
void html_text(FILE *out, const char *text);
void html_text_part(FILE *out, const char *text, size_t length);
/* The same of what printf() would make. */
void html_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html_vprintf(FILE *out, const char *format, va_list args);

/* <NAME>TEXT</NAME> and a newline. */
void html_element(FILE *out, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
