/* SPDX-License-Identifier: MIT */
/*
 * A run as one HTML page that needs nothing else: no network, no other file. It can be mailed, and
 * opens from a file.
 */
#ifndef MEMCGBENCH_REPORT_PAGE_H
#define MEMCGBENCH_REPORT_PAGE_H

#include "base/error.h"
#include "result/summary.h"

struct page_options {
	const char *path; /* of the page; written at once or not at all */
	const char *scripts; /* as in struct chart_options */
	const char *history; /* a directory of records to show beside the run, or NULL */
};

/* Errors are those of drawing (picture.h), of the history, and of writing. A run without results
 * has a page, too, that says so. */
int page_write(const struct run_summary *summary, const struct page_options *options,
	       struct error *err);

#endif
