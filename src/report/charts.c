// SPDX-License-Identifier: MIT
/* See charts.h. */
#include "report/charts.h"

#include "report/chart_data.h"
#include "report/chart_tradeoff.h"
#include "report/chart_update.h"
#include "report/charts_settings.h"

#include <errno.h>
#include <string.h>

struct chart {
	const struct chart_view *view;
	enum chart_kind kind;
};

struct visitor {
	int (*visit)(const struct picture *picture, void *arg, struct error *err);
	void *arg;
};

static const struct {
	const char *name, *script;
	void (*put_data)(const struct chart_view *view, FILE *out);
} kinds[] = {
	[CHART_LATENCY] = {"latency", "latency.gp", chart_latency_tsv},
	[CHART_BACKENDS] = {"backends", "backends.gp", chart_latency_tsv},
	[CHART_SPECTRUM] = {"spectrum", "spectrum.gp", chart_spectrum_tsv},
	[CHART_RATIO] = {"ratio", "ratio.gp", chart_ratio_tsv},
	[CHART_UPDATE] = {"update", "latency.gp", chart_update_tsv},
	[CHART_TRADEOFF] = {"tradeoff", "tradeoff.gp", chart_tradeoff_tsv},
};

static void put_data(const void *data, FILE *out)
{
	const struct chart *chart = data;

	kinds[chart->kind].put_data(chart->view, out);
}

static int put_settings(const void *data, const char *name, FILE *out)
{
	const struct chart *chart = data;

	return chart_settings(chart->view, chart->kind, name, out);
}

static char *caption(const void *data, unsigned width)
{
	const struct chart *chart = data;

	return chart_caption(chart->view, chart->kind, width);
}

/* `number`: behind the name, where there are several; 0: there is one. */
static int visit_chart(const struct chart_view *view, enum chart_kind kind, unsigned number,
		       const struct visitor *visitor, struct error *err)
{
	struct chart chart = {view, kind};
	char name[64], title[CHART_TEXT_MAX + 64];
	struct picture picture = {
		.name = name,
		.title = chart_kind_title(view, kind, title, sizeof(title)),
		.script = kinds[kind].script,
		.put_data = put_data,
		.put_settings = put_settings,
		.caption = caption,
		.data = &chart,
	};

	if (kind == CHART_LATENCY || kind == CHART_RATIO || kind == CHART_UPDATE)
		snprintf(name, sizeof(name), "%s-%s", kinds[kind].name, view->x->name);
	else if (number)
		snprintf(name, sizeof(name), "%s-%u", kinds[kind].name, number);
	else
		snprintf(name, sizeof(name), "%s", kinds[kind].name);
	for (char *dot = name; (dot = strchr(dot, '.'));)
		*dot = '-';
	return visitor->visit(&picture, visitor->arg, err);
}

/* The charts of one view: of times, of ratios where there are two back ends to compare, and of
 * updates where x makes a difference to them. */
static int visit_view(const struct chart_view *view, const struct visitor *visitor,
		      struct error *err)
{
	int r = 0;

	if (chart_has_latency(view))
		r = visit_chart(view, view->x ? CHART_LATENCY : CHART_BACKENDS, 0, visitor, err);
	if (!r && view->x && chart_has_ratio(view))
		r = visit_chart(view, CHART_RATIO, 0, visitor, err);
	if (!r && chart_has_update(view))
		r = visit_chart(view, CHART_UPDATE, 0, visitor, err);
	return r;
}

/* One for each facet that has two back ends or more. */
static int visit_tradeoffs(const struct chart_view *view, const struct visitor *visitor,
			   struct error *err)
{
	unsigned facets = 1;
	int r = 0;

	for (size_t l = 0; l < view->nr_lines; l++)
		if (view->lines[l].facet >= facets)
			facets = view->lines[l].facet + 1;
	for (unsigned facet = 0; facet < facets && !r; facet++) {
		struct chart_view one;

		r = chart_facet_new(view, facet, &one);
		if (r == -ENODATA) {
			r = 0;
			continue;
		}
		if (r)
			return error_set(err, r, "out of memory for a chart");
		r = visit_chart(&one, CHART_TRADEOFF, facets > 1 ? facet + 1 : 0, visitor, err);
		chart_facet_free(&one);
	}
	return r;
}

int charts_visit(const struct run_summary *summary,
		 int (*visit)(const struct picture *picture, void *arg, struct error *err),
		 void *arg, struct error *err)
{
	struct visitor visitor = {visit, arg};
	struct chart_views *views = NULL;
	int r = chart_views_new(summary, &views, err);

	if (r)
		return r;
	for (size_t i = 0; i < views->nr && !r; i++)
		r = visit_view(&views->views[i], &visitor, err);
	if (!r && chart_has_spectrum(&views->views[0]))
		r = visit_chart(&views->views[0], CHART_SPECTRUM, 0, &visitor, err);
	if (!r)
		r = visit_tradeoffs(&views->views[0], &visitor, err);
	chart_views_free(views);
	return r;
}

static int write_picture(const struct picture *picture, void *arg, struct error *err)
{
	return picture_write(picture, arg, err);
}

int charts_write(const struct run_summary *summary, const struct chart_options *options,
		 struct error *err)
{
	struct chart_options copy = *options;
	int r = picture_check_scripts(options->scripts, err);

	return r ? r : charts_visit(summary, write_picture, &copy, err);
}
