// SPDX-License-Identifier: MIT
/* See page_parts.h: the run among others of its kind, where a directory of records is at hand. */
#include "base/file.h"
#include "report/history_charts.h"
#include "report/page_html.h"
#include "report/page_parts.h"
#include "result/document.h"
#include "stats/change_points.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

struct drawing {
	struct page *page;
	FILE *out;
};

static int visit(const struct picture *picture, void *arg, struct error *err)
{
	struct drawing *drawing = arg;

	return page_figure(drawing->page, picture, drawing->out, err);
}

/* Reading is strict: a page must not leave out what cannot be read. */
static int load(const char *directory, struct history **history, struct error *err)
{
	const struct metric *shown[] = {metric_find("p50", 3), metric_find("update", 6)};
	struct history_options options = {
		.metrics = shown, .nr_metrics = 2, .min_effect = change_rules_default.min_effect};
	struct error_list faults = {0};
	int r = history_load(directory, &options, history, &faults);

	if (!r && history_search(*history, &options)) {
		history_free(*history);
		*history = NULL;
		return error_set(err, -ENOMEM, "out of memory");
	}
	if (r && faults.nr)
		*err = faults.items[0];
	else if (r)
		error_set_at(err, r, directory, 0, 0, "the history cannot be read");
	return r;
}

static int put_history(struct page *page, const struct history *history, FILE *out,
		       struct error *err)
{
	struct drawing drawing = {page, out};
	char left_out[HISTORY_LEFT_OUT_MAX];
	int r;

	fputs("<section id=\"history\">\n<h2>History</h2>\n", out);
	html_element(
		out, "p",
		"%zu runs in order of time. The line is the level between changes, a band around "
		"it the noise of the same build against itself, where that was measured.",
		history->nr_records);
	if (history->worse)
		html_element(out, "p",
			     "The newest change of at least one series is for the worse.");
	if (history_charts_left_out(history, left_out)[0])
		html_element(out, "p", "%s", left_out);
	r = history_charts_visit(history, visit, &drawing, err);
	fputs("</section>\n", out);
	return r;
}

/* The one that was named, or that of the run's directory; NULL: there is none. */
static const char *find_directory(const struct page *page, char own[PATH_MAX])
{
	struct stat status;

	if (page->options->history)
		return page->options->history;
	if (join_path(own, page->summary->path, "history", NULL) || stat(own, &status) ||
	    !S_ISDIR(status.st_mode))
		return NULL;
	return own;
}

int page_history_link(struct page *page, FILE *out, struct error *err)
{
	char own[PATH_MAX];

	(void)err;
	if (find_directory(page, own))
		fputs("<a href=\"#history\">History</a>", out);
	return 0;
}

int page_history(struct page *page, FILE *out, struct error *err)
{
	struct history *history = NULL;
	char own[PATH_MAX];
	const char *directory = find_directory(page, own);
	int r;

	if (!directory)
		return 0;
	r = load(directory, &history, err);
	if (!r)
		r = put_history(page, history, out, err);
	history_free(history);
	return r;
}
