// SPDX-License-Identifier: MIT
/*
 * See page.h. page.html says where everything stands: each {{name}} in it is replaced by what the
 * slot of that name writes. Style and script are part of the page, and its policy names them by
 * their digests: nothing else can run, and nothing can be loaded.
 */
#include "report/page.h"

#include "base/build.h"
#include "base/file.h"
#include "report/page_html.h"
#include "report/page_parts.h"
#include "report/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int put_source(const char *name, FILE *out, struct error *err)
{
	const struct source *source = source_find(name);

	if (!source)
		return error_set(err, -ENOENT, "the program has no %s", name);
	fwrite(source->text, 1, source->length, out);
	return 0;
}

static int put_digest(const char *name, FILE *out, struct error *err)
{
	const struct source *source = source_find(name);

	if (!source)
		return error_set(err, -ENOENT, "the program has no %s", name);
	fputs(source->digest, out);
	return 0;
}

static int put_style(struct page *page, FILE *out, struct error *err)
{
	(void)page;
	return put_source("page.css", out, err);
}

static int put_script(struct page *page, FILE *out, struct error *err)
{
	(void)page;
	return put_source("page.js", out, err);
}

static int put_style_digest(struct page *page, FILE *out, struct error *err)
{
	(void)page;
	return put_digest("page.css", out, err);
}

static int put_script_digest(struct page *page, FILE *out, struct error *err)
{
	(void)page;
	return put_digest("page.js", out, err);
}

static int put_title(struct page *page, FILE *out, struct error *err)
{
	const struct run_summary *summary = page->summary;

	(void)err;
	html_text(out, summary->title ? summary->title : summary->scenario);
	return 0;
}

static int put_version(struct page *page, FILE *out, struct error *err)
{
	(void)page;
	(void)err;
	html_text(out, build_version());
	return 0;
}

static const struct {
	const char *name;
	int (*put)(struct page *page, FILE *out, struct error *err);
} slots[] = {
	{"style", put_style},
	{"style-digest", put_style_digest},
	{"script", put_script},
	{"script-digest", put_script_digest},
	{"title", put_title},
	{"version", put_version},
	{"facts", page_facts},
	{"answer", page_answer},
	{"warnings", page_warnings},
	{"charts", page_charts},
	{"history-link", page_history_link},
	{"history", page_history},
	{"tables", page_tables},
	{"growth", page_growth},
	{"references", page_references},
	{"failures", page_failures},
	{"placement", page_placement},
	{"nodes", page_nodes},
	{"context", page_context},
	{"command", page_command},
};

static int put_slot(struct page *page, const char *name, size_t length, FILE *out,
		    struct error *err)
{
	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++)
		if (strlen(slots[i].name) == length && !memcmp(slots[i].name, name, length))
			return slots[i].put(page, out, err);
	return error_set(err, -EINVAL, "page.html has no slot '%.*s'", (int)length, name);
}

static int put_page(struct page *page, const char *text, FILE *out, struct error *err)
{
	const char *open, *close;
	int r = 0;

	while (!r && (open = strstr(text, "{{")) && (close = strstr(open, "}}"))) {
		fwrite(text, 1, (size_t)(open - text), out);
		r = put_slot(page, open + 2, (size_t)(close - open - 2), out, err);
		text = close + 2;
	}
	if (!r)
		fputs(text, out);
	return r;
}

int page_write(const struct run_summary *summary, const struct page_options *options,
	       struct error *err)
{
	struct run_groups *groups = run_groups_new(summary);
	struct page page = {.summary = summary, .groups = groups, .options = options};
	const struct source *template = source_find("page.html");
	char *text = NULL;
	size_t length = 0;
	FILE *out = groups ? open_memstream(&text, &length) : NULL;
	int r = 0;

	if (!out)
		r = error_set(err, -ENOMEM, "out of memory");
	else if (!template)
		r = error_set(err, -ENOENT, "the program has no page.html");
	else
		r = put_page(&page, template->text, out, err);
	if (out && fclose(out) && !r)
		r = error_set(err, -ENOMEM, "out of memory");
	if (!r)
		r = file_write_output(options->path, text, length, err);
	free(text);
	run_groups_free(groups);
	return r;
}
