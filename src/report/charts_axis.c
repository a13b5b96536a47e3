// SPDX-License-Identifier: MIT
/* See charts_axis.h. Ticks are made here, not by gnuplot, so that units have one home. */
#include "report/charts_axis.h"

#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

void chart_range_include(struct chart_range *range, double value)
{
	if (!isfinite(value))
		return;
	range->low = isnan(range->low) ? value : fmin(range->low, value);
	range->high = isnan(range->high) ? value : fmax(range->high, value);
}

void chart_put_string(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '\'')
			fputc('\'', out);
		fputc(c < 0x20 || c == 0x7f ? ' ' : c, out);
	}
	fputc('\'', out);
}

/* The name of a tick, which gnuplot takes for a format. */
static void put_tick(FILE *out, const char *text)
{
	char doubled[2 * PARAMETER_TEXT_MAX], *to = doubled;

	for (; *text && to + 2 < doubled + sizeof(doubled); text++) {
		if (*text == '%')
			*to++ = '%';
		*to++ = *text;
	}
	*to = '\0';
	chart_put_string(out, doubled);
}

/* "10us" as scenarios write it reads better as "10 us" on an axis. */
static void spaced(const char *tight, char text[2 * UNIT_TEXT_MAX])
{
	size_t digits = strspn(tight, "0123456789.");

	snprintf(text, 2 * UNIT_TEXT_MAX, "%.*s%s%s", (int)digits, tight, tight[digits] ? " " : "",
		 tight + digits);
}

static void tick_text(double value, bool time, char text[2 * UNIT_TEXT_MAX])
{
	char tight[UNIT_TEXT_MAX];
	bool whole = value >= 1 && value < 1e18 && floor(value) == value;

	if (time && whole)
		spaced(unit_format_exact(tight, UNIT_TIME, (uint64_t)value), text);
	else if (time)
		snprintf(text, 2 * UNIT_TEXT_MAX, "%s", unit_format_time(tight, value));
	else if (whole)
		snprintf(text, 2 * UNIT_TEXT_MAX, "%s",
			 unit_format_exact(tight, UNIT_COUNT, (uint64_t)value));
	else
		snprintf(text, 2 * UNIT_TEXT_MAX, "%g", value);
}

/* Around what is drawn. */
static struct chart_range padded(struct chart_range range)
{
	return (struct chart_range){isnan(range.low) ? 1 : range.low / 1.4,
				    isnan(range.high) ? 10 : range.high * 1.6};
}

/* So few decades that there is room for ticks between them. */
static bool is_fine(struct chart_range range)
{
	struct chart_range around = padded(range);

	return log10(around.high / around.low) < 2.5;
}

struct chart_range chart_log_range(struct chart_range range)
{
	struct chart_range around = padded(range);

	if (!is_fine(range)) {
		/* Room for whole decades below, so that the lowest tick is labelled. */
		around.low = pow(10, floor(log10(around.low)));
		around.high = fmax(around.high, pow(10, ceil(log10(around.high) - 0.4)));
	}
	/* gnuplot leaves out a tick that a rounding error puts beyond the axis. */
	around.low *= 0.99;
	around.high *= 1.01;
	return around;
}

void chart_put_log_axis(FILE *out, const char *axis, struct chart_range range, bool time)
{
	static const int steps[] = {1, 2, 5};
	const struct chart_range axis_range = chart_log_range(range);
	double low = axis_range.low, high = axis_range.high;
	bool first = true, fine = is_fine(range);
	char text[2 * UNIT_TEXT_MAX];

	fprintf(out, "set logscale %s\nset %srange [%.6g:%.6g]\nset %stics (", axis, axis, low,
		high, axis);
	for (int decade = (int)floor(log10(low)); decade <= (int)ceil(log10(high)); decade++)
		for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
			double value =
				steps[s] * (decade < 0 ? 1 / pow(10, -decade) : pow(10, decade));

			if (value < low || value > high)
				continue;
			tick_text(value, time, text);
			fputs(first ? "" : ", ", out);
			if (steps[s] == 1 || fine) {
				put_tick(out, text);
				fprintf(out, " %.6g", value);
			} else {
				fprintf(out, "'' %.6g 1", value);
			}
			first = false;
		}
	fputs(")\n", out);
}

bool chart_log_x(struct chart_range range)
{
	return range.low > 0 && range.high >= 8 * range.low;
}

/* Ticks where something was measured, each at least a tenth of the axis from the one before; how
 * many there are. */
static unsigned put_value_ticks(FILE *out, const struct chart_view *view, bool logarithmic,
				struct chart_range axis)
{
	double width = logarithmic ? log(axis.high / axis.low) : axis.high - axis.low, last = NAN;
	char text[PARAMETER_TEXT_MAX];
	unsigned nr = 0;

	for (size_t l = 0; l < view->nr_lines; l++)
		for (size_t i = 0; i < view->lines[l].nr; i++) {
			const struct chart_sample *sample = &view->lines[l].samples[i];
			double place = logarithmic ? log(sample->x) : sample->x;

			/* Later lines mostly repeat the values of the first. */
			if (!isnan(last) && place < last + width / 10)
				continue;
			fputs(nr++ ? ", " : "", out);
			put_tick(out, parameter_text(view->x, sample->point, text));
			fprintf(out, " %.17g", sample->x);
			last = place;
		}
	return nr;
}

/* No name is longer than a chart can hold. */
static void put_line_name(FILE *out, const char *label)
{
	char text[CHART_TEXT_MAX];

	snprintf(text, sizeof(text), "%.40s", label);
	put_tick(out, text);
}

void chart_put_x_axis(FILE *out, const struct chart_view *view, struct chart_range range)
{
	bool logarithmic = view->x && chart_log_x(range);

	fprintf(out, "log_x = %d\n", logarithmic);
	if (!view->x) {
		fprintf(out, "x_low = 0.4\nx_high = %zu.6\nset xrange [x_low:x_high]\nset xtics (",
			view->nr_lines);
		for (size_t l = 0; l < view->nr_lines; l++) {
			fputs(l ? ", " : "", out);
			put_line_name(out, view->lines[l].label);
			fprintf(out, " %zu", l + 1);
		}
		fprintf(out, ")\nx_ticks = %zu\n", view->nr_lines);
		return;
	}
	if (logarithmic) {
		double pad = pow(range.high / range.low, 0.06);

		range.low /= pad;
		range.high *= pad;
		fputs("set logscale x\n", out);
	} else {
		double pad = range.high > range.low ? 0.06 * (range.high - range.low)
						    : fmax(1, range.high) / 2;

		range.low -= pad;
		range.high += pad;
	}
	fprintf(out, "x_low = %.17g\nx_high = %.17g\nset xrange [x_low:x_high]\nset xtics (",
		range.low, range.high);
	fprintf(out, ")\nx_ticks = %u\n", put_value_ticks(out, view, logarithmic, range));
}

void chart_put_percentile_axis(FILE *out, double depth)
{
	double tick = 10, high = fmax(10, depth * 1.15);
	char text[32];

	fprintf(out, "set logscale x\nset xrange [1:%.6g]\nset xtics (", high);
	put_tick(out, "0%");
	fputs(" 1, ", out);
	put_tick(out, "50%");
	fputs(" 2", out);
	/* 90 %, 99 %, 99.9 %, ... */
	for (int nines = 1; tick <= high && nines <= 9; nines++, tick *= 10) {
		snprintf(text, sizeof(text), "%.*f%%", nines > 2 ? nines - 2 : 0, 100 - 100 / tick);
		fputs(", ", out);
		put_tick(out, text);
		fprintf(out, " %.6g", tick);
	}
	fputs(")\n", out);
}
