// SPDX-License-Identifier: MIT
/* See record.h: records in memory, and how one is made of a run's summary. */
#include "result/record.h"

#include "result/document.h"
#include "result/record_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void cell_fini(struct record_cell *cell)
{
	free(cell->backend);
	free(cell->repetition);
	free(cell->figures);
	free(cell->placement);
	json_decref(cell->placement_found);
}

void record_free(struct record *record)
{
	if (!record)
		return;
	for (size_t i = 0; i < record->nr_cells; i++)
		cell_fini(&record->cells[i]);
	free(record->cells);
	free(record->points);
	free(record->index);
	free(record->path);
	free(record->scenario);
	free(record->title);
	free(record->build_id);
	free(record->host_class);
	free(record->label);
	json_decref(record->context);
	json_decref(record->document);
	free(record);
}

static int compare_cell(const struct record_cell *cell, const char *id, const char *backend)
{
	int r = strcmp(cell->point->id, id);

	return r ? r : strcmp(cell->backend, backend);
}

static int by_id(const void *a, const void *b)
{
	const struct record_cell *x = *(const struct record_cell *const *)a;
	const struct record_cell *y = *(const struct record_cell *const *)b;

	return compare_cell(x, y->point->id, y->backend);
}

int record_index(struct record *record)
{
	record->index = calloc(record->nr_cells + 1, sizeof(*record->index));
	if (!record->index)
		return -ENOMEM;
	for (size_t i = 0; i < record->nr_cells; i++)
		record->index[i] = &record->cells[i];
	if (record->nr_cells)
		qsort(record->index, record->nr_cells, sizeof(*record->index), by_id);
	return 0;
}

const struct record_cell *record_find(const struct record *record, const char *point_id,
				      const char *backend)
{
	size_t low = 0, high = record->index ? record->nr_cells : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_cell(record->index[middle], point_id, backend);

		if (!order)
			return record->index[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = 0; !record->index && i < record->nr_cells; i++) {
		if (!compare_cell(&record->cells[i], point_id, backend))
			return &record->cells[i];
	}
	return NULL;
}

const char *record_time_text(int64_t seconds, char buffer[RECORD_TIME_MAX])
{
	time_t time = (time_t)seconds;
	struct tm tm;

	buffer[0] = '\0';
	if (seconds >= 0 && gmtime_r(&time, &tm))
		strftime(buffer, RECORD_TIME_MAX, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return buffer;
}

int64_t record_time_parse(const char *text)
{
	struct tm tm = {0};
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	char again[RECORD_TIME_MAX];
	int64_t seconds;

	if (!end || *end)
		return -1;
	seconds = (int64_t)timegm(&tm);
	/* the 31st of February, or a month of one digit */
	return strcmp(record_time_text(seconds, again), text) ? -1 : seconds;
}

const char *record_context(const struct record *record, const char *key)
{
	return json_string_value(json_object_get(record->context, key));
}

/* strdup() for what may be NULL, which is no failure. */
static int copy_text(const char *text, char **copy)
{
	*copy = text ? strdup(text) : NULL;
	return text && !*copy ? -ENOMEM : 0;
}

static int cell_from_summary(const struct backend_summary *from, const struct point *point,
			     struct record_cell *cell)
{
	unsigned n = from->processes;

	*cell = (struct record_cell){
		.point = point,
		.processes = n,
		.failed = from->failed,
		.samples = from->samples,
		.reads = from->reads,
		.reads_per_sample = from->reads_per_sample,
		.counted = from->counted,
		.counts_differ = from->counts_differ,
		.counts = from->counts,
		.bytes_touched = from->bytes_touched,
		.cells_beyond_bound = from->cells_beyond_bound,
		.error_pages = from->error_pages,
		.error_bound_pages = from->error_bound_pages,
		.error_value = from->error_value,
		.error_truth = from->error_truth,
		.floor_ns = from->floor_ns,
	};
	memcpy(cell->error_cell, from->error_cell, sizeof(cell->error_cell));
	if (copy_text(from->backend, &cell->backend) ||
	    copy_text(from->placement_asked, &cell->placement))
		return -ENOMEM;
	if (from->placement_found)
		cell->placement_found = json_incref(from->placement_found);
	cell->repetition = calloc(n + 1, sizeof(*cell->repetition));
	cell->figures = calloc(n + 1, sizeof(*cell->figures));
	if (!cell->repetition || !cell->figures)
		return -ENOMEM;
	if (n) {
		memcpy(cell->repetition, from->repetition, n * sizeof(*cell->repetition));
		memcpy(cell->figures, from->figures, n * sizeof(*cell->figures));
	}
	return 0;
}

static int cells_from_summary(const struct run_summary *summary, struct record *record)
{
	size_t room = 0;

	for (size_t p = 0; p < summary->nr_points; p++)
		room += summary->points[p].nr_backends;
	record->points = calloc(summary->nr_points + 1, sizeof(*record->points));
	record->cells = calloc(room + 1, sizeof(*record->cells));
	if (!record->points || !record->cells)
		return -ENOMEM;
	record->nr_points = summary->nr_points;
	for (size_t p = 0; p < summary->nr_points; p++) {
		const struct point_summary *point = &summary->points[p];

		record->points[p] = point->point;
		for (size_t b = 0; b < point->nr_backends; b++) {
			const struct backend_summary *from = &point->backends[b];

			if (!from->processes && !from->failed)
				continue;
			if (cell_from_summary(from, &record->points[p],
					      &record->cells[record->nr_cells++]))
				return -ENOMEM;
		}
	}
	return record_index(record);
}

static int head_from_summary(const struct run_summary *summary, struct record *record)
{
	const json_t *identity = json_object_get(summary->run, "identity");
	json_t *context = json_object_get(summary->run, "context");

	if (json_is_object(context))
		record->context = json_incref(context);
	record->started = summary->started;
	record->seed = (uint64_t)json_integer_value(json_object_get(identity, "seed"));
	record->repetitions =
		(unsigned)json_integer_value(json_object_get(identity, "repetitions"));
	record->samples = (uint64_t)json_integer_value(json_object_get(identity, "samples"));
	record->time_ns = (uint64_t)json_integer_value(json_object_get(identity, "time_ns"));
	if (copy_text(summary->path, &record->path) ||
	    copy_text(summary->scenario, &record->scenario) ||
	    copy_text(summary->title, &record->title) ||
	    copy_text(summary->host_class, &record->host_class) ||
	    copy_text(json_string_value(json_object_get(identity, "build_id")),
		      &record->build_id) ||
	    copy_text(json_string_value(json_object_get(summary->run, "label")), &record->label))
		return -ENOMEM;
	return 0;
}

int record_from_summary(const struct run_summary *summary, struct record **out, struct error *err)
{
	struct record *record = calloc(1, sizeof(*record));

	*out = NULL;
	if (!record || head_from_summary(summary, record) || cells_from_summary(summary, record)) {
		record_free(record);
		return error_set(err, -ENOMEM, "out of memory");
	}
	*out = record;
	return 0;
}
