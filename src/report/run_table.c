// SPDX-License-Identifier: MIT
/*
 * See run_table.h. Sections, each a question: how long does a read take, where does the time go,
 * what do writers pay, alone and under load, and who creates and removes memcgs, what do others
 * suffer, what does a read do, how wrong is it, how do back ends compare, and what was published. A
 * section is printed once for each group of points; groups that would print the same lines share
 * them.
 */
#include "report/run_table.h"

#include "report/run_groups.h"
#include "report/run_table_parts.h"
#include "report/table.h"
#include "report/wrap.h"
#include "result/counts.h"
#include "scenario/target.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cell_time(struct table *table, double ns)
{
	char text[UNIT_TEXT_MAX];

	table_cell(table, "%s", unit_format_time(text, ns));
	table_value(table, ns, "ns");
}

static void cell_bytes(struct table *table, double bytes)
{
	char text[UNIT_TEXT_MAX];

	table_cell(table, "%s", unit_format_bytes(text, bytes));
	table_value(table, bytes, "bytes");
}

void cell_count(struct table *table, bool known, double count)
{
	char text[UNIT_TEXT_MAX];

	table_cell(table, "%s", unit_format_count(text, known ? count : NAN));
	table_value(table, known ? count : NAN, "");
}

void cell_percentage(struct table *table, double percent)
{
	if (isnan(percent))
		table_cell(table, "-");
	else if (percent < 0.005)
		table_cell(table, percent > 0 ? "<0.01%%" : "0%%");
	else
		table_cell(table, "%.*f%%",
			   percent >= 99.95   ? 0
			   : percent >= 9.995 ? 1
					      : 2,
			   percent);
	table_value(table, percent, "%");
}

static const char *const latency_columns[] = {"p50",    "p90", "p99",     "max",
					      "median", "+-",  "samples", NULL};

static void latency_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;
	double side = fmax(s->ci_high_ns - s->median_ns, s->median_ns - s->ci_low_ns);

	cell_time(table, s->p50_ns);
	cell_time(table, s->p90_ns);
	cell_time(table, s->p99_ns);
	cell_time(table, s->max_ns);
	cell_time(table, s->median_ns);
	cell_percentage(table, isnan(s->ci_level) ? NAN : 100 * side / s->median_ns);
	if (s->reads_per_sample > 1)
		table_cell(table, "%llu x%llu", (unsigned long long)s->samples,
			   (unsigned long long)s->reads_per_sample);
	else
		table_cell(table, "%llu", (unsigned long long)s->samples);
	table_value(table, (double)s->samples, "");
}

static const char *const parts_columns[] = {"hierarchical", "local", "format", "a memcg", NULL};

static void parts_cells(struct table *table, const struct run_line *line)
{
	cell_time(table, line->backend->hierarchical_ns);
	cell_time(table, line->backend->local_ns);
	cell_time(table, line->backend->format_ns);
	cell_time(table, line->backend->median_ns / summary_memcgs(line->point));
}

static const char *const work_columns[] = {"loads-h", "loads-l", "atomics", "visited",
					   "text",    "touched", "of LLC",  NULL};

static void work_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;
	double llc = line->run->llc_bytes;
	double touched = s->counted ? count_number(s->bytes_touched) : NAN;

	cell_count(table, s->counted, count_number(s->counts.loads_hierarchical));
	cell_count(table, s->counted, count_number(s->counts.loads_local));
	cell_count(table, s->counted, count_number(s->counts.atomics));
	cell_count(table, s->counted, count_number(s->counts.memcgs_visited));
	cell_bytes(table, s->counted ? count_number(s->counts.text_bytes) : NAN);
	cell_bytes(table, touched);
	cell_percentage(table, llc > 0 ? 100 * touched / llc : NAN);
}

static const char *const show_columns[] = {"files", "shows", "text", NULL};

static void show_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;

	cell_count(table, s->shows, target_size(&line->point->point).files);
	cell_count(table, s->shows, s->shows);
	cell_bytes(table, s->counted ? count_number(s->counts.text_bytes) : NAN);
}

static const char *const flush_columns[] = {"flushes", "items scanned", NULL};

static void flush_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;

	cell_count(table, s->counted, count_number(s->counts.flushes));
	cell_count(table, s->counted, count_number(s->counts.items_scanned));
}

static const char *const error_columns[] = {"error",      "of value", "bound", "of bound",
					    "worst cell", "local",    NULL};

static void error_cells(struct table *table, const struct run_line *line)
{
	const struct backend_summary *s = line->backend;
	const char *prefix = "hierarchical_", *cell = s->error_cell;
	double bound = s->error_bound_pages;

	if (!strncmp(cell, prefix, strlen(prefix)))
		cell += strlen(prefix);
	cell_count(table, true, s->error_pages);
	cell_percentage(table, summary_error_percent(s));
	cell_count(table, true, bound);
	cell_percentage(table, bound > 0 ? 100 * s->error_pages / bound : NAN);
	table_cell(table, "%s", s->error_pages > 0 ? cell : "-");
	cell_count(table, true, s->local_error_pages);
}

const struct run_section run_sections[] = {
	{"Time of a read", latency_columns, latency_cells, latency_notes, NULL, NULL},
	{"What live reads cover", covers_columns, covers_cells, covers_notes, live_known,
	 live_rows},
	{"Net of the floor", net_columns, net_cells, net_notes, net_known, net_rows},
	{"Where the time goes", parts_columns, parts_cells, parts_notes, NULL, NULL},
	{"What writers pay", update_columns, update_cells, update_notes, update_known, update_rows},
	{"What updates cost", kinds_columns, kinds_cells, kinds_notes, kinds_known, kinds_rows},
	{"What one update in a hundred costs", alone_columns, alone_cells, alone_notes, kinds_known,
	 kinds_rows},
	{"Writers under load", load_columns, load_cells, load_notes, load_known, NULL},
	{"Memcgs that come and go", churn_columns, churn_cells, churn_notes, churn_known,
	 churn_rows},
	{"Error and age under load, in pages", truth_columns, truth_cells, truth_notes, truth_known,
	 NULL},
	{"Locks", locks_columns, locks_cells, locks_notes, locks_known, locks_rows},
	{"The periodic flusher", flusher_columns, flusher_cells, flusher_notes, flusher_known,
	 flusher_rows},
	{"Harm to others: a thread on the reader's CPU", victim_columns, victim_cells, victim_notes,
	 victim_known, victim_rows},
	{"Harm to others: pages that tasks charge", charge_columns, charge_cells, charge_notes,
	 charge_known, charge_rows},
	{"Harm to others: rounds of these tasks", round_columns, round_cells, round_notes,
	 charge_known, charge_rows},
	{"What a read does", work_columns, work_cells, work_notes, NULL, NULL},
	{"How often a read shows its file", show_columns, show_cells, show_notes, shows_known,
	 NULL},
	{"What its flushes do", flush_columns, flush_cells, flush_notes, flush_known, NULL},
	{"How far off it is, in pages", error_columns, error_cells, error_notes, NULL, NULL},
	{"Whether files agree, in pages", agree_columns, agree_cells, agree_notes, agree_known,
	 NULL},
	{"What was charged, and what files say, in pages", reported_columns, reported_cells,
	 reported_notes, live_known, live_rows},
	{"Making the cgroups", made_columns, made_cells, made_notes, live_known, live_rows},
};
const size_t nr_run_sections = sizeof(run_sections) / sizeof(run_sections[0]);

void run_row_cell(struct table *table, const struct run_groups *groups,
		  const struct point_summary *point)
{
	char value[PARAMETER_TEXT_MAX];

	table_cell(table, "%s", parameter_text(groups->row, &point->point, value));
}

static void section_columns(struct table *table, const struct run_section *section)
{
	table_column(table, "back end", ALIGN_LEFT);
	for (const char *const *title = section->columns; *title; title++)
		table_column(table, *title, ALIGN_RIGHT);
}

static void section_cells(struct table *table, const struct run_line *line,
			  const struct run_section *section)
{
	const struct backend_summary *s = line->backend;

	table_cell(table, "%s%s%s", s->backend, s->processes < repetitions_of(line->run) ? "*" : "",
		   s->counts_differ ? "!" : "");
	section->cells(table, line);
}

/* Lines of a point and back end. */
static size_t section_rows(const struct run_section *section, const struct backend_summary *s)
{
	if (!s->processes)
		return 0;
	return section->rows ? section->rows(s) : 1;
}

static bool has_rows(const struct run_group *group, const struct run_section *section)
{
	size_t rows = 0;

	for (size_t p = 0; p < group->nr_points; p++)
		for (size_t b = 0; b < group->points[p]->nr_backends; b++)
			rows += section_rows(section, &group->points[p]->backends[b]);
	return rows > 0;
}

static void add_heading(struct table *table, const struct run_groups *groups,
			const struct point_summary *point)
{
	char value[PARAMETER_TEXT_MAX], text[2 * PARAMETER_TEXT_MAX];

	snprintf(text, sizeof(text), "-- %s: %s", groups->row->name,
		 parameter_text(groups->row, &point->point, value));
	table_heading(table, 0, "", text);
}

static void add_lines(struct table *table, const struct run_groups *groups,
		      const struct point_summary *point, const struct run_section *section,
		      bool headed)
{
	bool first = true;

	for (size_t b = 0; b < point->nr_backends; b++) {
		const struct backend_summary *s = &point->backends[b];
		struct run_line line = {groups->summary, point, s, 0};

		for (; line.item < section_rows(section, s); line.item++) {
			if (headed && first)
				add_heading(table, groups, point);
			first = false;
			table_row(table);
			if (!headed)
				run_row_cell(table, groups, point);
			section_cells(table, &line, section);
		}
	}
}

/* NULL: out of memory. */
static struct table *lines_table(const struct run_groups *groups, const struct run_group *group,
				 const struct run_section *section, bool headed)
{
	struct table *table = table_new();

	if (!headed)
		table_column(table, groups->row_title, ALIGN_RIGHT);
	section_columns(table, section);
	for (size_t p = 0; p < group->nr_points; p++)
		add_lines(table, groups, group->points[p], section, headed);
	return table;
}

/*
 * The parameter of the rows is a column, or, where that is wider than a terminal, a line above the
 * rows of each point. NULL: out of memory.
 */
static struct table *section_table(const struct run_groups *groups, const struct run_group *group,
				   const struct run_section *section)
{
	struct table *table = lines_table(groups, group, section, false);

	if (table_width(table) <= TABLE_COLUMNS)
		return table;
	table_free(table);
	return lines_table(groups, group, section, true);
}

/* A table's lines as text; owned by the caller, NULL when out of memory. */
static char *table_text(struct table *table)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int r = out ? table_print(table, out) : -ENOMEM;

	table_free(table);
	if (out && fclose(out))
		r = -ENOMEM;
	if (r) {
		free(text);
		return NULL;
	}
	return text;
}

/* Print texts[0..nr) below their groups' headings; the same text only once, below all of them. */
static void print_groups(const struct run_groups *groups, char **texts, FILE *out)
{
	for (size_t g = 0; g < groups->nr; g++) {
		if (!texts[g])
			continue;
		run_group_heading(groups, g, out);
		for (size_t other = g + 1; other < groups->nr; other++) {
			if (!texts[other] || strcmp(texts[g], texts[other]))
				continue;
			wrap_printf(out, 0, "", "-- %s (the same)", groups->groups[other].heading);
			free(texts[other]);
			texts[other] = NULL;
		}
		fputs(texts[g], out);
	}
}

static int print_section(const struct run_groups *groups, const struct run_section *section,
			 FILE *out)
{
	char **texts = calloc(groups->nr + 1, sizeof(*texts));
	int r = texts ? 0 : -ENOMEM;

	if (!r && section->known && !section->known(groups->summary)) {
		free(texts);
		return 0;
	}
	for (size_t g = 0; !r && g < groups->nr; g++) {
		/* Some sections are of some back ends and points only. */
		if (section->rows && !has_rows(&groups->groups[g], section))
			continue;
		texts[g] = table_text(section_table(groups, &groups->groups[g], section));
		if (!texts[g])
			r = -ENOMEM;
	}
	if (!r) {
		fprintf(out, "\n%s\n", section->title);
		print_groups(groups, texts, out);
		section->notes(groups->summary, out);
	}
	for (size_t g = 0; texts && g < groups->nr; g++)
		free(texts[g]);
	free(texts);
	return r;
}

static bool is_key(const struct run_groups *groups, size_t parameter)
{
	return groups->varies[parameter] || &parameters[parameter] == groups->row;
}

size_t run_keys(const struct run_groups *groups)
{
	size_t nr = 1;

	for (size_t i = 0; i < nr_parameters; i++)
		nr += is_key(groups, i);
	return nr;
}

/* A column for each parameter that tells points apart. */
void run_key_columns(struct table *table, const struct run_groups *groups)
{
	for (size_t i = 0; i < nr_parameters; i++)
		if (is_key(groups, i))
			table_column(table, strrchr(parameters[i].name, '.') + 1,
				     parameters[i].kind == PARAMETER_NUMBER ? ALIGN_RIGHT
									    : ALIGN_LEFT);
}

void run_key_cells(struct table *table, const struct run_groups *groups, const struct point *point)
{
	char value[PARAMETER_TEXT_MAX];

	for (size_t i = 0; i < nr_parameters; i++) {
		if (!is_key(groups, i))
			continue;
		table_cell(table, "%s", parameter_text(&parameters[i], point, value));
		if (parameters[i].kind == PARAMETER_NUMBER)
			table_value(table, (double)parameter_get(&parameters[i], point), "");
	}
}

struct table *run_section_table(const struct run_groups *groups, const struct run_section *section)
{
	const struct run_summary *summary = groups->summary;
	struct table *table = table_new();

	run_key_columns(table, groups);
	section_columns(table, section);
	for (size_t p = 0; p < summary->nr_points; p++) {
		const struct point_summary *point = &summary->points[p];

		for (size_t b = 0; b < point->nr_backends; b++) {
			struct run_line line = {summary, point, &point->backends[b], 0};

			for (; line.item < section_rows(section, line.backend); line.item++) {
				table_row(table);
				run_key_cells(table, groups, &point->point);
				section_cells(table, &line, section);
			}
		}
	}
	return table;
}

static bool any_measured(const struct run_summary *summary)
{
	for (size_t p = 0; p < summary->nr_points; p++) {
		for (size_t b = 0; b < summary->points[p].nr_backends; b++) {
			if (summary->points[p].backends[b].processes)
				return true;
		}
	}
	return false;
}

int run_table_print(const struct run_summary *summary, FILE *out)
{
	struct run_groups *groups = run_groups_new(summary);
	int r = groups ? 0 : -ENOMEM;

	if (r)
		return r;
	run_head_print(groups, out);
	if (any_measured(summary)) {
		for (size_t i = 0; !r && i < nr_run_sections; i++)
			r = print_section(groups, &run_sections[i], out);
		if (!r && backends_of(summary) > 1)
			r = run_ratios_print(groups, out);
		if (!r)
			r = run_slopes_print(groups, out);
		if (!r)
			r = run_references_print(groups, out);
	} else {
		fputs("\nNothing is measured yet.\n", out);
	}
	if (!r)
		run_failures_print(groups, out);
	run_groups_free(groups);
	if (!r && ferror(out))
		r = -EIO;
	return r;
}
