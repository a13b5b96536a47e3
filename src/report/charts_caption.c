// SPDX-License-Identifier: MIT
/*
 * The caption below a chart: what was measured, where, how often, and how to read the marks. A
 * chart that is copied out of its page still says what it shows.
 */
#include "report/charts_settings.h"

#include "base/units.h"
#include "report/chart_tradeoff.h"
#include "report/run_table_parts.h"
#include "report/wrap.h"
#include "result/counts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tally {
	uint64_t low, high;
	bool any;
};

static void count(struct tally *tally, uint64_t value)
{
	tally->low = !tally->any || value < tally->low ? value : tally->low;
	tally->high = !tally->any || value > tally->high ? value : tally->high;
	tally->any = true;
}

/* "10 processes", "5 to 10 processes". */
static void put_tally(FILE *out, const struct tally *tally, const char *one, const char *many)
{
	if (tally->low != tally->high)
		fprintf(out, "%" PRIu64 " to ", tally->low);
	fprintf(out, "%" PRIu64 " %s", tally->high,
		tally->low == 1 && tally->high == 1 ? one : many);
}

/* Part of every caption, at its default or not. */
static const char *const always_said[] = {"tree.shape",   "tree.memcgs",    "machine.nodes",
					  "machine.cpus", "machine.pages",  "machine.layout",
					  "machine.skew", "counters.batch", "read.cache",
					  "read.text",    "read.rows"};

static bool said(const struct parameter *parameter, const struct point *point)
{
	for (size_t i = 0; i < sizeof(always_said) / sizeof(always_said[0]); i++)
		if (!strcmp(parameter->name, always_said[i]))
			return true;
	return !parameter_is_default(parameter, point);
}

static void put_model(FILE *out, const struct run_summary *summary)
{
	const struct point *point = &summary->points[0].point;
	char text[PARAMETER_TEXT_MAX];
	bool first = true;

	for (size_t i = 0; i < nr_parameters; i++) {
		const struct parameter *parameter = &parameters[i];

		if (!parameter->in_id || !said(parameter, point) ||
		    chart_parameter_varies(summary, parameter))
			continue;
		fprintf(out, "%s%s %.40s", first ? "Model: " : ", ", parameter->name,
			parameter_text(parameter, point, text));
		first = false;
	}
	fputs(first ? "" : ". ", out);
}

/* A word added to a list of words, unless it is there. */
static void add_word(char *list, size_t size, const char *word)
{
	size_t used = strlen(list), length = strlen(word);
	const char *at = list;

	while ((at = strstr(at, word))) {
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ','))
			return;
		at++;
	}
	snprintf(list + used, size - used, "%s%s", used ? ", " : "", word);
}

static void put_placement(FILE *out, const struct chart_view *view)
{
	char asked[64] = "", found[64] = "", bytes[UNIT_TEXT_MAX];
	double misplaced = 0;

	for (size_t l = 0; l < view->nr_lines; l++)
		for (size_t i = 0; i < view->lines[l].nr; i++) {
			const struct backend_summary *s = view->lines[l].samples[i].summary;
			const char *word =
				json_string_value(json_object_get(s->placement_found, "placement"));

			if (s->placement_asked)
				add_word(asked, sizeof(asked), s->placement_asked);
			if (word)
				add_word(found, sizeof(found), word);
			misplaced =
				fmax(misplaced, json_number_value(json_object_get(
							s->placement_found, "bytes_misplaced")));
		}
	fprintf(out, "Placement asked: %s, found: %s", asked[0] ? asked : "-",
		found[0] ? found : "-");
	if (misplaced > 0)
		fprintf(out, " with up to %s misplaced", unit_format_bytes(bytes, misplaced));
	fputs(". ", out);
}

static void put_sampling(FILE *out, const struct chart_view *view)
{
	struct tally processes = {0}, samples = {0};
	const struct run_summary *summary = view->summary;

	for (size_t l = 0; l < view->nr_lines; l++)
		for (size_t i = 0; i < view->lines[l].nr; i++) {
			const struct backend_summary *s = view->lines[l].samples[i].summary;

			count(&processes, s->processes);
			if (s->processes)
				count(&samples, s->samples);
		}
	fputs("Each point: ", out);
	put_tally(out, &processes, "process", "processes");
	fputs(" with ", out);
	put_tally(out, &samples, "sample", "samples");
	fputs(" in all. ", out);
	if (summary->done < summary->expected)
		fprintf(out, "Not complete: %zu of %zu repetitions. ", summary->done,
			summary->expected);
}

/* Back ends whose samples are means of several reads. The lines of a back end come in a row. */
static void put_batches(FILE *out, const struct chart_view *view)
{
	struct tally reads = {0};

	for (size_t l = 0; l < view->nr_lines; l++) {
		const struct chart_line *line = &view->lines[l];
		bool last = l + 1 == view->nr_lines ||
			    strcmp(line->backend, view->lines[l + 1].backend) != 0;

		for (size_t i = 0; i < line->nr; i++)
			if (line->samples[i].summary->reads_per_sample > 1)
				count(&reads, line->samples[i].summary->reads_per_sample);
		if (!last)
			continue;
		if (reads.any) {
			fprintf(out, "A sample of %s is the mean of ", line->backend);
			put_tally(out, &reads, "read", "reads");
			fputs(". ", out);
		}
		reads.any = false;
	}
}

static void put_legend(FILE *out, const struct chart_view *view)
{
	bool wide = false, narrow = false, interval = false;

	for (size_t l = 0; l < view->nr_lines; l++)
		for (size_t i = 0; i < view->lines[l].nr; i++) {
			struct chart_latency latency =
				chart_latency(view->lines[l].samples[i].summary);

			if (!chart_has_bands(view))
				latency.band_high = NAN;
			wide |= !isnan(latency.band_high) && !latency.narrow;
			narrow |= !isnan(latency.band_high) && latency.narrow;
			interval |= !isnan(latency.low);
		}
	fprintf(out, "%s: median%s", view->x ? "Lines" : "Points",
		interval ? " over processes, bars its interval (at least 95 %)" : "");
	if (wide || narrow)
		fprintf(out, "; %s %s%s%s", view->x ? "bands" : "whiskers",
			wide ? "p50 to p99" : "", wide && narrow ? ", or " : "",
			narrow ? "minimum to p90 where samples are too few for p99" : "");
	fputs(". ", out);
}

/* Bytes touched against the last-level cache: the mark in the chart is only there where they cross.
 */
static void put_cache(FILE *out, const struct chart_view *view)
{
	char cache[UNIT_TEXT_MAX], touched[UNIT_TEXT_MAX];
	const struct backend_summary *most = NULL;

	for (size_t l = 0; l < view->nr_lines; l++)
		for (size_t i = 0; i < view->lines[l].nr; i++) {
			const struct backend_summary *s = view->lines[l].samples[i].summary;

			if (count_number(s->bytes_touched) > (most ? most->bytes_touched : 0))
				most = s;
		}
	if (most && view->summary->llc_bytes)
		fprintf(out, "A read of %s touches up to %s; the last-level cache has %s. ",
			most->backend, unit_format_bytes(touched, (double)most->bytes_touched),
			unit_format_bytes(cache, (double)view->summary->llc_bytes));
}

static void put_sources(FILE *out, const struct chart_view *view)
{
	const struct run_summary *summary = view->summary;
	char time[UNIT_TEXT_MAX], exact[UNIT_TEXT_MAX];

	if (view->x && strcmp(view->x->name, "tree.memcgs"))
		return;
	for (size_t i = 0; i < summary->nr_references; i++) {
		const struct reference *reference = &summary->references[i];

		fprintf(out, "%s%s %s%s at %s memcgs (%s)%s",
			i ? "" : "Published: ", reference->backend,
			reference->at_most ? "at most " : "",
			unit_format_time(time, reference->time_ns),
			unit_format_exact(exact, UNIT_COUNT, reference->memcgs),
			reference->source ? reference->source : "no source given",
			i + 1 < summary->nr_references ? ", " : ". ");
	}
}

static bool has_ratio_interval(const struct chart_view *view)
{
	for (size_t l = 0; l < view->nr_lines; l++)
		for (size_t i = 0; i < view->lines[l].nr; i++)
			if (!isnan(chart_ratio(view, &view->lines[l], i).low))
				return true;
	return false;
}

static void put_reading(FILE *out, const struct chart_view *view, enum chart_kind kind)
{
	if (kind == CHART_SPECTRUM) {
		fputs("Dotted: fewer than ten samples lie above, or a sample is the mean of "
		      "several "
		      "reads. ",
		      out);
	} else if (kind == CHART_TRADEOFF) {
		fputs("Points: median time over processes, bars its interval; ", out);
		fputs(chart_is_under_load(view)
			      ? "error: the furthest that a cell of a read under load was outside "
				"of what was true meanwhile, by share of its bound; "
			      : "error: of the cell with the largest share of its bound, while "
				"nobody writes; ",
		      out);
		fputs("the line from it ends at that bound. Update: median of one. ", out);
	} else if (kind == CHART_UPDATE) {
		fputs("Lines: median over processes of one page charged or uncharged, many in a "
		      "row "
		      "at one place, spills included, while nobody else reads or writes. ",
		      out);
	} else if (kind == CHART_RATIO) {
		fprintf(out,
			"Ratios are of processes of the same repetition, which ran close "
			"together%s. ",
			has_ratio_interval(view)
				? "; bars: interval of their median (at least 95 %)"
				: "");
	} else {
		put_legend(out, view);
		put_cache(out, view);
		put_sources(out, view);
	}
	if (kind != CHART_RATIO && kind != CHART_UPDATE)
		put_batches(out, view);
}

static void put_sentences(FILE *out, const struct chart_view *view, enum chart_kind kind)
{
	fprintf(out, "Scenario %s on %s. ", view->summary->scenario,
		view->summary->host_class ? view->summary->host_class : "an unknown machine");
	put_model(out, view->summary);
	if (live_and_models(view->summary))
		fputs("Back ends named kernel... are system calls to the running kernel, all "
		      "others function calls of a model. ",
		      out);
	if (view->held[0])
		fprintf(out, "Of this chart: %s. ", view->held);
	if (view->tied[0])
		fprintf(out, "With %s goes %s. ", view->x->name, view->tied);
	put_placement(out, view);
	put_sampling(out, view);
	put_reading(out, view, kind);
}

char *chart_caption(const struct chart_view *view, enum chart_kind kind, unsigned width)
{
	char *sentences = NULL, *lines = NULL;
	size_t length;
	FILE *out = open_memstream(&sentences, &length);

	if (!out)
		return NULL;
	put_sentences(out, view, kind);
	if (!fclose(out) && (out = open_memstream(&lines, &length))) {
		wrap_lines(out, width, 0, "", sentences);
		if (fclose(out)) {
			free(lines);
			lines = NULL;
		}
	}
	free(sentences);
	return lines;
}
