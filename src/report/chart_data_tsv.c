// SPDX-License-Identifier: MIT
/* See chart_data.h: the data files beside the pictures. */
#include "report/chart_data.h"
#include "result/counts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Points of a spectrum for each factor of ten in 1/(1-q). */
#define SPECTRUM_STEPS 24

/* printf would write "nan" or "-nan", which other readers of the file take for text. */
void chart_put_figure(FILE *out, double value)
{
	if (isnan(value))
		fputs("\tNaN", out);
	else
		fprintf(out, "\t%.6g", value);
}

static void put_count(FILE *out, uint64_t count)
{
	if (count == COUNT_UNKNOWN)
		fputs("\tNaN", out);
	else
		fprintf(out, "\t%" PRIu64, count);
}

void chart_put_exact(FILE *out, const struct chart_view *view, const struct point *point)
{
	char text[PARAMETER_TEXT_MAX] = "-";

	if (view->x)
		parameter_text(view->x, point, text);
	fprintf(out, "\t%s", text);
}

static void put_heading(const struct chart_view *view, const char *what, FILE *out)
{
	fprintf(out,
		"# %s, scenario %s. Times are ns per read, NaN is what is not known or not "
		"reported.\n",
		what, view->summary->scenario);
	if (view->held[0])
		fprintf(out, "# Swept by the run, held here: %s\n", view->held);
}

void chart_put_block(const struct chart_line *line, size_t before, FILE *out)
{
	fprintf(out, "%s# block %zu: %s\n", before ? "\n\n" : "", before, line->label);
	/* A block without a row would not be counted as one. */
	if (!line->nr)
		fputs("NaN\n", out);
}

void chart_latency_tsv(const struct chart_view *view, FILE *out)
{
	put_heading(view, "Latency", out);
	fprintf(out,
		"# x is %s; band_* is p50 to p99, or minimum to p90 where there is no p99.\n"
		"# x\tmiddle_ns\tci_low_ns\tci_high_ns\tband_low_ns\tband_high_ns\tp50_ns\tp90_ns\t"
		"p99_ns\tp999_ns\tmax_ns\tfloor_ns\tbytes_touched\tprocesses\tsamples\tx_text\t"
		"backend\tpoint\n",
		view->x ? view->x->name : "the place of the line, from 1");
	for (size_t l = 0; l < view->nr_lines; l++) {
		const struct chart_line *line = &view->lines[l];

		chart_put_block(line, l, out);
		for (size_t i = 0; i < line->nr; i++) {
			const struct backend_summary *s = line->samples[i].summary;
			const struct chart_latency latency = chart_latency(s);
			const double figures[] = {
				latency.middle,    latency.low, latency.high, latency.band_low,
				latency.band_high, s->p50_ns,   s->p90_ns,    s->p99_ns,
				s->p999_ns,        s->max_ns,   s->floor_ns,
			};

			fprintf(out, "%.17g", line->samples[i].x);
			for (size_t f = 0; f < sizeof(figures) / sizeof(figures[0]); f++)
				chart_put_figure(out, s->processes ? figures[f] : NAN);
			put_count(out, s->bytes_touched);
			fprintf(out, "\t%u\t%" PRIu64, s->processes, s->samples);
			chart_put_exact(out, view, line->samples[i].point);
			fprintf(out, "\t%s\t%s\n", s->backend, line->samples[i].point->id);
		}
	}
}

/* How many percentiles are shown solid: those with ten samples above them, and none above the
 * median where a sample is the mean of a batch. The last solid one is also the first thin one, so
 * that the line goes on. */
static double solid_until(const struct backend_summary *summary, double n)
{
	return summary->reads_per_sample > 1 ? 2 : n / 10;
}

static void put_percentile(FILE *out, const struct backend_summary *summary, double depth,
			   double solid, double ns)
{
	fprintf(out, "%.6g\t%.7g", depth, 100 - 100 / depth);
	chart_put_figure(out, depth <= solid ? ns : NAN);
	chart_put_figure(out, depth >= solid ? ns : NAN);
	fprintf(out, "\t%s\n", summary->backend);
}

static void put_spectrum(const struct backend_summary *summary, FILE *out)
{
	double n = (double)histogram_count(summary->latency);
	double solid = fmin(solid_until(summary, n), n);
	double previous = 0;

	for (unsigned step = 0;; step++) {
		double depth = pow(10, step / (double)SPECTRUM_STEPS);

		/* The seam, exactly where it is. */
		if (previous < solid && depth > solid && solid > 1)
			put_percentile(out, summary, solid, solid,
				       histogram_quantile_ns(summary->latency, 1 - 1 / solid));
		if (depth >= n)
			break;
		put_percentile(out, summary, depth, solid,
			       step ? histogram_quantile_ns(summary->latency, 1 - 1 / depth)
				    : (double)histogram_min_ps(summary->latency) / 1000.0);
		previous = depth;
	}
	put_percentile(out, summary, n, solid, (double)histogram_max_ps(summary->latency) / 1000.0);
}

void chart_spectrum_tsv(const struct chart_view *view, FILE *out)
{
	put_heading(view, "Latency by percentile", out);
	fputs("# depth is 1/(1-q) of quantile q: 2 is the median, 100 is p99; the first is the "
	      "minimum, "
	      "the last the maximum.\n"
	      "# thin_ns: fewer than ten samples lie above, or samples are means of batches.\n"
	      "# depth\tpercentile\tsolid_ns\tthin_ns\tbackend\n",
	      out);
	for (size_t l = 0; l < view->nr_lines; l++) {
		const struct chart_line *line = &view->lines[l];
		const struct chart_sample *sample = chart_spectrum_sample(view, line);

		chart_put_block(line, l, out);
		if (sample)
			put_spectrum(sample->summary, out);
		else if (line->nr)
			fputs("NaN\tNaN\tNaN\tNaN\t-\n", out);
	}
}

void chart_ratio_tsv(const struct chart_view *view, FILE *out)
{
	put_heading(view, "Ratio of times per read", out);
	fprintf(out,
		"# x is %s; ratios are of processes of the same repetition, "
		"numerator/denominator.\n"
		"# x\tratio\tlow\thigh\tpairs\tx_text\tnumerator\tdenominator\n",
		view->x ? view->x->name : "the place of the line, from 1");
	for (size_t l = 0; l < view->nr_lines; l++) {
		const struct chart_line *line = &view->lines[l];
		const struct chart_line *base = chart_fastest(view, line->facet);

		chart_put_block(line, l, out);
		for (size_t i = 0; i < line->nr; i++) {
			const struct chart_sample *sample = &line->samples[i];
			struct ratio ratio = chart_ratio(view, line, i);

			fprintf(out, "%.17g", sample->x);
			chart_put_figure(out, ratio.pairs ? ratio.median : NAN);
			chart_put_figure(out, ratio.pairs ? ratio.low : NAN);
			chart_put_figure(out, ratio.pairs ? ratio.high : NAN);
			fprintf(out, "\t%zu", ratio.pairs);
			chart_put_exact(out, view, sample->point);
			fprintf(out, "\t%s\t%s\n", line->backend, base ? base->backend : "-");
		}
	}
}
