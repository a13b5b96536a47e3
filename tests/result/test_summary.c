// SPDX-License-Identifier: MIT
/* What is reported of many processes, and what is not because too little was seen. */
#include "made_run.h"

#include "base/file.h"
#include "base/rng.h"
#include "result/document.h"
#include "result/result.h"
#include "result/summary.h"
#include "result/summary_backend.h"
#include "scenario/parameter.h"
#include "stats/histogram.h"

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

static int begin(void **state)
{
	static struct made_run made;

	made_run_begin(&made, "name: small\n"
			      "tree: {memcgs: [10, 20]}\n"
			      "read: {samples: 20}\n"
			      "backends: [walk, cached]\n"
			      "repetitions: 8\n");
	*state = &made;
	return 0;
}

static int end(void **state)
{
	made_run_end(*state);
	return 0;
}

static struct run_summary *load(const struct made_run *made)
{
	struct run_summary *summary;
	struct error err = {0};

	if (summary_load(made->path, &summary, &err))
		fail_msg("%s: %s", err.file, err.text);
	return summary;
}

static void processes_merged_are_as_one_over_all_samples(void **state)
{
	struct histogram *all = histogram_new();
	struct made_run *made = *state;
	struct backend_summary *walk;
	struct run_summary *summary;
	struct rng rng = rng_for(5, 0, 0);
	uint64_t ps[300];

	for (unsigned r = 1; r <= 8; r++) {
		json_t *result = made_result(made, 0, 0, r);
		unsigned nr = 100 + (unsigned)rng_below(&rng, 200);

		for (unsigned i = 0; i < nr; i++) {
			ps[i] = rng_below(&rng, 1ull << rng_below(&rng, 44));
			assert_int_equal(histogram_record(all, ps[i]), 0);
		}
		made_samples(result, ps, nr, 1);
		made_run_write(made, 0, 0, r, result);
	}
	summary = load(made);
	walk = &summary->points[0].backends[0];
	assert_int_equal(walk->processes, 8);
	assert_int_equal(walk->samples, histogram_count(all));
	assert_int_equal(walk->reads, histogram_count(all));
	assert_true(walk->p50_ns == histogram_quantile_ns(all, 0.5));
	assert_true(walk->p90_ns == histogram_quantile_ns(all, 0.9));
	assert_true(walk->p99_ns == histogram_quantile_ns(all, 0.99));
	assert_true(walk->max_ns == (double)histogram_max_ps(all) / 1000);
	summary_free(summary);
	histogram_free(all);
}

static void percentiles_need_their_samples(void **state)
{
	/* samples in all, and which of p50, p90, p99, p999 they are enough for */
	static const struct {
		unsigned samples, reported;
	} cases[] = {{19, 0},  {20, 1},   {99, 1},   {100, 2},
		     {999, 2}, {1000, 3}, {9999, 3}, {10000, 4}};
	struct made_run *made = *state;
	static uint64_t ps[10000];

	for (unsigned i = 0; i < 10000; i++)
		ps[i] = 1000000 + i;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		json_t *result = made_result(made, 0, 0, 1);
		struct run_summary *summary;
		struct backend_summary *s;

		made_samples(result, ps, cases[c].samples, 1);
		made_run_write(made, 0, 0, 1, result);
		summary = load(made);
		s = &summary->points[0].backends[0];
		assert_int_equal(!isnan(s->p50_ns) + !isnan(s->p90_ns) + !isnan(s->p99_ns) +
					 !isnan(s->p999_ns),
				 cases[c].reported);
		assert_false(isnan(s->max_ns));
		summary_free(summary);
	}
}

static void batches_report_nothing_above_the_median(void **state)
{
	struct made_run *made = *state;
	struct run_summary *summary;
	struct backend_summary *s;
	static uint64_t ps[10000];

	for (unsigned i = 0; i < 10000; i++)
		ps[i] = 30000 + i;
	for (unsigned r = 1; r <= 2; r++) {
		json_t *result = made_result(made, 0, 1, r);

		made_samples(result, ps, 10000, r == 1 ? 1 : 64);
		made_run_write(made, 0, 1, r, result);
	}
	summary = load(made);
	s = &summary->points[0].backends[1];
	assert_int_equal(s->reads_per_sample, 64);
	assert_int_equal(s->reads, 10000 * 65);
	assert_false(isnan(s->p50_ns));
	assert_true(isnan(s->p90_ns) && isnan(s->p99_ns) && isnan(s->p999_ns) && isnan(s->max_ns));
	summary_free(summary);
}

static void the_median_of_processes_has_an_interval_from_six_on(void **state)
{
	struct made_run *made = *state;

	for (unsigned r = 1; r <= 8; r++) {
		json_t *result = made_result(made, 0, 0, r);
		struct run_summary *summary;
		struct backend_summary *s;

		made_median(result, 1000.0 * r);
		made_run_write(made, 0, 0, r, result);
		summary = load(made);
		s = &summary->points[0].backends[0];
		assert_true(s->median_ns == 500.0 * (r + 1));
		assert_true(isnan(s->ci_level) == (r < 6));
		if (r == 6)
			assert_true(s->ci_low_ns == 1000 && s->ci_high_ns == 6000 &&
				    s->ci_level == 1 - 2.0 / 64);
		summary_free(summary);
	}
}

static void what_writers_pay_is_of_those_processes_that_measured_it(void **state)
{
	struct made_run *made = *state;
	struct run_summary *summary;
	struct backend_summary *s;

	for (unsigned r = 1; r <= 8; r++) {
		json_t *walk = made_result(made, 0, 0, r), *cached = made_result(made, 0, 1, r);

		json_object_set_new(json_object_get(walk, "update"), "median_ns", json_real(r));
		if (r == 3)
			json_object_set_new(walk, "update", json_null());
		if (r == 8)
			json_object_del(walk, "update");
		json_object_del(cached, "update");
		made_run_write(made, 0, 0, r, walk);
		made_run_write(made, 0, 1, r, cached);
	}
	summary = load(made);
	s = &summary->points[0].backends[0];
	assert_int_equal(s->processes, 8);
	assert_true(s->update_ns == 4.5); /* of 1 2 4 5 6 7 */
	assert_true(s->update_ci_low_ns == 1 && s->update_ci_high_ns == 7);
	s = &summary->points[0].backends[1];
	assert_int_equal(s->processes, 8);
	assert_true(isnan(s->update_ns) && isnan(s->update_ci_low_ns) &&
		    isnan(s->update_ci_high_ns));
	summary_free(summary);
}

/* Reads under load, of a process that did not always find how old a value was. */
static json_t *under_load(json_t *median, unsigned unknown, unsigned error)
{
	return json_pack("{s:i, s:i, s:i, s:{s:i, s:i, s:s, s:i, s:i, s:i}, s:{s:f, s:f},"
			 " s:{s:s, s:o, s:n, s:o, s:i}, s:f}",
			 "reads", 100, "apart", 60, "beyond_bound", 1, "error", "pages", error,
			 "bound_pages", 64, "cell", "hierarchical_anon", "value", 80, "low", 90,
			 "high", 95, "width_pages", "median", 10.0 * error, "max", 1024.0, "age",
			 "cell", "hierarchical_total", "median_ns", median, "p99_ns", "max_ns",
			 unknown ? json_null() : json_real(5000 + error), "unknown", unknown,
			 "seconds", 0.1);
}

static struct truth_summary truth_of(const struct made_run *made, unsigned processes, unsigned lost)
{
	struct backend_summary s;
	struct backend_merge merge;
	struct truth_summary truth;

	assert_int_equal(backend_merge_begin(&merge, &s, "cached", processes), 0);
	for (unsigned r = 1; r <= processes; r++) {
		json_t *result = made_result(made, 0, 1, r);
		struct histogram *latency;

		/* The first ones are those that did not find it. */
		json_object_set_new(result, "under_load",
				    under_load(r <= lost ? json_null() : json_real(1000 * r),
					       r <= lost ? 51 : 0, r));
		assert_int_equal(
			histogram_decode(json_string_value(json_at(result, "latency.histogram")),
					 &latency),
			0);
		assert_int_equal(backend_merge_add(&merge, result, latency), 0);
		histogram_free(latency);
		json_decref(result);
	}
	assert_int_equal(backend_merge_end(&merge), 0);
	truth = s.truth;
	backend_summary_fini(&s);
	return truth;
}

static void a_value_that_was_never_true_is_older_than_all_others(void **state)
{
	struct truth_summary t = truth_of(*state, 5, 0);

	assert_int_equal(t.reads, 500);
	assert_int_equal(t.apart, 300);
	assert_int_equal(t.beyond, 5);
	assert_int_equal(t.age_unknown, 0);
	assert_true(t.age_ns == 3000 && t.age_max_ns == 5005 && isnan(t.age_p99_ns));
	assert_true(t.load.pages == 5 && t.width_pages == 30);
	assert_string_equal(t.load.where, "hierarchical_anon");
	t = truth_of(*state, 5, 2);
	assert_true(t.age_ns == 5000 && isnan(t.age_max_ns) && t.age_unknown == 2 * 51);
	t = truth_of(*state, 5, 3);
	assert_true(isnan(t.age_ns) && isnan(t.age_max_ns) && t.width_pages == 30);
}

static void kinds_of_updates_are_merged_and_only_the_slowest_is_the_worst(void **state)
{
	struct made_run *made = *state;
	struct run_summary *summary;
	struct backend_summary *s;
	json_t *document;

	for (unsigned r = 1; r <= 5; r++) {
		json_t *walk = made_result(made, 0, 0, r), *cached = made_result(made, 0, 1, r);
		json_t *page = json_at(walk, "update.kinds.page");

		json_object_set_new(page, "median_ns", json_real(10 * r));
		json_object_set_new(page, "p99_ns", json_real(100 * r));
		json_object_set_new(page, "max_ns", json_real(r == 2 ? 9000 : 1000));
		if (r == 5)
			json_object_del(json_object_get(walk, "update"), "kinds");
		json_object_del(json_object_get(cached, "update"), "kinds");
		made_run_write(made, 0, 0, r, walk);
		made_run_write(made, 0, 1, r, cached);
	}
	summary = load(made);
	s = &summary->points[0].backends[0];
	assert_int_equal(s->processes, 5);
	assert_true(s->kinds[MIX_PAGE].median_ns == 25); /* of 10 20 30 40 */
	assert_true(s->kinds[MIX_PAGE].p99_ns == 250);
	assert_true(s->kinds[MIX_PAGE].max_ns == 9000);
	assert_true(s->kinds[MIX_LRU].median_ns == 20);
	assert_true(isnan(s->kinds[MIX_MIGRATE].median_ns)); /* one node */
	assert_true(isnan(summary->points[0].backends[1].kinds[MIX_PAGE].median_ns));
	document = summary_to_json(summary);
	assert_true(json_number_at(document, "points.0.results.0.update_kinds.page.p99_ns") == 250);
	assert_true(json_is_null(json_at(document, "points.0.results.0.update_kinds.migrate")));
	assert_true(json_is_null(json_at(document, "points.0.results.1.update_kinds")));
	json_decref(document);
	summary_free(summary);
}

static void what_churn_cost_is_of_all_processes(void **state)
{
	struct run_summary *summary;
	struct backend_summary *s;
	struct made_run made;
	json_t *json;

	(void)state;
	made_run_begin(&made, "name: churn\n"
			      "tree: {memcgs: 10}\n"
			      "machine: {cpus: 4}\n"
			      "read: {samples: 20}\n"
			      "write: {churn: 1000, linger: 7}\n"
			      "backends: [cached]\n"
			      "repetitions: 3\n");
	for (unsigned r = 1; r <= 3; r++) {
		json_t *result = made_result(&made, 0, 0, r);
		json_t *churn = json_object_get(result, "churn");

		if (r == 2) { /* too few for a p99, and the worst */
			json_object_set_new(churn, "create_p99_ns", json_null());
			json_object_update_new(json_object_get(churn, "error"),
					       json_pack("{s:i, s:i, s:i, s:i, s:i}", "pages", 9,
							 "bound_pages", 8, "value", 91, "truth",
							 100, "cells_beyond_bound", 2));
		}
		made_run_write(&made, 0, 0, r, result);
	}
	summary = load(&made);
	s = &summary->points[0].backends[0];
	assert_int_equal(s->processes, 3);
	assert_true(s->churn.any);
	assert_int_equal(s->churn.created, 6000);
	assert_int_equal(s->churn.removed, 6000);
	assert_int_equal(s->churn.behind, 3);
	assert_int_equal(s->churn.lingering, 7);
	assert_true(s->churn.create_ns == 1502);
	assert_true(s->churn.create_p99_ns == 4002);
	assert_true(s->load_error_pages == 9 && s->load_error_bound_pages == 8);
	assert_int_equal(s->cells_beyond_bound, 2);
	json = summary_to_json(summary);
	assert_int_equal(json_integer_value(json_at(json, "points.0.results.0.churn.created")),
			 6000);
	assert_true(json_is_null(json_at(json, "points.0.results.0.writer_ns")));
	json_decref(json);
	summary_free(summary);
	made_run_end(&made);
}

static void ratios_pair_what_ran_in_the_same_repetition(void **state)
{
	struct made_run *made = *state;
	struct run_summary *summary;
	struct ratio ratio;

	/* walk misses repetition 2, cached 3; in the others the ratio is 10 x the repetition */
	for (unsigned r = 1; r <= 8; r++) {
		json_t *walk = made_result(made, 0, 0, r), *cached = made_result(made, 0, 1, r);

		made_median(walk, 10.0 * r * (100 + r));
		made_median(cached, 100.0 + r);
		if (r == 2)
			json_decref(walk);
		else
			made_run_write(made, 0, 0, r, walk);
		if (r == 3)
			json_decref(cached);
		else
			made_run_write(made, 0, 1, r, cached);
	}
	summary = load(made);
	ratio = summary_ratio(&summary->points[0].backends[0], &summary->points[0].backends[1]);
	assert_int_equal(ratio.pairs, 6);
	assert_float_equal(ratio.median, 55, 1e-9); /* of 10 40 50 60 70 80 */
	assert_float_equal(ratio.low, 10, 1e-9);
	assert_float_equal(ratio.high, 80, 1e-9);
	ratio = summary_ratio(&summary->points[1].backends[0], &summary->points[1].backends[1]);
	assert_int_equal(ratio.pairs, 0);
	assert_true(isnan(ratio.median));
	summary_free(summary);
}

static void failed_and_unreadable_files_are_listed_with_reasons(void **state)
{
	struct made_run *made = *state;
	const struct point *point = &made->scenario->points[0];
	json_t *values = point_to_json(point);
	struct run_summary *summary;
	char file[256];

	made_run_write(made, 0, 0, 1,
		       result_new("small", NULL, point->id, values, "walk", 1, "out of memory"));
	made_run_write(made, 0, 0, 2, made_result(made, 0, 0, 2));
	snprintf(file, sizeof(file), "%s/%s.cached.8.json", made->path, point->id);
	assert_int_equal(file_write_atomic(file, "{\n \"schema\"", 11, NULL), 0);
	json_decref(values);

	summary = load(made);
	assert_int_equal(summary->expected, 2 * 2 * 8);
	assert_int_equal(summary->done, 1);
	assert_int_equal(summary->nr_failed, 2);
	assert_string_equal(summary->failed[0].id, point->id);
	assert_string_equal(summary->failed[0].backend, "walk");
	assert_int_equal(summary->failed[0].repetition, 1);
	assert_string_equal(summary->failed[0].reason, "out of memory");
	assert_int_equal(summary->failed[1].repetition, 8);
	assert_int_equal(strncmp(summary->failed[1].reason, "unreadable: ", 12), 0);
	assert_non_null(strstr(summary->failed[1].reason, ".cached.8.json:2:"));
	assert_int_equal(summary->points[0].backends[0].failed, 1);
	assert_int_equal(summary->points[0].backends[0].processes, 1);
	summary_free(summary);
}

static void the_worst_is_kept_and_disagreement_is_said(void **state)
{
	struct made_run *made = *state;
	struct run_summary *summary;
	struct backend_summary *s;

	for (unsigned r = 1; r <= 3; r++) {
		json_t *result = made_result(made, 0, 1, r);
		json_t *found = json_at(result, "placement.found");

		/* 100/1000 is worse than 150/2000 */
		json_object_update_new(json_object_get(result, "error"),
				       json_pack("{s:i, s:i, s:i, s:i}", "pages",
						 r == 2 ? 100 : 150, "bound_pages",
						 r == 2 ? 1000 : 2000, "value", 7150, "truth",
						 r == 2 ? 7050 : 7000));
		json_object_set_new(found, "bytes_misplaced", json_integer(r == 2 ? 4096 : 0));
		json_object_set_new(json_at(found, "nodes.0"), "bytes_misplaced",
				    json_integer(r == 2 ? 4096 : 0));
		json_object_set_new(found, "huge_bytes", json_integer(r == 2 ? 5 : 9));
		json_object_set_new(json_object_get(result, "counts"), "atomics",
				    json_integer(r == 3 ? 21 : 20));
		made_run_write(made, 0, 1, r, result);
	}
	summary = load(made);
	s = &summary->points[0].backends[1];
	assert_true(s->error_pages == 100 && s->error_bound_pages == 1000);
	assert_string_equal(s->error_cell, "hierarchical_total N1");
	assert_int_equal(json_integer_value(json_object_get(s->placement_found, "bytes_misplaced")),
			 4096);
	assert_int_equal(json_integer_value(json_object_get(s->placement_found, "huge_bytes")), 5);
	assert_true(s->counts_differ);
	assert_int_equal(s->counts.atomics, 20);
	assert_int_equal(s->nr_warnings, 1); /* they differ by a number only */
	summary_free(summary);
}

/* What a live kernel does for a read is not known: never a number in what people are shown. */
static void counts_that_are_not_known_stay_so(void **state)
{
	struct made_run *made = *state;
	struct run_summary *summary;
	json_t *document, *shown;
	struct backend_summary *s;

	for (unsigned r = 1; r <= 2; r++) {
		json_t *result = made_result(made, 0, 1, r);
		json_t *counts = json_object_get(result, "counts");

		json_object_set_new(counts, "loads_local", json_null());
		json_object_set_new(counts, "bytes_touched", json_null());
		made_run_write(made, 0, 1, r, result);
	}
	summary = load(made);
	s = &summary->points[0].backends[1];
	assert_true(s->counted && !s->counts_differ);
	assert_true(s->counts.loads_local == COUNT_UNKNOWN && s->bytes_touched == COUNT_UNKNOWN);
	assert_true(s->counts.text_bytes > 0 && s->counts.text_bytes != COUNT_UNKNOWN);
	document = summary_to_json(summary);
	shown = json_at(document, "points.0.results.1");
	assert_string_equal(json_string_value(json_object_get(shown, "backend")), "cached");
	assert_true(json_is_null(json_object_get(shown, "loads_local")));
	assert_true(json_is_null(json_object_get(shown, "bytes_touched")));
	assert_true(json_is_integer(json_object_get(shown, "text_bytes")));
	json_decref(document);
	summary_free(summary);
}

static void the_json_has_every_promised_key(void **state)
{
	static const char *const keys[] = {
		"backend",
		"processes",
		"samples",
		"reads",
		"reads_per_sample",
		"p50_ns",
		"p90_ns",
		"p99_ns",
		"p999_ns",
		"max_ns",
		"median_ns",
		"ci_low_ns",
		"ci_high_ns",
		"ci_level",
		"hierarchical_ns",
		"local_ns",
		"format_ns",
		"update_ns",
		"update_ci_low_ns",
		"update_ci_high_ns",
		"update_kinds",
		"writer_ns",
		"writer_p99_batch_ns",
		"updates_per_s",
		"updates_behind",
		"load_error_pages",
		"load_error_bound_pages",
		"truth_reads",
		"truth_error_pages",
		"age_ns",
		"closure_pages",
		"inversions",
		"churn",
		"harm",
		"live",
		"live_differs",
		"locks",
		"flusher",
		"shows",
		"text_bytes",
		"memcgs_visited",
		"loads_hierarchical",
		"loads_local",
		"css_gets",
		"error_pages",
		"error_bound_pages",
		"bytes_touched",
		"placement",
		"placement_found",
		"time_per_memcg_ns",
		"error_percent",
		"counts_differ",
		"local_error_pages",
		"floor_ns",
	};
	struct made_run *made = *state;
	struct run_summary *summary;
	json_t *document, *result;

	made_run_write(made, 0, 0, 1, made_result(made, 0, 0, 1));
	summary = load(made);
	document = summary_to_json(summary);
	assert_non_null(document);
	assert_int_equal(json_array_size(json_object_get(document, "points")), 2);
	for (unsigned p = 0; p < 2; p++) {
		for (unsigned b = 0; b < 2; b++) {
			char path[64];

			snprintf(path, sizeof(path), "points.%u.results.%u", p, b);
			result = json_at(document, path);
			for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
				if (!json_object_get(result, keys[k]))
					fail_msg("%s.%s is missing", path, keys[k]);
			}
		}
	}
	assert_int_equal(json_integer_value(json_at(document, "points.0.results.0.css_gets")), 80);
	assert_int_equal(json_integer_value(json_object_get(
				 json_at(document, "points.0.parameters"), "tree.memcgs")),
			 10);
	assert_true(json_is_null(json_at(document, "points.1.results.0.p50_ns")));
	assert_true(json_is_null(json_at(document, "points.1.results.0.loads_local")));
	assert_true(json_is_array(json_object_get(document, "failed")));
	assert_true(json_is_array(json_object_get(document, "left_out")));
	json_decref(document);
	summary_free(summary);
}

static void what_is_left_out_is_neither_expected_nor_a_result(void **state)
{
	struct made_run *made = *state;
	struct run_summary *summary;
	json_t *document;

	json_object_set_new(made->document, "left_out",
			    json_pack("[{s:s, s:s, s:[s]}]", "id", made->scenario->points[1].id,
				      "backend", "walk", "reasons", "too large"));
	run_dir_free(made->dir);
	assert_int_equal(
		run_dir_open(made->path, "unused", false, made->document, &made->dir, NULL), 0);
	summary = load(made);
	assert_int_equal(summary->expected, 3 * 8);
	document = summary_to_json(summary);
	assert_int_equal(json_array_size(json_at(document, "points.1.results")), 1);
	assert_string_equal(json_string_value(json_at(document, "points.1.results.0.backend")),
			    "cached");
	assert_string_equal(json_string_value(json_at(document, "left_out.0.reasons.0")),
			    "too large");
	json_decref(document);
	summary_free(summary);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(processes_merged_are_as_one_over_all_samples),
		CASE(percentiles_need_their_samples),
		CASE(batches_report_nothing_above_the_median),
		CASE(the_median_of_processes_has_an_interval_from_six_on),
		CASE(what_writers_pay_is_of_those_processes_that_measured_it),
		CASE(a_value_that_was_never_true_is_older_than_all_others),
		CASE(kinds_of_updates_are_merged_and_only_the_slowest_is_the_worst),
		CASE(what_churn_cost_is_of_all_processes),
		CASE(ratios_pair_what_ran_in_the_same_repetition),
		CASE(failed_and_unreadable_files_are_listed_with_reasons),
		CASE(the_worst_is_kept_and_disagreement_is_said),
		CASE(counts_that_are_not_known_stay_so),
		CASE(the_json_has_every_promised_key),
		CASE(what_is_left_out_is_neither_expected_nor_a_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
