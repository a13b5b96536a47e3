/* SPDX-License-Identifier: MIT */
/*
 * The one table printer: columns aligned for a terminal, tab-separated values, or Markdown. Widths
 * are counted in characters of UTF-8.
 */
#ifndef MEMCGBENCH_REPORT_TABLE_H
#define MEMCGBENCH_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

struct table;

enum table_align {
	ALIGN_LEFT,
	ALIGN_RIGHT
};

struct table *table_new(void); /* NULL: out of memory; all other functions then accept NULL */
void table_free(struct table *table);
void table_column(struct table *table, const char *title, enum table_align align);
void table_row(struct table *table); /* starts a row */
/* Text across all columns, in terminals only, wrapped at `indent` below itself. */
void table_heading(struct table *table, unsigned indent, const char *label, const char *text);
void table_cell(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3))); /* the next cell of the row; tabs become blanks */

/* What the cell just added stands for, in base units ("ns", "bytes", "1"): for pages, which sort by
 * it. NAN is not known. */
void table_value(struct table *table, double value, const char *unit);

#define TABLE_COLUMNS 80

/* Characters of the longest line, headings aside. */
size_t table_width(const struct table *table);

/* Two blanks between columns, or one where the table is then no wider than TABLE_COLUMNS and is
 * else; titles first, no trailing blanks. 0 or -EIO/-ENOMEM. */
int table_print(const struct table *table, FILE *out);
int table_print_tsv(const struct table *table, FILE *out);
/* A table of GitHub's Markdown; headings become rows of their own, in bold. */
int table_print_markdown(const struct table *table, FILE *out);
/* An HTML table in a box that can be scrolled, called `label`; the first `nr_keys` columns say what
 * a row is about. */
int table_print_html(const struct table *table, const char *id, const char *label, size_t nr_keys,
		     FILE *out);

#endif
