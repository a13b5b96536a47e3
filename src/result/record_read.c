// SPDX-License-Identifier: MIT
/*
 * See record.h: a record file, read strictly. Records are what regressions are judged by, so what
 * one figure says must not contradict another: lists are of one length, ids are those of the
 * parameters, percentiles ascend, the rate is that of the mean.
 */
#include "result/counts.h"
#include "result/document.h"
#include "result/record_parts.h"
#include "scenario/parameter.h"
#include "scenario/scenario.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define NULLABLE  (FIELD_NULL | FIELD_OPTIONAL)
#define PATH_ROOM 96 /* "points.99999.results.63.values.hierarchical.9999" */

static const struct field head_fields[] = {
	{"scenario", FIELD_TEXT, 0},
	{"title", FIELD_TEXT, NULLABLE},
	{"label", FIELD_TEXT, NULLABLE},
	{"build_id", FIELD_TEXT, 0},
	{"host_class", FIELD_TEXT, 0},
	{"started_at", FIELD_TEXT, NULLABLE},
	{"context", FIELD_OBJECT, NULLABLE},
	{"seed", FIELD_WHOLE, NULLABLE},
	{"repetitions", FIELD_WHOLE, NULLABLE},
	{"samples", FIELD_WHOLE, NULLABLE},
	{"time_ns", FIELD_WHOLE, NULLABLE},
	{"points", FIELD_ARRAY, 0},
};

const struct document_schema record_schema = {
	.name = RECORD_SCHEMA_NAME,
	.version = RECORD_SCHEMA_VERSION,
	.limit = 256u << 20,
	.fields = head_fields,
	.nr_fields = COUNT(head_fields),
};

static const struct field point_fields[] = {
	{"id", FIELD_TEXT, 0},
	{"parameters", FIELD_OBJECT, 0},
	{"results", FIELD_ARRAY, 0},
};

static const struct field cell_fields[] = {
	{"backend", FIELD_BACKEND, 0},
	{"failed", FIELD_WHOLE, 0},
	{"repetitions", FIELD_ARRAY, 0},
	{"values", FIELD_OBJECT, 0},
	{"counts", FIELD_OBJECT, NULLABLE},
	{"counts_differ", FIELD_FLAG, NULLABLE},
	{"error", FIELD_OBJECT, NULLABLE},
	{"cells_beyond_bound", FIELD_WHOLE, NULLABLE},
	{"samples", FIELD_WHOLE, 0},
	{"reads", FIELD_WHOLE, 0},
	{"reads_per_sample", FIELD_WHOLE, 0},
	{"floor_ns", FIELD_NUMBER, NULLABLE},
	{"placement", FIELD_TEXT, NULLABLE},
	{"placement_found", FIELD_OBJECT, NULLABLE},
	{"error.pages", FIELD_WHOLE, 0},
	{"error.bound_pages", FIELD_WHOLE, 0},
	{"error.value", FIELD_WHOLE, NULLABLE},
	{"error.truth", FIELD_WHOLE, NULLABLE},
	{"error.cell", FIELD_TEXT, NULLABLE},
};

/* A cell while it is read. */
struct reading {
	const struct document *document;
	const json_t *json;
	const char *where; /* its path */
	struct record_cell *cell;
};

static int cell_fault(const struct reading *reading, const char *field, struct error *err,
		      const char *text)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "%s.%s", reading->where, field);
	return document_fault(reading->document, path, err, "%s", text);
}

static int read_repetitions(const struct reading *reading, struct error *err)
{
	const json_t *list = json_object_get(reading->json, "repetitions");
	struct record_cell *cell = reading->cell;
	size_t nr = json_array_size(list);

	if (nr > MAX_REPETITIONS)
		return cell_fault(reading, "repetitions", err, "too many");
	cell->repetition = calloc(nr + 1, sizeof(*cell->repetition));
	cell->figures = calloc(nr + 1, sizeof(*cell->figures));
	if (!cell->repetition || !cell->figures)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < nr; i++) {
		const json_t *item = json_array_get(list, i);
		json_int_t value = json_integer_value(item);

		if (value < 1 || value > MAX_REPETITIONS ||
		    (i && value <= (json_int_t)cell->repetition[i - 1]))
			return cell_fault(reading, "repetitions", err,
					  "are not whole numbers from 1, ascending");
		cell->repetition[i] = (unsigned)value;
	}
	cell->processes = (unsigned)nr;
	return 0;
}

static int values_fault(const struct reading *reading, const char *name, unsigned item,
			struct error *err)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "%s.values.%.40s", reading->where, name);
	if (item)
		return document_fault(reading->document, path, err,
				      "item %u is not a number, 0 to 9.2e18, or null", item);
	return document_fault(reading->document, path, err,
			      "is not a list of %u, one value for each of repetitions",
			      reading->cell->processes);
}

/* `metric` NULL: one that only others know. It is checked all the same. */
static int read_values(const struct reading *reading, const char *name, const json_t *list,
		       const struct metric *metric, struct error *err)
{
	struct record_cell *cell = reading->cell;

	if (!json_is_array(list) || json_array_size(list) != cell->processes)
		return values_fault(reading, name, 0, err);
	for (unsigned i = 0; i < cell->processes; i++) {
		const json_t *item = json_array_get(list, i);

		if (!json_is_null(item) && !json_is_figure(item))
			return values_fault(reading, name, i + 1, err);
		if (metric)
			*(double *)((char *)&cell->figures[i] + metric->offset) =
				json_is_number(item) ? json_number_value(item) : NAN;
	}
	return 0;
}

static int read_all_values(const struct reading *reading, struct error *err)
{
	json_t *values = json_object_get(reading->json, "values"), *list;
	struct record_cell *cell = reading->cell;
	const char *key;

	for (unsigned i = 0; i < cell->processes; i++)
		for (size_t m = 0; m < NR_METRICS; m++)
			*(double *)((char *)&cell->figures[i] + metrics[m].offset) = NAN;
	json_object_foreach (values, key, list) {
		int r = read_values(reading, key, list, metric_find(key, strlen(key)), err);

		if (r)
			return r;
	}
	return 0;
}

/* Written with 12 digits. */
static bool about_equal(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Do the figures of each process agree with each other? */
static int check_figures(const struct reading *reading, struct error *err)
{
	const struct record_cell *cell = reading->cell;

	for (unsigned i = 0; i < cell->processes; i++) {
		const struct process_figures *f = &cell->figures[i];
		const double ascending[] = {f->p50_ns, f->p90_ns, f->p99_ns, f->p999_ns, f->max_ns};
		double least = 0;

		if (isnan(f->p50_ns))
			return cell_fault(reading, "values", err,
					  "have no p50 of a process that ended well");
		for (size_t k = 0; k < COUNT(ascending); k++) {
			if (isnan(ascending[k]))
				continue;
			if (k && cell->reads_per_sample > 1)
				return cell_fault(reading, "values", err,
						  "of batches of reads are only known up to p50");
			/* the median is exact, the others are within half a bucket */
			if (ascending[k] < least * 0.996)
				return cell_fault(reading, "values", err,
						  "of percentiles do not ascend");
			least = fmax(least, ascending[k]);
		}
		if (isnan(f->mean_ns) != isnan(f->rate) ||
		    (!isnan(f->rate) && !about_equal(f->rate * f->mean_ns, 1e9)))
			return cell_fault(reading, "values", err, "of rate are not those of mean");
		if (f->mean_ns > f->max_ns * 1.004)
			return cell_fault(reading, "values", err, "of mean are above max");
	}
	return 0;
}

static int check_totals(const struct reading *reading, struct error *err)
{
	const struct record_cell *cell = reading->cell;
	uint64_t most;

	if (!cell->processes && (cell->samples || cell->reads))
		return cell_fault(reading, "samples", err, "are of no process");
	if (cell->samples < cell->processes)
		return cell_fault(reading, "samples", err, "are fewer than processes");
	if (__builtin_mul_overflow(cell->samples, cell->reads_per_sample, &most) ||
	    cell->reads > most || cell->reads < cell->samples)
		return cell_fault(reading, "reads", err, "are not those of samples");
	return 0;
}

static int read_counts(const struct reading *reading, struct error *err)
{
	const json_t *counts = json_object_get(reading->json, "counts");
	struct record_cell *cell = reading->cell;

	cell->counts_differ = json_is_true(json_object_get(reading->json, "counts_differ"));
	if (!json_is_object(counts))
		return 0;
	cell->counted = true;
	cell->bytes_touched = count_from_json(counts, "bytes_touched");
	for (size_t i = 0; i < nr_count_names; i++) {
		const json_t *count = json_object_get(counts, count_names[i].name);

		if (count && !json_is_null(count) &&
		    (!json_is_integer(count) || json_integer_value(count) < 0))
			return cell_fault(reading, "counts", err, "are not whole numbers");
		*count_field(&count_names[i], &cell->counts) =
			count_from_json(counts, count_names[i].name);
	}
	return 0;
}

static int read_error(const struct reading *reading, struct error *err)
{
	const json_t *error = json_object_get(reading->json, "error");
	const char *name = json_string_value(json_object_get(error, "cell"));
	struct record_cell *cell = reading->cell;
	double worst = NAN;

	cell->error_pages = json_number_at(error, "pages");
	cell->error_bound_pages = json_number_at(error, "bound_pages");
	cell->error_value = json_number_at(error, "value");
	cell->error_truth = json_number_at(error, "truth");
	cell->cells_beyond_bound = json_whole_at(reading->json, "cells_beyond_bound");
	snprintf(cell->error_cell, sizeof(cell->error_cell), "%s", name ? name : "");
	if (fabs(fabs(cell->error_value - cell->error_truth) - cell->error_pages) > 0.5)
		return cell_fault(reading, "error.pages", err, "is not value less truth");
	if (cell->error_pages > cell->error_bound_pages && !cell->cells_beyond_bound)
		return cell_fault(reading, "cells_beyond_bound", err,
				  "is none, though error.pages is more than its bound");
	for (unsigned i = 0; i < cell->processes; i++)
		if (cell->figures[i].error_pages == cell->error_pages)
			worst = cell->error_pages;
	if (!isnan(cell->error_pages) && cell->processes && isnan(worst))
		return cell_fault(reading, "error.pages", err, "is that of no process");
	return 0;
}

static int read_cell(struct reading *reading, struct error *err)
{
	struct record_cell *cell = reading->cell;
	const char *placement = json_string_value(json_object_get(reading->json, "placement"));
	json_t *found = json_object_get(reading->json, "placement_found");
	int r;

	r = document_check_at(reading->document, reading->json, reading->where, cell_fields,
			      COUNT(cell_fields), err);
	if (r)
		return r;
	cell->backend = strdup(json_string_value(json_object_get(reading->json, "backend")));
	cell->placement = placement ? strdup(placement) : NULL;
	if (!cell->backend || (placement && !cell->placement))
		return error_set(err, -ENOMEM, "out of memory");
	cell->placement_found = json_is_object(found) ? json_incref(found) : NULL;
	if (json_whole_at(reading->json, "failed") > MAX_REPETITIONS)
		return cell_fault(reading, "failed", err, "are too many");
	cell->failed = (unsigned)json_whole_at(reading->json, "failed");
	cell->samples = json_whole_at(reading->json, "samples");
	cell->reads = json_whole_at(reading->json, "reads");
	cell->reads_per_sample = json_whole_at(reading->json, "reads_per_sample");
	cell->floor_ns = json_number_at(reading->json, "floor_ns");
	r = read_repetitions(reading, err);
	if (!r)
		r = read_all_values(reading, err);
	if (!r)
		r = check_totals(reading, err);
	if (!r)
		r = check_figures(reading, err);
	if (!r)
		r = read_counts(reading, err);
	return r ? r : read_error(reading, err);
}

/* The point's and its cells; the record has room for all of them. */
static int read_point(struct record_reader *reader, const struct document *document,
		      struct record *record, size_t index, const json_t *json, struct error *err)
{
	struct point *point = &record->points[index];
	const json_t *results, *item;
	struct error why = {0};
	char where[48];
	size_t i;
	int r;

	snprintf(where, sizeof(where), "points.%zu", index);
	r = document_check_at(document, json, where, point_fields, COUNT(point_fields), err);
	if (r)
		return r;
	if (record_reader_point(reader, json_object_get(json, "parameters"),
				json_string_value(json_object_get(json, "id")), point, &why))
		return document_fault(document, where, err, "%s", why.text);
	results = json_object_get(json, "results");
	json_array_foreach (results, i, item) {
		struct reading reading = {document, item, where, &record->cells[record->nr_cells]};

		snprintf(where, sizeof(where), "points.%zu.results.%zu", index, i);
		reading.cell->point = point;
		record->nr_cells++;
		r = read_cell(&reading, err);
		if (r)
			return r;
	}
	return 0;
}

static int read_points(struct record_reader *reader, const struct document *document,
		       struct record *record, struct error *err)
{
	const json_t *points = json_object_get(document->json, "points"), *item;
	size_t room = 0, i;
	int r = 0;

	if (json_array_size(points) > MAX_POINTS)
		return document_fault(document, "points", err, "too many (at most %d)", MAX_POINTS);
	json_array_foreach (points, i, item)
		room += json_array_size(json_object_get(item, "results"));
	record->points = calloc(json_array_size(points) + 1, sizeof(*record->points));
	record->cells = calloc(room + 1, sizeof(*record->cells));
	if (!record->points || !record->cells)
		return error_set(err, -ENOMEM, "out of memory");
	json_array_foreach (points, i, item) {
		record->nr_points = i + 1;
		r = read_point(reader, document, record, i, item, err);
		if (r)
			return r;
	}
	if (record_index(record))
		return error_set(err, -ENOMEM, "out of memory");
	for (i = 1; i < record->nr_cells; i++) {
		const struct record_cell *a = record->index[i - 1], *b = record->index[i];

		if (!strcmp(a->point->id, b->point->id) && !strcmp(a->backend, b->backend))
			return document_fault(document, "points", err,
					      "%s of the point %s is there twice", a->backend,
					      a->point->id);
	}
	return 0;
}

/* strdup() for what may be NULL, which is no failure. */
static int copy_text(const json_t *json, const char *key, char **copy)
{
	const char *text = json_string_value(json_object_get(json, key));

	*copy = text ? strdup(text) : NULL;
	return text && !*copy ? -ENOMEM : 0;
}

static int read_head(const struct document *document, struct record *record, struct error *err)
{
	const json_t *json = document->json;
	const char *started = json_string_value(json_object_get(json, "started_at"));
	json_t *context = json_object_get(json, "context");

	record->started = started ? record_time_parse(started) : -1;
	if (started && record->started < 0)
		return document_fault(document, "started_at", err,
				      "is not a time (like 2026-11-30T15:03:00Z)");
	record->path = strdup(document->path);
	if (!record->path || copy_text(json, "scenario", &record->scenario) ||
	    copy_text(json, "title", &record->title) || copy_text(json, "label", &record->label) ||
	    copy_text(json, "build_id", &record->build_id) ||
	    copy_text(json, "host_class", &record->host_class))
		return error_set(err, -ENOMEM, "out of memory");
	record->context = json_is_object(context) ? json_incref(context) : NULL;
	record->seed = json_whole_at(json, "seed");
	record->repetitions = (unsigned)json_whole_at(json, "repetitions");
	record->samples = json_whole_at(json, "samples");
	record->time_ns = json_whole_at(json, "time_ns");
	record->document = json_incref(document->json);
	return 0;
}

int record_take(struct record_reader *reader, const struct document *document, struct record **out,
		struct error *err)
{
	struct record *record = calloc(1, sizeof(*record));
	int r;

	*out = NULL;
	r = record ? read_head(document, record, err) : error_set(err, -ENOMEM, "out of memory");
	if (!r)
		r = read_points(reader, document, record, err);
	if (r)
		record_free(record);
	else
		*out = record;
	return r;
}
