// SPDX-License-Identifier: MIT
/* See chart_data.h: which charts a run has, and which lines they hold. */
#include "report/chart_data.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SWEPT 64

/* The parameters that tell the points of a chart apart, and a point that says the values of those
 * that are held. */
struct sweep {
	const struct parameter *other[MAX_SWEPT];
	size_t nr_other;
	const struct parameter *held[MAX_SWEPT];
	const struct point *held_at[MAX_SWEPT]; /* a point that has the value held */
	size_t nr_held;
};

static bool same(const struct parameter *parameter, const struct point *a, const struct point *b)
{
	return !memcmp((const char *)a + parameter->offset, (const char *)b + parameter->offset,
		       parameter->size);
}

static bool same_all(const struct parameter *const *list, size_t nr, const struct point *a,
		     const struct point *b)
{
	for (size_t i = 0; i < nr; i++)
		if (!same(list[i], a, b))
			return false;
	return true;
}

bool chart_parameter_varies(const struct run_summary *summary, const struct parameter *parameter)
{
	for (size_t i = 1; i < summary->nr_points; i++)
		if (!same(parameter, &summary->points[0].point, &summary->points[i].point))
			return true;
	return false;
}

struct keyed {
	uint64_t key;
	const struct point *point;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Does `follower` have one value for each value of `leader`, a number? -ENOMEM, 0 or 1. */
static int follows(const struct run_summary *summary, const struct parameter *leader,
		   const struct parameter *follower)
{
	struct keyed *keyed = calloc(summary->nr_points, sizeof(*keyed));
	int answer = 1;

	if (!keyed)
		return -ENOMEM;
	for (size_t i = 0; i < summary->nr_points; i++) {
		keyed[i].point = &summary->points[i].point;
		keyed[i].key = parameter_get(leader, keyed[i].point);
	}
	qsort(keyed, summary->nr_points, sizeof(*keyed), by_key);
	for (size_t i = 1; i < summary->nr_points; i++)
		if (keyed[i].key == keyed[i - 1].key &&
		    !same(follower, keyed[i].point, keyed[i - 1].point))
			answer = 0;
	free(keyed);
	return answer;
}

/* Is the point part of a chart that holds what `sweep` holds? */
static bool selected(const struct sweep *sweep, const struct point *point)
{
	for (size_t i = 0; i < sweep->nr_held; i++)
		if (!same(sweep->held[i], point, sweep->held_at[i]))
			return false;
	return true;
}

/* A point with the largest value of a parameter (of words and lists: the first one met), of those
 * selected so far: values given as pairs are never torn apart. */
static const struct point *largest_of(const struct run_summary *summary, const struct sweep *sweep,
				      const struct parameter *parameter)
{
	const struct point *largest = NULL;

	for (size_t i = 0; i < summary->nr_points; i++) {
		const struct point *point = &summary->points[i].point;

		if (!selected(sweep, point))
			continue;
		if (!largest ||
		    (parameter->kind == PARAMETER_NUMBER &&
		     parameter_get(parameter, point) > parameter_get(parameter, largest)))
			largest = point;
	}
	return largest;
}

/* The first points of the distinct combinations of the other parameters; stops after `max` + 1. */
static size_t find_facets(const struct run_summary *summary, const struct sweep *sweep, size_t max,
			  const struct point **facets)
{
	size_t nr = 0;

	for (size_t i = 0; i < summary->nr_points && nr <= max; i++) {
		const struct point *point = &summary->points[i].point;
		size_t f = 0;

		while (f < nr && !same_all(sweep->other, sweep->nr_other, facets[f], point))
			f++;
		if (f == nr && selected(sweep, point))
			facets[nr++] = point;
	}
	return nr;
}

/* How many values a parameter has, counted no further than CHART_MAX_FACETS + 1. */
static size_t count_values(const struct run_summary *summary, const struct sweep *sweep,
			   const struct parameter *parameter)
{
	const struct point *facets[CHART_MAX_FACETS + 1];
	struct sweep alone = *sweep;

	alone.other[0] = parameter;
	alone.nr_other = 1;
	return find_facets(summary, &alone, CHART_MAX_FACETS, facets);
}

/* Hold the parameter with most values, so that fewer combinations remain. */
static void hold_one(const struct run_summary *summary, struct sweep *sweep)
{
	size_t most = 0, which = 0;

	for (size_t i = 0; i < sweep->nr_other; i++) {
		size_t nr = count_values(summary, sweep, sweep->other[i]);

		/* Of equals the last: it varies fastest and is named last by the scenario. */
		if (nr >= most) {
			most = nr;
			which = i;
		}
	}
	sweep->held_at[sweep->nr_held] = largest_of(summary, sweep, sweep->other[which]);
	sweep->held[sweep->nr_held++] = sweep->other[which];
	sweep->nr_other--;
	memmove(&sweep->other[which], &sweep->other[which + 1],
		(sweep->nr_other - which) * sizeof(sweep->other[0]));
}

/* Does the word alone say what it is about? */
static bool speaks_for_itself(const struct parameter *parameter)
{
	static const char *const names[] = {"tree.shape", "read.cache"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(parameter->name, names[i]))
			return true;
	return false;
}

/* "walk, cold, nodes 2, rows all". In a `list` of parameters all have their names, in full. */
static void append_value(char *text, size_t size, const struct parameter *parameter,
			 const struct point *point, bool list)
{
	const char *dot = strchr(parameter->name, '.');
	const char *name = list || !dot ? parameter->name : dot + 1;
	size_t used = strlen(text);
	char value[PARAMETER_TEXT_MAX];

	if (!list && speaks_for_itself(parameter))
		name = "";
	parameter_text(parameter, point, value);
	snprintf(text + used, size - used, "%s%s%s%.40s", used ? ", " : "", name, *name ? " " : "",
		 value);
}

static int by_x(const void *a, const void *b)
{
	const struct chart_sample *x = a, *y = b;

	return (x->x > y->x) - (x->x < y->x);
}

/* One line: back end `b` at all selected points of a facet. */
static int fill_line(struct chart_view *view, const struct sweep *sweep, const struct point *facet,
		     size_t b, struct chart_line *line)
{
	const struct run_summary *summary = view->summary;
	bool measured = false;

	line->backend = summary->points[0].backends[b].backend;
	line->samples = calloc(summary->nr_points, sizeof(*line->samples));
	if (!line->samples)
		return -ENOMEM;
	for (size_t i = 0; i < summary->nr_points; i++) {
		const struct point_summary *at = &summary->points[i];
		struct chart_sample *sample = &line->samples[line->nr];

		if (b >= at->nr_backends || !selected(sweep, &at->point) ||
		    !same_all(sweep->other, sweep->nr_other, facet, &at->point))
			continue;
		sample->point = &at->point;
		sample->summary = &at->backends[b];
		sample->x = view->x ? (double)parameter_get(view->x, &at->point)
				    : (double)(view->nr_lines + 1);
		measured |= sample->summary->processes > 0;
		line->nr++;
	}
	qsort(line->samples, line->nr, sizeof(*line->samples), by_x);

	snprintf(line->label, sizeof(line->label), "%s", line->backend);
	for (size_t i = 0; i < sweep->nr_other; i++)
		append_value(line->label, sizeof(line->label), sweep->other[i], facet, false);
	if (!measured) {
		size_t used = strlen(line->label);

		snprintf(line->label + used, sizeof(line->label) - used, " (no result)");
	}
	return 0;
}

static int fill_view(struct chart_view *view, struct sweep *sweep)
{
	const struct run_summary *summary = view->summary;
	const struct point *facets[CHART_MAX_FACETS + 1];
	size_t nr_backends = summary->points[0].nr_backends, nr, max;

	/* Few back ends leave room for all facets; many for two, hot and cold. */
	max = nr_backends <= 6 ? CHART_MAX_FACETS : 2;
	while ((nr = find_facets(summary, sweep, max, facets)) > max)
		hold_one(summary, sweep);
	for (size_t i = 0; i < sweep->nr_held; i++)
		append_value(view->held, sizeof(view->held), sweep->held[i], sweep->held_at[i],
			     true);

	view->lines = calloc(nr * nr_backends, sizeof(*view->lines));
	if (!view->lines)
		return -ENOMEM;
	for (size_t b = 0; b < nr_backends; b++)
		for (size_t f = 0; f < nr; f++) {
			struct chart_line *line = &view->lines[view->nr_lines];

			/* A single back end leaves the colours to its facets. */
			line->index = (unsigned)(nr_backends > 1 ? b : f);
			line->facet = (unsigned)f;
			if (fill_line(view, sweep, facets[f], b, line))
				return -ENOMEM;
			view->nr_lines++;
		}
	return 0;
}

/* Does it say nothing that x or an earlier number does not say? Ids of nodes follow their number.
 */
static int implied(const struct run_summary *summary, const struct sweep *sweep,
		   const struct parameter *x, const struct parameter *parameter)
{
	int tied = x ? follows(summary, x, parameter) : 0;

	for (size_t i = 0; i < sweep->nr_other && !tied && parameter->kind == PARAMETER_NIDS; i++)
		if (sweep->other[i]->kind == PARAMETER_NUMBER)
			tied = follows(summary, sweep->other[i], parameter);
	return tied;
}

static void append_name(char *text, size_t size, const char *name)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
}

/* The sweep of a view over its x (NULL: over nothing). */
static int make_sweep(struct chart_view *view, const struct parameter *const *swept,
		      size_t nr_swept, struct sweep *sweep)
{
	*sweep = (struct sweep){0};
	for (size_t i = 0; i < nr_swept; i++) {
		int tied = implied(view->summary, sweep, view->x, swept[i]);

		if (tied < 0)
			return tied;
		if (!tied)
			sweep->other[sweep->nr_other++] = swept[i];
		else if (swept[i] != view->x && swept[i]->kind != PARAMETER_NIDS)
			append_name(view->tied, sizeof(view->tied), swept[i]->name);
	}
	return 0;
}

/* Was this number's chart drawn already, as that of a number that goes with it? */
static int drawn_before(const struct chart_views *views, const struct parameter *x)
{
	for (size_t i = 0; i < views->nr; i++) {
		const struct run_summary *summary = views->views[i].summary;
		int there = follows(summary, views->views[i].x, x);
		int back = there > 0 ? follows(summary, x, views->views[i].x) : there;

		if (back)
			return back;
	}
	return 0;
}

static int add_view(struct chart_views *views, const struct run_summary *summary,
		    const struct parameter *const *swept, size_t nr_swept,
		    const struct parameter *x)
{
	struct chart_view *view = &views->views[views->nr];
	struct sweep sweep;
	int r = x ? drawn_before(views, x) : 0;

	if (r)
		return r < 0 ? r : 0;
	view->summary = summary;
	view->x = x;
	views->nr++;
	r = make_sweep(view, swept, nr_swept, &sweep);
	if (r)
		return r;
	return fill_view(view, &sweep);
}

static bool anything_measured(const struct run_summary *summary)
{
	for (size_t i = 0; i < summary->nr_points; i++)
		for (size_t b = 0; b < summary->points[i].nr_backends; b++)
			if (summary->points[i].backends[b].processes)
				return true;
	return false;
}

int chart_views_new(const struct run_summary *summary, struct chart_views **out, struct error *err)
{
	const struct parameter *swept[MAX_SWEPT];
	struct chart_views *views;
	size_t nr_swept = 0;
	int r = 0;

	if (!anything_measured(summary))
		return error_set_at(err, -ENODATA, summary->path, 0, 0,
				    "there is nothing to draw: no repetition ended well");
	for (size_t i = 0; i < nr_parameters && nr_swept < MAX_SWEPT; i++)
		if (parameters[i].in_id && chart_parameter_varies(summary, &parameters[i]))
			swept[nr_swept++] = &parameters[i];

	views = calloc(1, sizeof(*views));
	if (views)
		views->views = calloc(nr_swept + 1, sizeof(*views->views));
	if (!views || !views->views) {
		chart_views_free(views);
		return error_set(err, -ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < nr_swept && !r; i++)
		if (swept[i]->kind == PARAMETER_NUMBER)
			r = add_view(views, summary, swept, nr_swept, swept[i]);
	if (!r && !views->nr)
		r = add_view(views, summary, swept, nr_swept, NULL);
	if (r) {
		chart_views_free(views);
		return error_set(err, r, "%s", strerror(-r));
	}
	*out = views;
	return 0;
}

void chart_views_free(struct chart_views *views)
{
	if (!views)
		return;
	for (size_t i = 0; views->views && i < views->nr; i++) {
		struct chart_view *view = &views->views[i];

		for (size_t l = 0; l < view->nr_lines; l++)
			free(view->lines[l].samples);
		free(view->lines);
	}
	free(views->views);
	free(views);
}
