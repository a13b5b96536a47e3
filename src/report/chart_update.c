// SPDX-License-Identifier: MIT
/* See chart_update.h. Drawn by latency.gp, whose columns it has. */
#include "report/chart_update.h"

#include "report/charts_axis.h"

#include <math.h>

#define WORTH_IT 1.5

double chart_update_ns(const struct backend_summary *summary)
{
	double ns = summary->processes ? summary->kinds[MIX_PAGE].median_ns : NAN;

	return ns > 0 ? ns : NAN; /* a logarithmic axis has no place for others */
}

static bool changes(const struct chart_line *line)
{
	struct chart_range range = chart_range_empty;

	for (size_t i = 0; i < line->nr; i++)
		chart_range_include(&range, chart_update_ns(line->samples[i].summary));
	return range.high >= WORTH_IT * range.low;
}

bool chart_has_update(const struct chart_view *view)
{
	for (size_t l = 0; view->x && l < view->nr_lines; l++)
		if (changes(&view->lines[l]))
			return true;
	return false;
}

void chart_update_tsv(const struct chart_view *view, FILE *out)
{
	fprintf(out,
		"# Cost of an update, scenario %s. Times are ns per update, NaN is what is not "
		"known "
		"or not reported.\n",
		view->summary->scenario);
	if (view->held[0])
		fprintf(out, "# Swept by the run, held here: %s\n", view->held);
	fprintf(out,
		"# x is %s; intervals and bands are not known.\n"
		"# x\tpage_ns\tNaN\tNaN\tNaN\tNaN\tpage_p99_ns\tx_text\tbackend\tpoint\n",
		view->x->name);
	for (size_t l = 0; l < view->nr_lines; l++) {
		const struct chart_line *line = &view->lines[l];

		chart_put_block(line, l, out);
		for (size_t i = 0; i < line->nr; i++) {
			const struct chart_sample *sample = &line->samples[i];

			fprintf(out, "%.17g", sample->x);
			chart_put_figure(out, chart_update_ns(sample->summary));
			fputs("\tNaN\tNaN\tNaN\tNaN", out);
			chart_put_figure(out, sample->summary->processes
						      ? sample->summary->kinds[MIX_PAGE].p99_ns
						      : NAN);
			chart_put_exact(out, view, sample->point);
			fprintf(out, "\t%s\t%s\n", line->backend, sample->point->id);
		}
	}
}

void chart_update_settings(const struct chart_view *view, FILE *out)
{
	struct chart_range x = chart_range_empty, y = chart_range_empty;

	for (size_t l = 0; l < view->nr_lines; l++)
		for (size_t i = 0; i < view->lines[l].nr; i++) {
			chart_range_include(&x, view->lines[l].samples[i].x);
			chart_range_include(&y, chart_update_ns(view->lines[l].samples[i].summary));
		}
	/* What latency.gp asks for and this chart does not have. */
	fputs("bands = 0\nfloor_ns = NaN\nfloor_label = ''\ncache_x = NaN\ncache_label = ''\n"
	      "nr_references = 0\narray reference_x[1]\narray reference_ns[1]\n"
	      "array reference_backend[1]\narray reference_label[1]\n",
	      out);
	chart_put_x_axis(out, view, x);
	chart_put_log_axis(out, "y", y, true);
}
