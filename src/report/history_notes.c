// SPDX-License-Identifier: MIT
/* See history_notes.h. */
#include "report/history_notes.h"

#include "report/paragraph.h"
#include "report/wrap.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VERDICT_MAX 20 /* series named; the others are counted */

static size_t count_builds(const struct history *history)
{
	size_t nr = 0;

	for (size_t i = 0; i < history->nr_records; i++) {
		size_t k = 0;

		while (k < i &&
		       strcmp(history->records[k]->build_id, history->records[i]->build_id))
			k++;
		nr += k == i;
	}
	return nr;
}

static size_t count_classes(const struct history *history)
{
	size_t nr = 0;

	for (size_t i = 0; i < history->nr_series; i++) /* they are in order of class */
		nr += !i ||
		      strcmp(history->series[i - 1].host_class, history->series[i].host_class);
	return nr;
}

/* A line of Markdown is as long as its paragraph. */
static unsigned width_of(bool markdown)
{
	return markdown ? UINT_MAX : TERMINAL_COLUMNS;
}

static const char *plural(size_t nr, const char *one, const char *many)
{
	return nr == 1 ? one : many;
}

void history_head(const struct history *history, const struct history_options *options,
		  const struct point_groups *points, bool markdown, FILE *out)
{
	size_t runs = history->nr_records, builds = count_builds(history);
	size_t classes = count_classes(history), older = history->nr_older;
	char first[RECORD_TIME_MAX], last[RECORD_TIME_MAX], value[PARAMETER_TEXT_MAX];
	struct paragraph p;

	paragraph_begin(&p);
	paragraph_printf(&p, "", "%zu %s from %s to %s", runs, plural(runs, "run", "runs"),
			 record_time_text(history->records[0]->started, first),
			 record_time_text(history->records[runs - 1]->started, last));
	paragraph_printf(&p, ", ", "%zu %s", builds, plural(builds, "build", "builds"));
	paragraph_printf(&p, ", ", "%zu host %s", classes, plural(classes, "class", "classes"));
	paragraph_printf(&p, ", ", "%zu series", history->nr_series);
	if (older)
		paragraph_printf(&p, "; ", "%zu %s from before %s left out", older,
				 plural(older, "run", "runs"),
				 record_time_text(options->since, first));
	paragraph_end(&p, width_of(markdown), markdown ? 0 : 10,
		      markdown ? "- history:" : "history", out);

	if (!points->nr_points)
		return;
	paragraph_begin(&p);
	for (size_t i = 0; i < nr_parameters; i++)
		if (!points->varies[i] && parameters[i].in_id &&
		    !parameter_is_default(&parameters[i], points->points[0]))
			paragraph_say(&p, ", ", parameters[i].name,
				      parameter_text(&parameters[i], points->points[0], value));
	paragraph_end(&p, width_of(markdown), markdown ? 0 : 10,
		      markdown ? "- all points:" : "all points", out);
}

/* Series of one state, and what is common to them. */
struct quiet {
	size_t nr, least, most; /* runs */
	size_t unknown; /* without A/A noise */
	double effect; /* the largest that was asked for */
};

static void count_quiet(struct quiet *quiet, const struct series *series)
{
	quiet->least = !quiet->nr || series->nr < quiet->least ? series->nr : quiet->least;
	quiet->most = series->nr > quiet->most ? series->nr : quiet->most;
	quiet->unknown += isnan(series->noise);
	quiet->effect = fmax(quiet->effect, series->min_effect);
	quiet->nr++;
}

static void say_series(struct paragraph *p, const struct quiet *quiet)
{
	char least[24] = "";

	if (quiet->least != quiet->most)
		snprintf(least, sizeof(least), "%zu to ", quiet->least);
	paragraph_printf(p, "", "%zu series of %s%zu %s: ", quiet->nr, least, quiet->most,
			 plural(quiet->most, "run", "runs"));
}

/* What was looked for, and how well the series are known. */
static void say_unchanged(struct paragraph *p, const struct quiet *quiet, double min_effect)
{
	char asked[CHANGE_TEXT_MAX], largest[CHANGE_TEXT_MAX];

	paragraph_printf(p, "", "no change of %s or more is shown",
			 share_text(asked, min_effect, " %"));
	if (quiet->effect > min_effect)
		paragraph_printf(p, " ", "(or of twice the A/A noise, up to %s)",
				 share_text(largest, quiet->effect, " %"));
	if (quiet->unknown == quiet->nr)
		paragraph_printf(p, "; ", "no A/A noise was measured");
	else if (quiet->unknown)
		paragraph_printf(p, "; ", "no A/A noise was measured for %zu of them",
				 quiet->unknown);
}

void history_quiet(const struct history *history, const struct history_options *options,
		   bool markdown, FILE *out)
{
	struct quiet states[3] = {0};

	for (size_t i = 0; i < history->nr_series; i++)
		if (!history->series[i].nr_changes)
			count_quiet(&states[history->series[i].state], &history->series[i]);
	for (enum series_state state = SERIES_SEARCHED; state <= SERIES_NOT_POSITIVE; state++) {
		struct paragraph p;

		if (!states[state].nr)
			continue;
		paragraph_begin(&p);
		say_series(&p, &states[state]);
		if (state == SERIES_SEARCHED)
			say_unchanged(&p, &states[state], options->min_effect);
		else if (state == SERIES_SHORT)
			paragraph_printf(&p, "", "too short (a change shows in %zu or more)",
					 history_least_values());
		else
			paragraph_printf(&p, "", "not searched, there are values of 0");
		paragraph_end(&p, width_of(markdown), 2, markdown ? "-" : "", out);
	}
}

/* One series that ends worse; of which host class, where there are several. */
static int name_worse(const struct series *series, const struct point_groups *points, bool classes,
		      bool markdown, FILE *out)
{
	const struct change *change = &series->changes[series->nr_changes - 1];
	char percent[CHANGE_TEXT_MAX], date[HISTORY_DATE_MAX];
	char *name = history_point_name(points, series->point);
	struct paragraph p;

	if (!name)
		return -ENOMEM;
	paragraph_begin(&p);
	paragraph_printf(&p, "", "%s %s, %s: %s since %s", series->backend, series->metric->name,
			 name, change_text(percent, change->after / change->before - 1, " %"),
			 history_date(history_first_after(series, change)->record->started, date));
	if (classes)
		paragraph_printf(&p, ", ", "on %s", series->host_class);
	paragraph_end(&p, width_of(markdown), 4, "  -", out);
	free(name);
	return 0;
}

static int name_all_worse(const struct history *history, const struct point_groups *points,
			  size_t worse, bool markdown, FILE *out)
{
	bool classes = count_classes(history) > 1;
	size_t named = 0;
	int r = 0;

	for (size_t i = 0; i < history->nr_series && named < VERDICT_MAX && !r; i++) {
		if (!history->series[i].worse)
			continue;
		r = name_worse(&history->series[i], points, classes, markdown, out);
		named++;
	}
	if (worse > named)
		fprintf(out, "  - and %zu more\n", worse - named);
	return r;
}

int history_verdict(const struct history *history, const struct point_groups *points, bool markdown,
		    FILE *out)
{
	size_t worse = 0, better = 0, searched = 0;
	struct paragraph p;

	for (size_t i = 0; i < history->nr_series; i++) {
		const struct series *series = &history->series[i];

		worse += series->worse;
		better += series->nr_changes && !series->worse;
		searched += series->state == SERIES_SEARCHED;
	}
	paragraph_begin(&p);
	if (worse)
		paragraph_printf(&p, "",
				 "Worse: %zu of %zu series %s at a worse level than the "
				 "one before:",
				 worse, history->nr_series, plural(worse, "ends", "end"));
	else if (searched)
		paragraph_printf(&p, "",
				 "Not worse: no series ends at a level that is worse than "
				 "the one before.");
	else
		paragraph_printf(&p, "", "No verdict: no series could be searched.");
	if (better && !worse)
		paragraph_printf(&p, " ", "%zu %s at a better one.", better,
				 plural(better, "ends", "end"));
	paragraph_end(&p, width_of(markdown), 0, markdown ? "###" : "", out);
	return worse ? name_all_worse(history, points, worse, markdown, out) : 0;
}
