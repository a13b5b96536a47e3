// SPDX-License-Identifier: MIT
/* See record.h: a record's document. What is not known is null, or absent where all of it is. */
#include "result/counts.h"
#include "result/document.h"
#include "result/record.h"
#include "result/record_parts.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <math.h>

/* Takes over `value`; whatever could not be made shows as a non-zero *failed. */
static void put(json_t *object, const char *key, json_t *value, int *failed)
{
	*failed |= json_object_set_new(object, key, value);
}

/* Pages are whole: kept as doubles only so that NAN can stand for unknown. */
static json_t *pages(double value)
{
	return isfinite(value) ? json_integer((json_int_t)value) : json_null();
}

static json_t *whole(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *text(const char *value)
{
	return value && *value ? json_string(value) : json_null();
}

/* NULL where no process has one, which is no failure. */
static json_t *values_of(const struct record_cell *cell, const struct metric *metric, int *failed)
{
	json_t *list = json_array();
	bool any = false;

	for (unsigned i = 0; i < cell->processes; i++) {
		double value = metric_of(metric, &cell->figures[i]);

		any |= isfinite(value);
		*failed |= json_array_append_new(list, json_real_or_null(value));
	}
	if (any)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *values_to_json(const struct record_cell *cell, int *failed)
{
	json_t *object = json_object();

	for (size_t i = 0; i < NR_METRICS; i++) {
		json_t *list = values_of(cell, &metrics[i], failed);

		if (list)
			put(object, metrics[i].name, list, failed);
	}
	return object;
}

static json_t *repetitions_to_json(const struct record_cell *cell, int *failed)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < cell->processes; i++)
		*failed |= json_array_append_new(list, whole(cell->repetition[i]));
	return list;
}

static json_t *counts_to_json(const struct record_cell *cell, int *failed)
{
	json_t *object;

	if (!cell->counted)
		return json_null();
	object = json_object();
	for (size_t i = 0; i < nr_count_names; i++)
		put(object, count_names[i].name,
		    count_to_json(count_value(&count_names[i], &cell->counts)), failed);
	put(object, "bytes_touched", count_to_json(cell->bytes_touched), failed);
	return object;
}

static json_t *error_to_json(const struct record_cell *cell)
{
	if (isnan(cell->error_pages))
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "pages", pages(cell->error_pages),
			 "bound_pages", pages(cell->error_bound_pages), "value",
			 pages(cell->error_value), "truth", pages(cell->error_truth), "cell",
			 text(cell->error_cell));
}

static json_t *cell_to_json(const struct record_cell *cell, int *failed)
{
	json_t *o = json_object();

	put(o, "backend", json_string(cell->backend), failed);
	put(o, "failed", whole(cell->failed), failed);
	put(o, "repetitions", repetitions_to_json(cell, failed), failed);
	put(o, "values", values_to_json(cell, failed), failed);
	put(o, "counts", counts_to_json(cell, failed), failed);
	put(o, "counts_differ", json_boolean(cell->counts_differ), failed);
	put(o, "error", error_to_json(cell), failed);
	put(o, "cells_beyond_bound", whole(cell->cells_beyond_bound), failed);
	put(o, "samples", whole(cell->samples), failed);
	put(o, "reads", whole(cell->reads), failed);
	put(o, "reads_per_sample", whole(cell->reads_per_sample), failed);
	put(o, "floor_ns", json_real_or_null(cell->floor_ns), failed);
	put(o, "placement", text(cell->placement), failed);
	put(o, "placement_found",
	    cell->placement_found ? json_incref(cell->placement_found) : json_null(), failed);
	return o;
}

/* `*at`: the first cell that is not written yet; cells are in order of points. */
static json_t *point_with_cells(const struct record *record, const struct point *point, size_t *at,
				int *failed)
{
	json_t *results = json_array();

	for (; *at < record->nr_cells && record->cells[*at].point == point; ++*at)
		*failed |=
			json_array_append_new(results, cell_to_json(&record->cells[*at], failed));
	return json_pack("{s:s, s:o, s:o}", "id", point->id, "parameters", point_to_json(point),
			 "results", results);
}

static json_t *points_to_json(const struct record *record, int *failed)
{
	json_t *list = json_array();
	size_t at = 0;

	for (size_t i = 0; i < record->nr_points; i++)
		*failed |= json_array_append_new(
			list, point_with_cells(record, &record->points[i], &at, failed));
	return list;
}

json_t *record_to_json(const struct record *record)
{
	char started[RECORD_TIME_MAX];
	json_t *o;
	int failed = 0;

	if (record->document)
		return json_deep_copy(record->document);
	o = json_object();
	put(o, "schema",
	    json_pack("{s:s, s:i}", "name", RECORD_SCHEMA_NAME, "version", RECORD_SCHEMA_VERSION),
	    &failed);
	put(o, "scenario", json_string(record->scenario), &failed);
	put(o, "title", text(record->title), &failed);
	put(o, "label", text(record->label), &failed);
	put(o, "build_id", json_string(record->build_id), &failed);
	put(o, "host_class", json_string(record->host_class), &failed);
	put(o, "started_at", text(record_time_text(record->started, started)), &failed);
	put(o, "context", record->context ? json_incref(record->context) : json_null(), &failed);
	put(o, "seed", whole(record->seed), &failed);
	put(o, "repetitions", whole(record->repetitions), &failed);
	put(o, "samples", whole(record->samples), &failed);
	put(o, "time_ns", whole(record->time_ns), &failed);
	put(o, "points", points_to_json(record, &failed), &failed);
	if (!failed)
		return o;
	json_decref(o);
	return NULL;
}

int record_write(const char *path, const struct record *record, struct error *err)
{
	json_t *document = record_to_json(record);
	int r;

	if (!document)
		return error_set_at(err, -ENOMEM, path, 0, 0,
				    "cannot be put into words: out of memory");
	r = document_write(path, document, err);
	json_decref(document);
	return r;
}
