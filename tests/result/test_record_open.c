// SPDX-License-Identifier: MIT
/* Bad input: each file at fault is named with what is wrong, the rest is read where that is asked
 * for, and nothing is ever changed. */
#include "made_run.h"

#include "base/file.h"
#include "result/document.h"
#include "result/record.h"
#include "result/result.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct made_run made;
static struct error_list faults;

static int begin(void **state)
{
	made_run_begin(&made, made_small_yaml);
	made_run_fill(&made);
	faults = (struct error_list){0};
	return 0;
}

static int end(void **state)
{
	chmod(made.path, 0755);
	made_run_end(&made);
	return 0;
}

static const char *file_of(size_t point, const char *backend, unsigned repetition)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s.%s.%u.json", made.path, made.scenario->points[point].id,
		 backend, repetition);
	return path;
}

static void put_file(const char *path, const char *text)
{
	assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), 0);
}

static void put_in_run(const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", made.path, name);
	put_file(path, text);
}

/* Is there a fault in that file that says so? */
static void expect_fault(const char *file, const char *words)
{
	for (size_t i = 0; i < faults.nr; i++) {
		if (strstr(faults.items[i].file, file) && strstr(faults.items[i].text, words))
			return;
	}
	fail_msg("no fault in %s says '%s'", file, words);
}

static void set_in(json_t *result, const char *object, const char *key, json_t *value)
{
	json_object_set_new(*object ? json_object_get(result, object) : result, key, value);
}

/* One of each kind, in six of twelve files; and what does not belong there. */
static void spoil(void)
{
	json_t *result;

	put_file(file_of(0, "walk", 1), "{\n \"schema\": {");
	put_file(file_of(0, "walk", 2), "{\"schema\": {\"name\": \"other\", \"version\": 1}}");
	result = made_result(&made, 0, 0, 3);
	set_in(result, "schema", "version", json_integer(2));
	made_run_write(&made, 0, 0, 3, result);
	made_run_write(&made, 0, 1, 1, made_result(&made, 1, 1, 1));
	result = made_result(&made, 0, 1, 2);
	set_in(result, "", "host_class", json_string("another machine"));
	made_run_write(&made, 0, 1, 2, result);
	result = made_result(&made, 0, 1, 3);
	set_in(result, "latency", "median_ns", json_real(1));
	made_run_write(&made, 0, 1, 3, result);
	put_in_run("notes.json", "{}");
	put_in_run("0123456789abcdef.walk.1.json", "{}");
}

static void every_fault_is_named(void **state)
{
	struct record *record;

	spoil();
	assert_int_equal(record_open(made.path, false, &record, &faults), -EINVAL);
	assert_null(record);
	assert_int_equal(faults.total, 8);
	expect_fault("walk.1.json", "not JSON");
	expect_fault("walk.2.json", "schema.name: 'other' is not read here");
	expect_fault("walk.3.json", "was written by a newer program");
	expect_fault("cached.1.json", "is of another point than its name says");
	expect_fault("cached.2.json", "is of another host class than run.json says");
	expect_fault("cached.3.json", "is not the histogram's median");
	expect_fault("notes.json", "is no result of this run");
	expect_fault("0123456789abcdef.walk.1.json", "is of no point of this run");
	assert_int_equal(faults.items[0].line, 2);
}

static void the_rest_is_read_with_keep_going(void **state)
{
	struct record *record;

	spoil();
	assert_int_equal(record_open(made.path, true, &record, &faults), 0);
	assert_int_equal(faults.total, 8);
	assert_int_equal(record->nr_cells, 2); /* nothing is left of the first point's */
	assert_int_equal(record->cells[0].processes, 3);
	assert_int_equal(record->cells[0].failed, 0);
	assert_string_equal(record->cells[0].point->id, made.scenario->points[1].id);
	record_free(record);
}

static void names_say_what_a_file_is(void **state)
{
	static const char *const foreign[] = {
		"ID.walk.4.json",      "ID.walk.0.json", "ID.walk.01.json", "ID.rstat.1.json",
		"ID.walk.1.json.json", "ID.walk.json",   "ID.json",         "report.json",
	};
	struct record *record;
	char name[64];

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		bool id = !strncmp(foreign[i], "ID", 2);

		snprintf(name, sizeof(name), "%s%s", id ? made.scenario->points[0].id : "",
			 foreign[i] + (id ? 2 : 0));
		put_in_run(name, "{}");
	}
	put_in_run("README", "not JSON, and nobody says it is");
	put_in_run("x.json.AbCdEf", "left by a program that was killed");
	assert_int_equal(record_open(made.path, false, &record, &faults), -EINVAL);
	assert_int_equal(faults.total, sizeof(foreign) / sizeof(foreign[0]));
	for (size_t i = 0; i < faults.nr; i++)
		assert_non_null(strstr(faults.items[i].text, "of this run"));
}

static void all_faults_are_counted_and_ten_are_kept(void **state)
{
	struct record *record;

	for (size_t p = 0; p < 2; p++)
		for (unsigned r = 1; r <= 3; r++) {
			put_file(file_of(p, "walk", r), "");
			put_file(file_of(p, "cached", r), "[]");
		}
	assert_int_equal(record_open(made.path, true, &record, &faults), -EINVAL);
	assert_null(record); /* nothing is left to be read */
	assert_int_equal(faults.total, 12);
	assert_int_equal(faults.nr, ERROR_LIST_MAX);
}

/* All names, times and bytes below the directory. */
static char *picture_of(const char *directory)
{
	struct dirent **names;
	int nr = scandir(directory, &names, NULL, alphasort);
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_true(nr > 0 && out);
	for (int i = 0; i < nr; i++) {
		char path[512], *data;
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
		assert_int_equal(stat(path, &st), 0);
		fprintf(out, "%s %ld.%09ld %lld\n", names[i]->d_name, (long)st.st_mtim.tv_sec,
			st.st_mtim.tv_nsec, (long long)st.st_size);
		if (S_ISREG(st.st_mode)) {
			assert_int_equal(file_read(path, 1 << 20, &data, &length, NULL), 0);
			fputs(data, out);
			free(data);
		}
		free(names[i]);
	}
	free(names);
	fclose(out);
	return text;
}

static void nothing_is_ever_written(void **state)
{
	char *before, *after;
	struct record *record;

	spoil();
	assert_int_equal(chmod(made.path, 0555), 0);
	before = picture_of(made.path);
	assert_int_equal(record_open(made.path, true, &record, &faults), 0);
	record_free(record);
	after = picture_of(made.path);
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void a_damaged_run_json_is_the_only_fault(void **state)
{
	struct record *record;

	put_in_run("run.json", "{\n \"schema\":");
	assert_int_equal(record_open(made.path, true, &record, &faults), -EINVAL);
	assert_int_equal(faults.total, 1);
	expect_fault("run.json", "not JSON");
}

/* Its files would be read for both, and count twice. */
static void what_run_json_lists_twice_is_refused(void **state)
{
	static const char *const lists[] = {"points", "backends"};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		json_t *run = json_deep_copy(made.dir->run);
		json_t *list = json_object_get(json_object_get(run, "identity"), lists[i]);
		struct record *record;
		char *text;

		assert_int_equal(json_array_append(list, json_array_get(list, 0)), 0);
		text = json_dumps(run, JSON_INDENT(1));
		put_in_run("run.json", text);
		free(text);
		json_decref(run);
		faults = (struct error_list){0};
		assert_int_equal(record_open(made.path, true, &record, &faults), -EINVAL);
		assert_int_equal(faults.total, 1);
		expect_fault("run.json", "is there twice");
	}
}

/* Turn the run into a directory of loose files. */
static void make_loose(void)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/run.json", made.path);
	assert_int_equal(unlink(path), 0);
}

static void loose_files_are_put_together_by_what_they_say(void **state)
{
	char other[256];
	struct record *record;

	make_loose();
	snprintf(other, sizeof(other), "%s/aaa.json", made.path);
	assert_int_equal(rename(file_of(0, "walk", 1), other), 0);
	assert_int_equal(record_open(made.path, false, &record, &faults), 0);
	assert_int_equal(faults.total, 0);
	assert_int_equal(record->nr_points, 2);
	assert_int_equal(record->nr_cells, 4);
	assert_int_equal(record->points[0].tree.memcgs, 10);
	assert_int_equal(record->points[1].tree.memcgs, 20);
	assert_string_equal(record->cells[0].backend, "walk");
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(record->cells[i].processes, 3);
		for (unsigned r = 0; r < 3; r++)
			assert_int_equal(record->cells[i].repetition[r], r + 1);
	}
	assert_string_equal(record->scenario, "small");
	record_free(record);
}

static void a_run_and_its_files_alone_are_the_same(void **state)
{
	struct record *run, *loose;

	assert_int_equal(record_open(made.path, false, &run, &faults), 0);
	make_loose();
	assert_int_equal(record_open(made.path, false, &loose, &faults), 0);
	assert_int_equal(run->nr_cells, loose->nr_cells);
	for (size_t i = 0; i < run->nr_cells; i++) {
		const struct record_cell *a = &run->cells[i], *b = &loose->cells[i];

		assert_string_equal(a->point->id, b->point->id);
		assert_string_equal(a->backend, b->backend);
		assert_int_equal(a->processes, b->processes);
		assert_memory_equal(a->figures, b->figures, a->processes * sizeof(*a->figures));
		assert_memory_equal(&a->counts, &b->counts, sizeof(a->counts));
	}
	record_free(run);
	record_free(loose);
}

static void loose_files_of_two_machines_are_not_one_run(void **state)
{
	json_t *result = made_result(&made, 1, 1, 3);
	struct record *record;

	make_loose();
	set_in(result, "", "host_class", json_string("another machine"));
	made_run_write(&made, 1, 1, 3, result);
	assert_int_equal(record_open(made.path, false, &record, &faults), -EINVAL);
	assert_int_equal(faults.total, 1);
	expect_fault(".json", "is of the host class");
	expect_fault(".json", "another machine");
	expect_fault(".json", "made CPU, 1 socket");
}

static void the_same_repetition_twice_is_a_fault(void **state)
{
	char copy[256], *text;
	struct record *record;
	size_t length;

	make_loose();
	assert_int_equal(file_read(file_of(1, "cached", 2), 1 << 20, &text, &length, NULL), 0);
	snprintf(copy, sizeof(copy), "%s/zzz.json", made.path);
	put_file(copy, text);
	free(text);
	assert_int_equal(record_open(made.path, true, &record, &faults), 0);
	assert_int_equal(faults.total, 1);
	expect_fault("zzz.json", "is of the same point, back end and repetition as");
	expect_fault("zzz.json", "cached.2.json");
	assert_int_equal(record->cells[3].processes, 3);
	record_free(record);
}

static void one_file_stands_for_a_run_of_one_process(void **state)
{
	struct record *record;

	assert_int_equal(record_open(file_of(1, "walk", 2), false, &record, &faults), 0);
	assert_int_equal(record->nr_cells, 1);
	assert_int_equal(record->cells[0].processes, 1);
	assert_int_equal(record->cells[0].repetition[0], 2);
	assert_int_equal(record->seed, 0);
	record_free(record);
}

static void what_is_no_run_says_so(void **state)
{
	struct record *record;

	assert_int_equal(record_open("not-there", true, &record, &faults), -EINVAL);
	expect_fault("not-there", "cannot open");
}

/* The same bytes whatever the number of threads, in each of many tries. */
static void threads_change_nothing(void **state)
{
	json_t *first = NULL;
	cpu_set_t all, one;

	spoil();
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	for (unsigned i = 0; i < 10; i++) {
		struct error_list list = {0};
		struct record *record;
		json_t *document;

		CPU_ZERO(&one);
		for (unsigned cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
			if (CPU_ISSET(cpu, &all))
				CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(all), i ? &all : &one);
		assert_int_equal(record_open(made.path, true, &record, &list), 0);
		document = record_to_json(record);
		if (!first) {
			first = json_incref(document);
			faults = list;
		}
		assert_true(json_equal(document, first));
		assert_memory_equal(&list, &faults, sizeof(list));
		json_decref(document);
		record_free(record);
	}
	json_decref(first);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_fault_is_named),
		TEST(the_rest_is_read_with_keep_going),
		TEST(names_say_what_a_file_is),
		TEST(all_faults_are_counted_and_ten_are_kept),
		TEST(nothing_is_ever_written),
		TEST(a_damaged_run_json_is_the_only_fault),
		TEST(what_run_json_lists_twice_is_refused),
		TEST(loose_files_are_put_together_by_what_they_say),
		TEST(a_run_and_its_files_alone_are_the_same),
		TEST(loose_files_of_two_machines_are_not_one_run),
		TEST(the_same_repetition_twice_is_a_fault),
		TEST(one_file_stands_for_a_run_of_one_process),
		TEST(what_is_no_run_says_so),
		TEST(threads_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
