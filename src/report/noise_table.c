// SPDX-License-Identifier: MIT
/* See noise_table.h. */
#include "report/noise_table.h"

#include "report/run_table_parts.h"
#include "report/table.h"
#include "report/wrap.h"
#include "stats/order.h"
#include "stats/rank_test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define NOTE_INDENT 10
#define MOST_FEW    20 /* halves beyond that reach NOISE_ALPHA whatever */

static int row_init(struct noise_row *row, const struct record_cell *cell,
		    const struct metric *metric)
{
	double *values = calloc(cell->processes + (size_t)1, sizeof(*values));
	size_t nr = 0;
	int r;

	if (!values)
		return -ENOMEM;
	*row = (struct noise_row){.cell = cell, .median = NAN};
	for (unsigned i = 0; i < cell->processes; i++) {
		double value = metric_of(metric, &cell->figures[i]);

		if (!isfinite(value))
			continue;
		values[nr++] = value;
		if (cell->repetition[i] % 2)
			row->odd++;
		else
			row->even++;
	}
	if (nr)
		row->median = median(values, nr);
	free(values);
	r = noise_measure(cell, metric, &row->noise);
	return r == -ENODATA ? 0 : r;
}

int noise_rows_init(struct noise_rows *rows, const struct record *record,
		    const struct metric *metric)
{
	*rows = (struct noise_rows){.record = record, .metric = metric};
	rows->rows = calloc(record->nr_cells + 1, sizeof(*rows->rows));
	if (!rows->rows)
		return -ENOMEM;
	for (size_t i = 0; i < record->nr_cells; i++) {
		struct noise_row *row = &rows->rows[rows->nr];
		int r = row_init(row, &record->cells[i], metric);

		if (r)
			return r;
		rows->nr++;
		if (isnan(row->noise.p) || rank_test_least_p(row->odd, row->even) >= NOISE_ALPHA)
			continue;
		rows->pairs++;
		rows->different += row->noise.p < NOISE_ALPHA;
	}
	return 0;
}

void noise_rows_fini(struct noise_rows *rows)
{
	free(rows->rows);
	*rows = (struct noise_rows){.rows = NULL};
}

static const struct noise_row *find_row(const struct noise_rows *rows, const char *id,
					const char *backend)
{
	const struct record_cell *cell = record_find(rows->record, id, backend);

	return cell ? &rows->rows[cell - rows->record->cells] : NULL;
}

/* Two decimals: a change of a hundredth of a percent is nobody's. */
static void cell_percent(struct table *table, const char *format, double percent)
{
	if (isnan(percent))
		table_cell(table, "-");
	else
		table_cell(table, format, percent);
}

static void add_row(struct table *table, const struct metric *metric, const struct noise_row *row)
{
	char text[UNIT_TEXT_MAX];

	table_cell(table, "%zu+%zu", row->odd, row->even);
	table_cell(table, "%s", metric_text(metric, row->median, text));
	cell_percent(table, "%.2f%%", 100 * row->noise.value);
	cell_percent(table, "%+.2f%%", 100 * (row->noise.change - 1));
	if (isnan(row->noise.p))
		table_cell(table, "-");
	else
		table_cell(table, "%.3f%s", row->noise.p, row->noise.p < NOISE_ALPHA ? "*" : "");
}

static struct table *group_table(const struct noise_rows *rows, const struct run_groups *groups,
				 const struct run_group *group)
{
	static const char *const titles[] = {"n", "median", "noise", "change", "p"};
	struct table *table = table_new();
	char value[PARAMETER_TEXT_MAX];

	table_column(table, groups->row_title, ALIGN_RIGHT);
	table_column(table, "back end", ALIGN_LEFT);
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		table_column(table, titles[i], ALIGN_RIGHT);
	for (size_t p = 0; p < group->nr_points; p++) {
		const struct point_summary *point = group->points[p];

		for (size_t b = 0; b < point->nr_backends; b++) {
			const char *backend = point->backends[b].backend;
			const struct noise_row *row = find_row(rows, point->point.id, backend);

			if (!row || !(row->odd + row->even))
				continue;
			table_row(table);
			table_cell(table, "%s", parameter_text(groups->row, &point->point, value));
			table_cell(table, "%s", backend);
			add_row(table, rows->metric, row);
		}
	}
	return table;
}

/* The least n for which n against n values can be called different. */
static size_t least_half(void)
{
	size_t n = 1;

	while (n < MOST_FEW && rank_test_least_p(n, n) >= NOISE_ALPHA)
		n++;
	return n;
}

static void print_count(const struct noise_rows *rows, FILE *out)
{
	size_t least = least_half();

	if (rows->pairs)
		wrap_printf(out, 0, "",
			    "%zu of %zu pairs of the same thing %s called different at p < %g; "
			    "up to %g %% is expected.",
			    rows->different, rows->pairs, rows->different == 1 ? "is" : "are",
			    NOISE_ALPHA, 100 * NOISE_ALPHA);
	if (rows->pairs < rows->nr)
		wrap_printf(out, 0, "",
			    "%zu %s too few processes to be called different at p < %g, whatever "
			    "they measure: it takes %zu in each half (--repetitions %zu).",
			    rows->nr - rows->pairs,
			    rows->nr - rows->pairs == 1 ? "pair has" : "pairs have", NOISE_ALPHA,
			    least, least);
}

static void print_notes(bool different, FILE *out)
{
	fputc('\n', out);
	wrap_print(out, NOTE_INDENT, "  n", "processes of odd + even repetitions, interleaved");
	wrap_print(out, NOTE_INDENT, "  median", "over all processes");
	wrap_print(out, NOTE_INDENT, "  noise",
		   "how far apart the medians of two halves of the processes are, in % of the "
		   "median: 68 % of the ways to halve them are within it. Between two runs of as "
		   "many processes as a half, a change that is not well above it is none");
	wrap_print(out, NOTE_INDENT, "  change",
		   "of the even repetitions against the odd ones: the same thing, so any is "
		   "chance. p: of the exact rank test");
	if (different)
		wrap_printf(out, NOTE_INDENT, "  *", "p < %g: called different", NOISE_ALPHA);
}

static int print_metric(const struct noise_rows *rows, const struct run_groups *groups, FILE *out)
{
	int r = 0;

	fprintf(out, "\nNoise of %s: %s\n", rows->metric->name, rows->metric->title);
	for (size_t g = 0; !r && g < groups->nr; g++) {
		struct table *table = group_table(rows, groups, &groups->groups[g]);

		run_group_heading(groups, g, out);
		r = table_print(table, out);
		table_free(table);
	}
	if (!r)
		print_count(rows, out);
	return r;
}

int noise_table_print(const struct noise_rows *rows, size_t nr, const struct run_groups *groups,
		      FILE *out)
{
	bool different = false;
	int r = 0;

	for (size_t i = 0; !r && i < nr; i++) {
		r = print_metric(&rows[i], groups, out);
		different |= rows[i].different;
	}
	if (r)
		return r;
	print_notes(different, out);
	return ferror(out) ? -EIO : 0;
}

static void tsv_number(struct table *table, double value)
{
	if (isfinite(value))
		table_cell(table, "%.12g", value);
	else
		table_cell(table, "%s", "");
}

int noise_tsv_print(const struct noise_rows *rows, size_t nr, FILE *out)
{
	static const char *const titles[] = {"id",   "backend", "metric", "unit",   "odd",
					     "even", "median",  "noise",  "change", "p"};
	struct table *table = table_new();
	int r;

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		table_column(table, titles[i], ALIGN_LEFT);
	for (size_t m = 0; m < nr; m++) {
		for (size_t i = 0; i < rows[m].nr; i++) {
			const struct noise_row *row = &rows[m].rows[i];

			table_row(table);
			table_cell(table, "%s", row->cell->point->id);
			table_cell(table, "%s", row->cell->backend);
			table_cell(table, "%s", rows[m].metric->name);
			table_cell(table, "%s", rows[m].metric->unit);
			table_cell(table, "%zu", row->odd);
			table_cell(table, "%zu", row->even);
			tsv_number(table, row->median);
			tsv_number(table, row->noise.value);
			tsv_number(table, row->noise.change);
			tsv_number(table, row->noise.p);
		}
	}
	r = table_print_tsv(table, out);
	table_free(table);
	return r;
}

json_t *noise_rows_to_json(const struct noise_rows *rows)
{
	return json_pack("{s:s, s:f, s:I, s:I}", "metric", rows->metric->name, "alpha", NOISE_ALPHA,
			 "pairs", (json_int_t)rows->pairs, "different",
			 (json_int_t)rows->different);
}
