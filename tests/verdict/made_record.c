// SPDX-License-Identifier: MIT
/* See made_record.h. */
#include "made_record.h"

#include "base/rng.h"
#include "scenario/parameter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROOM 1024 /* points, and cells: nothing that is pointed at ever moves */

struct record *made_record(const char *host_class)
{
	struct record *record = calloc(1, sizeof(*record));

	assert_non_null(record);
	record->path = strdup("made");
	record->scenario = strdup("made");
	record->title = strdup("made");
	record->build_id = strdup("made");
	record->host_class = strdup(host_class);
	record->started = -1;
	record->points = calloc(ROOM, sizeof(*record->points));
	record->cells = calloc(ROOM, sizeof(*record->cells));
	assert_non_null(record->points);
	assert_non_null(record->cells);
	return record;
}

void made_point(struct record *record, const char *text)
{
	struct point *point = &record->points[record->nr_points++];
	char *copy = strdup(text), *rest = copy, *word;

	assert_true(record->nr_points <= ROOM);
	point_init(point);
	while ((word = strsep(&rest, " "))) {
		char *equals = strchr(word, '=');
		const struct parameter *parameter;
		struct error err = {0};
		uint64_t value;

		assert_non_null(equals);
		parameter = parameter_find(word, (size_t)(equals - word));
		assert_non_null(parameter);
		if (parameter_parse(parameter, equals + 1, strlen(equals + 1), &value, &err))
			fail_msg("%s: %s", word, err.text);
		parameter_set(parameter, point, value);
	}
	free(copy);
	point_set_id(point);
}

struct record_cell *made_cell(struct record *record, const char *backend, const double *values,
			      unsigned processes)
{
	struct record_cell *cell = &record->cells[record->nr_cells++];

	assert_true(record->nr_cells <= ROOM);
	cell->point = &record->points[record->nr_points - 1];
	cell->backend = strdup(backend);
	cell->processes = processes;
	cell->repetition = calloc(processes + 1, sizeof(*cell->repetition));
	cell->figures = calloc(processes + 1, sizeof(*cell->figures));
	assert_non_null(cell->repetition);
	assert_non_null(cell->figures);
	for (unsigned i = 0; i < processes; i++) {
		cell->repetition[i] = i + 1;
		for (size_t m = 0; m < NR_METRICS; m++)
			*(double *)((char *)&cell->figures[i] + metrics[m].offset) = NAN;
		cell->figures[i].p50_ns = values[i];
	}
	cell->samples = cell->reads = 200 * processes;
	cell->reads_per_sample = 1;
	cell->counted = true;
	cell->error_pages = cell->error_bound_pages = cell->error_value = cell->error_truth = NAN;
	return cell;
}

struct record_cell *made_noise(struct record *record, const char *backend, double median,
			       double spread, unsigned processes, unsigned seed)
{
	struct rng rng = rng_for(seed, processes, record->nr_cells);
	double values[64];

	assert_true(processes <= 64);
	for (unsigned i = 0; i < processes; i++)
		values[i] =
			median * (1 + spread * ((double)rng_below(&rng, 2000001) / 1000000.0 - 1));
	return made_cell(record, backend, values, processes);
}

void made_metric(struct record_cell *cell, const char *name, double factor)
{
	const struct metric *metric = metric_find(name, strlen(name));

	assert_non_null(metric);
	for (unsigned i = 0; i < cell->processes; i++)
		*(double *)((char *)&cell->figures[i] + metric->offset) =
			factor * cell->figures[i].p50_ns;
}
