/* SPDX-License-Identifier: MIT */
/*
 * What went wrong, where, and what would have been right.
 *
 * Errors travel up as negative errno values. The message is made where the fault is, into a
 * `struct error` that the caller owns; only the program's main prints it and exits.
 * Printed form: `memcgbench: file:line:column: text`, the parts that are not known left out.
 */
#ifndef MEMCGBENCH_BASE_ERROR_H
#define MEMCGBENCH_BASE_ERROR_H

#include <stddef.h>
#include <stdio.h>

/* Exit codes of the program. Part of its contract: see README.md. */
enum exit_code {
	EXIT_FINE = 0,
	EXIT_VERDICT = 1,    /* a negative verdict: a mismatch, a regression */
	EXIT_TROUBLE = 2,    /* usage, input, I/O, a failed repetition */
	EXIT_IMPOSSIBLE = 3, /* valid, but not possible on this machine */
};

struct error {
	char file[512];   /* "" where no file is at fault */
	unsigned line;    /* from 1; 0 where not known */
	unsigned column;  /* from 1; 0 where not known */
	char text[1024];
};

/* At most ERROR_LIST_MAX are kept; `total` counts all. */
#define ERROR_LIST_MAX 10
struct error_list {
	struct error items[ERROR_LIST_MAX];
	size_t nr;
	size_t total;
};

/* Fill `err` (may be NULL) with a message without a place and return `code`, a negative errno. */
int error_set(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with a place. `file` may be NULL, `line` and `column` 0. */
int error_set_at(struct error *err, int code, const char *file, unsigned line, unsigned column,
		 const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Add to a list; beyond ERROR_LIST_MAX only `total` grows. */
void error_list_add(struct error_list *list, const char *file, unsigned line, unsigned column,
		    const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Add what another list holds, and what it only counts. */
void error_list_append(struct error_list *list, const struct error_list *more);

/* One line each on `out`, with the program's name in front. A list that was cut says so. */
void error_print(FILE *out, const struct error *err);
void error_list_print(FILE *out, const struct error_list *list);

#endif
