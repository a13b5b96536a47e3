/* SPDX-License-Identifier: MIT */
/* Prose in lines: a label, and text broken at blanks and indented under itself. */
#ifndef MEMCGBENCH_REPORT_WRAP_H
#define MEMCGBENCH_REPORT_WRAP_H

#include <stdio.h>

#define TERMINAL_COLUMNS 80

/* Lines of at most `width` characters. `label` takes the first `indent` columns (at least one blank
 * follows it). A word that is longer than a line goes on in the next; "3 %" is one word.
 * Control characters become blanks. */
void wrap_lines(FILE *out, unsigned width, unsigned indent, const char *label, const char *text);
/* The same for a terminal. */
void wrap_print(FILE *out, unsigned indent, const char *label, const char *text);
void wrap_printf(FILE *out, unsigned indent, const char *label, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
