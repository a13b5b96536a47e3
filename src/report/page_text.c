// SPDX-License-Identifier: MIT
/* See page_parts.h: prose that is written for terminals (wrap.h), in a page. */
#include "report/page_html.h"
#include "report/page_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A line's text without the blanks around it. */
static void add_line(FILE *out, const char *text, size_t length, bool first)
{
	while (length && *text == ' ') {
		text++;
		length--;
	}
	if (!first && length)
		fputc(' ', out);
	fwrite(text, 1, length, out);
}

static bool continues(const char *line)
{
	return *line && strspn(line, " ") >= PAGE_INDENT;
}

bool page_next_paragraph(const char **at, struct page_paragraph *paragraph)
{
	const char *line = *at;
	size_t length, lead, label;
	FILE *out;

	line += strspn(line, "\n");
	if (!*line)
		return false;
	length = strcspn(line, "\n");
	lead = strspn(line, " ");
	label = length < PAGE_INDENT ? length : PAGE_INDENT;
	if (lead > label)
		lead = label;
	snprintf(paragraph->label, sizeof(paragraph->label), "%.*s", (int)(label - lead),
		 line + lead);
	for (char *end = paragraph->label + strlen(paragraph->label);
	     end > paragraph->label && end[-1] == ' ';)
		*--end = '\0';

	paragraph->text = NULL;
	out = open_memstream(&paragraph->text, &(size_t){0});
	if (out)
		add_line(out, line + label, length - label, true);
	for (line += length; *line == '\n' && continues(line + 1); line += length) {
		line++;
		length = strcspn(line, "\n");
		if (out)
			add_line(out, line, length, false);
	}
	if (out && fclose(out)) {
		free(paragraph->text);
		paragraph->text = NULL;
	}
	*at = line;
	return true;
}

int page_notes(FILE *out, const char *text, struct error *err)
{
	struct page_paragraph paragraph;
	bool any = false;

	while (page_next_paragraph(&text, &paragraph)) {
		if (!paragraph.text)
			return error_set(err, -ENOMEM, "out of memory");
		if (!any)
			fputs("<dl class=\"notes\">\n", out);
		any = true;
		html_element(out, "dt", "%s", paragraph.label);
		html_element(out, "dd", "%s", paragraph.text);
		free(paragraph.text);
	}
	if (any)
		fputs("</dl>\n", out);
	return 0;
}

bool page_any_measured(const struct run_summary *summary)
{
	for (size_t p = 0; p < summary->nr_points; p++)
		for (size_t b = 0; b < summary->points[p].nr_backends; b++)
			if (summary->points[p].backends[b].processes)
				return true;
	return false;
}
