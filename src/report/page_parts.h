/* SPDX-License-Identifier: MIT */
/* The pieces that the page is put together from; page.html says where each stands. */
#ifndef MEMCGBENCH_REPORT_PAGE_PARTS_H
#define MEMCGBENCH_REPORT_PAGE_PARTS_H

#include "base/error.h"
#include "report/page.h"
#include "report/picture.h"
#include "report/run_groups.h"

#include <stdbool.h>
#include <stdio.h>

struct page {
	const struct run_summary *summary;
	const struct run_groups *groups;
	const struct page_options *options;
	unsigned figures; /* so many are in the page */
};

/* Each 0 or -errno with a message. */
int page_answer(struct page *page, FILE *out, struct error *err);
int page_facts(struct page *page, FILE *out, struct error *err);
int page_warnings(struct page *page, FILE *out, struct error *err);
int page_charts(struct page *page, FILE *out, struct error *err);
int page_history_link(struct page *page, FILE *out, struct error *err);
int page_history(struct page *page, FILE *out, struct error *err);
int page_tables(struct page *page, FILE *out, struct error *err);
int page_growth(struct page *page, FILE *out, struct error *err);
int page_references(struct page *page, FILE *out, struct error *err);
int page_failures(struct page *page, FILE *out, struct error *err);
int page_placement(struct page *page, FILE *out, struct error *err);
int page_nodes(struct page *page, FILE *out, struct error *err);
int page_context(struct page *page, FILE *out, struct error *err);
int page_command(struct page *page, FILE *out, struct error *err);

/* A figure: the picture in both widths, and its caption as text. */
int page_figure(struct page *page, const struct picture *picture, FILE *out, struct error *err);

/*
 * What is written for terminals in paragraphs, a label in the first `indent` columns and the text
 * beside it, taken apart again. `*at` moves on; false at the end. `text`: the caller's to free,
 * NULL when out of memory.
 */
#define PAGE_INDENT 11
struct page_paragraph {
	char label[PAGE_INDENT + 1];
	char *text;
};
bool page_next_paragraph(const char **at, struct page_paragraph *paragraph);

/* The paragraphs of `text` as a list of terms. */
int page_notes(FILE *out, const char *text, struct error *err);

bool page_any_measured(const struct run_summary *summary);

#endif
