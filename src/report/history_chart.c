// SPDX-License-Identifier: MIT
/* See history_chart.h. Ticks are made here, not by gnuplot, so that units have one home. */
#include "report/history_chart.h"

#include "report/charts_axis.h"
#include "report/history_parts.h"
#include "report/paragraph.h"
#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CAPTION_COLUMNS 126 /* in the font and the width that style.gp sets */
#define X_TICKS         5 /* as many dates as a terminal has room for */
#define Y_TICKS         10
#define FEW_BUILDS      40 /* more are marked at the bottom only */
#define LEAST_SPAN      0.1 /* of the y axis: noise of a thousandth is not to fill the picture */
#define LINEAR_SPAN     4 /* the largest ratio on a linear axis */

static bool other_build(const struct series *series, size_t i)
{
	return i &&
	       strcmp(series->values[i - 1].record->build_id, series->values[i].record->build_id);
}

static void put_number(FILE *out, double value)
{
	if (isnan(value))
		fputs("NaN", out);
	else
		fprintf(out, "%.12g", value);
}

/* Names come from files of others: none ends a field, a line or a comment. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text, out);
}

void history_chart_data(const void *data, FILE *out)
{
	const struct history_chart *chart = data;
	const struct series *series = chart->series;
	char time[RECORD_TIME_MAX];

	fprintf(out, "# %s, %s: ", series->metric->name, series->metric->title);
	put_text(out, series->backend);
	fputs(", ", out);
	put_text(out, chart->point);
	fprintf(out,
		"\n# runs in order of time: number, median and its interval (%s), started_at, "
		"build_id\n",
		series->metric->unit);
	for (size_t i = 0; i < series->nr; i++) {
		const struct history_value *value = &series->values[i];

		fprintf(out, "%zu\t", i + 1);
		put_number(out, value->median);
		fputc('\t', out);
		put_number(out, value->low);
		fputc('\t', out);
		put_number(out, value->high);
		fprintf(out, "\t%s\t", record_time_text(value->record->started, time));
		put_text(out, value->record->build_id);
		fputc('\n', out);
	}
	/* A block is never empty: gnuplot would refuse the whole picture. */
	fputs("\n\n# places between runs of two builds\nNaN\n", out);
	for (size_t i = 0; i < series->nr; i++)
		if (other_build(series, i))
			fprintf(out, "%zu.5\n", i);
}

static void put_assignment(FILE *out, const char *name, const char *text)
{
	fprintf(out, "%s = ", name);
	chart_put_string(out, text);
	fputc('\n', out);
}

/* The median of all values: the one level of a series without a change. 0 or -ENOMEM. */
static int only_level(const struct series *series, double *level)
{
	double *values = calloc(series->nr, sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < series->nr; i++)
		values[i] = series->values[i].median;
	*level = median(values, series->nr);
	free(values);
	return 0;
}

/* The levels between changes. Where nothing was searched there is none that anybody worked out. */
static int put_segments(const struct series *series, struct chart_range *y, FILE *out)
{
	size_t nr = series->state == SERIES_SEARCHED ? series->nr_changes + 1 : 0;
	double level = NAN;

	fprintf(out, "nr_segments = %zu\narray segment_from[%zu]\narray segment_to[%zu]\n", nr,
		nr + 1, nr + 1);
	fprintf(out, "array segment_level[%zu]\nnoise = ", nr + 1);
	put_number(out, series->noise);
	fputc('\n', out);
	for (size_t k = 0; k < nr; k++) {
		if (!series->nr_changes && only_level(series, &level))
			return -ENOMEM;
		if (series->nr_changes)
			level = k ? series->changes[k - 1].after : series->changes[0].before;
		fprintf(out,
			"segment_from[%zu] = %zu.5\nsegment_to[%zu] = %zu.5\n"
			"segment_level[%zu] = %.12g\n",
			k + 1, k ? series->changes[k - 1].at : 0, k + 1,
			k + 1 < nr ? series->changes[k].at : series->nr, k + 1, level);
		if (!isnan(series->noise)) {
			chart_range_include(y, level * (1 - series->noise));
			chart_range_include(y, level * (1 + series->noise));
		}
	}
	return 0;
}

static void put_changes(const struct series *series, FILE *out)
{
	size_t nr = series->nr_changes, last = 0, row = 0;
	char percent[CHANGE_TEXT_MAX];

	fprintf(out,
		"nr_changes = %zu\narray change_x[%zu]\narray change_text[%zu]\n"
		"array change_worse[%zu]\narray change_row[%zu]\n",
		nr, nr + 1, nr + 1, nr + 1, nr + 1);
	for (size_t k = 0; k < nr; k++) {
		const struct change *change = &series->changes[k];

		/* Names that would touch each other stand in two rows. */
		row = k && (change->at - last) * 11 < series->nr ? !row : 0;
		last = change->at;
		fprintf(out,
			"change_x[%zu] = %zu.5\nchange_worse[%zu] = %d\nchange_row[%zu] = %zu\n",
			k + 1, change->at, k + 1, series_change_is_worse(series, change), k + 1,
			row);
		fprintf(out, "change_text[%zu] = ", k + 1);
		chart_put_string(out,
				 change_text(percent, change->after / change->before - 1, " %"));
		fputc('\n', out);
	}
}

/* "2026-11-30", or with the time of day where all runs are of a few days. */
static void put_x_axis(const struct series *series, FILE *out)
{
	int64_t first = series->values[0].record->started;
	int64_t last = series->values[series->nr - 1].record->started;
	size_t ticks = series->nr < X_TICKS ? series->nr : X_TICKS;
	char time[RECORD_TIME_MAX], text[32];

	/* Room for half a date on both sides. */
	fprintf(out, "set xrange [%.3f:%.3f]\nset xtics (", 0.4 - 0.03 * (double)series->nr,
		(double)series->nr + 0.6 + 0.03 * (double)series->nr);
	for (size_t k = 0; k < ticks; k++) {
		size_t i = ticks > 1 ? (k * (series->nr - 1) + (ticks - 1) / 2) / (ticks - 1) : 0;

		record_time_text(series->values[i].record->started, time);
		if (last - first < (int64_t)ticks * 86400)
			snprintf(text, sizeof(text), "%.5s %.5s", time + 5, time + 11);
		else
			snprintf(text, sizeof(text), "%.10s", time);
		fputs(k ? ", " : "", out);
		chart_put_string(out, text);
		fprintf(out, " %zu", i + 1);
	}
	fputs(")\n", out);
}

/* 1, 2 or 5 times a power of ten, at least `least`. */
static double round_step(double least)
{
	double power = pow(10, floor(log10(least)));

	for (unsigned i = 0; i < 3; i++) {
		static const double steps[] = {1, 2, 5};

		if (steps[i] * power >= least)
			return steps[i] * power;
	}
	return 10 * power;
}

static void put_linear_axis(FILE *out, struct chart_range range, const struct metric *metric)
{
	double middle = (range.low + range.high) / 2;
	double half = fmax((range.high - range.low) * 0.6, LEAST_SPAN / 2 * fabs(middle)), step;
	double low, high;
	char text[UNIT_TEXT_MAX];
	bool first = true;

	if (!(half > 0))
		half = 1; /* all values are 0 */
	low = range.low >= 0 ? fmax(0, middle - half) : middle - half;
	high = middle + half;
	step = round_step((high - low) / Y_TICKS);
	fprintf(out, "set yrange [%.12g:%.12g]\nset ytics (", low, high);
	for (double k = ceil(low / step); k * step <= high; k++) {
		fputs(first ? "" : ", ", out);
		chart_put_string(out, metric_text(metric, k * step, text));
		fprintf(out, " %.12g", k * step);
		first = false;
	}
	fputs(")\n", out);
}

static void put_y_axis(const struct series *series, struct chart_range y, FILE *out)
{
	for (size_t i = 0; i < series->nr; i++) {
		chart_range_include(&y, series->values[i].median);
		chart_range_include(&y, series->values[i].low);
		chart_range_include(&y, series->values[i].high);
	}
	if (y.low > 0 && y.high > LINEAR_SPAN * y.low)
		chart_put_log_axis(out, "y", y, series->metric->kind == UNIT_TIME);
	else
		put_linear_axis(out, y, series->metric);
}

static size_t count_builds(const struct series *series)
{
	size_t nr = 0;

	for (size_t i = 0; i < series->nr; i++)
		nr += other_build(series, i);
	return nr;
}

static void say_changes(struct paragraph *p, const struct series *series)
{
	char percent[CHANGE_TEXT_MAX], date[HISTORY_DATE_MAX];

	for (size_t k = 0; k < series->nr_changes; k++) {
		const struct change *change = &series->changes[k];
		const struct record *new = history_first_after(series, change)->record;

		paragraph_printf(p, " ", "%s since %s (p %.2g, build %s after %s).",
				 change_text(percent, change->after / change->before - 1, " %"),
				 history_date(new->started, date), change->p, new->build_id,
				 history_last_before(series, change)->record->build_id);
	}
	share_text(percent, series->min_effect, " %");
	if (series->state == SERIES_SHORT)
		paragraph_printf(p, " ", "Fewer than %zu runs show no change.",
				 history_least_values());
	else if (series->state == SERIES_NOT_POSITIVE)
		paragraph_printf(p, " ", "Not searched: there are values of 0.");
	else if (!series->nr_changes)
		paragraph_printf(p, " ", "No change of %s or more is shown.", percent);
	else
		paragraph_printf(p, " ", "Looked for changes of %s and more.", percent);
}

char *history_chart_caption(const void *data, unsigned width)
{
	const struct history_chart *chart = data;
	const struct series *series = chart->series;
	char share[CHANGE_TEXT_MAX], *text = NULL;
	struct paragraph p;
	size_t length;
	FILE *out;

	paragraph_begin(&p);
	paragraph_printf(&p, " ",
			 "Each value is a run's median over its processes, with its interval of at "
			 "least 95 %% where there are 6 or more.");
	say_changes(&p, series);
	if (isnan(series->noise))
		paragraph_printf(&p, " ", "No A/A noise was measured.");
	else if (series->state == SERIES_SEARCHED)
		paragraph_printf(&p, " ", "Band: the A/A noise of %s around each level.",
				 share_text(share, series->noise, " %"));
	else
		paragraph_printf(&p, " ", "A/A noise: %s.", share_text(share, series->noise, " %"));
	if (count_builds(series))
		paragraph_printf(&p, " ", "Dots between runs: another build.");
	paragraph_printf(&p, " ", "Host class: %s. Point: %s.", series->host_class,
			 series->point->id);
	out = open_memstream(&text, &length);
	if (!out) {
		fclose(p.out);
		free(p.text);
		return NULL;
	}
	paragraph_end(&p, width, 0, "", out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static int put_caption(const struct history_chart *chart, FILE *out)
{
	char *caption = history_chart_caption(chart, CAPTION_COLUMNS), *rest = caption, *line;
	size_t nr = 0;

	if (!caption)
		return -ENOMEM;
	for (const char *c = caption; *c; c++)
		nr += *c == '\n';
	fprintf(out, "nr_captions = %zu\narray caption[%zu]\n", nr, nr + 1);
	for (nr = 1; (line = strsep(&rest, "\n")) && *line; nr++) {
		fprintf(out, "caption[%zu] = ", nr);
		chart_put_string(out, line);
		fputc('\n', out);
	}
	free(caption);
	return 0;
}

int history_chart_settings(const void *data, const char *name, FILE *out)
{
	const struct history_chart *chart = data;
	const struct series *series = chart->series;
	struct chart_range y = chart_range_empty;
	char text[512];

	fprintf(out,
		"# A series of a memcgbench history. It draws from %s.tsv beside it, with gnuplot "
		"5.4 or later:\n#   gnuplot -d %s.gp > %s.svg\n\n",
		name, name, name);
	snprintf(text, sizeof(text), "%s.tsv", name);
	put_assignment(out, "data", text);
	snprintf(text, sizeof(text), "%s, %s: %s", series->backend, series->metric->name,
		 series->metric->title);
	put_assignment(out, "chart_title", text);
	put_assignment(out, "chart_subtitle", chart->point);
	fputs("key_hidden = 1\nnr_lines = 1\n", out);
	fprintf(out, "array line_backend[1] = [%u]\narray line_facet[1] = [0]\n", chart->backend);
	fputs("array line_label[1] = [", out);
	chart_put_string(out, series->backend);
	fputs("]\n", out);
	put_assignment(out, "x_title", "runs, in order of time");
	put_assignment(out, "y_title", series->metric->title);
	fprintf(out, "mark_height = %g\n", count_builds(series) > FEW_BUILDS ? 0.03 : 1.0);
	/* Dates take the room of twice as many short names. */
	fprintf(out, "nr_runs = %zu\nx_ticks = %d\n", series->nr, 2 * X_TICKS);
	if (put_segments(series, &y, out))
		return -ENOMEM;
	put_changes(series, out);
	put_x_axis(series, out);
	put_y_axis(series, y, out);
	return put_caption(chart, out);
}
