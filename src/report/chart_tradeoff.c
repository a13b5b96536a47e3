// SPDX-License-Identifier: MIT
/* See chart_tradeoff.h: what is drawn. Where its names go: chart_tradeoff_names.c. */
#include "report/chart_tradeoff.h"

#include "base/units.h"
#include "report/chart_tradeoff_names.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ZERO_GAP 6.0 /* from the least decade to the place of 0, as a factor */
#define PAD      1.6

struct chart_tradeoff chart_tradeoff(const struct backend_summary *summary)
{
	struct chart_tradeoff tradeoff = {
		.latency = chart_latency(summary),
		.error = summary->error_pages,
		.bound = summary->error_bound_pages,
		.update_ns = isnan(summary->writer_ns) ? summary->update_ns : summary->writer_ns,
		.under_load = summary->truth.reads > 0,
	};

	if (tradeoff.under_load) {
		tradeoff.error = summary->truth.load.pages;
		tradeoff.bound = summary->truth.load.bound_pages;
	}
	return tradeoff;
}

static bool is_drawn(const struct chart_tradeoff *tradeoff)
{
	return !isnan(tradeoff->error) && !isnan(tradeoff->latency.middle);
}

/* ", cold" behind the name of the back end. */
static const char *facet_words(const struct chart_line *line)
{
	size_t length = strlen(line->backend);

	return strncmp(line->label + length, ", ", 2) ? "" : line->label + length + 2;
}

static void name_line(struct chart_line *line, const struct chart_tradeoff *tradeoff)
{
	char time[UNIT_TEXT_MAX];

	if (isnan(tradeoff->update_ns))
		snprintf(line->label, sizeof(line->label), "%.40s", line->backend);
	else
		snprintf(line->label, sizeof(line->label), "%.40s, update %s", line->backend,
			 unit_format_time(time, tradeoff->update_ns));
}

static void hold(struct chart_view *view, const char *words)
{
	size_t used = strlen(view->held);

	if (words[0])
		snprintf(view->held + used, sizeof(view->held) - used, "%s%.160s", used ? ", " : "",
			 words);
}

int chart_facet_new(const struct chart_view *view, unsigned facet, struct chart_view *out)
{
	size_t drawn = 0;

	*out = *view;
	out->nr_lines = 0;
	out->lines = calloc(view->nr_lines + 1, sizeof(*out->lines));
	if (!out->lines)
		return -ENOMEM;
	for (size_t l = 0; l < view->nr_lines; l++) {
		const struct chart_line *from = &view->lines[l];
		const struct chart_sample *sample = chart_spectrum_sample(view, from);
		struct chart_line *line = &out->lines[out->nr_lines];
		struct chart_tradeoff tradeoff;

		if (from->facet != facet || !sample)
			continue;
		tradeoff = chart_tradeoff(sample->summary);
		if (!is_drawn(&tradeoff))
			continue;
		if (!drawn++)
			hold(out, facet_words(from));
		*line = *from;
		line->facet = 0;
		line->nr = 1;
		line->samples = (struct chart_sample *)sample;
		name_line(line, &tradeoff);
		out->nr_lines++;
	}
	if (drawn > 1)
		return 0;
	chart_facet_free(out);
	return -ENODATA;
}

void chart_facet_free(struct chart_view *view)
{
	free(view->lines);
	view->lines = NULL;
}

bool chart_is_under_load(const struct chart_view *view)
{
	for (size_t l = 0; l < view->nr_lines; l++)
		if (chart_tradeoff(view->lines[l].samples[0].summary).under_load)
			return true;
	return false;
}

/* Of all errors and bounds above 0. */
static struct chart_range positive_range(const struct chart_view *view, bool *has_zero)
{
	struct chart_range range = chart_range_empty;

	*has_zero = false;
	for (size_t l = 0; l < view->nr_lines; l++) {
		struct chart_tradeoff t = chart_tradeoff(view->lines[l].samples[0].summary);

		chart_range_include(&range, t.error > 0 ? t.error : NAN);
		chart_range_include(&range, t.bound > 0 ? t.bound : NAN);
		*has_zero |= t.error <= 0 || t.bound <= 0;
	}
	if (isnan(range.low))
		range = (struct chart_range){1, 1};
	return range;
}

/* A decade that all are right of, and with it the place of 0. */
static double zero_place(struct chart_range positive)
{
	return pow(10, floor(log10(positive.low))) / ZERO_GAP;
}

static double place_of(double pages, double zero)
{
	return pages <= 0 ? zero : pages;
}

static void put(FILE *out, double value)
{
	if (isnan(value))
		fputs("\tNaN", out);
	else
		fprintf(out, "\t%.6g", value);
}

void chart_tradeoff_tsv(const struct chart_view *view, FILE *out)
{
	bool has_zero;
	double zero = zero_place(positive_range(view, &has_zero));

	fprintf(out,
		"# Time, error and cost of updates, scenario %s. Times are ns, errors pages, %s; "
		"NaN is what is not known.\n",
		view->summary->scenario, chart_is_under_load(view) ? "under load" : "at rest");
	if (view->held[0])
		fprintf(out, "# Swept by the run, held here: %s\n", view->held);
	fprintf(out,
		"# error_place and bound_place are on the axis, where 0 is at %.6g.\n"
		"# error_place\tmiddle_ns\tci_low_ns\tci_high_ns\tbound_place\terror_pages\t"
		"bound_pages\tupdate_ns\tage_ns\tbackend\tpoint\n",
		zero);
	for (size_t l = 0; l < view->nr_lines; l++) {
		const struct chart_sample *sample = &view->lines[l].samples[0];
		struct chart_tradeoff t = chart_tradeoff(sample->summary);
		const double figures[] = {
			t.latency.middle, t.latency.low,
			t.latency.high,   place_of(t.bound, zero),
			t.error,          t.bound,
			t.update_ns,      sample->summary->truth.age_ns,
		};

		fprintf(out, "%s# block %zu: %s\n%.6g", l ? "\n\n" : "", l, view->lines[l].label,
			place_of(t.error, zero));
		for (size_t f = 0; f < sizeof(figures) / sizeof(figures[0]); f++)
			put(out, figures[f]);
		fprintf(out, "\t%s\t%s\n", sample->summary->backend, sample->point->id);
	}
}

/* Whole decades, and 0. */
static struct chart_range put_pages_axis(const struct chart_view *view, double *zero, FILE *out)
{
	bool has_zero;
	struct chart_range range = positive_range(view, &has_zero);
	double decade = pow(10, floor(log10(range.low)));
	char tick[UNIT_TEXT_MAX];
	unsigned step = 1;

	*zero = zero_place(range);
	range.low = has_zero ? *zero / PAD : fmin(decade, range.low / PAD);
	range.high = fmax(range.high * PAD, 10 * decade);
	/* Room for about eight names. */
	while (log10(range.high / decade) / step > 8)
		step++;
	fprintf(out,
		"has_zero = %d\nzero_end = %.6g\nset logscale x\nset xrange [%.6g:%.6g]\n"
		"set xtics (",
		has_zero, decade / sqrt(ZERO_GAP), range.low, range.high);
	if (has_zero)
		fprintf(out, "'0' %.6g, ", *zero);
	for (unsigned i = 0; decade <= range.high; i++, decade *= 10)
		fprintf(out, "%s'%s' %.6g", i ? ", " : "",
			i % step ? "" : unit_format_exact(tick, UNIT_COUNT, (uint64_t)decade),
			decade);
	fputs(")\nx_ticks = 5\n", out);
	return range;
}

void chart_tradeoff_settings(const struct chart_view *view, FILE *out)
{
	struct chart_name *names = calloc(view->nr_lines, sizeof(*names));
	struct chart_range x, y = chart_range_empty;
	double zero;

	x = put_pages_axis(view, &zero, out);
	for (size_t l = 0; l < view->nr_lines; l++) {
		struct chart_latency latency = chart_latency(view->lines[l].samples[0].summary);

		chart_range_include(&y, latency.middle);
		chart_range_include(&y, latency.low);
		chart_range_include(&y, latency.high);
	}
	chart_put_log_axis(out, "y", y, true);
	y = chart_log_range(y);
	fprintf(out, "array name_x[%zu]\narray name_y[%zu]\narray name_side[%zu]\n",
		view->nr_lines + 1, view->nr_lines + 1, view->nr_lines + 1);
	for (size_t l = 0; names && l < view->nr_lines; l++) {
		struct chart_tradeoff t = chart_tradeoff(view->lines[l].samples[0].summary);

		names[l] = (struct chart_name){
			.text = view->lines[l].label,
			.x = log(place_of(t.error, zero) / x.low) / log(x.high / x.low),
			.bound = log(place_of(t.bound, zero) / x.low) / log(x.high / x.low),
			.y = log(t.latency.middle / y.low) / log(y.high / y.low),
		};
	}
	if (names)
		chart_names_place(names, view->nr_lines);
	for (size_t l = 0; l < view->nr_lines; l++)
		fprintf(out, "name_x[%zu] = %.4f\nname_y[%zu] = %.4f\nname_side[%zu] = %d\n", l + 1,
			names ? names[l].at_x : 0, l + 1, names ? names[l].at_y : 0, l + 1,
			names ? (int)names[l].side : 0);
	free(names);
}
