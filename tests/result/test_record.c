// SPDX-License-Identifier: MIT
/* Records: what of a run is kept in them, and that it comes back from a file as it was. */
#include "made_run.h"

#include "base/file.h"
#include "result/document.h"
#include "result/record.h"
#include "result/result.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char path[128];

static int begin(void **state)
{
	static struct made_run made;

	made_run_begin(&made, made_small_yaml);
	snprintf(path, sizeof(path), "%s/record.json", made.root);
	*state = &made;
	return 0;
}

static int end(void **state)
{
	made_run_end(*state);
	return 0;
}

static struct record *opened(const char *what)
{
	struct error_list faults = {0};
	struct record *record;

	if (record_open(what, false, &record, &faults))
		fail_msg("%s: %s", faults.items[0].file, faults.items[0].text);
	assert_int_equal(faults.total, 0);
	return record;
}

static void expect_refused(const char *words, unsigned line)
{
	struct error_list faults = {0};
	struct record *record;

	assert_int_equal(record_open(path, true, &record, &faults), -EINVAL);
	assert_null(record);
	assert_int_equal(faults.total, 1);
	assert_string_equal(faults.items[0].file, path);
	if (!strstr(faults.items[0].text, words))
		fail_msg("'%s' does not say '%s'", faults.items[0].text, words);
	assert_true(line ? faults.items[0].line == line : faults.items[0].line > 0);
}

static json_t *record_document(const struct made_run *made)
{
	struct record *record = opened(made->path);
	json_t *document = record_to_json(record);

	assert_non_null(document);
	record_free(record);
	return document;
}

/* Takes over `document`. */
static void write_document(json_t *document)
{
	assert_int_equal(document_write(path, document, NULL), 0);
	json_decref(document);
}

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-11 * fabs(a);
}

static void expect_same_cell(const struct record_cell *a, const struct record_cell *b)
{
	assert_string_equal(a->point->id, b->point->id);
	assert_string_equal(a->backend, b->backend);
	assert_int_equal(a->processes, b->processes);
	assert_int_equal(a->failed, b->failed);
	assert_memory_equal(a->repetition, b->repetition, a->processes * sizeof(*a->repetition));
	for (unsigned i = 0; i < a->processes; i++)
		for (size_t m = 0; m < NR_METRICS; m++)
			assert_true(same(metric_of(&metrics[m], &a->figures[i]),
					 metric_of(&metrics[m], &b->figures[i])));
	assert_int_equal(a->samples, b->samples);
	assert_int_equal(a->reads, b->reads);
	assert_int_equal(a->reads_per_sample, b->reads_per_sample);
	assert_int_equal(a->counted, b->counted);
	assert_int_equal(a->counts_differ, b->counts_differ);
	assert_memory_equal(&a->counts, &b->counts, sizeof(a->counts));
	assert_int_equal(a->bytes_touched, b->bytes_touched);
	assert_true(same(a->error_pages, b->error_pages));
	assert_true(same(a->error_bound_pages, b->error_bound_pages));
	assert_true(same(a->error_value, b->error_value));
	assert_true(same(a->error_truth, b->error_truth));
	assert_string_equal(a->error_cell, b->error_cell);
	assert_true(same(a->floor_ns, b->floor_ns));
	assert_true(json_equal(a->placement_found, b->placement_found));
}

static void what_is_written_comes_back(void **state)
{
	struct made_run *made = *state;
	struct record *record, *again;
	json_t *result;

	made_run_fill(made);
	result = made_result(made, 1, 0, 2);
	json_object_set_new(json_object_get(result, "counts"), "atomics", json_null());
	json_object_set_new(json_object_get(result, "counts"), "bytes_touched", json_null());
	json_object_set_new(result, "started_at", json_string("2026-11-30T15:03:07Z"));
	made_run_write(made, 1, 0, 2, result);
	result = made_result(made, 0, 1, 1);
	json_object_set_new(result, "started_at", json_string("2026-11-30T15:03:09Z"));
	made_run_write(made, 0, 1, 1, result);
	record = opened(made->path);
	assert_int_equal(record_write(path, record, NULL), 0);
	again = opened(path);
	assert_string_equal(again->path, path);
	assert_string_equal(again->scenario, record->scenario);
	assert_string_equal(again->title, record->title);
	assert_string_equal(again->build_id, record->build_id);
	assert_string_equal(again->host_class, record->host_class);
	assert_null(again->label);
	assert_int_equal(record->started, 1796050987); /* the earlier one */
	assert_int_equal(again->started, record->started);
	assert_int_equal(again->seed, 7);
	assert_int_equal(again->repetitions, 3);
	assert_string_equal(record_context(again, "kernel"), "6.1.0-made");
	assert_null(record_context(again, "governor"));
	assert_int_equal(again->nr_points, 2);
	assert_int_equal(record->nr_cells, 4);
	assert_int_equal(again->nr_cells, 4);
	for (size_t i = 0; i < record->nr_cells; i++)
		expect_same_cell(&record->cells[i], &again->cells[i]);
	assert_string_equal(record->cells[0].backend, "walk"); /* the order of the scenario */
	assert_ptr_equal(record_find(again, again->points[1].id, "cached"), &again->cells[3]);
	assert_null(record_find(again, again->points[1].id, "rstat"));
	assert_null(record_find(again, "0000000000000000", "walk"));
	record_free(record);
	record_free(again);
}

static void a_percentile_needs_samples_of_its_own_process(void **state)
{
	struct made_run *made = *state;
	const struct process_figures *f;
	const struct record_cell *cell;
	static uint64_t ps[10000];
	struct record *record;

	for (unsigned i = 0; i < 10000; i++)
		ps[i] = 1000000 + 100 * i;
	for (unsigned r = 1; r <= 3; r++) {
		static const unsigned samples[] = {99, 999, 10000};
		json_t *walk = made_result(made, 0, 0, r), *cached = made_result(made, 0, 1, r);

		made_samples(walk, ps, samples[r - 1], 1);
		made_samples(cached, ps, samples[r - 1], 50);
		made_run_write(made, 0, 0, r, walk);
		made_run_write(made, 0, 1, r, cached);
	}
	record = opened(made->path);
	cell = &record->cells[0];
	f = cell->figures;
	assert_float_equal(f[0].p50_ns, 1000 + 4.9, 1e-9);
	assert_true(isnan(f[0].p90_ns) && isnan(f[0].p99_ns) && isnan(f[0].p999_ns));
	assert_true(!isnan(f[1].p90_ns) && isnan(f[1].p99_ns));
	assert_true(!isnan(f[2].p99_ns) && !isnan(f[2].p999_ns));
	assert_float_equal(f[2].max_ns, 1999.9, 1e-9);
	assert_float_equal(f[2].rate * f[2].mean_ns, 1e9, 1);
	/* batches: nothing above the median, whatever the number of samples */
	f = record->cells[1].figures;
	assert_true(!isnan(f[2].p50_ns) && !isnan(f[2].mean_ns));
	assert_true(isnan(f[2].p90_ns) && isnan(f[2].p99_ns) && isnan(f[2].max_ns));
	record_free(record);
}

static void failed_repetitions_are_counted_and_no_fault(void **state)
{
	struct made_run *made = *state;
	const struct point *point = &made->scenario->points[0];
	json_t *values = point_to_json(point);
	struct record *record;

	made_run_write(made, 0, 0, 1,
		       result_new("small", NULL, point->id, values, "walk", 1, "killed"));
	made_run_write(made, 0, 0, 3, made_result(made, 0, 0, 3));
	json_decref(values);
	record = opened(made->path);
	assert_int_equal(record->nr_cells, 1); /* of the others nothing is there */
	assert_int_equal(record->cells[0].failed, 1);
	assert_int_equal(record->cells[0].processes, 1);
	assert_int_equal(record->cells[0].repetition[0], 3);
	record_free(record);
}

static void what_only_others_know_is_kept_and_harmless(void **state)
{
	struct made_run *made = *state;
	struct record *record;
	json_t *document, *cell;
	char *written, *again;
	size_t length;

	made_run_fill(made);
	document = record_document(made);
	cell = json_at(document, "points.0.results.0");
	json_object_set_new(document, "weather", json_string("fine"));
	json_object_set_new(json_object_get(cell, "values"), "joules",
			    json_pack("[f, n, f]", 1.5, 2.5));
	write_document(document);
	assert_int_equal(file_read(path, 1 << 20, &written, &length, NULL), 0);
	record = opened(path);
	assert_int_equal(record->cells[0].processes, 3);
	assert_int_equal(record_write(path, record, NULL), 0);
	assert_int_equal(file_read(path, 1 << 20, &again, &length, NULL), 0);
	assert_string_equal(again, written);
	assert_non_null(strstr(again, "joules"));
	free(written);
	free(again);
	record_free(record);
}

static void truncated_and_newer_records_are_refused(void **state)
{
	struct made_run *made = *state;
	json_t *document;
	char *text;

	made_run_fill(made);
	document = record_document(made);
	text = json_dumps(document, JSON_INDENT(1));
	assert_int_equal(file_write_atomic(path, text, strlen(text) / 2, NULL), 0);
	expect_refused("not JSON", 0);
	free(text);
	json_object_set_new(json_object_get(document, "schema"), "version", json_integer(2));
	write_document(document);
	expect_refused("newer program", 4);
}

/* A value put in the place of another in the first cell, or elsewhere. */
static const struct {
	const char *parent, *key, *value, *words;
} edits[] = {
	{"schema", "name", "\"x\"", "'x' is not read here (memcgbench-record"},
	{"", "started_at", "\"2026-02-31T00:00:00Z\"", "started_at: is not a time"},
	{"", "host_class", "null", "host_class"},
	{"points.0", "id", "\"0000000000000000\"", "is not of these parameters"},
	{"points.0.parameters", "tree.memcgs", "11", "is not of these parameters"},
	{"points.0.results.1", "backend", "\"walk\"", "is there twice"},
	{"points.0.results.1", "backend", "\"\\u001b[31m\"", "must be the name of a back end"},
	{"points.0.results.1", "backend", "\"a|b\\n\"", "must be the name of a back end"},
	{"points.0.results.0", "repetitions", "[1, 3, 2]", "ascending"},
	{"points.0.results.0", "repetitions", "[1, 2]", "one value for each of repetitions"},
	{"points.0.results.0.values", "p50", "[1e4, 1e4]", "one value for each of repetitions"},
	{"points.0.results.0.values", "p50", "[1e4, 1e4, \"a\"]", "is not a number"},
	{"points.0.results.0.values", "p50", "[1e4, 1e4, -1]", "is not a number"},
	{"points.0.results.0.values", "p50", "[1e4, null, 1e4]", "no p50 of a process"},
	{"points.0.results.0.values", "p50", "[1e9, 1e4, 1e4]", "do not ascend"},
	{"points.0.results.0.values", "rate", "[1, 2, 3]", "of rate are not those of mean"},
	{"points.0.results.0.values", "max", "[1e4, 1e4, 1e4]", "values"},
	{"points.0.results.0.values", "speed", "[1]", "one value for each of repetitions"},
	{"points.0.results.1.values", "p99", "[9e4, 9e4, 9e4]", "only known up to p50"},
	{"points.0.results.1", "reads", "1", "are not those of samples"},
	{"points.0.results.0", "samples", "2", "are fewer than processes"},
	{"points.0.results.0.counts", "atomics", "-1", "counts: are not whole numbers"},
	{"points.0.results.1.error", "pages", "0", "error.pages: is not value less truth"},
	{"points.0.results.1.error", "bound_pages", "1", "is more than its bound"},
	{"points.0.results.1.values", "error", "[0, 0, 0]", "is that of no process"},
};

static void edited_records_are_refused_where_they_contradict_themselves(void **state)
{
	struct made_run *made = *state;

	made_run_fill(made);
	for (size_t p = 0; p < 2; p++) {
		for (unsigned r = 1; r <= 3; r++) {
			uint64_t ps[20];
			json_t *result = made_result(made, p, 1, r);

			for (unsigned i = 0; i < 20; i++)
				ps[i] = 200000 + i;
			made_samples(result, ps, 20, 50);
			made_run_write(made, p, 1, r, result);
		}
	}
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		json_t *document = record_document(made);
		json_t *parent = json_at(document, edits[i].parent);
		json_t *value = json_loads(edits[i].value, JSON_DECODE_ANY, NULL);

		if (!strcmp(edits[i].key, "tree.memcgs"))
			parent = json_at(document, "points.0.parameters");
		assert_non_null(parent);
		assert_non_null(value);
		json_object_set_new(parent, edits[i].key, value);
		write_document(document);
		expect_refused(edits[i].words, 0);
	}
}

static void times_are_utc_and_nothing_else(void **state)
{
	static const char *const wrong[] = {
		"",
		"2026-11-30",
		"2026-11-30T15:03:00",
		"2026-11-30T15:03:00Z ",
		"2026-1-30T15:03:00Z",
		"2026-02-30T15:03:00Z",
		"2026-11-30T25:03:00Z",
		"now",
	};
	char text[RECORD_TIME_MAX];

	assert_string_equal(record_time_text(0, text), "1970-01-01T00:00:00Z");
	assert_string_equal(record_time_text(1796050980, text), "2026-11-30T15:03:00Z");
	assert_int_equal(record_time_parse("2026-11-30T15:03:00Z"), 1796050980);
	assert_string_equal(record_time_text(-1, text), "");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(record_time_parse(wrong[i]), -1);
}

static void metrics_are_found_by_name_and_printed_with_their_unit(void **state)
{
	char text[UNIT_TEXT_MAX];

	assert_ptr_equal(metric_find("p50", 3), &metrics[0]);
	assert_ptr_equal(metric_find("p50x", 3), &metrics[0]);
	assert_null(metric_find("p5", 2));
	assert_null(metric_find("", 0));
	assert_string_equal(metric_text(&metrics[0], 1490, text), "1.49 us");
	assert_string_equal(metric_text(metric_find("rate", 4), 12345, text), "12.3k reads/s");
	assert_string_equal(metric_text(metric_find("error", 5), 81, text), "81 pages");
	assert_string_equal(metric_text(metric_find("error", 5), NAN, text), "-");
	assert_int_equal(metric_find("rate", 4)->better, BETTER_HIGHER);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_written_comes_back),
		TEST(a_percentile_needs_samples_of_its_own_process),
		TEST(failed_repetitions_are_counted_and_no_fault),
		TEST(what_only_others_know_is_kept_and_harmless),
		TEST(truncated_and_newer_records_are_refused),
		TEST(edited_records_are_refused_where_they_contradict_themselves),
		cmocka_unit_test(times_are_utc_and_nothing_else),
		cmocka_unit_test(metrics_are_found_by_name_and_printed_with_their_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
