// SPDX-License-Identifier: MIT
/*
 * What Apache Otava (once Hunter) reads as a test of type csv: a column of times, columns of
 * attributes, and columns of numbers, a row for each run.
 *
 * Otava takes all rows for one series: it cannot tell machines apart, and a column called "branch"
 * would mean something to it. So there is one host class and one scenario to a file, and no such
 * column. A value that is not there is an empty field; Otava refuses a series that has one by name
 * and does not mind it in columns that it is not asked for.
 */
#include "result/csv.h"
#include "result/export_cells.h"
#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct otava_column {
	char id[POINT_ID_SIZE];
	const struct point *point;
	const char *backend;
	const struct metric *metric;
	bool gap;
};

struct otava {
	const struct record **rows; /* by time */
	size_t nr_rows;
	struct otava_column *columns;
	size_t nr_columns;
	json_t *index; /* of columns: "ID BACKEND METRIC" */
	double *room; /* for the values of all processes of any cell */
};

/* NAN where no process has a value. */
static double median_of(const struct otava *otava, const struct record_cell *cell,
			const struct metric *metric)
{
	size_t nr = 0;

	for (unsigned i = 0; cell && i < cell->processes; i++) {
		double value = metric_of(metric, &cell->figures[i]);

		if (isfinite(value))
			otava->room[nr++] = value;
	}
	return nr ? median(otava->room, nr) : NAN;
}

static int add_column(struct otava *otava, const struct record_cell *cell,
		      const struct metric *metric)
{
	struct otava_column *grown;
	char key[256];

	snprintf(key, sizeof(key), "%s %s %s", cell->point->id, cell->backend, metric->name);
	if (json_object_get(otava->index, key))
		return 0;
	grown = realloc(otava->columns, (otava->nr_columns + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	otava->columns = grown;
	grown += otava->nr_columns++;
	*grown = (struct otava_column){
		.point = cell->point, .backend = cell->backend, .metric = metric};
	memcpy(grown->id, cell->point->id, sizeof(grown->id));
	return json_object_set_new(otava->index, key, json_true()) < 0 ? -ENOMEM : 0;
}

static int add_cell(struct otava *otava, const struct record_cell *cell)
{
	int r = 0;

	for (size_t i = 0; !r && i < NR_METRICS; i++)
		if (!isnan(median_of(otava, cell, &metrics[i])))
			r = add_column(otava, cell, &metrics[i]);
	return r;
}

/* Room for the values of the cell with most processes. */
static int make_room(struct otava *otava)
{
	size_t most = 1;

	for (size_t i = 0; i < otava->nr_rows; i++)
		for (size_t c = 0; c < otava->rows[i]->nr_cells; c++)
			if (otava->rows[i]->cells[c].processes > most)
				most = otava->rows[i]->cells[c].processes;
	otava->room = calloc(most, sizeof(*otava->room));
	otava->index = json_object();
	return otava->room && otava->index ? 0 : -ENOMEM;
}

static int collect_columns(struct otava *otava, const struct export_selection *selection)
{
	int r = make_room(otava);

	for (size_t i = 0; i < otava->nr_rows; i++) {
		const struct record *record = otava->rows[i];

		for (size_t c = 0; !r && c < record->nr_cells; c++) {
			const struct record_cell *cell = &record->cells[c];

			if (selection->point && strcmp(selection->point, cell->point->id))
				continue;
			if (selection->backend && strcmp(selection->backend, cell->backend))
				continue;
			r = add_cell(otava, cell);
		}
	}
	return r;
}

static int by_time(const void *a, const void *b)
{
	const struct record *left = *(const struct record *const *)a;
	const struct record *right = *(const struct record *const *)b;

	if (left->started != right->started)
		return left->started < right->started ? -1 : 1;
	return strcmp(left->path, right->path);
}

static int collect_rows(struct otava *otava, struct record *const *records, size_t nr,
			size_t *untimed, struct error *err)
{
	otava->rows = calloc(nr + 1, sizeof(*otava->rows));
	if (!otava->rows)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < nr; i++) {
		if (records[i]->started < 0)
			(*untimed)++;
		else
			otava->rows[otava->nr_rows++] = records[i];
	}
	if (!otava->nr_rows)
		return error_set(err, -ENODATA,
				 "no run says when it was measured, and Otava needs to know");
	for (size_t i = 1; i < otava->nr_rows; i++) {
		const struct record *a = otava->rows[0], *b = otava->rows[i];

		if (strcmp(a->host_class, b->host_class))
			return error_set(err, -EXDEV,
					 "runs of several host classes have no common level: "
					 "'%.200s' and '%.200s' (choose one with --host-class)",
					 a->host_class, b->host_class);
		if (strcmp(a->scenario, b->scenario))
			return error_set(err, -EXDEV,
					 "runs of several scenarios: '%.200s' and '%.200s' "
					 "(choose one with --scenario)",
					 a->scenario, b->scenario);
	}
	qsort(otava->rows, otava->nr_rows, sizeof(*otava->rows), by_time);
	return 0;
}

static int write_header(const struct otava *otava, struct csv *csv)
{
	static const char *const first[] = {"time", "build_id", "kernel", "label", "host_class"};
	char figure[EXPORT_FIGURE_MAX];

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		csv_text(csv, first[i]);
	for (size_t i = 0; i < otava->nr_columns; i++) {
		const struct otava_column *column = &otava->columns[i];
		char *name = export_name(column->point, column->backend), *full;

		if (!name || asprintf(&full, "%s/%s", name,
				      export_figure_name(column->metric, figure)) < 0) {
			free(name);
			return -ENOMEM;
		}
		csv_text(csv, full);
		free(name);
		free(full);
	}
	csv_end_line(csv);
	return 0;
}

static void write_row(struct otava *otava, const struct record *record, struct csv *csv)
{
	const struct record_cell *cell = NULL;
	char when[RECORD_TIME_MAX];

	csv_text(csv, record_time_text(record->started, when));
	csv_text(csv, record->build_id);
	csv_text(csv, record_context(record, "kernel"));
	csv_text(csv, record->label);
	csv_text(csv, record->host_class);
	for (size_t i = 0; i < otava->nr_columns; i++) {
		struct otava_column *column = &otava->columns[i];
		double value;

		/* Columns of a cell mostly stand side by side: look it up once. */
		if (!i || strcmp(column[-1].id, column->id) ||
		    strcmp(column[-1].backend, column->backend))
			cell = record_find(record, column->id, column->backend);
		value = median_of(otava, cell, column->metric);
		column->gap |= isnan(value);
		csv_number(csv, value);
	}
	csv_end_line(csv);
}

int export_otava_csv(struct record *const *records, size_t nr,
		     const struct export_selection *selection, FILE *out, size_t *untimed,
		     size_t *gaps, struct error *err)
{
	struct csv csv = {.out = out};
	struct otava otava = {0};
	int r;

	*untimed = *gaps = 0;
	r = collect_rows(&otava, records, nr, untimed, err);
	if (r)
		goto out;
	r = collect_columns(&otava, selection);
	if (!r && !otava.nr_columns) {
		r = error_set(err, -ENODATA, "nothing was measured of what was asked for");
		goto out;
	}
	if (!r)
		r = write_header(&otava, &csv);
	if (r) {
		r = error_set(err, r, "out of memory");
		goto out;
	}
	for (size_t i = 0; i < otava.nr_rows; i++)
		write_row(&otava, otava.rows[i], &csv);
	for (size_t i = 0; i < otava.nr_columns; i++)
		*gaps += otava.columns[i].gap;
	if (ferror(out))
		r = error_set(err, -EIO, "cannot write: %s", strerror(errno));
out:
	free(otava.rows);
	free(otava.columns);
	free(otava.room);
	json_decref(otava.index);
	return r;
}
