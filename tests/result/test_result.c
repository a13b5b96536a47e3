// SPDX-License-Identifier: MIT
/* Result files are read strictly: every way to be wrong is named where it is. */
#include "made_run.h"

#include "base/file.h"
#include "base/rng.h"
#include "result/document.h"
#include "result/result.h"
#include "result/result_read.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct made_run made;
static char path[128];

static int begin(void **state)
{
	made_run_begin(&made, made_small_yaml);
	snprintf(path, sizeof(path), "%s/a.json", made.root);
	return 0;
}

static int end(void **state)
{
	made_run_end(&made);
	return 0;
}

static void write_text(const char *text)
{
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
}

/* Takes over `json`. */
static void write_json(json_t *json)
{
	char *text = json_dumps(json, JSON_INDENT(1));

	assert_non_null(text);
	write_text(text);
	free(text);
	json_decref(json);
}

/* The file is refused, with a message that holds `words`, at a line and column. */
static void expect_refused(const char *words)
{
	struct error err = {0};
	json_t *result;

	assert_int_equal(result_load(path, &result, &err),
			 strstr(words, "newer") ? -EPROTONOSUPPORT : -EINVAL);
	assert_null(result);
	assert_string_equal(err.file, path);
	if (!strstr(err.text, words) || !err.line || !err.column)
		fail_msg("%u:%u: '%s' does not say '%s'", err.line, err.column, err.text, words);
}

static void a_sound_result_is_read_and_unknown_keys_are_kept(void **state)
{
	json_t *written = made_result(&made, 0, 0, 1), *result;
	struct error err = {0};

	json_object_set_new(written, "from_the_future", json_true());
	write_json(json_incref(written));
	assert_int_equal(result_load(path, &result, &err), 0);
	assert_true(json_is_true(json_object_get(result, "from_the_future")));
	assert_int_equal(json_object_size(result), json_object_size(written));
	json_decref(result);
	json_decref(written);
}

static void a_missing_file_is_told_from_a_bad_one(void **state)
{
	struct error err = {0};
	json_t *result;

	snprintf(path, sizeof(path), "%s/nothing.json", made.root);
	assert_int_equal(result_load(path, &result, &err), -ENOENT);
	snprintf(path, sizeof(path), "%s/a.json", made.root);
}

/* A new file each time: ext4 flushes one that is cut to nothing and written again. */
static void write_bytes(const char *text, size_t length)
{
	FILE *out;

	unlink(path);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, length, out), length);
	assert_int_equal(fclose(out), 0);
}

static void every_truncation_is_refused(void **state)
{
	json_t *json = made_result(&made, 0, 0, 1), *result;
	char *text = json_dumps(json, JSON_INDENT(1));
	size_t length = strlen(text);

	for (size_t cut = 0; cut < length; cut += 1 + cut / 8) {
		write_bytes(text, cut);
		expect_refused("not JSON");
	}
	write_text(text);
	assert_int_equal(result_load(path, &result, NULL), 0);
	json_decref(result);
	free(text);
	json_decref(json);
}

/* A value put in the place of another; NULL as the value takes the key away. */
static const struct {
	const char *object, *key, *value, *words;
} faults[] = {
	{"schema", "name", "\"other\"", "schema.name: 'other' is not read here"},
	{"schema", "version", "2", "newer program"},
	{"schema", "version", "0", "schema.version"},
	{"", "schema", NULL, "schema: is missing"},
	{"", "backend", NULL, "backend: is missing"},
	{"", "backend", "7", "backend: is something else (must be the name of a back end)"},
	{"", "backend", "\"\"", "backend: is something else"},
	{"", "backend", "\"../walk\"", "backend: is something else"},
	{"", "repetition", "0", "repetition"},
	{"", "repetition", "1.5", "repetition"},
	{"", "status", "\"maybe\"", "'maybe' is not known (ok, failed)"},
	{"", "status", "\"failed\"", "reason: is missing"},
	{"", "point", "[]", "point: is something else"},
	{"point", "id", "\"0000000000000000\"", "point"},
	{"", "sampling", NULL, "sampling: is missing"},
	{"sampling", "samples", "-20", "sampling.samples"},
	{"sampling", "samples", "21", "sampling.reads: is not samples x"},
	{"sampling", "reads", "9223372036854775807", "sampling.reads"},
	{"sampling", "floor_ns", "\"fast\"", "sampling.floor_ns"},
	{"latency", "histogram", "\"\"", "latency.histogram: is damaged"},
	{"latency", "histogram", "\"1 2 3\"", "latency.histogram: is damaged"},
	{"latency", "median_ns", "null", "latency.median_ns"},
	{"latency", "median_ns", "-1.0", "latency.median_ns"},
	{"parts", "local_ns", "true", "parts.local_ns"},
	{"update", "median_ns", "null", "update.median_ns"},
	{"update", "p99_ns", "\"none\"", "update.p99_ns"},
	{"update", "updates", "0", "update.updates"},
	{"update", "updates_per_sample", NULL, "update.updates_per_sample: is missing"},
	{"update", "kinds", "\"many\"", "update.kinds"},
	{"update", "kinds", "{\"page\": null}", "update.kinds.page"},
	{"update", "kinds", "{\"page\": {\"median_ns\": 3.5}}",
	 "update.kinds.page.updates: is missing"},
	{"counts", "atomics", "1.5", "counts.atomics"},
	{"error", "pages", NULL, "error.pages: is missing"},
	{"error", "bound_pages", "\"many\"", "error.bound_pages"},
	{"build", "id", NULL, "build.id"},
	{"", "warnings", "[\"a\", 2]", "warnings.1: must be a text"},
	{"update", "median_ns", "1e19", "update.median_ns: is something else (must be a number, 0"},
	{"error", "bound_pages", "1e300", "error.bound_pages: is something else"},
	{"", "locks", "[null]", "locks.0"},
	{"", "locks", "[{\"name\": \"flush\", \"taken\": 0}]", "locks.0.taken: is something else"},
	{"", "locks",
	 "[{\"name\": \"flush\", \"taken\": 1, \"contended\": 0, \"passed_by\": 0, \"wait_ns\": 0, "
	 "\"wait_median_ns\": 0, \"wait_p99_ns\": \"long\"}]",
	 "locks.0.wait_p99_ns: is something else"},
};

static void every_wrong_value_is_named(void **state)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		json_t *json = made_result(&made, 0, 0, 1), *object = json;
		json_t *value = NULL;

		if (faults[i].object[0])
			object = json_object_get(json, faults[i].object);
		if (faults[i].value) {
			value = json_loads(faults[i].value, JSON_DECODE_ANY, NULL);
			assert_non_null(value);
			json_object_set_new(object, faults[i].key, value);
		} else {
			assert_int_equal(json_object_del(object, faults[i].key), 0);
		}
		write_json(json);
		expect_refused(faults[i].words);
	}
}

/* Numbers that a person might make nicer, each alone: another one gives it away. The point is cold
 * or hot and read whole; `field` is a path. */
static const struct {
	unsigned point;
	const char *field, *value, *words;
} contradictions[] = {
	{0, "latency.median_ns", "7000.0", "is not the histogram's median"},
	{0, "latency.median_ns", "1e9", "is not the histogram's median"},
	{0, "sampling.histogram_mean_ns", "7000.0", "is not the histogram's mean"},
	{0, "sampling.benchmark_mean_ns", "7000.0", "% off histogram_mean_ns"},
	{0, "sampling.readers", "2", "sampling.reads: is not samples x"},
	{0, "sampling.reads_per_sample", "2", "sampling.reads: is not samples x"},
	{0, "sampling.late", "1", "sampling.late"},
	{0, "sampling.cold_method", "\"flushed\"", "though read.cache is hot"},
	{0, "counts.text_bytes", "0", "counts.text_bytes: is 0"},
	{0, "error.pages", "0", "error.pages: 0 is not the difference"},
	{0, "error.value", "249999", "error.pages"},
	{0, "error.bound_pages", "1", "error.cells_beyond_bound: is 0"},
	{0, "error.cells_beyond_bound", "3", "error.cells_beyond_bound: is 3"},
	{0, "local_error.cells_beyond_bound", "3", "local_error.cells_beyond_bound: is 3"},
	{0, "placement.asked", "\"real\"", "is not what machine.placement says"},
	{0, "placement.found.bytes", "1000", "placement.found.bytes: 1000 is not the sum"},
	{0, "placement.found.bytes_misplaced", "5", "is not the sum of the nodes'"},
	{0, "placement.found.huge_bytes", "1000000000", "are fewer than a part of them"},
	{0, "placement.reader_cpus", "[0, 1]", "are not one for each reader"},
	{0, "memory.bytes", "1000", "is not placement.found.bytes"},
	{0, "host_class", "\"faster\"", "is not what context.host_class says"},
	{0, "times.total_ns", "10", "is less than all steps together"},
	{0, "times.process_ns", "10", "is less than total_ns"},
	{0, "times.measure_ns", "10", "is less than the samples took"},
	{0, "times.update_ns", "10", "is less than the updates took"},
	{0, "update.updates", "5000", "are not a number of samples"},
	{0, "update.p99_ns", "1.0", "is less than the median"},
	{0, "update.kinds.page.updates", "5000", "are not a number of samples"},
	{0, "update.kinds.huge.p99_ns", "1.0", "is less than the median"},
	{0, "update.kinds.lru.max_ns", "1.0", "is less than p99_ns"},
	{0, "update.kinds.lru.alone_median_ns", "null", "update.kinds.lru.alone_median_ns"},
	{0, "update.kinds.lru.median_ns", "1e6", "is less than the updates took"},
	{0, "update.kinds.migrate",
	 "{\"median_ns\": 9.5, \"updates\": 8192, \"updates_per_sample\": 8192, \"alone\": 8192,"
	 "\"alone_median_ns\": 30.5, \"p99_ns\": 60.5, \"max_ns\": 90.5}",
	 "is there, though there is one node"},
	{0, "started_at", "\"yesterday\"", "is not a time"},
	{0, "reason", "\"none\"", "though the status is ok"},
	{2, "parts.local_ns", "5.0", "though read.rows has no local rows"},
	{2, "counts.loads_local", "5", "though read.rows has no local rows"},
	{2, "parts.format_ns", "5.0", "though read.form is no text"},
	{2, "counts.text_bytes", "412", "though read.form is no text"},
	{0, "writers", "{\"writers\": 1}", "writers.mix: is missing"},
};

/* Of a result whose point has two writers, paced or not. */
static const struct {
	const char *field, *value, *words;
} writers_contradict[] = {
	{"writers", "null", "are missing, though write.writers is 2"},
	{"writers.writers", "3", "are not as many as write.writers says, 2"},
	{"writers.cpus", "[1]", "are not as many as write.writers says, 2"},
	{"writers.mix", "\"huge\"", "'huge' is not what write.mix says, lru"},
	{"writers.updates", "5000", "are not a number of samples"},
	{"writers.median_ns", "null", "writers.median_ns"},
	{"writers.p99_batch_ns", "1.0", "is less than the median"},
	{"writers.updates_per_s", "1e6", "is not the sum of each one's"},
	{"writers.seconds", "0.001", "are too few for the updates"},
	{"writers.seconds", "0.2", "is less than writers.seconds"},
	{"writers.behind", "1", "are more than batches that were due"},
	{"writers.error.pages", "5", "is not the difference of value and truth"},
	{"writers.error.cells_beyond_bound", "1", "is 1, though the worst cell"},
};

/* Of a result whose point has memcgs that come and go, three of them dying at a time. */
static const struct {
	const char *field, *value, *words;
} churn_contradicts[] = {
	{"churn", "null", "is not there where write.churn is above 0"},
	{"churn.created", "1999", "are not as many as were created"},
	{"churn.lingering", "4", "is not what write.linger says, 3"},
	{"churn.behind", "2001", "are more than were created"},
	{"churn.create_p99_ns", "1.0", "is less than the median"},
	{"churn.remove_p99_ns", "1.0", "is less than the median"},
	{"churn.seconds", "2.5", "is less than churn.seconds"},
	{"churn.error", "null", "churn.error"},
	{"churn.error.pages", "5", "is not the difference of value and truth"},
	{"churn.error.cells_beyond_bound", "1", "is 1, though the worst cell"},
};

/* Of a result that says what reads under load were worth. */
static const struct {
	const char *field, *value, *words;
} load_contradicts[] = {
	{"under_load.error.pages", "9", "9 is not how far the value is from low to high"},
	{"under_load.error.low", "99", "10 is not how far the value is"},
	{"under_load.error.high", "85", "10 is not how far the value is"},
	{"under_load.apart", "0", "is 0, which the worst cell does not allow"},
	{"under_load.apart", "101", "is 101, which the worst cell does not allow"},
	{"under_load.beyond_bound", "61", "is 61, which the worst cell does not allow"},
	{"under_load.error.bound_pages", "5", "is 0, which the worst cell does not allow"},
	{"under_load.width_pages.median", "9000", "is less than the median"},
	{"under_load.age.unknown", "0", "is 0, which max_ns does not allow"},
	{"under_load.age.unknown", "101", "is 101, which max_ns does not allow"},
	{"under_load.age.max_ns", "1e9", "is 3, which max_ns does not allow"},
	{"under_load.age.p99_ns", "10", "are not in order"},
	{"under_load.age.cell", "null", "under_load.age.cell"},
};

static json_t *reads_under_load(void)
{
	return json_pack("{s:i, s:i, s:i, s:{s:i, s:i, s:s, s:i, s:i, s:i}, s:{s:f, s:f},"
			 " s:{s:s, s:f, s:f, s:n, s:i}, s:f}",
			 "reads", 100, "apart", 60, "beyond_bound", 0, "error", "pages", 10,
			 "bound_pages", 64, "cell", "hierarchical_anon", "value", 80, "low", 90,
			 "high", 95, "width_pages", "median", 256.0, "max", 1024.0, "age", "cell",
			 "hierarchical_total", "median_ns", 1e3, "p99_ns", 1e6, "max_ns", "unknown",
			 3, "seconds", 0.1);
}

/* Of a result that says how its files agree. */
static const struct {
	const char *field, *value, *words;
} truth_contradicts[] = {
	{"closure.pages", "41", "is not the difference of sum and columns"},
	{"closure.bound_pages", "39", "is 0 of 4, which the worst row does not allow"},
	{"closure.rows_beyond_bound", "1", "is 1 of 4, which the worst row does not allow"},
	{"closure.rows", "0", "closure.rows"},
	{"inversion.pages", "0", "inversion.below: is 2 of 12 cells"},
	{"inversion.below", "0", "inversion.below: is 0 of 12 cells, the worst by 33 pages"},
	{"inversion.below", "13", "inversion.below: is 13 of 12 cells"},
	{"inversion.below_beyond_bound", "1", "which the worst cell does not allow"},
	{"inversion.bound_pages", "32", "which the worst cell does not allow"},
	{"inversion.child", "34", "is not what the child is above its parent"},
};

static json_t *files_held_against_each_other(json_t *result)
{
	json_object_set_new(result, "closure",
			    json_pack("{s:i, s:i, s:s, s:i, s:i, s:i, s:i}", "pages", 40,
				      "bound_pages", 160, "row", "hierarchical_total", "sum", 100,
				      "columns", 60, "rows", 4, "rows_beyond_bound", 0));
	json_object_set_new(result, "inversion",
			    json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:s, s:i, s:i}", "pairs", 1,
				      "cells", 12, "below", 2, "below_beyond_bound", 0, "pages", 33,
				      "bound_pages", 64, "cell", "hierarchical_anon", "parent", 0,
				      "child", 33));
	return result;
}

static json_t *two_writers(void)
{
	return json_pack("{s:i, s:s, s:i, s:i, s:f, s:f, s:f, s:[f, f], s:[i, i], s:f, s:i,"
			 " s:{s:i, s:i, s:i, s:i, s:i}}",
			 "writers", 2, "mix", "lru", "updates", 1024 * 1500, "updates_per_sample",
			 1024, "median_ns", 12.5, "p99_batch_ns", 20.5, "updates_per_s", 4e7,
			 "updates_per_s_each", 1e7, 3e7, "cpus", 0, 1, "seconds", 0.05, "behind", 0,
			 "error", "pages", 4, "bound_pages", 64, "value", 96, "truth", 100,
			 "cells_beyond_bound", 0);
}

static const char *const contradictory_yaml = "name: contradictory\n"
					      "tree: {memcgs: 10}\n"
					      "read: {samples: 20, rows: [all, hierarchical], "
					      "form: [text, counts], time: 1s}\n"
					      "backends: [cached]\n"
					      "repetitions: 1\n";

static json_t *with_times(json_t *result)
{
	json_object_set_new(
		result, "context",
		json_pack("{s:O}", "host_class", json_object_get(result, "host_class")));
	json_object_set_new(result, "times",
			    json_pack("{s:i, s:i, s:i, s:i, s:i}", "create_ns", 100, "measure_ns",
				      100000000, "update_ns", 100000000, "total_ns", 200000200,
				      "process_ns", 200000300));
	return result;
}

static json_t *at_point(const struct made_run *run, unsigned rows_and_form)
{
	for (size_t p = 0; p < run->scenario->nr_points; p++) {
		const struct point *point = &run->scenario->points[p];

		if ((point->read.rows == ROWS_HIERARCHICAL) == (rows_and_form > 0) &&
		    (point->read.form == FORM_COUNTS) == (rows_and_form > 0))
			return with_times(made_result(run, p, 0, 1));
	}
	return NULL;
}

static void numbers_that_contradict_each_other_are_refused(void **state)
{
	struct made_run run;

	made_run_begin(&run, contradictory_yaml);
	for (size_t i = 0; i < sizeof(contradictions) / sizeof(contradictions[0]); i++) {
		json_t *json = at_point(&run, contradictions[i].point), *parent, *result;
		const char *field = contradictions[i].field, *dot = strrchr(field, '.');
		char object[64];

		assert_non_null(json);
		write_json(json_incref(json));
		assert_int_equal(result_load(path, &result, NULL), 0); /* as it was */
		json_decref(result);
		snprintf(object, sizeof(object), "%.*s", dot ? (int)(dot - field) : 0, field);
		parent = json_at(json, object);
		assert_non_null(parent);
		json_object_set_new(parent, dot ? dot + 1 : field,
				    json_loads(contradictions[i].value, JSON_DECODE_ANY, NULL));
		write_json(json);
		expect_refused(contradictions[i].words);
	}
	made_run_end(&run);
}

static void what_writers_say_must_agree_with_itself_and_the_point(void **state)
{
	static const char *const yaml = "name: writers\n"
					"tree: {memcgs: 10}\n"
					"machine: {cpus: 4}\n"
					"read: {samples: 20, time: 1s}\n"
					"write: {writers: 2, mix: lru}\n"
					"backends: [cached]\n"
					"repetitions: 1\n";
	struct made_run run;

	made_run_begin(&run, yaml);
	for (size_t i = 0; i < sizeof(writers_contradict) / sizeof(writers_contradict[0]); i++) {
		const char *field = writers_contradict[i].field, *dot = strrchr(field, '.');
		json_t *json = with_times(made_result(&run, 0, 0, 1)), *parent, *result;
		struct error err = {0};
		char object[64];

		json_object_set_new(json, "writers", two_writers());
		write_json(json_incref(json));
		if (result_load(path, &result, &err))
			fail_msg("%s", err.text);
		json_decref(result);
		snprintf(object, sizeof(object), "%.*s", dot ? (int)(dot - field) : 0, field);
		parent = json_at(json, object);
		assert_non_null(parent);
		json_object_set_new(parent, dot ? dot + 1 : field,
				    json_loads(writers_contradict[i].value, JSON_DECODE_ANY, NULL));
		write_json(json);
		expect_refused(writers_contradict[i].words);
	}
	made_run_end(&run);
}

/* Set `field` of a result that is fine to `value`: it is refused. Takes over `json`. */
static void expect_contradiction(json_t *json, const char *field, const char *value,
				 const char *words)
{
	const char *dot = strrchr(field, '.');
	struct error err = {0};
	json_t *result;
	char object[64];

	write_json(json_incref(json));
	if (result_load(path, &result, &err))
		fail_msg("%s", err.text);
	json_decref(result);
	snprintf(object, sizeof(object), "%.*s", dot ? (int)(dot - field) : 0, field);
	json_object_set_new(json_at(json, object), dot ? dot + 1 : field,
			    json_loads(value, JSON_DECODE_ANY, NULL));
	write_json(json);
	expect_refused(words);
}

static void what_is_said_of_churn_must_agree_with_itself_and_the_point(void **state)
{
	struct made_run run;

	made_run_begin(&run, "name: churn\n"
			     "tree: {memcgs: 10}\n"
			     "machine: {cpus: 4}\n"
			     "read: {samples: 20, time: 5s}\n"
			     "write: {churn: 1000, linger: 3}\n"
			     "backends: [cached]\n"
			     "repetitions: 1\n");
	for (size_t i = 0; i < sizeof(churn_contradicts) / sizeof(churn_contradicts[0]); i++) {
		json_t *json = made_result(&run, 0, 0, 1);

		json_object_set_new(
			json, "times",
			json_pack("{s:I, s:I, s:I, s:I}", "measure_ns", (json_int_t)2100000000,
				  "update_ns", (json_int_t)100000000, "total_ns",
				  (json_int_t)2300000000, "process_ns", (json_int_t)2400000000));
		expect_contradiction(json, churn_contradicts[i].field, churn_contradicts[i].value,
				     churn_contradicts[i].words);
	}
	made_run_end(&run);
}

static void what_is_said_of_the_truth_must_agree_with_itself(void **state)
{
	for (size_t i = 0; i < sizeof(truth_contradicts) / sizeof(truth_contradicts[0]); i++)
		expect_contradiction(files_held_against_each_other(made_result(&made, 0, 0, 1)),
				     truth_contradicts[i].field, truth_contradicts[i].value,
				     truth_contradicts[i].words);
}

static void reads_under_load_must_agree_with_themselves_and_the_point(void **state)
{
	struct made_run run;
	json_t *json = made_result(&made, 0, 0, 1);

	json_object_set_new(json, "under_load", reads_under_load());
	write_json(json);
	expect_refused("is there, though write.writers is 0");
	made_run_begin(&run, "name: writers\n"
			     "tree: {memcgs: 10}\n"
			     "machine: {cpus: 4}\n"
			     "read: {samples: 20, time: 1s}\n"
			     "write: {writers: 2, mix: lru}\n"
			     "backends: [cached]\n"
			     "repetitions: 1\n");
	for (size_t i = 0; i < sizeof(load_contradicts) / sizeof(load_contradicts[0]); i++) {
		json = with_times(made_result(&run, 0, 0, 1));
		json_object_set_new(json, "writers", two_writers());
		json_object_set_new(json, "under_load", reads_under_load());
		expect_contradiction(json, load_contradicts[i].field, load_contradicts[i].value,
				     load_contradicts[i].words);
	}
	made_run_end(&run);
}

/* A reader with a memory must find what one without finds. */
static void what_is_remembered_changes_no_verdict(void **state)
{
	struct result_reader reader = {.memo = document_memo_new()};
	unsigned rounds = getenv("MEMCGBENCH_TEST_LONG") ? 100000 : 1500;
	json_t *json = made_result(&made, 0, 0, 1);
	char *text = json_dumps(json, JSON_INDENT(1));
	size_t length = strlen(text), sound = 0;
	struct rng rng = rng_for(4, 0, 0);

	assert_non_null(reader.memo);
	for (unsigned i = 0; i < rounds; i++) {
		size_t at = rng_below(&rng, length);
		struct error with = {0}, without = {0};
		json_t *result, *same;
		struct histogram *latency;
		char old = text[at];
		int r;

		if (i % 3) /* else whole, so that there is something to remember */
			text[at] = "{}[]\",:-0e. n9"[rng_below(&rng, 15)];
		write_bytes(text, length);
		text[at] = old;
		r = result_read(&reader, path, &result, &latency, &with);
		assert_int_equal(result_load(path, &same, &without), r);
		assert_string_equal(with.text, without.text);
		assert_int_equal(with.line, without.line);
		assert_int_equal(with.column, without.column);
		assert_true(r || json_equal(result, same));
		sound += !r;
		histogram_free(latency);
		json_decref(result);
		json_decref(same);
	}
	assert_in_range(sound, rounds / 3, rounds);
	result_reader_fini(&reader);
	free(text);
	json_decref(json);
}

/* One that is there twice, once in disguise, is so for a reader with a memory, too. */
static void a_key_twice_is_refused_by_a_memory(void **state)
{
	static const char *const twice[] = {
		"\"repetition\": 1, \"repetition\": 1",
		"\"repetition\": 1, \"\\u0072epetition\": 1",
		"\"\\u0072epetition\": 1, \"repetition\": 1",
	};
	struct result_reader reader = {.memo = document_memo_new()};
	json_t *json = made_result(&made, 0, 0, 1), *result;
	char *text = json_dumps(json, JSON_INDENT(1)), *edited;
	const char *once = "\"repetition\": 1", *at = strstr(text, once);
	struct histogram *latency;
	struct error err = {0};

	assert_non_null(at);
	for (size_t i = 0; i < sizeof(twice) / sizeof(twice[0]); i++) {
		write_bytes(text, strlen(text));
		assert_int_equal(result_read(&reader, path, &result, &latency, &err), 0);
		histogram_free(latency);
		json_decref(result);
		assert_true(asprintf(&edited, "%.*s%s%s", (int)(at - text), text, twice[i],
				     at + strlen(once)) > 0);
		write_bytes(edited, strlen(edited));
		free(edited);
		assert_int_equal(result_read(&reader, path, &result, &latency, &err), -EINVAL);
		assert_non_null(strstr(err.text, "duplicate object key"));
	}
	result_reader_fini(&reader);
	free(text);
	json_decref(json);
}

/* What a memory reads by itself is what jansson reads, or is left to it. */
static void a_memory_reads_lists_and_numbers_as_they_are(void **state)
{
	static const char text[] =
		"{\"a\": [1, -2.5, 0.1, 14623.4234512, 0.000123, -0, 123456789012345, null],"
		" \"b\": [], \"c\": [[0.3, 1], {\"d\": [true]}, {\"d\": []}, \"x\"],"
		" \"e\": [1e3, 1234567890123456789, 0.12345678901234567, 99999999999999.9]}";
	struct document_memo *memo = document_memo_new();
	json_t *whole = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	struct rng rng = rng_for(5, 0, 0);
	char edited[sizeof(text)];

	for (unsigned i = 0; i < 20000; i++) {
		json_t *read, *same;

		memcpy(edited, text, sizeof(text));
		if (i % 2)
			edited[rng_below(&rng, sizeof(text) - 1)] =
				"{}[]\",:-0e. n9"[rng_below(&rng, 14)];
		read = document_memo_parse(memo, edited, sizeof(text) - 1);
		same = json_loads(edited, JSON_REJECT_DUPLICATES, NULL);
		assert_true(!read || json_equal(read, same));
		assert_true(i % 2 || json_equal(read, whole));
		json_decref(read);
		json_decref(same);
	}
	json_decref(whole);
	document_memo_free(memo);
}

static void edited_parameters_do_not_fit_the_id(void **state)
{
	json_t *json = made_result(&made, 0, 0, 1);

	json_object_set_new(json_object_get(json_object_get(json, "point"), "parameters"),
			    "tree.memcgs", json_integer(11));
	write_json(json);
	expect_refused("point");
}

static void a_fault_is_placed_at_its_line_and_column(void **state)
{
	struct error err = {0};
	json_t *result;

	write_text("{\"schema\": {\"name\": \"memcgbench-result\",\n"
		   "  \"note\": \"a } \\\" { in a text\", \"list\": [1, {\"name\": 2}],\n"
		   "     \"version\": 99}}\n");
	assert_int_equal(result_load(path, &result, &err), -EPROTONOSUPPORT);
	assert_int_equal(err.line, 3);
	assert_int_equal(err.column, 17);
}

static void duplicate_keys_and_other_texts_are_refused(void **state)
{
	static const char *const texts[] = {
		"", "[]", "null", "{\"schema\": 1, \"schema\": 2}", "{} {}", "{\"a\": NaN}", "\xff",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		write_text(texts[i]);
		expect_refused("");
	}
}

/* Whatever happens to bytes, a file is read or refused; sanitizers see the rest. */
static void damaged_bytes_do_no_harm(void **state)
{
	json_t *json = made_result(&made, 0, 0, 1);
	char *text = json_dumps(json, JSON_INDENT(1));
	size_t length = strlen(text), refused = 0;
	unsigned rounds = getenv("MEMCGBENCH_TEST_LONG") ? 100000 : 1000;
	struct rng rng = rng_for(3, 0, 0);

	for (unsigned i = 0; i < rounds; i++) {
		size_t at = rng_below(&rng, length);
		char old = text[at];
		json_t *result;

		/* a letter of JSON's own half of the time */
		text[at] = rng_below(&rng, 2) ? "{}[]\",:-0e."[rng_below(&rng, 12)]
					      : (char)rng_below(&rng, 256);
		write_bytes(text, length);
		text[at] = old;
		refused += result_load(path, &result, NULL) != 0;
		json_decref(result);
	}
	assert_in_range(refused, rounds / 4, rounds);
	free(text);
	json_decref(json);
}

static void reasons_need_not_be_utf8(void **state)
{
	json_t *values = json_object();
	json_t *result = result_new("s", NULL, "0", values, "walk", 1, "broken \xff\xfe text");

	assert_non_null(result);
	assert_string_equal(json_string_value(json_object_get(result, "reason")), "broken ?? text");
	assert_string_equal(json_string_value(json_object_get(result, "status")), "failed");
	json_decref(values);
	json_decref(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_result_is_read_and_unknown_keys_are_kept),
		cmocka_unit_test(a_missing_file_is_told_from_a_bad_one),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(every_wrong_value_is_named),
		cmocka_unit_test(numbers_that_contradict_each_other_are_refused),
		cmocka_unit_test(what_writers_say_must_agree_with_itself_and_the_point),
		cmocka_unit_test(what_is_said_of_churn_must_agree_with_itself_and_the_point),
		cmocka_unit_test(what_is_said_of_the_truth_must_agree_with_itself),
		cmocka_unit_test(reads_under_load_must_agree_with_themselves_and_the_point),
		cmocka_unit_test(what_is_remembered_changes_no_verdict),
		cmocka_unit_test(a_key_twice_is_refused_by_a_memory),
		cmocka_unit_test(a_memory_reads_lists_and_numbers_as_they_are),
		cmocka_unit_test(edited_parameters_do_not_fit_the_id),
		cmocka_unit_test(a_fault_is_placed_at_its_line_and_column),
		cmocka_unit_test(duplicate_keys_and_other_texts_are_refused),
		cmocka_unit_test(damaged_bytes_do_no_harm),
		cmocka_unit_test(reasons_need_not_be_utf8),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
