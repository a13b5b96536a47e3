// SPDX-License-Identifier: MIT
/*
 * See noise.h: the figures and their document. noise_store.c keeps and finds them.
 *
 * The schedule lets odd and even repetitions take turns at going first, so the halves are two runs
 * that the machine treated alike. They are one way to halve the processes, of many that would have
 * done as well: their change and p are an example of what a comparison of equals says, and the
 * noise is taken over many halvings, which a single unlucky one cannot spoil.
 */
#include "verdict/noise.h"

#include "base/rng.h"
#include "result/document.h"
#include "scenario/parameter.h"
#include "stats/order.h"
#include "stats/rank_test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_PROCESSES 4
#define HALVINGS        500
#define SHARE           0.68 /* within one standard deviation of the middle of a normal distribution */
#define HALVING_SEED    0x6e6f697365u

/* The values of one metric; all arrays have room for all processes. */
struct values {
	size_t nr, nr_odd, nr_even;
	double *all, *odd, *even; /* by parity of the repetition */
	double *half; /* scratch of as many */
};

static void values_fini(struct values *values)
{
	free(values->all);
}

static int values_init(struct values *values, const struct record_cell *cell,
		       const struct metric *metric)
{
	size_t room = cell->processes + (size_t)1;

	*values = (struct values){.all = calloc(4 * room, sizeof(*values->all))};
	if (!values->all)
		return -ENOMEM;
	values->odd = values->all + room;
	values->even = values->odd + room;
	values->half = values->even + room;
	for (unsigned i = 0; i < cell->processes; i++) {
		double value = metric_of(metric, &cell->figures[i]);

		if (!isfinite(value))
			continue;
		values->all[values->nr++] = value;
		if (cell->repetition[i] % 2)
			values->odd[values->nr_odd++] = value;
		else
			values->even[values->nr_even++] = value;
	}
	return 0;
}

/* How far apart the medians of two halves are, drawn anew. */
static double halves_differ(struct values *values, struct rng *rng)
{
	size_t n = values->nr, first = n / 2;
	double a, b;

	for (size_t i = 0; i < first; i++) {
		size_t j = i + rng_below(rng, n - i);
		double swap = values->all[i];

		values->all[i] = values->all[j];
		values->all[j] = swap;
	}
	memcpy(values->half, values->all, n * sizeof(*values->half));
	a = median(values->half, first);
	b = median(values->half + first, n - first);
	return fabs(a - b);
}

static double typical_difference(struct values *values)
{
	struct rng rng = rng_for(HALVING_SEED, values->nr, 0);
	double apart[HALVINGS], middle, typical;

	memcpy(values->half, values->all, values->nr * sizeof(*values->half));
	middle = median(values->half, values->nr);
	for (size_t i = 0; i < HALVINGS; i++)
		apart[i] = halves_differ(values, &rng);
	median(apart, HALVINGS); /* sorts */
	typical = apart[(size_t)ceil(SHARE * HALVINGS) - 1];
	if (typical == 0)
		return 0; /* of nothing, too: an error of 0 pages is the same each time */
	return middle > 0 ? typical / middle : NAN;
}

static double ratio_of_halves(struct values *values)
{
	double odd, even;

	if (!values->nr_odd || !values->nr_even)
		return NAN;
	odd = median(values->odd, values->nr_odd);
	even = median(values->even, values->nr_even);
	if (odd == even)
		return 1;
	return odd > 0 ? even / odd : NAN;
}

int noise_measure(const struct record_cell *cell, const struct metric *metric, struct noise *out)
{
	struct rank_test test = {.p = NAN};
	struct values values;
	int r = values_init(&values, cell, metric);

	*out = (struct noise){NAN, NAN, NAN};
	if (r)
		return r;
	if (values.nr < LEAST_PROCESSES) {
		values_fini(&values);
		return -ENODATA;
	}
	r = rank_test(values.odd, values.nr_odd, values.even, values.nr_even, &test);
	if (r == -EDOM) /* a half is empty, because its processes failed */
		r = 0;
	if (!r)
		*out = (struct noise){
			.value = typical_difference(&values),
			.change = ratio_of_halves(&values),
			.p = test.p,
		};
	values_fini(&values);
	return r;
}

static json_t *metrics_to_json(const struct record_cell *cell)
{
	json_t *object = json_object();

	for (size_t i = 0; i < NR_METRICS; i++) {
		struct noise noise;
		int r = noise_measure(cell, &metrics[i], &noise);

		if (r == -ENODATA)
			continue;
		if (!r)
			r = json_object_set_new(object, metrics[i].name,
						json_pack("{s:o, s:o, s:o}", "noise",
							  json_real_or_null(noise.value), "change",
							  json_real_or_null(noise.change), "p",
							  json_real_or_null(noise.p)));
		if (r) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

/* The back ends of one point. */
static json_t *results_to_json(const struct record *record, const struct point *point)
{
	json_t *list = json_array();

	for (size_t i = 0; i < record->nr_cells; i++) {
		const struct record_cell *cell = &record->cells[i];
		json_t *item;

		if (cell->point != point)
			continue;
		item = json_pack("{s:s, s:o}", "backend", cell->backend, "metrics",
				 metrics_to_json(cell));
		if (json_array_append_new(list, item)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *points_to_json(const struct record *record)
{
	json_t *list = json_array();

	for (size_t i = 0; i < record->nr_points; i++) {
		const struct point *point = &record->points[i];
		json_t *item =
			json_pack("{s:s, s:o, s:o}", "id", point->id, "parameters",
				  point_to_json(point), "results", results_to_json(record, point));

		if (json_array_append_new(list, item)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

json_t *noise_to_json(const struct record *record)
{
	char time[RECORD_TIME_MAX];
	unsigned most = 0;

	for (size_t i = 0; i < record->nr_cells; i++)
		if (record->cells[i].processes > most)
			most = record->cells[i].processes;
	record_time_text(record->started, time);
	return json_pack("{s:{s:s, s:i}, s:s, s:s, s:s, s:s?, s:O?, s:I, s:o}", "schema", "name",
			 NOISE_SCHEMA_NAME, "version", NOISE_SCHEMA_VERSION, "scenario",
			 record->scenario, "build_id", record->build_id, "host_class",
			 record->host_class, "started_at", time[0] ? time : NULL, "context",
			 record->context, "processes", (json_int_t)(most / 2), "points",
			 points_to_json(record));
}
