// SPDX-License-Identifier: MIT
/* See charts.h. Decides which charts there are, and puts their files in place. */
#include "report/charts.h"

#include "base/file.h"
#include "report/chart_data.h"
#include "report/chart_scripts.h"
#include "report/charts_settings.h"
#include "report/gnuplot.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PICTURE_SECONDS 60
#define MAX_SCRIPT      ((size_t)1 << 20)
#define CAPTION_COLUMNS 79

struct chart {
	const struct chart_view *view;
	enum chart_kind kind;
	char name[64]; /* of its files, without an ending */
};

static const struct {
	const char *script;
	void (*put_data)(const struct chart_view *view, FILE *out);
} kinds[] = {
	[CHART_LATENCY] = {"latency.gp", chart_latency_tsv},
	[CHART_BACKENDS] = {"backends.gp", chart_latency_tsv},
	[CHART_SPECTRUM] = {"spectrum.gp", chart_spectrum_tsv},
	[CHART_RATIO] = {"ratio.gp", chart_ratio_tsv},
};

/*
 * A signal that ends the program between the temporary name and the rename would leave a file
 * behind; it waits for the few milliseconds that takes.
 */
static int write_whole(const char *path, const char *data, size_t length, struct error *err)
{
	sigset_t ending, before;
	int r;

	sigemptyset(&ending);
	sigaddset(&ending, SIGHUP);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigprocmask(SIG_BLOCK, &ending, &before);
	r = file_write_atomic(path, data, length, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

/* Write DIRECTORY/NAME.ENDING and say so. */
static int put_file(const struct chart *chart, const struct chart_options *options,
		    const char *ending, const char *data, size_t length, struct error *err)
{
	char path[PATH_MAX];
	int r;

	if (snprintf(path, sizeof(path), "%s/%s.%s", options->directory, chart->name, ending) >=
	    (int)sizeof(path))
		return error_set_at(err, -ENAMETOOLONG, options->directory, 0, 0,
				    "the path is too long");
	r = write_whole(path, data, length, err);
	if (!r && options->out)
		fprintf(options->out, "%s\n", path);
	return r;
}

/* The script of that name: the caller's directory first, if it has one. Owned by the caller. */
static int load_script(const char *directory, const char *name, char **text, struct error *err)
{
	char path[PATH_MAX];
	size_t length;

	if (directory) {
		if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
			return error_set_at(err, -ENAMETOOLONG, directory, 0, 0,
					    "the path is too long");
		if (access(path, F_OK) == 0)
			return file_read(path, MAX_SCRIPT, text, &length, err);
	}
	for (const struct chart_script *script = chart_scripts; script->name; script++)
		if (!strcmp(script->name, name)) {
			*text = strndup(script->text, script->length);
			return *text ? 0 : error_set(err, -ENOMEM, "out of memory");
		}
	return error_set(err, -ENOENT, "there is no script %s", name);
}

/* A directory that replaces nothing is a mistake in its name. */
static int check_scripts(const char *directory, struct error *err)
{
	char names[256] = "", path[PATH_MAX];

	if (!directory)
		return 0;
	for (const struct chart_script *script = chart_scripts; script->name; script++) {
		size_t used = strlen(names);

		snprintf(path, sizeof(path), "%s/%s", directory, script->name);
		if (access(path, F_OK) == 0)
			return 0;
		snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
			 script->name);
	}
	return error_set_at(err, -EINVAL, directory, 0, 0, "holds none of the scripts (%s)", names);
}

/* Settings, style and the drawing script, one behind the other: a script that stands alone. */
static int make_script(const struct chart *chart, const struct chart_options *options, char **text,
		       size_t *length, struct error *err)
{
	char *style = NULL, *draw = NULL;
	FILE *out = NULL;
	int r = load_script(options->scripts, "style.gp", &style, err);

	if (!r)
		r = load_script(options->scripts, kinds[chart->kind].script, &draw, err);
	if (!r) {
		out = open_memstream(text, length);
		if (out)
			r = chart_settings(chart->view, chart->kind, chart->name, out);
		if (out && !r)
			fprintf(out, "%s\n%s", style, draw);
		if (!out || fclose(out) || r)
			r = error_set(err, -ENOMEM, "out of memory");
	}
	free(style);
	free(draw);
	return r;
}

static int put_sources(const struct chart *chart, const struct chart_options *options,
		       struct error *err)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int r = 0;

	if (out)
		kinds[chart->kind].put_data(chart->view, out);
	if (!out || fclose(out))
		r = error_set(err, -ENOMEM, "out of memory");
	if (!r)
		r = put_file(chart, options, "tsv", text, length, err);
	free(text);
	text = NULL;
	if (!r)
		r = make_script(chart, options, &text, &length, err);
	if (!r)
		r = put_file(chart, options, "gp", text, length, err);
	free(text);
	return r;
}

/*
 * For a terminal of unknown encoding: ASCII, with one '?' for each other character; no form feed,
 * and no blanks at the ends of lines.
 */
static void put_ascii(FILE *out, const char *text)
{
	size_t blanks = 0;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == ' ') {
			blanks++;
		} else if (c == '\n') {
			fputc(c, out);
			blanks = 0;
		} else if (c > ' ' && (c < 0x80 || c >= 0xc0)) {
			fprintf(out, "%*s%c", (int)blanks, "", c < 0x80 ? c : '?');
			blanks = 0;
		}
	}
}

static int put_dumb(const struct chart *chart, const char *picture, FILE *out, struct error *err)
{
	char *caption = chart_caption(chart->view, chart->kind, CAPTION_COLUMNS);

	if (!caption)
		return error_set(err, -ENOMEM, "out of memory");
	put_ascii(out, picture);
	fputc('\n', out);
	put_ascii(out, caption);
	fputc('\n', out);
	free(caption);
	return 0;
}

/* Whatever stands in for gnuplot in PATH may end well and print something else. */
static bool is_picture(const char *picture, const char *data, size_t length)
{
	static const char png[] = "\x89PNG\r\n";

	if (!strcmp(picture, "png"))
		return length > sizeof(png) && !memcmp(data, png, sizeof(png) - 1);
	return strcmp(picture, "svg") || memmem(data, length, "<svg", 4);
}

static int draw(const struct chart *chart, const struct chart_options *options, const char *picture,
		struct error *err)
{
	char script[sizeof(chart->name) + 8], *data = NULL;
	size_t length;
	int r;

	snprintf(script, sizeof(script), "%s.gp", chart->name);
	r = gnuplot_run(options->directory, script, picture, PICTURE_SECONDS, &data, &length, err);
	if (r)
		return r;
	if (!is_picture(picture, data, length))
		r = error_set(err, -EPROTO, "what gnuplot drew of %s is no %s picture", script,
			      picture);
	else if (strcmp(picture, "dumb"))
		r = put_file(chart, options, picture, data, length, err);
	else if (options->out)
		r = put_dumb(chart, data, options->out, err);
	free(data);
	return r;
}

static int put_chart(const struct chart_view *view, enum chart_kind kind, const char *name,
		     const struct chart_options *options, struct error *err)
{
	struct chart chart = {view, kind, ""};
	int r;

	snprintf(chart.name, sizeof(chart.name), "%s", name);
	if (kind == CHART_LATENCY || kind == CHART_RATIO) {
		size_t used = strlen(chart.name);

		snprintf(chart.name + used, sizeof(chart.name) - used, "-%s", view->x->name);
		for (char *dot = chart.name; (dot = strchr(dot, '.'));)
			*dot = '-';
	}
	r = put_sources(&chart, options, err);
	if (!r && options->svg)
		r = draw(&chart, options, "svg", err);
	if (!r && options->png)
		r = draw(&chart, options, "png", err);
	if (!r && options->dumb)
		r = draw(&chart, options, "dumb", err);
	return r;
}

/* The charts of one view: of times, and of ratios where there are two back ends to compare. */
static int put_view(const struct chart_view *view, const struct chart_options *options,
		    struct error *err)
{
	int r = 0;

	if (chart_has_latency(view))
		r = view->x ? put_chart(view, CHART_LATENCY, "latency", options, err)
			    : put_chart(view, CHART_BACKENDS, "backends", options, err);
	if (!r && view->x && chart_has_ratio(view))
		r = put_chart(view, CHART_RATIO, "ratio", options, err);
	return r;
}

int charts_write(const struct run_summary *summary, const struct chart_options *options,
		 struct error *err)
{
	struct chart_views *views = NULL;
	int r = check_scripts(options->scripts, err);

	if (!r)
		r = chart_views_new(summary, &views, err);
	if (r)
		return r;
	r = file_make_directories(options->directory, err);
	for (size_t i = 0; i < views->nr && !r; i++)
		r = put_view(&views->views[i], options, err);
	if (!r && chart_has_spectrum(&views->views[0]))
		r = put_chart(&views->views[0], CHART_SPECTRUM, "spectrum", options, err);
	chart_views_free(views);
	return r;
}
