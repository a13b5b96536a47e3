// SPDX-License-Identifier: MIT
/* The document of `run --format json`. Every key is always there; what is not known is null. */
#include "result/counts.h"
#include "result/document.h"
#include "result/summary.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUMMARY_SCHEMA_NAME    "memcgbench-summary"
#define SUMMARY_SCHEMA_VERSION 1

/* Pages are whole: kept as doubles only so that NAN can stand for unknown. */
static json_t *pages(double value)
{
	return isfinite(value) ? json_integer((json_int_t)value) : json_null();
}

static json_t *whole(bool known, uint64_t value)
{
	return known ? json_integer((json_int_t)value) : json_null();
}

static json_t *copy_or_null(json_t *value)
{
	return value ? json_incref(value) : json_null();
}

/* Takes over `value`; whatever could not be made shows as a non-zero *failed. */
static void put(json_t *object, const char *key, json_t *value, int *failed)
{
	*failed |= json_object_set_new(object, key, value);
}

static void put_latency(json_t *o, const struct backend_summary *s, double memcgs, int *failed)
{
	const struct {
		const char *key;
		double value;
	} times[] = {
		{"p50_ns", s->p50_ns},
		{"p90_ns", s->p90_ns},
		{"p99_ns", s->p99_ns},
		{"p999_ns", s->p999_ns},
		{"max_ns", s->max_ns},
		/* without an interval it is a number that nobody should quote */
		{"median_ns", isnan(s->ci_level) ? NAN : s->median_ns},
		{"ci_low_ns", s->ci_low_ns},
		{"ci_high_ns", s->ci_high_ns},
		{"ci_level", s->ci_level},
		{"time_per_memcg_ns", s->median_ns / memcgs},
		{"hierarchical_ns", s->hierarchical_ns},
		{"local_ns", s->local_ns},
		{"format_ns", s->format_ns},
		{"update_ns", s->update_ns},
		{"update_ci_low_ns", s->update_ci_low_ns},
		{"update_ci_high_ns", s->update_ci_high_ns},
		{"writer_ns", s->writer_ns},
		{"writer_p99_batch_ns", s->writer_p99_batch_ns},
		{"updates_per_s", s->updates_per_s},
		{"floor_ns", s->floor_ns},
	};

	put(o, "samples", json_integer((json_int_t)s->samples), failed);
	put(o, "reads", json_integer((json_int_t)s->reads), failed);
	put(o, "reads_per_sample", whole(s->processes, s->reads_per_sample), failed);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		put(o, times[i].key, json_real_or_null(times[i].value), failed);
}

/* Null: not measured, as before 0.2 or by a back end without updates. */
static void put_kinds(json_t *o, const struct backend_summary *s, int *failed)
{
	json_t *all = isnan(s->kinds[MIX_PAGE].median_ns) ? json_null() : json_object();

	for (unsigned i = 0; i < NR_UPDATE_KINDS && json_is_object(all); i++) {
		const struct update_kind_summary *kind = &s->kinds[i];
		json_t *json = isnan(kind->median_ns) ? json_null() : json_object();

		if (json_is_object(json)) {
			put(json, "median_ns", json_real_or_null(kind->median_ns), failed);
			put(json, "p99_ns", json_real_or_null(kind->p99_ns), failed);
			put(json, "max_ns", json_real_or_null(kind->max_ns), failed);
		}
		put(all, update_kind_names[i], json, failed);
	}
	put(o, "update_kinds", all, failed);
}

static void put_work(json_t *o, const struct backend_summary *s, int *failed)
{
	for (size_t i = 0; i < nr_count_names; i++)
		put(o, count_names[i].name,
		    s->counted ? count_to_json(count_value(&count_names[i], &s->counts))
			       : json_null(),
		    failed);
	put(o, "counts_differ", json_boolean(s->counts_differ), failed);
	put(o, "bytes_touched", s->counted ? count_to_json(s->bytes_touched) : json_null(), failed);
	put(o, "shows", whole(s->counted && s->shows, s->shows), failed);
	put(o, "memory_bytes", whole(s->memory_bytes, s->memory_bytes), failed);
}

static void put_error(json_t *o, const struct backend_summary *s, int *failed)
{
	put(o, "error_pages", pages(s->error_pages), failed);
	put(o, "error_bound_pages", pages(s->error_bound_pages), failed);
	put(o, "error_percent", json_real_or_null(summary_error_percent(s)), failed);
	put(o, "error_cell", s->error_cell[0] ? json_string(s->error_cell) : json_null(), failed);
	put(o, "error_value", pages(s->error_value), failed);
	put(o, "error_truth", pages(s->error_truth), failed);
	put(o, "local_error_pages", pages(s->local_error_pages), failed);
	put(o, "local_error_bound_pages", pages(s->local_error_bound_pages), failed);
	put(o, "load_error_pages", pages(s->load_error_pages), failed);
	put(o, "load_error_bound_pages", pages(s->load_error_bound_pages), failed);
	put(o, "updates_behind", whole(!isnan(s->updates_per_s), s->updates_behind), failed);
}

static json_t *name_or_null(const char *name)
{
	return name[0] ? json_string(name) : json_null();
}

/* Reads under load; and do files agree with themselves, and with those below them? */
static void put_truth(json_t *o, const struct truth_summary *t, int *failed)
{
	put(o, "truth_reads", whole(t->reads, t->reads), failed);
	put(o, "truth_apart", whole(t->reads, t->apart), failed);
	put(o, "truth_beyond_bound", whole(t->reads, t->beyond), failed);
	put(o, "truth_error_pages", pages(t->load.pages), failed);
	put(o, "truth_error_bound_pages", pages(t->load.bound_pages), failed);
	put(o, "truth_error_cell", name_or_null(t->load.where), failed);
	put(o, "truth_width_pages", json_real_or_null(t->width_pages), failed);
	put(o, "age_ns", json_real_or_null(t->age_ns), failed);
	put(o, "age_p99_ns", json_real_or_null(t->age_p99_ns), failed);
	put(o, "age_max_ns", json_real_or_null(t->age_max_ns), failed);
	put(o, "age_unknown", whole(t->reads, t->age_unknown), failed);
	put(o, "closure_pages", pages(t->closure.pages), failed);
	put(o, "closure_bound_pages", pages(t->closure.bound_pages), failed);
	put(o, "closure_row", name_or_null(t->closure.where), failed);
	put(o, "inversion_pairs", whole(t->pairs, t->pairs), failed);
	put(o, "inversion_cells", whole(t->pairs, t->cells), failed);
	put(o, "inversions", whole(t->pairs, t->below), failed);
	put(o, "inversion_pages", pages(t->inversion.pages), failed);
	put(o, "inversion_bound_pages", pages(t->inversion.bound_pages), failed);
	put(o, "inversion_cell", name_or_null(t->inversion.where), failed);
}

static json_t *warnings_to_json(const struct backend_summary *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->nr_warnings; i++) {
		if (json_array_append_new(list, json_string(s->warnings[i])) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *backend_to_json(const struct backend_summary *s, double memcgs)
{
	json_t *o = json_object();
	int failed = 0;

	put(o, "backend", json_string(s->backend), &failed);
	put(o, "processes", json_integer(s->processes), &failed);
	put(o, "failed", json_integer(s->failed), &failed);
	put_latency(o, s, memcgs, &failed);
	put_kinds(o, s, &failed);
	put_work(o, s, &failed);
	put_error(o, s, &failed);
	put_truth(o, &s->truth, &failed);
	put(o, "churn", churn_summary_to_json(&s->churn), &failed);
	put(o, "live", copy_or_null(s->live), &failed);
	put(o, "live_differs", json_boolean(s->live_differs), &failed);
	put(o, "harm", harm_summary_to_json(&s->harm), &failed);
	put(o, "locks", locks_summary_to_json(&s->locks), &failed);
	put(o, "flusher", flusher_summary_to_json(&s->locks.flusher), &failed);
	put(o, "placement", s->placement_asked ? json_string(s->placement_asked) : json_null(),
	    &failed);
	put(o, "placement_found", copy_or_null(s->placement_found), &failed);
	put(o, "cold_method", s->cold_method ? json_string(s->cold_method) : json_null(), &failed);
	put(o, "warnings", warnings_to_json(s), &failed);
	if (!failed)
		return o;
	json_decref(o);
	return NULL;
}

/* The first back end of the scenario against each of the others. */
static json_t *ratios_to_json(const struct point_summary *point)
{
	json_t *list = json_array();

	for (size_t b = 1; b < point->nr_backends; b++) {
		struct ratio ratio = summary_ratio(&point->backends[0], &point->backends[b]);
		json_t *item;

		if (!ratio.pairs)
			continue;
		item = json_pack(
			"{s:s, s:s, s:o, s:o, s:o, s:o, s:I}", "numerator",
			point->backends[0].backend, "denominator", point->backends[b].backend,
			"median", json_real_or_null(ratio.median), "low",
			json_real_or_null(ratio.low), "high", json_real_or_null(ratio.high),
			"level", json_real_or_null(ratio.level), "pairs", (json_int_t)ratio.pairs);
		if (json_array_append_new(list, item) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* Live back ends less the smallest file of their file system. */
static json_t *net_to_json(const struct point_summary *point)
{
	const struct backend_summary *floor = NULL;
	json_t *list = json_array();

	for (size_t b = 0; b < point->nr_backends; b++)
		if (!strcmp(point->backends[b].backend, LIVE_FLOOR))
			floor = &point->backends[b];
	for (size_t b = 0; floor && b < point->nr_backends; b++) {
		const struct backend_summary *s = &point->backends[b];
		struct ratio net = summary_difference(s, floor);

		if (!s->live || s == floor || !net.pairs)
			continue;
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I}",
						"backend", s->backend, "floor", floor->backend,
						"gross_ns", json_real_or_null(s->median_ns),
						"floor_ns", json_real_or_null(floor->median_ns),
						"net_ns", json_real_or_null(net.median), "low_ns",
						json_real_or_null(net.low), "high_ns",
						json_real_or_null(net.high), "level",
						json_real_or_null(net.level), "pairs",
						(json_int_t)net.pairs));
	}
	return list;
}

static json_t *point_summary_to_json(const struct point_summary *point)
{
	double memcgs = summary_memcgs(point);
	json_t *results = json_array();

	for (size_t b = 0; b < point->nr_backends; b++) {
		const struct backend_summary *s = &point->backends[b];

		if (s->left_out && !s->processes)
			continue;
		if (json_array_append_new(results, backend_to_json(s, memcgs)) < 0) {
			json_decref(results);
			return NULL;
		}
	}
	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "id", point->point.id, "parameters",
			 point_to_json(&point->point), "results", results, "ratios",
			 ratios_to_json(point), "net_of_floor", net_to_json(point));
}

static json_t *points_to_json(const struct run_summary *summary)
{
	json_t *list = json_array();

	for (size_t i = 0; i < summary->nr_points; i++) {
		json_t *point = point_summary_to_json(&summary->points[i]);

		if (json_array_append_new(list, point) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *failed_to_json(const struct run_summary *summary)
{
	json_t *list = json_array();

	for (size_t i = 0; i < summary->nr_failed; i++) {
		const struct failed_repetition *failed = &summary->failed[i];
		json_t *item = json_pack("{s:s, s:s, s:i, s:s}", "id", failed->id, "backend",
					 failed->backend, "repetition", (int)failed->repetition,
					 "reason", failed->reason);

		if (json_array_append_new(list, item) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *list_of(const json_t *run, const char *key)
{
	json_t *list = json_object_get(run, key);

	return json_is_array(list) ? json_incref(list) : json_array();
}

json_t *summary_to_json(const struct run_summary *summary)
{
	static const char *const of_identity[] = {"seed",    "repetitions", "samples",
						  "time_ns", "build_id",    "host_class"};
	const json_t *identity = json_object_get(summary->run, "identity");
	json_t *o = json_object();
	int failed = 0;

	put(o, "schema",
	    json_pack("{s:s, s:i}", "name", SUMMARY_SCHEMA_NAME, "version", SUMMARY_SCHEMA_VERSION),
	    &failed);
	put(o, "scenario", json_string(summary->scenario), &failed);
	put(o, "title", json_string(summary->title), &failed);
	put(o, "label", copy_or_null(json_object_get(summary->run, "label")), &failed);
	for (size_t i = 0; i < sizeof(of_identity) / sizeof(of_identity[0]); i++)
		put(o, of_identity[i], copy_or_null(json_object_get(identity, of_identity[i])),
		    &failed);
	put(o, "context", copy_or_null(json_object_get(summary->run, "context")), &failed);
	put(o, "references", list_of(summary->run, "references"), &failed);
	put(o, "expected", json_integer((json_int_t)summary->expected), &failed);
	put(o, "done", json_integer((json_int_t)summary->done), &failed);
	put(o, "points", points_to_json(summary), &failed);
	put(o, "failed", failed_to_json(summary), &failed);
	put(o, "left_out", list_of(summary->run, "left_out"), &failed);
	if (!failed)
		return o;
	json_decref(o);
	return NULL;
}
