// SPDX-License-Identifier: MIT
/*
 * See result.h. What the summary relies on must be there; the rest may be absent, but where it is,
 * it has the type that the schema promises. That it agrees with itself is checked, too:
 * result_check.c.
 */
#include "result/result.h"

#include "result/record.h"
#include "result/result_check.h"
#include "result/result_read.h"
#include "scenario/parameter.h"
#include "stats/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define NULLABLE (FIELD_NULL | FIELD_OPTIONAL)

static const struct field always[] = {
	{"scenario", FIELD_TEXT, 0},
	{"title", FIELD_TEXT, NULLABLE},
	{"point", FIELD_OBJECT, 0},
	{"point.id", FIELD_TEXT, 0},
	{"point.parameters", FIELD_OBJECT, 0},
	{"backend", FIELD_BACKEND, 0},
	{"repetition", FIELD_POSITIVE, 0},
	{"label", FIELD_TEXT, NULLABLE},
	{"seed", FIELD_WHOLE, NULLABLE},
	{"started_at", FIELD_TEXT, NULLABLE},
	{"status", FIELD_TEXT, 0},
	{"reason", FIELD_TEXT, NULLABLE},
};

/* clang-format off */
#define KIND_FIELDS(kind, flags)                                                 \
	{"update.kinds." kind, FIELD_OBJECT, flags},                             \
		{"update.kinds." kind ".median_ns", FIELD_NUMBER, 0},            \
		{"update.kinds." kind ".updates", FIELD_POSITIVE, 0},            \
		{"update.kinds." kind ".updates_per_sample", FIELD_POSITIVE, 0}, \
		{"update.kinds." kind ".alone", FIELD_POSITIVE, 0},              \
		{"update.kinds." kind ".alone_median_ns", FIELD_NUMBER, 0},      \
		{"update.kinds." kind ".p99_ns", FIELD_NUMBER, 0},               \
		{"update.kinds." kind ".max_ns", FIELD_NUMBER, 0}
/* clang-format on */

/* Of a process that ended well. */
static const struct field when_ok[] = {
	{"host_class", FIELD_TEXT, 0},
	{"context", FIELD_OBJECT, NULLABLE},
	{"build", FIELD_OBJECT, 0},
	{"build.id", FIELD_TEXT, 0},
	{"placement", FIELD_OBJECT, 0},
	{"placement.asked", FIELD_TEXT, 0},
	{"placement.found", FIELD_OBJECT, NULLABLE},
	{"placement.reader_cpus", FIELD_ARRAY, NULLABLE},
	{"sampling", FIELD_OBJECT, 0},
	{"sampling.samples", FIELD_POSITIVE, 0},
	{"sampling.reads_per_sample", FIELD_POSITIVE, 0},
	{"sampling.readers", FIELD_POSITIVE, 0},
	{"sampling.reads", FIELD_POSITIVE, 0},
	{"sampling.pilot", FIELD_FLAG, NULLABLE},
	{"sampling.floor_ns", FIELD_NUMBER, NULLABLE},
	{"sampling.floor_p99_ns", FIELD_NUMBER, NULLABLE},
	{"sampling.clock", FIELD_TEXT, NULLABLE},
	{"sampling.benchmark_mean_ns", FIELD_NUMBER, NULLABLE},
	{"sampling.histogram_mean_ns", FIELD_NUMBER, NULLABLE},
	{"sampling.late", FIELD_WHOLE, NULLABLE},
	{"sampling.cold_method", FIELD_TEXT, NULLABLE},
	{"latency", FIELD_OBJECT, 0},
	{"latency.histogram", FIELD_TEXT, 0},
	{"latency.median_ns", FIELD_NUMBER, 0},
	{"parts", FIELD_OBJECT, NULLABLE},
	{"parts.hierarchical_ns", FIELD_NUMBER, NULLABLE},
	{"parts.local_ns", FIELD_NUMBER, NULLABLE},
	{"parts.format_ns", FIELD_NUMBER, NULLABLE},
	{"parts.samples", FIELD_WHOLE, NULLABLE},
	{"update", FIELD_OBJECT, NULLABLE},
	{"update.median_ns", FIELD_NUMBER, 0},
	{"update.p99_ns", FIELD_NUMBER, NULLABLE},
	{"update.updates", FIELD_POSITIVE, 0},
	{"update.updates_per_sample", FIELD_POSITIVE, 0},
	{"update.kinds", FIELD_OBJECT, NULLABLE},
	KIND_FIELDS("page", 0),
	KIND_FIELDS("huge", 0),
	KIND_FIELDS("lru", 0),
	KIND_FIELDS("migrate", FIELD_NULL),
	{"churn", FIELD_OBJECT, NULLABLE},
	{"churn.created", FIELD_WHOLE, 0},
	{"churn.removed", FIELD_WHOLE, 0},
	{"churn.create_ns", FIELD_NUMBER, NULLABLE},
	{"churn.create_p99_ns", FIELD_NUMBER, NULLABLE},
	{"churn.remove_ns", FIELD_NUMBER, NULLABLE},
	{"churn.remove_p99_ns", FIELD_NUMBER, NULLABLE},
	{"churn.lingering", FIELD_WHOLE, 0},
	{"churn.pages", FIELD_WHOLE, 0},
	{"churn.behind", FIELD_WHOLE, 0},
	{"churn.waits", FIELD_WHOLE, 0},
	{"churn.error", FIELD_OBJECT, 0},
	{"churn.error.pages", FIELD_WHOLE, 0},
	{"churn.error.bound_pages", FIELD_WHOLE, 0},
	{"churn.error.value", FIELD_WHOLE, 0},
	{"churn.error.truth", FIELD_WHOLE, 0},
	{"churn.error.cells_beyond_bound", FIELD_WHOLE, 0},
	{"writers", FIELD_OBJECT, NULLABLE},
	{"writers.writers", FIELD_POSITIVE, 0},
	{"writers.mix", FIELD_TEXT, 0},
	{"writers.updates", FIELD_POSITIVE, 0},
	{"writers.updates_per_sample", FIELD_POSITIVE, 0},
	{"writers.median_ns", FIELD_NUMBER, 0},
	{"writers.p99_batch_ns", FIELD_NUMBER, NULLABLE},
	{"writers.updates_per_s", FIELD_NUMBER, 0},
	{"writers.updates_per_s_each", FIELD_ARRAY, 0},
	{"writers.cpus", FIELD_ARRAY, 0},
	{"writers.seconds", FIELD_NUMBER, 0},
	{"writers.behind", FIELD_WHOLE, 0},
	{"writers.error", FIELD_OBJECT, 0},
	{"writers.error.pages", FIELD_WHOLE, 0},
	{"writers.error.bound_pages", FIELD_WHOLE, 0},
	{"writers.error.value", FIELD_WHOLE, 0},
	{"writers.error.truth", FIELD_WHOLE, 0},
	{"writers.error.cells_beyond_bound", FIELD_WHOLE, 0},
	{"locks", FIELD_ARRAY, NULLABLE},
	{"flusher", FIELD_OBJECT, NULLABLE},
	{"flusher.period_ns", FIELD_POSITIVE, 0},
	{"flusher.flushes", FIELD_WHOLE, 0},
	{"flusher.late", FIELD_WHOLE, 0},
	{"flusher.median_ns", FIELD_NUMBER, NULLABLE},
	{"flusher.max_ns", FIELD_NUMBER, NULLABLE},
	{"flusher.total_ns", FIELD_NUMBER, 0},
	{"flusher.seconds", FIELD_NUMBER, 0},
	{"flusher.cpu", FIELD_WHOLE, 0},
	{"harm", FIELD_OBJECT, NULLABLE}, /* its own: result_check_harm.c */
	{"counts", FIELD_OBJECT, NULLABLE},
	{"counts.loads_local", FIELD_WHOLE, NULLABLE},
	{"counts.loads_hierarchical", FIELD_WHOLE, NULLABLE},
	{"counts.memcgs_visited", FIELD_WHOLE, NULLABLE},
	{"counts.css_gets", FIELD_WHOLE, NULLABLE},
	{"counts.atomics", FIELD_WHOLE, NULLABLE},
	{"counts.adds", FIELD_WHOLE, NULLABLE},
	{"counts.items_scanned", FIELD_WHOLE, NULLABLE},
	{"counts.flushes", FIELD_WHOLE, NULLABLE},
	{"counts.text_bytes", FIELD_WHOLE, NULLABLE},
	{"counts.bytes_touched", FIELD_WHOLE, NULLABLE},
	{"counts.shows", FIELD_WHOLE, NULLABLE},
	{"error", FIELD_OBJECT, NULLABLE},
	{"error.pages", FIELD_WHOLE, 0},
	{"error.bound_pages", FIELD_WHOLE, 0},
	{"error.cell", FIELD_TEXT, NULLABLE},
	{"error.value", FIELD_WHOLE, NULLABLE},
	{"error.truth", FIELD_WHOLE, NULLABLE},
	{"error.cells_beyond_bound", FIELD_WHOLE, NULLABLE},
	{"local_error", FIELD_OBJECT, NULLABLE},
	{"local_error.pages", FIELD_WHOLE, 0},
	{"local_error.bound_pages", FIELD_WHOLE, 0},
	{"local_error.value", FIELD_WHOLE, NULLABLE},
	{"local_error.truth", FIELD_WHOLE, NULLABLE},
	{"local_error.cells_beyond_bound", FIELD_WHOLE, NULLABLE},
	{"under_load", FIELD_OBJECT, NULLABLE},
	{"under_load.reads", FIELD_POSITIVE, 0},
	{"under_load.apart", FIELD_WHOLE, 0},
	{"under_load.beyond_bound", FIELD_WHOLE, 0},
	{"under_load.error", FIELD_OBJECT, 0},
	{"under_load.error.pages", FIELD_WHOLE, 0},
	{"under_load.error.bound_pages", FIELD_WHOLE, 0},
	{"under_load.error.cell", FIELD_TEXT, 0},
	{"under_load.error.value", FIELD_WHOLE, 0},
	{"under_load.error.low", FIELD_WHOLE, 0},
	{"under_load.error.high", FIELD_WHOLE, 0},
	{"under_load.width_pages", FIELD_OBJECT, 0},
	{"under_load.width_pages.median", FIELD_NUMBER, 0},
	{"under_load.width_pages.max", FIELD_NUMBER, 0},
	{"under_load.age", FIELD_OBJECT, 0},
	{"under_load.age.cell", FIELD_TEXT, 0},
	{"under_load.age.median_ns", FIELD_NUMBER, FIELD_NULL},
	{"under_load.age.p99_ns", FIELD_NUMBER, FIELD_NULL},
	{"under_load.age.max_ns", FIELD_NUMBER, FIELD_NULL},
	{"under_load.age.unknown", FIELD_WHOLE, 0},
	{"under_load.seconds", FIELD_NUMBER, 0},
	{"closure", FIELD_OBJECT, NULLABLE},
	{"closure.pages", FIELD_WHOLE, 0},
	{"closure.bound_pages", FIELD_WHOLE, 0},
	{"closure.row", FIELD_TEXT, 0},
	{"closure.sum", FIELD_WHOLE, 0},
	{"closure.columns", FIELD_WHOLE, 0},
	{"closure.rows", FIELD_POSITIVE, 0},
	{"closure.rows_beyond_bound", FIELD_WHOLE, 0},
	{"inversion", FIELD_OBJECT, NULLABLE},
	{"inversion.pairs", FIELD_POSITIVE, 0},
	{"inversion.cells", FIELD_POSITIVE, 0},
	{"inversion.below", FIELD_WHOLE, 0},
	{"inversion.below_beyond_bound", FIELD_WHOLE, 0},
	{"inversion.pages", FIELD_WHOLE, 0},
	{"inversion.bound_pages", FIELD_WHOLE, 0},
	{"inversion.cell", FIELD_TEXT, NULLABLE},
	{"inversion.parent", FIELD_WHOLE, NULLABLE},
	{"inversion.child", FIELD_WHOLE, NULLABLE},
	{"live", FIELD_OBJECT, NULLABLE},
	{"live.file", FIELD_TEXT, NULLABLE},
	{"live.descriptor", FIELD_TEXT, NULLABLE},
	{"live.files", FIELD_WHOLE, NULLABLE},
	{"live.reads", FIELD_WHOLE, NULLABLE},
	{"live.bytes", FIELD_WHOLE, NULLABLE},
	{"live.mode", FIELD_TEXT, NULLABLE},
	{"live.passes", FIELD_WHOLE, NULLABLE},
	{"live.dying_walked", FIELD_WHOLE, NULLABLE},
	{"live.walks", FIELD_WHOLE, NULLABLE},
	{"live.kernel_ns", FIELD_WHOLE, NULLABLE},
	{"live.fixture", FIELD_OBJECT, 0},
	{"live.fixture.version", FIELD_POSITIVE, 0},
	{"live.fixture.cgroups", FIELD_POSITIVE, 0},
	{"live.fixture.dying_asked", FIELD_WHOLE, 0},
	{"live.fixture.dying_found", FIELD_WHOLE, NULLABLE},
	{"live.fixture.pages", FIELD_WHOLE, 0},
	{"live.fixture.unheld_pages", FIELD_WHOLE, 0},
	{"live.fixture.made_ns", FIELD_WHOLE, 0},
	{"live.fixture.charged_ns", FIELD_WHOLE, 0},
	{"live.fixture.settled_ns", FIELD_WHOLE, 0},
	{"live.fixture.truth", FIELD_OBJECT, NULLABLE},
	{"live.fixture.truth.hierarchical_pages", FIELD_WHOLE, NULLABLE},
	{"live.fixture.truth.local_pages_sum", FIELD_WHOLE, NULLABLE},
	{"live.fixture.truth.charged_pages", FIELD_WHOLE, 0},
	{"live.fixture.truth.bound_pages", FIELD_WHOLE, 0},
	{"memory", FIELD_OBJECT, NULLABLE},
	{"memory.bytes", FIELD_WHOLE, NULLABLE},
	{"times", FIELD_OBJECT, NULLABLE},
	{"perf", FIELD_OBJECT, NULLABLE},
	{"warnings", FIELD_ARRAY, NULLABLE},
};

const struct document_schema result_schema = {
	.name = RESULT_SCHEMA_NAME,
	.version = RESULT_SCHEMA_VERSION,
	.limit = 16u << 20,
	.fields = always,
	.nr_fields = ARRAY_SIZE(always),
};

/* Reasons are what a dying process wrote, which need not be UTF-8. */
static json_t *text_of_anything(const char *text)
{
	json_t *json = json_string(text);
	char *copy;

	if (json)
		return json;
	copy = strdup(text);
	if (!copy)
		return NULL;
	for (char *c = copy; *c; c++) {
		if (*c & 0x80)
			*c = '?';
	}
	json = json_string(copy);
	free(copy);
	return json;
}

json_t *result_new(const char *scenario, const char *title, const char *point_id, json_t *values,
		   const char *backend, unsigned repetition, const char *reason)
{
	json_t *result, *why;

	result = json_pack("{s:{s:s,s:i}, s:s, s:s?, s:{s:s,s:O}, s:s, s:I, s:s}", "schema", "name",
			   RESULT_SCHEMA_NAME, "version", RESULT_SCHEMA_VERSION, "scenario",
			   scenario, "title", title, "point", "id", point_id, "parameters", values,
			   "backend", backend, "repetition", (json_int_t)repetition, "status",
			   reason ? "failed" : "ok");
	if (!result || !reason)
		return result;
	why = text_of_anything(reason);
	if (!why || json_object_set_new(result, "reason", why) < 0) {
		json_decref(result);
		return NULL;
	}
	return result;
}

/* Also decodes the histogram, for those who go on. */
static int check_samples(const struct document *document, struct histogram **latency,
			 struct error *err)
{
	const json_t *sampling = json_object_get(document->json, "sampling");
	const char *text = json_string_value(json_at(document->json, "latency.histogram"));
	uint64_t samples = json_whole_at(sampling, "samples");
	uint64_t batch = json_whole_at(sampling, "reads_per_sample");
	uint64_t readers = json_whole_at(sampling, "readers");
	uint64_t count, product;
	int r;

	if (__builtin_mul_overflow(samples, readers, &count) ||
	    __builtin_mul_overflow(count, batch, &product) ||
	    product != json_whole_at(sampling, "reads"))
		return document_fault(document, "sampling.reads", err,
				      "is not samples x reads_per_sample x readers");
	r = histogram_decode(text, latency);
	if (r == -ENOMEM)
		return error_set_at(err, r, document->path, 0, 0, "out of memory");
	if (r)
		return document_fault(document, "latency.histogram", err,
				      "is damaged: it cannot be decoded");
	if (histogram_count(*latency) == count)
		return 0;
	return document_fault(document, "latency.histogram", err, "holds %llu samples, not %llu",
			      (unsigned long long)histogram_count(*latency),
			      (unsigned long long)count);
}

static int check_warnings(const struct document *document, struct error *err)
{
	const json_t *warning;
	char field[48];
	size_t i;

	json_array_foreach (json_object_get(document->json, "warnings"), i, warning) {
		snprintf(field, sizeof(field), "warnings.%zu", i);
		if (!json_is_string(warning))
			return document_fault(document, field, err, "must be a text");
	}
	return 0;
}

/* Reading the parameters of a point and working out its id takes longer than all other checks: it
 * is done once for each point of a run, not once for each of its files. */
static int check_point(const struct document *document, struct result_reader *reader,
		       struct error *err)
{
	json_t *json = json_object_get(document->json, "point");
	struct error why = {0};
	int r;

	if (reader->point_json && json_equal(json, reader->point_json))
		return 0;
	json_decref(reader->point_json);
	reader->point_json = NULL;
	r = point_from_json(json_object_get(json, "parameters"),
			    json_string_value(json_object_get(json, "id")), &reader->point, &why);
	if (r)
		return document_fault(document, "point", err, "%s", why.text);
	reader->point_json = json_incref(json);
	return 0;
}

static int check_always(const struct document *document, struct result_reader *reader,
			struct error *err)
{
	const char *started = json_string_value(json_object_get(document->json, "started_at"));
	const char *status = json_string_value(json_object_get(document->json, "status"));
	int r = check_point(document, reader, err);

	if (r)
		return r;
	if (started && record_time_parse(started) < 0)
		return document_fault(document, "started_at", err,
				      "is not a time (like 2026-11-30T15:03:00Z)");
	if (strcmp(status, "ok") && strcmp(status, "failed"))
		return document_fault(document, "status", err, "'%s' is not known (ok, failed)",
				      status);
	if (!strcmp(status, "failed") && !json_is_string(json_object_get(document->json, "reason")))
		return document_fault(document, "reason", err,
				      "is missing (a failed process has one)");
	return 0;
}

/* Of a process that ended well. */
static int check_ok(const struct document *document, const struct point *point,
		    struct histogram **latency, struct error *err)
{
	int r;

	if (json_object_get(document->json, "reason") &&
	    !json_is_null(json_object_get(document->json, "reason")))
		return document_fault(document, "reason", err, "is there, though the status is ok");
	r = document_check(document, when_ok, ARRAY_SIZE(when_ok), err);
	if (!r)
		r = check_samples(document, latency, err);
	if (!r)
		r = check_warnings(document, err);
	return r ? r : result_check(document, point, *latency, err);
}

void result_reader_fini(struct result_reader *reader)
{
	json_decref(reader->point_json);
	document_memo_free(reader->memo);
}

int result_take(struct result_reader *reader, const struct document *document, json_t **result,
		struct histogram **latency, struct error *err)
{
	int r = check_always(document, reader, err);

	*result = NULL;
	*latency = NULL;
	if (!r && !strcmp(json_string_value(json_object_get(document->json, "status")), "ok"))
		r = check_ok(document, &reader->point, latency, err);
	if (!r) {
		*result = json_incref(document->json);
		return 0;
	}
	histogram_free(*latency);
	*latency = NULL;
	return r;
}

int result_read(struct result_reader *reader, const char *path, json_t **result,
		struct histogram **latency, struct error *err)
{
	const struct document_schema *schema = &result_schema;
	struct document document;
	int r;

	*result = NULL;
	*latency = NULL;
	r = document_open_any(path, &schema, 1, reader->memo, &document, err);
	if (r)
		return r;
	r = result_take(reader, &document, result, latency, err);
	document_close(&document);
	return r;
}

int result_load(const char *path, json_t **result, struct error *err)
{
	struct result_reader reader = {.memo = NULL};
	struct histogram *latency;
	int r = result_read(&reader, path, result, &latency, err);

	histogram_free(latency);
	result_reader_fini(&reader);
	return r;
}
