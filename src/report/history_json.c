// SPDX-License-Identifier: MIT
/* See history_json.h. */
#include "report/history_json.h"

#include "report/history_parts.h"
#include "result/document.h"

#include <math.h>

/* Takes over the item, which may be NULL. */
static int append(json_t *list, json_t *item)
{
	return item ? json_array_append_new(list, item) : -1;
}

static json_t *value_to_json(const struct history_value *value, const struct metric *metric)
{
	const struct record *record = value->record;
	char time[RECORD_TIME_MAX];
	json_int_t processes = 0;

	for (unsigned i = 0; i < value->cell->processes; i++)
		processes += isfinite(metric_of(metric, &value->cell->figures[i]));
	return json_pack("{s:s, s:s, s:s?, s:s?, s:I, s:o, s:o, s:o}", "started_at",
			 record_time_text(record->started, time), "build_id", record->build_id,
			 "kernel", record_context(record, "kernel"), "label", record->label,
			 "processes", processes, "median", json_real_or_null(value->median), "low",
			 json_real_or_null(value->low), "high", json_real_or_null(value->high));
}

static json_t *values_to_json(const struct series *series)
{
	json_t *list = json_array();

	for (size_t i = 0; i < series->nr; i++)
		if (append(list, value_to_json(&series->values[i], series->metric)) < 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *changes_to_json(const struct series *series)
{
	json_t *list = json_array();

	for (size_t i = 0; i < series->nr_changes; i++) {
		const struct change *change = &series->changes[i];
		json_t *item =
			json_pack("{s:I, s:f, s:f, s:f, s:I, s:I, s:f, s:s}", "at",
				  (json_int_t)change->at, "before", change->before, "after",
				  change->after, "factor", change->after / change->before,
				  "runs_before", (json_int_t)change->nr_before, "runs_after",
				  (json_int_t)change->nr_after, "p", change->p, "direction",
				  series_change_is_worse(series, change) ? "worse" : "better");

		if (append(list, item) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *series_to_json(const struct series *series)
{
	const struct metric *metric = series->metric;

	return json_pack("{s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:o, s:f, s:b, s:o, s:o}",
			 "host_class", series->host_class, "id", series->point->id, "parameters",
			 point_to_json(series->point), "backend", series->backend, "metric",
			 metric->name, "unit", metric->unit, "better",
			 metric->better == BETTER_LOWER ? "lower" : "higher", "state",
			 history_state_word(series->state), "noise",
			 json_real_or_null(series->noise), "min_effect", series->min_effect,
			 "worse", series->worse, "values", values_to_json(series), "changes",
			 changes_to_json(series));
}

static const char *verdict_of(const struct history *history)
{
	if (history->worse)
		return "worse";
	for (size_t i = 0; i < history->nr_series; i++)
		if (history->series[i].state == SERIES_SEARCHED)
			return "not_worse";
	return "not_searched";
}

json_t *history_to_json(const struct history *history, const struct history_options *options)
{
	json_t *list = json_array();
	char since[RECORD_TIME_MAX];

	for (size_t i = 0; i < history->nr_series; i++)
		if (append(list, series_to_json(&history->series[i])) < 0) {
			json_decref(list);
			return NULL;
		}
	if (options->since)
		record_time_text(options->since, since);
	return json_pack("{s:{s:s, s:i}, s:I, s:I, s:s?, s:f, s:I, s:s, s:o}", "schema", "name",
			 "memcgbench-history", "version", 1, "records",
			 (json_int_t)history->nr_records, "older", (json_int_t)history->nr_older,
			 "since", options->since ? since : NULL, "min_effect", options->min_effect,
			 "least_values", (json_int_t)history_least_values(), "verdict",
			 verdict_of(history), "series", list);
}
