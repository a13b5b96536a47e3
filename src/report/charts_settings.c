// SPDX-License-Identifier: MIT
/* See charts_settings.h. */
#include "report/charts_settings.h"

#include "base/units.h"
#include "report/chart_tradeoff.h"
#include "report/chart_update.h"
#include "report/charts_axis.h"
#include "result/counts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_COLUMNS 126 /* of a caption, in the font and the width that style.gp sets */

static void put_assignment(FILE *out, const char *name, const char *text)
{
	fprintf(out, "%s = ", name);
	chart_put_string(out, text);
	fputc('\n', out);
}

static void put_number(FILE *out, const char *name, double value)
{
	if (isnan(value))
		fprintf(out, "%s = NaN\n", name);
	else
		fprintf(out, "%s = %.17g\n", name, value);
}

static void put_lines(const struct chart_view *view, FILE *out)
{
	fprintf(out, "nr_lines = %zu\narray line_label[%zu] = [", view->nr_lines, view->nr_lines);
	for (size_t l = 0; l < view->nr_lines; l++) {
		fputs(l ? ", " : "", out);
		chart_put_string(out, view->lines[l].label);
	}
	fprintf(out, "]\narray line_backend[%zu] = [", view->nr_lines);
	for (size_t l = 0; l < view->nr_lines; l++)
		fprintf(out, "%s%u", l ? ", " : "", view->lines[l].index);
	fprintf(out, "]\narray line_facet[%zu] = [", view->nr_lines);
	for (size_t l = 0; l < view->nr_lines; l++)
		fprintf(out, "%s%u", l ? ", " : "", view->lines[l].facet);
	fputs("]\n", out);
}

static int put_caption(const struct chart_view *view, enum chart_kind kind, FILE *out)
{
	char *caption = chart_caption(view, kind, SETTINGS_COLUMNS), *rest = caption, *line;
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

/* "memory cgroups below the root of the tree (tree.memcgs)": what the help says up to its details.
 */
static void put_x_title(const struct chart_view *view, FILE *out)
{
	const char *help = view->x ? view->x->help : NULL;
	char text[CHART_TEXT_MAX] = "";

	if (view->x && help)
		snprintf(text, sizeof(text), "%.*s (%s)", (int)strcspn(help, ",;:"), help,
			 view->x->name);
	else if (view->x)
		snprintf(text, sizeof(text), "%s", view->x->name);
	put_assignment(out, "x_title", text);
}

static const struct chart_line *line_of(const struct chart_view *view, const char *backend)
{
	for (size_t l = 0; l < view->nr_lines; l++)
		if (!strcmp(view->lines[l].backend, backend))
			return &view->lines[l];
	return NULL;
}

/* Where a published figure stands on the x axis of this view; NAN where it has no place. */
static double reference_x(const struct chart_view *view, const struct reference *reference)
{
	const struct chart_line *line = line_of(view, reference->backend);

	if (!(reference->time_ns > 0))
		return NAN;
	if (view->x)
		return strcmp(view->x->name, "tree.memcgs") ? NAN : (double)reference->memcgs;
	if (!line || !line->nr || line->samples[0].point->tree.memcgs != reference->memcgs)
		return NAN;
	return line->samples[0].x;
}

/* gnuplot has no empty arrays: each has an element more than is looked at. */
static void put_references(const struct chart_view *view, struct chart_range *x,
			   struct chart_range *y, FILE *out)
{
	const struct run_summary *summary = view->summary;
	size_t nr = 0;

	fprintf(out,
		"array reference_x[%zu]\narray reference_ns[%zu]\narray reference_backend[%zu]\n"
		"array reference_label[%zu]\n",
		summary->nr_references + 1, summary->nr_references + 1, summary->nr_references + 1,
		summary->nr_references + 1);
	for (size_t i = 0; i < summary->nr_references; i++) {
		const struct reference *reference = &summary->references[i];
		const struct chart_line *line = line_of(view, reference->backend);
		double at = reference_x(view, reference);
		char time[UNIT_TEXT_MAX], label[CHART_TEXT_MAX];

		if (isnan(at))
			continue;
		nr++;
		chart_range_include(x, at);
		chart_range_include(y, reference->time_ns);
		snprintf(label, sizeof(label), "%s published: %s%s", reference->backend,
			 reference->at_most ? "at most " : "",
			 unit_format_time(time, reference->time_ns));
		fprintf(out,
			"reference_x[%zu] = %.17g\nreference_ns[%zu] = %.6g\n"
			"reference_backend[%zu] = %d\nreference_label[%zu] = ",
			nr, at, nr, reference->time_ns, nr, line ? (int)line->index : -1, nr);
		chart_put_string(out, label);
		fputc('\n', out);
	}
	fprintf(out, "nr_references = %zu\n", nr);
}

/* The largest floor that any process measured: below it nothing can be told apart. */
static void put_floor(const struct chart_view *view, struct chart_range *y, FILE *out)
{
	double ns = NAN;
	char time[UNIT_TEXT_MAX], label[CHART_TEXT_MAX];

	for (size_t l = 0; l < view->nr_lines; l++)
		for (size_t i = 0; i < view->lines[l].nr; i++) {
			const struct backend_summary *s = view->lines[l].samples[i].summary;

			if (s->processes && s->floor_ns > 0 && !(ns >= s->floor_ns))
				ns = s->floor_ns;
		}
	chart_range_include(y, ns);
	snprintf(label, sizeof(label), "timer floor %s", unit_format_time(time, ns));
	put_number(out, "floor_ns", ns);
	put_assignment(out, "floor_label", label);
}

/* Where along x a line's bytes touched cross `bytes`; NAN where they do not. */
static double crossing(const struct chart_line *line, double bytes, bool logarithmic)
{
	for (size_t i = 1; i < line->nr; i++) {
		const struct chart_sample *a = &line->samples[i - 1], *b = &line->samples[i];
		double from = count_number(a->summary->bytes_touched);
		double to = count_number(b->summary->bytes_touched), share;

		if (!(from > 0 && from <= bytes && bytes < to))
			continue;
		if (!logarithmic)
			return a->x + (b->x - a->x) * (bytes - from) / (to - from);
		share = log(bytes / from) / log(to / from);
		return a->x * pow(b->x / a->x, share);
	}
	return NAN;
}

/* The place where the line that touches most outgrows the last-level cache. */
static void put_cache_mark(const struct chart_view *view, struct chart_range x, FILE *out)
{
	const struct chart_line *most = NULL;
	double bytes = 0, at = NAN;
	char size[UNIT_TEXT_MAX], label[CHART_TEXT_MAX + UNIT_TEXT_MAX + 80] = "";

	for (size_t l = 0; l < view->nr_lines; l++)
		for (size_t i = 0; i < view->lines[l].nr; i++)
			if (count_number(view->lines[l].samples[i].summary->bytes_touched) >
			    bytes) {
				bytes = (double)view->lines[l].samples[i].summary->bytes_touched;
				most = &view->lines[l];
			}
	if (view->x && most && view->summary->llc_bytes)
		at = crossing(most, (double)view->summary->llc_bytes, chart_log_x(x));
	if (!isnan(at))
		snprintf(label, sizeof(label), "%s touches more than the last-level cache (%s)",
			 most->backend, unit_format_bytes(size, (double)view->summary->llc_bytes));
	put_number(out, "cache_x", at);
	put_assignment(out, "cache_label", label);
}

static void latency_settings(const struct chart_view *view, FILE *out)
{
	struct chart_range x = chart_range_empty, y = chart_range_empty;
	bool bands = chart_has_bands(view);

	for (size_t l = 0; l < view->nr_lines; l++)
		for (size_t i = 0; i < view->lines[l].nr; i++) {
			const struct chart_sample *sample = &view->lines[l].samples[i];
			const struct chart_latency latency = chart_latency(sample->summary);

			chart_range_include(&x, sample->x);
			chart_range_include(&y, latency.middle);
			chart_range_include(&y, latency.low);
			chart_range_include(&y, latency.high);
			if (bands) {
				chart_range_include(&y, latency.band_low);
				chart_range_include(&y, latency.band_high);
			}
		}
	fprintf(out, "bands = %d\n", bands);
	put_floor(view, &y, out);
	put_references(view, &x, &y, out);
	put_cache_mark(view, x, out);
	put_assignment(out, "y_title", "time per read");
	put_x_title(view, out);
	chart_put_x_axis(out, view, x);
	chart_put_log_axis(out, "y", y, true);
}

static void spectrum_settings(const struct chart_view *view, FILE *out)
{
	struct chart_range y = chart_range_empty;
	double depth = 10;

	for (size_t l = 0; l < view->nr_lines; l++) {
		const struct chart_line *line = &view->lines[l];
		const struct chart_sample *sample = chart_spectrum_sample(view, line);

		const struct histogram *latency = sample ? sample->summary->latency : NULL;

		if (!latency)
			continue;
		depth = fmax(depth, (double)histogram_count(latency));
		chart_range_include(&y, fmax(0.1, (double)histogram_min_ps(latency) / 1000.0));
		chart_range_include(&y, fmax(0.1, (double)histogram_max_ps(latency) / 1000.0));
	}
	put_floor(view, &y, out);
	put_assignment(out, "y_title", "time per read");
	put_assignment(out, "x_title", "percentile of reads");
	chart_put_percentile_axis(out, depth);
	chart_put_log_axis(out, "y", y, true);
}

static void ratio_settings(const struct chart_view *view, FILE *out)
{
	struct chart_range x = chart_range_empty, y = chart_range_empty;
	const struct chart_line *base = chart_fastest(view, 0);
	char title[CHART_TEXT_MAX];

	fprintf(out, "array line_drawn[%zu]\n", view->nr_lines);
	for (size_t l = 0; l < view->nr_lines; l++) {
		const struct chart_line *line = &view->lines[l];
		bool drawn = false;

		for (size_t i = 0; i < line->nr; i++) {
			struct ratio ratio = chart_ratio(view, line, i);

			chart_range_include(&x, line->samples[i].x);
			if (!ratio.pairs)
				continue;
			drawn = true;
			chart_range_include(&y, ratio.median);
			chart_range_include(&y, ratio.low);
			chart_range_include(&y, ratio.high);
		}
		fprintf(out, "line_drawn[%zu] = %d\n", l + 1, drawn);
	}
	snprintf(title, sizeof(title), "ratio of the time per read to %s",
		 base ? base->backend : "the fastest");
	put_assignment(out, "y_title", title);
	put_x_title(view, out);
	chart_put_x_axis(out, view, x);
	chart_put_log_axis(out, "y", y, false);
}

static void update_settings(const struct chart_view *view, FILE *out)
{
	put_assignment(out, "y_title", "time per update of one page");
	put_x_title(view, out);
	chart_update_settings(view, out);
}

static void tradeoff_settings(const struct chart_view *view, FILE *out)
{
	put_assignment(out, "y_title", "time per read");
	put_assignment(
		out, "x_title",
		chart_is_under_load(view)
			? "pages that a read under load was off; lines end at its bound (pages off)"
			: "pages that a read was off; lines end at its bound (pages off)");
	chart_tradeoff_settings(view, out);
}

/* Where a distribution was taken: said below the scenario's title, which all other charts have
 * alone.
 */
static void put_subtitle(const struct chart_view *view, enum chart_kind kind, FILE *out)
{
	char text[CHART_TEXT_MAX + 64] = "";

	if (kind == CHART_SPECTRUM || kind == CHART_UPDATE || kind == CHART_TRADEOFF)
		chart_kind_title(view, kind, text, sizeof(text));
	put_assignment(out, "chart_subtitle", text);
}

static void tradeoff_title(const struct chart_view *view, char *text, size_t size)
{
	const char *what = "Time of a read, error, and cost of an update";
	char value[PARAMETER_TEXT_MAX];

	if (view->x)
		snprintf(text, size, "%s at %s %.40s%s%.60s", what, view->x->name,
			 parameter_text(view->x, view->lines[0].samples[0].point, value),
			 view->held[0] ? ", " : "", view->held);
	else
		snprintf(text, size, "%s%s%.60s", what, view->held[0] ? ", " : "", view->held);
}

const char *chart_kind_title(const struct chart_view *view, enum chart_kind kind, char *text,
			     size_t size)
{
	const struct chart_sample *sample = NULL;
	char value[PARAMETER_TEXT_MAX];

	for (size_t l = 0; l < view->nr_lines && !sample; l++)
		sample = chart_spectrum_sample(view, &view->lines[l]);
	if (kind == CHART_SPECTRUM && view->x && sample)
		snprintf(text, size, "Latency distribution at %s %.40s", view->x->name,
			 parameter_text(view->x, sample->point, value));
	else if (kind == CHART_SPECTRUM)
		snprintf(text, size, "Latency distribution");
	else if (kind == CHART_TRADEOFF)
		tradeoff_title(view, text, size);
	else if (kind == CHART_UPDATE)
		snprintf(text, size, "Cost of an update against %s", view->x->name);
	else if (kind == CHART_BACKENDS)
		snprintf(text, size, "Time per read of each back end");
	else
		snprintf(text, size, "%s against %s",
			 kind == CHART_RATIO ? "Ratio of the time per read" : "Time per read",
			 view->x->name);
	return text;
}

int chart_settings(const struct chart_view *view, enum chart_kind kind, const char *name, FILE *out)
{
	const struct run_summary *summary = view->summary;
	char data[CHART_TEXT_MAX];
	int r;

	fprintf(out,
		"# A chart of a memcgbench run. It draws from %s.tsv beside it, with gnuplot 5.4 "
		"or later:\n"
		"#   gnuplot -d %s.gp > %s.svg\n"
		"#   gnuplot -d -e \"picture='png'\" %s.gp > %s.png    (or 'dumb', for a "
		"terminal)\n\n",
		name, name, name, name, name);
	snprintf(data, sizeof(data), "%s.tsv", name);
	put_assignment(out, "data", data);
	put_assignment(out, "chart_title", summary->title ? summary->title : summary->scenario);
	put_subtitle(view, kind, out);
	/* Names stand at their points, but for a telephone, which has no room for them. */
	if (kind == CHART_TRADEOFF)
		fputs("key_hidden = !(exists('narrow') && narrow)\n", out);
	else
		fprintf(out, "key_hidden = %d\n", kind == CHART_BACKENDS);
	put_lines(view, out);
	if (kind == CHART_SPECTRUM)
		spectrum_settings(view, out);
	else if (kind == CHART_RATIO)
		ratio_settings(view, out);
	else if (kind == CHART_UPDATE)
		update_settings(view, out);
	else if (kind == CHART_TRADEOFF)
		tradeoff_settings(view, out);
	else
		latency_settings(view, out);
	r = put_caption(view, kind, out);
	fputc('\n', out);
	return r;
}
