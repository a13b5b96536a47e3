// SPDX-License-Identifier: MIT
/* What history_load() makes of records: the series, their order, and the verdicts. */
#include "history_fixture.h"

#include "stats/rank_test.h"
#include "verdict/history.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define OTHER_CLASS "another CPU, 2 sockets, 2 nodes, 64 CPUs, cgroup v2"

static const struct series *series_of(const struct history_fixture *f, const char *backend,
				      uint32_t memcgs, const char *host_class)
{
	for (size_t i = 0; i < f->history->nr_series; i++) {
		const struct series *series = &f->history->series[i];

		if (!strcmp(series->backend, backend) && series->point->tree.memcgs == memcgs &&
		    !strcmp(series->host_class, host_class))
			return series;
	}
	fail_msg("there is no series of %s with %u memcgs", backend, memcgs);
	return NULL;
}

static void values_are_medians_of_runs_in_order_of_time(void **state)
{
	struct history_fixture *f = *state;
	const struct series *series;

	write_runs(f, &made_history_default, "run", 0, 12);
	history_must_load(f);
	assert_int_equal(f->history->nr_records, 12);
	series = series_of(f, "cached", 10000, MADE_HOST_CLASS);
	assert_int_equal(series->nr, 12);
	for (size_t i = 0; i < series->nr; i++) {
		const struct history_value *value = &series->values[i];
		unsigned below = 0, above = 0;

		assert_int_equal(value->record->started, MADE_HISTORY_START + 86400 * (int64_t)i);
		for (unsigned k = 0; k < value->cell->processes; k++) {
			below += value->cell->figures[k].p50_ns < value->median;
			above += value->cell->figures[k].p50_ns > value->median;
		}
		assert_int_equal(below, 5);
		assert_int_equal(above, 5);
		assert_true(value->low < value->median && value->median < value->high);
	}
}

static void series_come_by_host_class_point_back_end_and_metric(void **state)
{
	static const struct {
		const char *host_class;
		uint32_t memcgs;
		const char *backend, *metric;
	} wanted[] = {
		{OTHER_CLASS, 10, "walk", "p50"},
		{OTHER_CLASS, 10, "walk", "update"},
		{OTHER_CLASS, 10, "cached", "p50"},
		{OTHER_CLASS, 10, "cached", "update"},
		{MADE_HOST_CLASS, 10, "walk", "p50"},
		{MADE_HOST_CLASS, 10, "walk", "update"},
		{MADE_HOST_CLASS, 10, "cached", "p50"},
		{MADE_HOST_CLASS, 10, "cached", "update"},
		{MADE_HOST_CLASS, 10000, "walk", "p50"},
		{MADE_HOST_CLASS, 10000, "walk", "update"},
		{MADE_HOST_CLASS, 10000, "cached", "p50"},
		{MADE_HOST_CLASS, 10000, "cached", "update"},
	};
	struct made_history other = made_history_default;
	struct history_fixture *f = *state;

	other.host_class = OTHER_CLASS;
	other.points = 1;
	f->metrics[f->options.nr_metrics++] = metric_find("update", 6);
	write_runs(f, &made_history_default, "a", 0, 3);
	write_runs(f, &other, "b", 3, 5);
	history_must_load(f);
	assert_int_equal(f->history->nr_series, sizeof(wanted) / sizeof(wanted[0]));
	for (size_t i = 0; i < f->history->nr_series; i++) {
		const struct series *series = &f->history->series[i];

		assert_string_equal(series->host_class, wanted[i].host_class);
		assert_int_equal(series->point->tree.memcgs, wanted[i].memcgs);
		assert_string_equal(series->backend, wanted[i].backend);
		assert_string_equal(series->metric->name, wanted[i].metric);
	}
}

static void a_step_is_found_where_it_is_and_is_worse(void **state)
{
	struct made_history made = made_history_default;
	struct history_fixture *f = *state;
	const struct series *series;

	made.step_at = 12;
	made.step = 1.2;
	write_runs(f, &made, "run", 0, 24);
	history_must_load(f);
	series = series_of(f, "cached", 10000, MADE_HOST_CLASS);
	assert_int_equal(series->nr_changes, 1);
	assert_int_equal(series->changes[0].at, 12);
	assert_int_equal(series->changes[0].nr_before, 12);
	assert_true(fabs(series->changes[0].after / series->changes[0].before - 1.2) < 0.03);
	assert_true(series->worse);
	assert_true(f->history->worse);
	assert_false(series_of(f, "walk", 10000, MADE_HOST_CLASS)->worse);
}

static void a_step_down_is_better_for_times_and_worse_for_rates(void **state)
{
	struct made_history made = made_history_default;
	struct history_fixture *f = *state;

	made.step_at = 12;
	made.step = 0.8;
	write_runs(f, &made, "run", 0, 24);
	history_must_load(f);
	assert_int_equal(series_of(f, "cached", 10, MADE_HOST_CLASS)->nr_changes, 1);
	assert_false(f->history->worse);
	f->metrics[0] = metric_find("rate", 4); /* goes up as times go down */
	history_must_load(f);
	assert_int_equal(series_of(f, "cached", 10, MADE_HOST_CLASS)->nr_changes, 1);
	assert_false(f->history->worse);
	made.step = 1 / 0.8;
	write_runs(f, &made, "run", 0, 24);
	history_must_load(f);
	assert_true(series_of(f, "cached", 10, MADE_HOST_CLASS)->worse);
}

static void only_the_newest_change_decides(void **state)
{
	struct made_history slow = made_history_default;
	struct history_fixture *f = *state;
	const struct series *series;

	slow.step_at = 1;
	slow.step = 1.3;
	write_runs(f, &made_history_default, "run", 0, 12);
	write_runs(f, &slow, "run", 12, 24);
	history_must_load(f);
	assert_true(f->history->worse);
	write_runs(f, &made_history_default, "run", 24, 36);
	history_must_load(f);
	series = series_of(f, "cached", 10, MADE_HOST_CLASS);
	assert_int_equal(series->nr_changes, 2);
	assert_true(series_change_is_worse(series, &series->changes[0]));
	assert_false(series_change_is_worse(series, &series->changes[1]));
	assert_false(f->history->worse);
}

static void two_host_classes_are_never_mixed(void **state)
{
	struct made_history other = made_history_default;
	struct history_fixture *f = *state;

	/* In one series these would be a step in the middle. */
	other.host_class = OTHER_CLASS;
	other.step_at = 1;
	other.step = 3;
	write_runs(f, &made_history_default, "a", 0, 15);
	write_runs(f, &other, "b", 15, 30);
	history_must_load(f);
	for (size_t i = 0; i < f->history->nr_series; i++) {
		const struct series *series = &f->history->series[i];

		assert_int_equal(series->nr, 15);
		assert_int_equal(series->nr_changes, 0);
		for (size_t k = 0; k < series->nr; k++)
			assert_string_equal(series->values[k].record->host_class,
					    series->host_class);
	}
	assert_false(f->history->worse);
}

static void write_noise(const struct history_fixture *f, const char *id, double noise)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "{\"schema\":{\"name\":\"memcgbench-noise\",\"version\":1},\"scenario\":\"made\","
		 "\"build_id\":\"b\",\"host_class\":\"%s\",\"started_at\":\"2026-01-01T00:00:00Z\","
		 "\"context\":null,\"processes\":10,\"points\":[{\"id\":\"%s\",\"parameters\":{},"
		 "\"results\":[{\"backend\":\"cached\",\"metrics\":{\"p50\":{\"noise\":%.3f,"
		 "\"change\":1.0,\"p\":0.5}}}]}]}\n",
		 MADE_HOST_CLASS, id, noise);
	write_text(f, "noise.json", text);
}

static void noise_raises_the_effect_of_its_series_only(void **state)
{
	struct made_history made = made_history_default;
	struct history_fixture *f = *state;
	struct record *record = make(&made, 0);
	const struct series *series;
	char id[POINT_ID_SIZE];

	strcpy(id, record->points[1].id);
	record_free(record);
	made.step_at = 12;
	made.step = 1.2;
	write_runs(f, &made, "run", 0, 24);
	write_noise(f, id, 0.15); /* twice: 30 %, more than the step of 20 % */
	history_must_load(f);
	assert_int_equal(f->history->nr_records, 24);
	series = series_of(f, "cached", 10000, MADE_HOST_CLASS);
	assert_true(series->noise == 0.15 && series->min_effect == 0.3);
	assert_int_equal(series->nr_changes, 0);
	series = series_of(f, "cached", 10, MADE_HOST_CLASS);
	assert_true(isnan(series->noise) && series->min_effect == 0.03);
	assert_int_equal(series->nr_changes, 1);
	write_noise(f, id, 0.012); /* twice is less than what was asked for */
	history_must_load(f);
	series = series_of(f, "cached", 10000, MADE_HOST_CLASS);
	assert_true(series->noise == 0.012 && series->min_effect == 0.03);
	assert_int_equal(series->nr_changes, 1);
}

static void a_short_series_is_said_to_be_and_one_value_more_is_enough(void **state)
{
	struct made_history made = made_history_default;
	struct history_fixture *f = *state;
	unsigned least = (unsigned)history_least_values();
	const struct series *series;

	assert_true(rank_test_least_p(least / 2, least - least / 2) < change_rules_default.alpha);
	assert_false(rank_test_least_p((least - 1) / 2, least / 2) < change_rules_default.alpha);
	made.step_at = least / 2;
	made.step = 2;
	write_runs(f, &made, "run", 0, least - 1);
	history_must_load(f);
	series = series_of(f, "cached", 10, MADE_HOST_CLASS);
	assert_int_equal(series->state, SERIES_SHORT);
	assert_int_equal(series->nr_changes, 0);
	write_runs(f, &made, "run", least - 1, least);
	history_must_load(f);
	series = series_of(f, "cached", 10, MADE_HOST_CLASS);
	assert_int_equal(series->state, SERIES_SEARCHED);
	assert_int_equal(series->nr_changes, 1);
}

static void values_of_zero_are_not_searched(void **state)
{
	struct history_fixture *f = *state;
	char name[32];

	for (unsigned i = 0; i < 20; i++) {
		struct record *record = make(&made_history_default, i);

		for (size_t c = 0; c < record->nr_cells; c++) {
			record->cells[c].error_pages = i ? 3 : 0;
			record->cells[c].error_value = i ? 25003 : 25000;
			for (unsigned k = 0; k < record->cells[c].processes; k++)
				record->cells[c].figures[k].error_pages = i ? 3 : 0;
		}
		snprintf(name, sizeof(name), "%u.json", i);
		write_record(f, name, record);
		record_free(record);
	}
	f->metrics[0] = metric_find("error", 5);
	history_must_load(f);
	assert_int_equal(f->history->series[0].nr, 20);
	assert_int_equal(f->history->series[0].state, SERIES_NOT_POSITIVE);
}

static void runs_from_before_since_are_counted_and_left_out(void **state)
{
	struct made_history made = made_history_default;
	struct history_fixture *f = *state;

	made.step_at = 12;
	made.step = 1.2;
	write_runs(f, &made, "run", 0, 30);
	f->options.since = MADE_HISTORY_START + 86400 * 12;
	history_must_load(f);
	assert_int_equal(f->history->nr_older, 12);
	assert_int_equal(f->history->nr_records, 18);
	assert_false(f->history->worse);
	f->options.since = MADE_HISTORY_START + 86400 * 99;
	assert_int_equal(history_try(f), -ENODATA);
	assert_fault(f, f->path, "none of its 30 records is from 2026-04-14T03:00:00Z or later");
}

/* In memory: what takes long is the search, not the files. */
static void a_thousand_series_of_two_hundred_runs_are_searched(void **state)
{
	struct made_history made = made_history_default;
	struct history_fixture *f = *state;
	clock_t begun; /* of this process's time: the machine may have other things to do */

	made.points = 500;
	made.processes = 1;
	made.step_at = 100;
	made.step = 1.1;
	f->history = calloc(1, sizeof(*f->history));
	assert_non_null(f->history);
	f->history->records = calloc(200, sizeof(*f->history->records));
	assert_non_null(f->history->records);
	while (f->history->nr_records < 200) {
		unsigned i = (unsigned)f->history->nr_records;

		f->history->records[f->history->nr_records++] = make(&made, i);
	}
	begun = clock();
	assert_int_equal(history_search(f->history, &f->options), 0);
	if (getenv("MEMCGBENCH_TEST_LONG"))
		assert_in_range(clock() - begun, 0, 2 * CLOCKS_PER_SEC);
	assert_int_equal(f->history->nr_series, 1000);
	for (size_t i = 0; i < f->history->nr_series; i++) {
		const struct series *series = &f->history->series[i];

		assert_int_equal(series->nr, 200);
		assert_int_equal(series->state, SERIES_SEARCHED);
		if (!strcmp(series->backend, "cached"))
			assert_true(series->worse);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, history_set_up, history_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(values_are_medians_of_runs_in_order_of_time),
		TEST(series_come_by_host_class_point_back_end_and_metric),
		TEST(a_step_is_found_where_it_is_and_is_worse),
		TEST(a_step_down_is_better_for_times_and_worse_for_rates),
		TEST(only_the_newest_change_decides),
		TEST(two_host_classes_are_never_mixed),
		TEST(noise_raises_the_effect_of_its_series_only),
		TEST(a_short_series_is_said_to_be_and_one_value_more_is_enough),
		TEST(values_of_zero_are_not_searched),
		TEST(runs_from_before_since_are_counted_and_left_out),
		TEST(a_thousand_series_of_two_hundred_runs_are_searched),
	};

	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
