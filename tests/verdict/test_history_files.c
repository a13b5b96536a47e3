// SPDX-License-Identifier: MIT
/* What of a directory is read as a history, what is said of the rest, and what is kept there. */
#include "history_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void a_run_that_is_there_twice_is_a_fault(void **state)
{
	struct history_fixture *f = *state;

	write_runs(f, &made_history_default, "a", 0, 4);
	write_runs(f, &made_history_default, "b", 2, 3);
	assert_int_equal(history_try(f), -EINVAL);
	assert_fault(f, "b-2.json", "is the same run as");
	f->options.keep_going = true;
	assert_int_equal(history_try(f), 0);
	assert_int_equal(f->history->nr_records, 4);
}

static void two_runs_of_one_second_are_two_runs(void **state)
{
	struct made_history other = made_history_default;
	struct history_fixture *f = *state;

	other.seed = 2;
	write_runs(f, &made_history_default, "a", 0, 1);
	write_runs(f, &other, "b", 0, 1);
	history_must_load(f);
	assert_int_equal(f->history->nr_records, 2);
	assert_non_null(strstr(f->history->records[0]->path, "a-0.json")); /* a tie: by path */
}

static void a_record_without_a_time_is_a_fault(void **state)
{
	struct history_fixture *f = *state;
	struct record *record = make(&made_history_default, 3);
	char path[PATH_MAX];
	struct error err;

	record->started = -1;
	write_runs(f, &made_history_default, "run", 0, 3);
	write_record(f, "when.json", record);
	assert_int_equal(history_try(f), -EINVAL);
	assert_fault(f, "when.json", "started_at");
	assert_int_equal(history_add(f->path, record, path, &err), -EINVAL);
	assert_non_null(strstr(err.text, "started_at"));
	record_free(record);
}

static void each_file_that_cannot_be_read_is_named_and_the_rest_goes_on(void **state)
{
	static const char *const names[] = {"foreign.json", "list.json", "newer.json", "part.json",
					    "torn.json"};
	struct history_fixture *f = *state;

	write_runs(f, &made_history_default, "run", 0, 3);
	write_text(f, "README.md", "Not a record.\n");
	write_text(f, "foreign.json", "{\"schema\":{\"name\":\"benchmark\",\"version\":1}}\n");
	write_text(f, "list.json", "[1, 2]\n");
	write_text(f, "newer.json",
		   "{\"schema\":{\"name\":\"memcgbench-record\",\"version\":2}}\n");
	write_text(f, "part.json", "{\"schema\":{\"name\":\"memcgbench-result\",\"version\":1}}\n");
	write_text(f, "torn.json", "{\"schema\":{\"name\":\"memcgbench-rec");
	assert_int_equal(history_try(f), -EINVAL);
	assert_null(f->history);
	assert_int_equal(f->faults.total, 5);
	for (size_t i = 0; i < 5; i++)
		assert_non_null(strstr(f->faults.items[i].file, names[i]));
	f->options.keep_going = true;
	assert_int_equal(history_try(f), 0);
	assert_int_equal(f->faults.total, 5);
	assert_int_equal(f->history->nr_records, 3);
}

/* Files are read in several threads. */
static void faults_come_in_order_of_names(void **state)
{
	struct history_fixture *f = *state;
	char name[32];

	write_runs(f, &made_history_default, "run", 0, 3);
	for (unsigned i = 0; i < 24; i++) {
		snprintf(name, sizeof(name), "broken-%02u.json", i);
		write_text(f, name, "{");
	}
	assert_int_equal(history_try(f), -EINVAL);
	assert_int_equal(f->faults.total, 24);
	for (unsigned i = 0; i < ERROR_LIST_MAX; i++) {
		snprintf(name, sizeof(name), "/broken-%02u.json", i);
		assert_non_null(strstr(f->faults.items[i].file, name));
	}
}

static void an_empty_directory_and_none_say_so(void **state)
{
	struct history_fixture *f = *state;

	assert_int_equal(history_try(f), -ENODATA);
	assert_fault(f, f->path, "holds no records");
	rmdir(f->path);
	assert_int_equal(history_try(f), -ENOENT);
	assert_fault(f, f->path, "cannot read the directory");
}

static size_t count_files(const char *path)
{
	DIR *directory = opendir(path);
	size_t nr = 0;

	assert_non_null(directory);
	while (readdir(directory))
		nr++;
	closedir(directory);
	return nr - 2;
}

static void adding_a_run_twice_keeps_it_once(void **state)
{
	struct history_fixture *f = *state;
	struct record *record = make(&made_history_default, 0);
	char path[PATH_MAX], again[PATH_MAX];
	struct error err = {0};

	strcat(f->path, "/deeper/down"); /* made as needed */
	assert_int_equal(history_add(f->path, record, path, &err), 0);
	assert_non_null(strstr(path, "/20260105T030000Z-made-"));
	assert_int_equal(history_add(f->path, record, again, &err), -EEXIST);
	assert_string_equal(path, again);
	assert_int_equal(count_files(f->path), 1);
	history_must_load(f);
	assert_int_equal(f->history->nr_records, 1);

	/* What was kept is what is added: reading it and adding that changes nothing. */
	assert_int_equal(history_add(f->path, f->history->records[0], again, &err), -EEXIST);
	record->cells[0].figures[0].p50_ns *= 1.5;
	assert_int_equal(history_add(f->path, record, again, &err), 0);
	assert_int_equal(count_files(f->path), 2);
	record_free(record);
	*strchr(f->path, '/') = '\0';
}

static void the_name_of_a_scenario_cannot_leave_the_directory(void **state)
{
	struct history_fixture *f = *state;
	struct record *record = make(&made_history_default, 0);
	char path[PATH_MAX];
	struct error err = {0};

	free(record->scenario);
	record->scenario = strdup("../../up and\naway");
	assert_int_equal(history_add(f->path, record, path, &err), 0);
	assert_non_null(strstr(path, "-------up-and-away-"));
	assert_int_equal(count_files(f->path), 1);
	record_free(record);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, history_set_up, history_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_run_that_is_there_twice_is_a_fault),
		TEST(two_runs_of_one_second_are_two_runs),
		TEST(a_record_without_a_time_is_a_fault),
		TEST(each_file_that_cannot_be_read_is_named_and_the_rest_goes_on),
		TEST(faults_come_in_order_of_names),
		TEST(an_empty_directory_and_none_say_so),
		TEST(adding_a_run_twice_keeps_it_once),
		TEST(the_name_of_a_scenario_cannot_leave_the_directory),
	};

	return cmocka_run_group_tests_name("history_files", tests, NULL, NULL);
}
