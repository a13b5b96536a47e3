/* SPDX-License-Identifier: MIT */
/* gnuplot's SVG made part of a page. */
#ifndef MEMCGBENCH_REPORT_PAGE_SVG_H
#define MEMCGBENCH_REPORT_PAGE_SVG_H

#include <stdio.h>

/*
 * Write the <svg> element of gnuplot's file. Its ids get `prefix` in front, so that several may
 * stand in one page; the colours of style.gp become variables of the page's style, so that they
 * follow its theme; styles become attributes, as the page's policy forbids inline styles; names and
 * remarks of gnuplot's own, elements without content, and whatever could run or load something are
 * left out. `title` and `description` are for those who cannot see it.
 * 0, or -EPROTO where it is not the SVG of gnuplot.
 */
int page_svg_put(FILE *out, const char *svg, const char *prefix, const char *shape,
		 const char *title, const char *description);

#endif
