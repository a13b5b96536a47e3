// SPDX-License-Identifier: MIT
/* See page_parts.h: everything that is a table of measured figures. */
#include "report/page_html.h"
#include "report/page_parts.h"
#include "report/run_table_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(struct error *err)
{
	return error_set(err, -ENOMEM, "out of memory");
}

static void cell_number(struct table *table, double value, const char *unit)
{
	char text[UNIT_TEXT_MAX];

	table_cell(table, "%s",
		   !strcmp(unit, "ns")      ? unit_format_time(text, value)
		   : !strcmp(unit, "bytes") ? unit_format_bytes(text, value)
					    : unit_format_count(text, value));
	table_value(table, value, unit);
}

static void cell_whole(struct table *table, uint64_t number)
{
	table_cell(table, "%" PRIu64, number);
	table_value(table, (double)number, "");
}

static const char *const sampling_columns[] = {"processes", "failed", "samples", "reads",
					       "a sample",  "p99.9",  "low",     "high",
					       "level",     "floor",  "memory",  NULL};

static void sampling_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;

	cell_whole(table, s->processes);
	cell_whole(table, s->failed);
	cell_whole(table, s->samples);
	cell_whole(table, s->reads);
	cell_whole(table, s->reads_per_sample);
	cell_number(table, s->p999_ns, "ns");
	cell_number(table, s->ci_low_ns, "ns");
	cell_number(table, s->ci_high_ns, "ns");
	if (isnan(s->ci_level))
		table_cell(table, "-");
	else
		table_cell(table, "%.1f%%", 100 * s->ci_level);
	table_value(table, 100 * s->ci_level, "%");
	cell_number(table, s->floor_ns, "ns");
	cell_number(table, s->memory_bytes ? (double)s->memory_bytes : NAN, "bytes");
}

static void sampling_notes(const struct run_summary *summary, FILE *out)
{
	(void)summary;
	fputs("  processes that ended well, and failed ones; each is one repetition\n"
	      "  a sample  reads that are timed together\n"
	      "  low..high the interval of the median, over processes; level: what it covers\n"
	      "  floor     an empty interval takes so long; nothing is subtracted\n"
	      "  memory    of the counters and per-CPU areas of one process\n",
	      out);
}

static const char *const placement_columns[] = {"asked",   "found", "bytes", "misplaced",
						"unknown", "huge",  NULL};

static double found_number(const struct backend_summary *s, const char *key)
{
	const json_t *value = json_object_get(s->placement_found, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static void placement_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;
	const char *found = json_string_value(json_object_get(s->placement_found, "placement"));

	table_cell(table, "%s", s->placement_asked ? s->placement_asked : "-");
	table_cell(table, "%s", found ? found : "-");
	cell_number(table, found_number(s, "bytes"), "bytes");
	cell_number(table, found_number(s, "bytes_misplaced"), "bytes");
	cell_number(table, found_number(s, "bytes_unknown"), "bytes");
	cell_number(table, found_number(s, "huge_bytes"), "bytes");
}

static void placement_notes(const struct run_summary *summary, FILE *out)
{
	(void)summary;
	fputs("  found     by looking up each page after it was written; of the worst process\n"
	      "  misplaced on another node than asked for; unknown: pages that are not there\n",
	      out);
}

static const struct run_section sampling_section = {
	"How it was sampled", sampling_columns, sampling_cells, sampling_notes, NULL, NULL};
static const struct run_section placement_section = {
	"Where memory lies", placement_columns, placement_cells, placement_notes, NULL, NULL};

/* The text that `notes` writes for a terminal, as a list. */
static int put_notes(void (*notes)(const struct run_summary *summary, FILE *out),
		     const struct run_summary *summary, FILE *out, struct error *err)
{
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);
	int r;

	if (!memory)
		return out_of_memory(err);
	notes(summary, memory);
	r = fclose(memory) ? out_of_memory(err) : page_notes(out, text, err);
	free(text);
	return r;
}

/* Takes over the table. `id`: of the heading; the table's is the same with a "t-" before it. */
static int put_table(struct table *table, const char *id, const char *title, size_t nr_keys,
		     FILE *out, struct error *err)
{
	char name[64];
	int r;

	snprintf(name, sizeof(name), "t-%s", id);
	fprintf(out, "<section class=\"data\" aria-labelledby=\"%s\">\n<h3 id=\"%s\">", id, id);
	html_text(out, title);
	fputs("</h3>\n", out);
	r = table_print_html(table, name, title, nr_keys, out);
	table_free(table);
	return r ? out_of_memory(err) : 0;
}

static int put_section(struct page *page, const struct run_section *section, const char *id,
		       FILE *out, struct error *err)
{
	int r;

	if (section->known && !section->known(page->summary))
		return 0;
	r = put_table(run_section_table(page->groups, section), id, section->title,
		      run_keys(page->groups), out, err);
	if (!r)
		r = put_notes(section->notes, page->summary, out, err);
	fputs("</section>\n", out);
	return r;
}

int page_tables(struct page *page, FILE *out, struct error *err)
{
	char id[32];
	int r = 0;

	if (!page_any_measured(page->summary)) {
		html_element(out, "p", "Nothing was measured.");
		return 0;
	}
	for (size_t i = 0; !r && i < nr_run_sections; i++) {
		snprintf(id, sizeof(id), "part-%zu", i + 1);
		r = put_section(page, &run_sections[i], id, out, err);
		if (r || i || backends_of(page->summary) < 2)
			continue;
		r = put_table(run_ratio_table(page->groups), "ratios", "Ratio of median times",
			      run_keys(page->groups), out, err);
		if (!r)
			r = put_notes(ratio_notes, page->summary, out, err);
		fputs("</section>\n", out);
	}
	if (!r)
		r = put_section(page, &sampling_section, "sampling", out, err);
	return r;
}

int page_placement(struct page *page, FILE *out, struct error *err)
{
	if (!page_any_measured(page->summary))
		return 0;
	return put_section(page, &placement_section, "places", out, err);
}

/* A table for each group of points, below the group's heading. */
static int put_groups(struct page *page, const char *id, const char *title,
		      struct table *(*make)(const struct run_groups *groups, size_t group),
		      FILE *out, struct error *err)
{
	char name[64];
	int r = 0;

	for (size_t g = 0; !r && g < page->groups->nr; g++) {
		struct table *table = make(page->groups, g);
		const char *heading = page->groups->groups[g].heading;

		if (heading[0])
			html_element(out, "h4", "%s", heading);
		snprintf(name, sizeof(name), "%s-%zu", id, g + 1);
		r = table_print_html(table, name, heading[0] ? heading : title, 0, out)
			    ? out_of_memory(err)
			    : 0;
		table_free(table);
	}
	return r;
}

int page_growth(struct page *page, FILE *out, struct error *err)
{
	char *text = NULL;
	size_t length;
	FILE *memory;
	int r;

	if (!run_has_slopes(page->groups) || !page_any_measured(page->summary))
		return 0;
	fputs("<section aria-labelledby=\"growth\">\n", out);
	fputs("<h3 id=\"growth\">", out);
	html_printf(out, "How time grows with %s", page->groups->row->name);
	fputs("</h3>\n", out);
	r = put_groups(page, "t-growth", "How time grows", run_slope_table, out, err);
	memory = open_memstream(&text, &length);
	if (memory)
		run_slope_notes(page->groups, memory);
	if (!memory || fclose(memory))
		r = out_of_memory(err);
	if (!r)
		r = page_notes(out, text, err);
	free(text);
	fputs("</section>\n", out);
	return r;
}

int page_references(struct page *page, FILE *out, struct error *err)
{
	const struct run_summary *summary = page->summary;
	int r;

	if (!summary->nr_references)
		return 0;
	fputs("<section aria-labelledby=\"published\">\n"
	      "<h3 id=\"published\">Published figures, and the medians here</h3>\n",
	      out);
	r = put_groups(page, "t-published", "Published figures", run_reference_table, out, err);
	fputs("<dl class=\"notes\">\n", out);
	for (size_t i = 0; i < summary->nr_references; i++) {
		const struct reference *reference = &summary->references[i];

		html_element(out, "dt", "%s", reference->backend);
		html_element(out, "dd", "%s",
			     reference->source ? reference->source : "no source given");
	}
	fputs("<dt>here</dt><dd>They are of another machine and stand here for their order of "
	      "magnitude: "
	      "a figure that comes near is no reproduction.</dd>\n</dl>\n</section>\n",
	      out);
	return r;
}
