// SPDX-License-Identifier: MIT
/*
 * See page_svg.h. It goes from tag to tag and needs no more of XML than gnuplot writes: elements,
 * quoted attributes, text with entities.
 */
#include "report/page_svg.h"

#include "report/page_html.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct span {
	const char *text;
	size_t length;
};

struct attribute {
	struct span name, value;
};

/* What style.gp draws with, and the page's name for it (page.css). */
static const struct {
	unsigned red, green, blue;
	const char *variable;
} colours[] = {
	{0, 0, 0, "currentColor"},       {255, 255, 255, "var(--paper)"},
	{242, 242, 242, "var(--shade)"}, {204, 204, 204, "var(--grid)"},
	{187, 187, 187, "var(--grid)"},  {119, 119, 119, "var(--mark)"},
	{102, 102, 102, "var(--mark)"},  {85, 85, 85, "var(--quiet)"},
	{68, 68, 68, "var(--quiet)"},    {0, 114, 178, "var(--line-0)"},
	{230, 159, 0, "var(--line-1)"},  {204, 121, 167, "var(--line-3)"},
	{0, 158, 115, "var(--line-4)"},  {86, 180, 233, "var(--line-5)"},
	{213, 94, 0, "var(--line-6)"},
};

static bool is(struct span span, const char *word)
{
	return span.length == strlen(word) && !memcmp(span.text, word, span.length);
}

static bool starts(struct span span, const char *word)
{
	return span.length >= strlen(word) && !memcmp(span.text, word, strlen(word));
}

/* "rgb( 68,  68,  68)", "#FFFFFF", "black": the page's variable where it has one, else NULL. */
static const char *variable_of(struct span value)
{
	unsigned red, green, blue;
	char text[32];

	if (value.length >= sizeof(text))
		return NULL;
	memcpy(text, value.text, value.length);
	text[value.length] = '\0';
	if (!strcmp(text, "black"))
		return "currentColor";
	if (!strcmp(text, "white"))
		return "var(--paper)";
	if (!strcmp(text, "gray"))
		return "var(--grid)";
	if (sscanf(text, "rgb(%u,%u,%u)", &red, &green, &blue) != 3 &&
	    sscanf(text, "#%2x%2x%2x", &red, &green, &blue) != 3)
		return NULL;
	for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++)
		if (colours[i].red == red && colours[i].green == green && colours[i].blue == blue)
			return colours[i].variable;
	return NULL;
}

/* gnuplot has escaped what needs it, but for quotes of the other kind. */
static void put_raw(FILE *out, struct span value)
{
	for (size_t i = 0; i < value.length; i++) {
		if (value.text[i] == '"')
			fputs("&quot;", out);
		else if (value.text[i] == '<')
			fputs("&lt;", out);
		else
			fputc(value.text[i], out);
	}
}

static void put_value(FILE *out, struct span name, struct span value, const char *prefix)
{
	const char *variable = variable_of(value);

	fprintf(out, " %.*s=\"", (int)name.length, name.text);
	if (is(name, "id")) {
		fputs(prefix, out);
		put_raw(out, value);
	} else if (starts(value, "url(#")) {
		fprintf(out, "url(#%s", prefix);
		put_raw(out, (struct span){value.text + 5, value.length - 5});
	} else if (variable) {
		fputs(variable, out);
	} else {
		put_raw(out, value);
	}
	fputc('"', out);
}

/* "stroke:black; fill:none" as attributes. */
static void put_style(FILE *out, struct span style, const char *prefix)
{
	while (style.length) {
		const char *end = memchr(style.text, ';', style.length);
		size_t length = end ? (size_t)(end - style.text) : style.length;
		const char *colon = memchr(style.text, ':', length);
		struct span name, value;

		if (colon) {
			name = (struct span){style.text, (size_t)(colon - style.text)};
			while (name.length && isspace((unsigned char)name.text[0]))
				name = (struct span){name.text + 1, name.length - 1};
			value = (struct span){colon + 1, length - (size_t)(colon + 1 - style.text)};
			while (value.length && isspace((unsigned char)value.text[0]))
				value = (struct span){value.text + 1, value.length - 1};
			put_value(out, name, value, prefix);
		}
		length += end != NULL;
		style = (struct span){style.text + length, style.length - length};
	}
}

static void put_attribute(FILE *out, const struct attribute *attribute, const char *prefix)
{
	struct span value = attribute->value;

	if (starts(attribute->name, "on") || is(attribute->name, "font-family"))
		return;
	if (is(attribute->name, "style")) {
		put_style(out, value, prefix);
	} else if (is(attribute->name, "xlink:href") || is(attribute->name, "href")) {
		if (!starts(value, "#"))
			return;
		fprintf(out, " href=\"#%s", prefix);
		put_raw(out, (struct span){value.text + 1, value.length - 1});
		fputc('"', out);
	} else {
		put_value(out, attribute->name, value, prefix);
	}
}

/* The next attribute of a tag, from `*at`; false at its end. */
static bool next_attribute(const char **at, const char *end, struct attribute *attribute)
{
	const char *p = *at, *close;
	char quote;

	while (p < end && (isspace((unsigned char)*p) || *p == '/'))
		p++;
	attribute->name.text = p;
	while (p < end && *p != '=' && !isspace((unsigned char)*p))
		p++;
	attribute->name.length = (size_t)(p - attribute->name.text);
	while (p < end && (isspace((unsigned char)*p) || *p == '='))
		p++;
	if (p >= end || (*p != '"' && *p != '\''))
		return false;
	quote = *p++;
	close = memchr(p, quote, (size_t)(end - p));
	if (!close)
		return false;
	attribute->value = (struct span){p, (size_t)(close - p)};
	*at = close + 1;
	return true;
}

/* The '>' that ends the tag at `tag`, past quotes; NULL: there is none. */
static const char *tag_end(const char *tag)
{
	char quote = 0;

	for (; *tag; tag++) {
		if (quote)
			quote = *tag == quote ? 0 : quote;
		else if (*tag == '"' || *tag == '\'')
			quote = *tag;
		else if (*tag == '>')
			return tag;
	}
	return NULL;
}

static struct span tag_name(const char *tag)
{
	return (struct span){tag + 1, strcspn(tag + 1, " \t\r\n/>")};
}

/* Past the element that begins at `tag` and holds no other of its name. */
static const char *past_element(const char *tag, const char *end)
{
	struct span name = tag_name(tag);
	const char *p = end;

	if (end[-1] == '/')
		return end + 1;
	while ((p = strstr(p, "</"))) {
		p += 2;
		if (!strncmp(p, name.text, name.length)) {
			p = strchr(p, '>');
			return p ? p + 1 : NULL;
		}
	}
	return NULL;
}

/* A group that gnuplot opened in vain: past its end, or NULL. */
static const char *past_empty_group(const char *tag, const char *end)
{
	const char *p = end + 1;

	if (!is(tag_name(tag), "g"))
		return NULL;
	p += strspn(p, " \t\r\n");
	return strncmp(p, "</g>", 4) ? NULL : p + 4;
}

/* The sheet of paper below the drawing: the page has its own. */
static bool is_background(const char *tag, const char *end)
{
	struct attribute attribute;
	const char *at = tag + 1 + tag_name(tag).length;
	bool white = false, corner = false;

	if (!is(tag_name(tag), "rect"))
		return false;
	while (next_attribute(&at, end, &attribute)) {
		white |= is(attribute.name, "fill") && is(attribute.value, "#ffffff");
		corner |= is(attribute.name, "x") && is(attribute.value, "0");
	}
	return white && corner;
}

static bool is_left_out(struct span name)
{
	static const char *const words[] = {"title", "desc",  "script",        "style",
					    "a",     "image", "foreignObject", "metadata"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is(name, words[i]))
			return true;
	return false;
}

static int put_root(FILE *out, const char *tag, const char *end, const char *prefix,
		    const char *shape, const char *title, const char *description)
{
	struct span name = tag_name(tag), box = {NULL, 0};
	const char *at = tag + 1 + name.length;
	struct attribute attribute;

	while (next_attribute(&at, end, &attribute))
		if (is(attribute.name, "viewBox"))
			box = attribute.value;
	if (!box.length)
		return -EPROTO;
	fprintf(out, "<svg class=\"chart %s\" viewBox=\"", shape);
	put_raw(out, box);
	fprintf(out, "\" role=\"img\" aria-labelledby=\"%stitle %sdesc\"><title id=\"%stitle\">",
		prefix, prefix, prefix);
	html_text(out, title);
	fprintf(out, "</title><desc id=\"%sdesc\">", prefix);
	html_text(out, description);
	fputs("</desc>", out);
	return 0;
}

static void put_tag(FILE *out, const char *tag, const char *end, const char *prefix)
{
	struct span name = tag_name(tag);
	const char *at = tag + 1 + name.length;
	struct attribute attribute;

	fprintf(out, "<%.*s", (int)name.length, name.text);
	while (next_attribute(&at, end, &attribute))
		put_attribute(out, &attribute, prefix);
	fputs(end[-1] == '/' ? "/>" : ">", out);
}

/* Text between tags: blanks that only lay out the source are dropped. */
static void put_between(FILE *out, struct span text)
{
	size_t blanks = 0;

	while (blanks < text.length && isspace((unsigned char)text.text[blanks]))
		blanks++;
	if (blanks < text.length)
		fwrite(text.text, 1, text.length, out);
	else if (memchr(text.text, '\n', text.length))
		fputc('\n', out);
}

/* One tag; returns what follows it, NULL where it has no end. */
static const char *put_element(FILE *out, const char *tag, const char *prefix)
{
	const char *end = tag_end(tag), *past;

	if (!strncmp(tag, "<!--", 4)) {
		past = strstr(tag, "-->");
		return past ? past + 3 : NULL;
	}
	/* gnuplot writes no text that is not escaped. */
	if (!end || !strncmp(tag, "<![", 3))
		return NULL;
	if (tag[1] == '?' || tag[1] == '!')
		return end + 1;
	if (tag[1] == '/') {
		if (!is_left_out(tag_name(tag + 1)))
			fwrite(tag, 1, (size_t)(end + 1 - tag), out);
		return end + 1;
	}
	if (is_left_out(tag_name(tag)))
		return past_element(tag, end);
	if (is_background(tag, end))
		return end + 1;
	past = past_empty_group(tag, end);
	if (past)
		return past;
	put_tag(out, tag, end, prefix);
	return end + 1;
}

int page_svg_put(FILE *out, const char *svg, const char *prefix, const char *shape,
		 const char *title, const char *description)
{
	const char *p = strstr(svg, "<svg"), *end = p ? tag_end(p) : NULL, *next;

	if (!end || put_root(out, p, end, prefix, shape, title, description))
		return -EPROTO;
	for (p = end + 1; *p; p = next) {
		if (*p == '<') {
			next = put_element(out, p, prefix);
			if (!next)
				return -EPROTO;
			continue;
		}
		next = p + strcspn(p, "<");
		put_between(out, (struct span){p, (size_t)(next - p)});
	}
	fputc('\n', out);
	return 0;
}
