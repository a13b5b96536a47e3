// SPDX-License-Identifier: MIT
/* See history_charts.h. */
#include "report/history_charts.h"

#include "report/history_chart.h"
#include "report/history_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A part of a file's name: back ends are named by whoever wrote the file. */
static void safe_word(const char *text, char *word, size_t size)
{
	size_t i = 0;

	for (; text[i] && i + 1 < size; i++) {
		unsigned char c = (unsigned char)text[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '_' || c == '-';

		word[i] = (char)(plain ? c : '-');
	}
	word[i] = '\0';
}

/* The number of a host class, from 0: series are in their order. */
static unsigned class_number(const struct history *history, const struct series *series)
{
	unsigned number = 0;

	for (const struct series *s = history->series; s < series; s++)
		number += strcmp(s[0].host_class, s[1].host_class) != 0;
	return number;
}

/* The number of a back end among all of the history, by first appearance, from 0. */
static unsigned backend_number(const struct history *history, const char *backend)
{
	unsigned number = 0;

	for (size_t i = 0; strcmp(history->series[i].backend, backend); i++) {
		size_t k = 0;

		while (strcmp(history->series[k].backend, history->series[i].backend))
			k++;
		number += k == i;
	}
	return number;
}

/* 0 is drawn first. */
static int rank_of(const struct series *series)
{
	return series->worse ? 0 : series->nr_changes ? 1 : 2;
}

static int visit_series(const struct history *history, const struct series *series,
			const struct point_groups *points,
			int (*visit)(const struct picture *picture, void *arg, struct error *err),
			void *arg, struct error *err)
{
	unsigned class = class_number(history, series);
	struct history_chart chart = {
		.series = series,
		.point = history_point_name(points, series->point),
		.backend = backend_number(history, series->backend),
	};
	char backend[48], suffix[16] = "", name[160], title[256];
	struct picture picture = {
		.name = name,
		.title = title,
		.script = "history.gp",
		.put_data = history_chart_data,
		.put_settings = history_chart_settings,
		.caption = history_chart_caption,
		.data = &chart,
	};
	int r;

	if (!chart.point)
		return error_set(err, -ENOMEM, "out of memory");
	safe_word(series->backend, backend, sizeof(backend));
	if (class)
		snprintf(suffix, sizeof(suffix), "-class%u", class + 1);
	snprintf(name, sizeof(name), "history-%s-%s-%s%s", backend, series->metric->name,
		 series->point->id, suffix);
	snprintf(title, sizeof(title), "%s, %s over %zu runs (%.120s)", series->backend,
		 series->metric->name, series->nr, chart.point);
	r = visit(&picture, arg, err);
	free(chart.point);
	return r;
}

int history_charts_visit(const struct history *history,
			 int (*visit)(const struct picture *picture, void *arg, struct error *err),
			 void *arg, struct error *err)
{
	struct point_groups *points = history_points(history);
	size_t drawn = 0;
	int r = points ? 0 : error_set(err, -ENOMEM, "out of memory");

	for (int rank = 0; rank < 3; rank++)
		for (size_t i = 0; i < history->nr_series && !r; i++) {
			if (rank_of(&history->series[i]) != rank || drawn == HISTORY_MAX_CHARTS)
				continue;
			r = visit_series(history, &history->series[i], points, visit, arg, err);
			drawn++;
		}
	point_groups_free(points);
	return r;
}

const char *history_charts_left_out(const struct history *history,
				    char buffer[HISTORY_LEFT_OUT_MAX])
{
	size_t changed = 0;

	buffer[0] = '\0';
	if (history->nr_series <= HISTORY_MAX_CHARTS)
		return buffer;
	for (size_t i = 0; i < history->nr_series; i++)
		changed += history->series[i].nr_changes > 0;
	changed = changed > HISTORY_MAX_CHARTS ? changed - HISTORY_MAX_CHARTS : 0;
	snprintf(buffer, HISTORY_LEFT_OUT_MAX,
		 "%d of %zu series are drawn, those with changes first; of the others %zu have a "
		 "change.",
		 HISTORY_MAX_CHARTS, history->nr_series, changed);
	return buffer;
}

static int write_picture(const struct picture *picture, void *arg, struct error *err)
{
	return picture_write(picture, arg, err);
}

int history_charts_write(const struct history *history, const struct chart_options *options,
			 struct error *err)
{
	struct chart_options copy = *options;
	char left_out[HISTORY_LEFT_OUT_MAX];
	int r = picture_check_scripts(options->scripts, err);

	if (!r)
		r = history_charts_visit(history, write_picture, &copy, err);
	if (!r && *history_charts_left_out(history, left_out))
		fprintf(options->out ? options->out : stderr, "%s\n", left_out);
	return r;
}
