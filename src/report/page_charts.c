// SPDX-License-Identifier: MIT
/* See page_parts.h: the figures. */
#include "report/charts.h"
#include "report/page_html.h"
#include "report/page_parts.h"
#include "report/page_svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Captions come in lines; a page breaks them where it is wide. */
static char *caption_text(const struct picture *picture)
{
	char *text = picture->caption(picture->data, 1u << 20);

	for (char *c = text; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	return text;
}

/* The picture once, wide or narrow; which is shown is a matter of style. */
static int put_svg(struct page *page, const struct picture *picture, bool narrow,
		   const char *caption, FILE *out, struct error *err)
{
	char prefix[32], *svg = NULL;
	int r = picture_svg(picture, page->options->scripts, narrow, &svg, err);

	if (r)
		return r;
	snprintf(prefix, sizeof(prefix), "%c%u-", narrow ? 'n' : 'w', page->figures);
	r = page_svg_put(out, svg, prefix, narrow ? "narrow" : "wide", picture->title, caption);
	if (r)
		error_set(err, r, "what gnuplot drew of %s.gp is no svg picture", picture->name);
	free(svg);
	return r;
}

int page_figure(struct page *page, const struct picture *picture, FILE *out, struct error *err)
{
	char *caption = caption_text(picture);
	int r;

	if (!caption)
		return error_set(err, -ENOMEM, "out of memory");
	page->figures++;
	fprintf(out, "<figure id=\"figure-%u\">\n<h3>", page->figures);
	html_text(out, picture->title);
	fputs("</h3>\n", out);
	r = put_svg(page, picture, false, caption, out, err);
	if (!r)
		r = put_svg(page, picture, true, caption, out, err);
	html_element(out, "figcaption", "%s", caption);
	fputs("</figure>\n", out);
	free(caption);
	return r;
}

struct drawing {
	struct page *page;
	FILE *out;
};

static int visit(const struct picture *picture, void *arg, struct error *err)
{
	struct drawing *drawing = arg;

	return page_figure(drawing->page, picture, drawing->out, err);
}

int page_charts(struct page *page, FILE *out, struct error *err)
{
	struct drawing drawing = {page, out};
	int r;

	if (!page_any_measured(page->summary)) {
		html_element(out, "p", "Nothing was measured, so there is nothing to draw.");
		return 0;
	}
	r = picture_check_scripts(page->options->scripts, err);
	return r ? r : charts_visit(page->summary, visit, &drawing, err);
}
