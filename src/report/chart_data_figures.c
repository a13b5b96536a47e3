// SPDX-License-Identifier: MIT
/* See chart_data.h: the figures that are drawn of one sample, and whether there are any. */
#include "report/chart_data.h"

#include <math.h>

/* A logarithmic axis has no place for a time that is not above 0. */
static double positive(double ns)
{
	return ns > 0 ? ns : NAN;
}

struct chart_latency chart_latency(const struct backend_summary *summary)
{
	struct chart_latency latency = {NAN, NAN, NAN, NAN, NAN, false};

	if (!summary->processes)
		return latency;
	latency.middle = positive(isnan(summary->median_ns) ? summary->p50_ns : summary->median_ns);
	latency.low = positive(summary->ci_low_ns);
	latency.high = positive(summary->ci_high_ns);
	if (summary->p99_ns > 0) {
		latency.band_low = positive(summary->p50_ns);
		latency.band_high = summary->p99_ns;
	} else if (summary->p90_ns > 0 && summary->latency && histogram_count(summary->latency)) {
		latency.band_low = positive((double)histogram_min_ps(summary->latency) / 1000.0);
		latency.band_high = summary->p90_ns;
		latency.narrow = true;
	}
	return latency;
}

bool chart_has_bands(const struct chart_view *view)
{
	return !view->x || view->nr_lines <= 6;
}

const struct chart_line *chart_fastest(const struct chart_view *view, unsigned facet)
{
	const struct chart_line *fastest = NULL;
	double least = NAN;

	for (size_t l = 0; l < view->nr_lines; l++) {
		const struct chart_line *line = &view->lines[l];
		double ns;

		if (line->facet != facet || !line->nr)
			continue;
		ns = chart_latency(line->samples[line->nr - 1].summary).middle;
		if (!isnan(ns) && (!fastest || ns < least)) {
			fastest = line;
			least = ns;
		}
	}
	return fastest;
}

struct ratio chart_ratio(const struct chart_view *view, const struct chart_line *line, size_t i)
{
	const struct chart_line *base = chart_fastest(view, line->facet);
	const struct ratio none = {0, NAN, NAN, NAN, NAN};

	/* Lines of one facet are of the same points. */
	if (!base || base == line || i >= base->nr ||
	    base->samples[i].point != line->samples[i].point)
		return none;
	return summary_ratio(line->samples[i].summary, base->samples[i].summary);
}

/* The last sample with a histogram; NULL where there is none. */
static const struct chart_sample *last_measured(const struct chart_line *line)
{
	for (size_t i = line->nr; i-- > 0;)
		if (line->samples[i].summary->latency &&
		    histogram_count(line->samples[i].summary->latency))
			return &line->samples[i];
	return NULL;
}

const struct chart_sample *chart_spectrum_sample(const struct chart_view *view,
						 const struct chart_line *line)
{
	const struct chart_sample *sample = last_measured(line);

	for (size_t l = 0; l < view->nr_lines && view->x; l++) {
		const struct chart_sample *other = last_measured(&view->lines[l]);

		if (sample && other && other->x > sample->x)
			return NULL;
	}
	return sample;
}

bool chart_has_latency(const struct chart_view *view)
{
	for (size_t l = 0; l < view->nr_lines; l++)
		for (size_t i = 0; i < view->lines[l].nr; i++)
			if (!isnan(chart_latency(view->lines[l].samples[i].summary).middle))
				return true;
	return false;
}

bool chart_has_ratio(const struct chart_view *view)
{
	for (size_t l = 0; l < view->nr_lines; l++)
		for (size_t i = 0; i < view->lines[l].nr; i++)
			if (chart_ratio(view, &view->lines[l], i).pairs)
				return true;
	return false;
}

bool chart_has_spectrum(const struct chart_view *view)
{
	for (size_t l = 0; l < view->nr_lines; l++)
		if (chart_spectrum_sample(view, &view->lines[l]))
			return true;
	return false;
}
