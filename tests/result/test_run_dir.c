// SPDX-License-Identifier: MIT
/* Where a run goes, what it can be carried on from, and what it is never mixed with. */
#include "made_run.h"

#include "base/file.h"
#include "result/identity.h"
#include "scenario/parameter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int begin(void **state)
{
	static struct made_run made;

	made_run_begin(&made, made_small_yaml);
	*state = &made;
	return 0;
}

static int end(void **state)
{
	made_run_end(*state);
	return 0;
}

/* The document for a changed scenario or seed; owned by the caller. */
static json_t *document_of(const struct scenario *scenario, uint64_t seed, const char *build,
			   const char *host)
{
	json_t *document = run_document(scenario, seed, build, host, NULL, NULL, NULL);

	assert_non_null(document);
	return document;
}

static json_t *changed(struct made_run *made, const char *key, json_t *value)
{
	json_t *copy = json_deep_copy(made->document);

	json_object_set_new(json_object_get(copy, "identity"), key, value);
	return copy;
}

static int reopen(const struct made_run *made, json_t *document, struct error *err)
{
	struct run_dir *dir;
	int r = run_dir_open(made->path, "unused", false, document, &dir, err);

	if (!r)
		assert_true(dir->resumed);
	else
		assert_null(dir);
	run_dir_free(dir);
	return r;
}

static void the_same_identity_is_resumed(void **state)
{
	struct made_run *made = *state;

	assert_false(made->dir->resumed);
	assert_int_equal(reopen(made, made->document, NULL), 0);
}

static void the_first_difference_is_named(void **state)
{
	struct made_run *made = *state;
	const struct {
		json_t *document;
		const char *words;
	} cases[] = {
		{changed(made, "scenario", json_string("x")), "scenario: small there, x here"},
		{changed(made, "repetitions", json_integer(5)), "repetitions: 3 there, 5 here"},
		{changed(made, "samples", json_integer(21)), "samples: 20 there, 21 here"},
		{changed(made, "time_ns", json_integer(5000000)), "time: 2s there, 5ms here"},
		{changed(made, "seed", json_integer(8)), "seed: 7 there, 8 here"},
		{changed(made, "build_id", json_string("y")), "build: 0.1.0-made there, y here"},
		{changed(made, "host_class", json_string("z")), "host class: made CPU"},
		{changed(made, "backends", json_pack("[s]", "walk")),
		 "backends: cached is only in that run"},
		{changed(made, "backends", json_pack("[s,s,s]", "walk", "cached", "rstat")),
		 "backends: rstat is not in that run"},
		{changed(made, "points", json_array()), "(tree.memcgs=10) is only in that run"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {0};

		assert_int_equal(reopen(made, cases[i].document, &err), -EEXIST);
		if (!strstr(err.text, cases[i].words))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].words);
		assert_string_equal(err.file, made->path);
		json_decref(cases[i].document);
	}
}

static void a_new_point_is_named_by_what_it_asks_for(void **state)
{
	struct made_run *made = *state;
	struct point *point = &made->scenario->points[1];
	struct error err = {0};
	char words[128];
	json_t *document;

	point->tree.memcgs = 1000;
	point_set_id(point);
	document = document_of(made->scenario, 7, "0.1.0-made", "x");
	assert_int_equal(reopen(made, document, &err), -EEXIST);
	snprintf(words, sizeof(words), "points: %s (tree.memcgs=1k) is not in that run", point->id);
	if (!strstr(err.text, words))
		fail_msg("'%s' does not say '%s'", err.text, words);
	json_decref(document);
}

static json_t *reversed(const json_t *value)
{
	json_t *copy, *item;
	const char *key;
	size_t i;

	if (json_is_array(value)) {
		copy = json_array();
		json_array_foreach (value, i, item)
			json_array_insert_new(copy, 0, reversed(item));
		return copy;
	}
	if (json_is_object(value)) {
		copy = json_object();
		json_object_foreach ((json_t *)value, key, item) {
			json_t *rest = json_pack("{s:o}", key, reversed(item));

			json_object_update(rest, copy);
			json_decref(copy);
			copy = rest;
		}
		return copy;
	}
	return json_deep_copy(value);
}

static void the_order_of_keys_points_and_back_ends_does_not_matter(void **state)
{
	struct made_run *made = *state;
	json_t *other = reversed(made->document);
	char difference[256] = "";

	assert_true(identity_equal(json_object_get(made->document, "identity"),
				   json_object_get(other, "identity"), difference,
				   sizeof(difference)));
	assert_int_equal(reopen(made, other, NULL), 0);
	json_decref(other);
}

static void directories_with_other_things_are_left_alone(void **state)
{
	struct made_run *made = *state;
	struct error err = {0};
	struct run_dir *dir;
	char file[256];

	/* a file */
	snprintf(file, sizeof(file), "%s/run.json", made->path);
	assert_int_equal(run_dir_open(file, "unused", false, made->document, &dir, &err), -ENOTDIR);
	/* a directory that is not empty: the one that holds the run's */
	assert_int_equal(run_dir_open(made->root, "unused", false, made->document, &dir, &err),
			 -EEXIST);
	assert_non_null(strstr(err.text, "holds other things"));
	assert_int_equal(run_dir_load(made->root, &dir, &err), -ENOENT);
	assert_null(dir);
}

static void missing_parents_are_made(void **state)
{
	struct made_run *made = *state;
	struct run_dir *dir;
	char path[256];

	snprintf(path, sizeof(path), "%s/a/b//c/", made->root);
	assert_int_equal(run_dir_open(path, "unused", false, made->document, &dir, NULL), 0);
	assert_false(dir->resumed);
	run_dir_free(dir);
}

static void damaged_run_files_are_errors_with_a_place(void **state)
{
	static const char *const texts[] = {"", "{", "{}", "{\"schema\": 1}"};
	struct made_run *made = *state;
	char file[256];

	snprintf(file, sizeof(file), "%s/run.json", made->path);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct error err = {0};

		assert_int_equal(file_write_atomic(file, texts[i], strlen(texts[i]), NULL), 0);
		assert_int_equal(reopen(made, made->document, &err), -EINVAL);
		assert_string_equal(err.file, file);
		assert_int_not_equal(err.line, 0);
	}
}

static void names_of_back_ends_cannot_leave_the_directory(void **state)
{
	struct made_run *made = *state;
	json_t *evil = changed(made, "backends", json_pack("[s]", "../../etc/passwd"));
	struct error err = {0};
	struct run_dir *dir;
	char path[256];

	snprintf(path, sizeof(path), "%s/evil", made->root);
	assert_int_equal(run_dir_open(path, "unused", false, evil, &dir, &err), -EINVAL);
	assert_null(dir);
	json_decref(evil);
}

static bool done(const struct made_run *made, size_t p, size_t b, unsigned repetition)
{
	return run_dir_done(made->dir, made->scenario->points[p].id, made->scenario->backends[b],
			    repetition, NULL, NULL);
}

static void only_sound_files_of_this_run_count_as_done(void **state)
{
	struct made_run *made = *state;
	const char *id = made->scenario->points[0].id;
	json_t *result = NULL;
	char file[256];

	assert_false(done(made, 0, 0, 1));
	made_run_write(made, 0, 0, 1, made_result(made, 0, 0, 1));
	assert_true(run_dir_done(made->dir, id, "walk", 1, &result, NULL));
	assert_int_equal(json_integer_value(json_object_get(result, "repetition")), 1);
	json_decref(result);
	snprintf(file, sizeof(file), "%s/%s.walk.1.json", made->path, id);
	assert_int_equal(access(file, R_OK), 0);

	/* results under the name of another repetition, back end or point */
	made_run_write(made, 0, 0, 2, made_result(made, 0, 0, 1));
	assert_false(done(made, 0, 0, 2));
	made_run_write(made, 0, 1, 1, made_result(made, 0, 0, 1));
	assert_false(done(made, 0, 1, 1));
	made_run_write(made, 1, 0, 1, made_result(made, 0, 0, 1));
	assert_false(done(made, 1, 0, 1));

	/* of another build */
	result = made_result(made, 0, 0, 3);
	json_object_set_new(json_object_get(result, "build"), "id", json_string("other"));
	made_run_write(made, 0, 0, 3, result);
	assert_false(done(made, 0, 0, 3));

	/* cut short */
	assert_int_equal(truncate(file, 100), 0);
	assert_false(done(made, 0, 0, 1));
}

static void what_a_killed_writer_left_is_ignored_and_removed(void **state)
{
	static const char *const names[] = {"run.json.Ab3xYz", "0123.walk.1.json.000000"};
	struct made_run *made = *state;
	char left[2][256], kept[256];

	for (size_t i = 0; i < 2; i++) {
		snprintf(left[i], sizeof(left[i]), "%s/%s", made->path, names[i]);
		assert_int_equal(file_write_atomic(left[i], "{", 1, NULL), 0);
	}
	snprintf(kept, sizeof(kept), "%s/notes.json.txt", made->path);
	assert_int_equal(file_write_atomic(kept, "x", 1, NULL), 0);
	assert_int_equal(reopen(made, made->document, NULL), 0);
	assert_int_equal(access(left[0], F_OK), -1);
	assert_int_equal(access(left[1], F_OK), -1);
	assert_int_equal(access(kept, F_OK), 0);
}

static void a_start_that_was_killed_is_started_again(void **state)
{
	struct made_run *made = *state;
	struct run_dir *dir;
	char path[256], left[300];

	snprintf(path, sizeof(path), "%s/early", made->root);
	assert_int_equal(mkdir(path, 0777), 0);
	snprintf(left, sizeof(left), "%s/run.json.Ab3xYz", path);
	assert_int_equal(file_write_atomic(left, "{", 1, NULL), 0);
	assert_int_equal(run_dir_open(path, "unused", false, made->document, &dir, NULL), 0);
	assert_false(dir->resumed);
	run_dir_free(dir);
}

static void finished_files_are_never_touched_by_a_resume(void **state)
{
	struct made_run *made = *state;
	struct stat before, after;
	char file[256];

	made_run_write(made, 0, 0, 1, made_result(made, 0, 0, 1));
	snprintf(file, sizeof(file), "%s/%s.walk.1.json", made->path, made->scenario->points[0].id);
	assert_int_equal(stat(file, &before), 0);
	assert_int_equal(reopen(made, made->document, NULL), 0);
	assert_int_equal(stat(file, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
}

static void what_is_left_out_now_replaces_what_was(void **state)
{
	struct made_run *made = *state;
	const char *id = made->scenario->points[0].id;
	struct run_dir *dir;

	json_object_set_new(made->document, "left_out",
			    json_pack("[{s:s, s:s, s:[s]}]", "id", id, "backend", "walk", "reasons",
				      "no room"));
	assert_int_equal(reopen(made, made->document, NULL), 0);
	assert_int_equal(run_dir_load(made->path, &dir, NULL), 0);
	assert_true(run_dir_left_out(dir, id, "walk"));
	assert_false(run_dir_left_out(dir, id, "cached"));
	run_dir_free(dir);
}

/* Open below made->root as base and return the number of the directory. */
static unsigned open_numbered(const struct made_run *made, json_t *document, bool finished,
			      bool *resumed)
{
	struct error err = {0};
	struct run_dir *dir;
	unsigned number;

	if (run_dir_open(NULL, made->root, finished, document, &dir, &err))
		fail_msg("%s: %s", err.file, err.text);
	number = (unsigned)strtoul(strrchr(dir->path, '/') + 1, NULL, 10);
	assert_non_null(strstr(dir->path, "/small/"));
	*resumed = dir->resumed;
	run_dir_free(dir);
	return number;
}

/* Fill the numbered directory with all results. */
static void fill_numbered(struct made_run *made, json_t *document)
{
	struct run_dir *own = made->dir;

	assert_int_equal(run_dir_open(NULL, made->root, false, document, &made->dir, NULL), 0);
	made_run_fill(made);
	assert_true(run_dir_finished(made->dir));
	run_dir_free(made->dir);
	made->dir = own;
}

static void numbers_below_the_scenario_find_the_run_to_carry_on(void **state)
{
	struct made_run *made = *state;
	json_t *other = changed(made, "seed", json_integer(8));
	bool resumed;

	assert_int_equal(open_numbered(made, made->document, true, &resumed), 1);
	assert_false(resumed);
	assert_int_equal(open_numbered(made, other, true, &resumed), 2);
	assert_false(resumed);
	/* unfinished, though not the newest directory */
	assert_int_equal(open_numbered(made, made->document, true, &resumed), 1);
	assert_true(resumed);
	/* finished: opened again, so that its table can be printed */
	fill_numbered(made, made->document);
	assert_int_equal(open_numbered(made, made->document, true, &resumed), 1);
	assert_true(resumed);
	/* unless a new one is wanted */
	assert_int_equal(open_numbered(made, made->document, false, &resumed), 3);
	assert_false(resumed);
	json_decref(other);
}

static void an_unfinished_run_goes_before_a_newer_finished_one(void **state)
{
	struct made_run *made = *state;
	char one[128], two[128], file[300];
	bool resumed;

	open_numbered(made, made->document, true, &resumed);
	snprintf(one, sizeof(one), "%s/small/001", made->root);
	snprintf(two, sizeof(two), "%s/small/002", made->root);
	assert_int_equal(rename(one, two), 0);
	fill_numbered(made, made->document);
	/* the same run once more, with the older number and without results */
	assert_int_equal(mkdir(one, 0777), 0);
	snprintf(file, sizeof(file), "cp %s/run.json %s/run.json", two, one);
	assert_int_equal(system(file), 0);
	assert_int_equal(open_numbered(made, made->document, true, &resumed), 1);
}

static void damaged_directories_are_passed_over_and_not_reused(void **state)
{
	struct made_run *made = *state;
	char path[128];
	bool resumed;

	snprintf(path, sizeof(path), "%s/small", made->root);
	assert_int_equal(mkdir(path, 0777), 0);
	snprintf(path, sizeof(path), "%s/small/041", made->root); /* no run.json */
	assert_int_equal(mkdir(path, 0777), 0);
	snprintf(path, sizeof(path), "%s/small/notes", made->root);
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(open_numbered(made, made->document, true, &resumed), 42);
	assert_false(resumed);
}

#define RACERS 8

static void racing_programs_get_numbers_of_their_own(void **state)
{
	struct made_run *made = *state;
	unsigned seen = 0;
	pid_t pids[RACERS];

	for (unsigned i = 0; i < RACERS; i++) {
		pids[i] = fork();
		assert_int_not_equal(pids[i], -1);
		if (!pids[i]) {
			json_t *own = changed(made, "seed", json_integer(100 + i));
			struct run_dir *dir;

			if (run_dir_open(NULL, made->root, false, own, &dir, NULL))
				_exit(0);
			_exit(atoi(strrchr(dir->path, '/') + 1));
		}
	}
	for (unsigned i = 0; i < RACERS; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		seen |= 1u << WEXITSTATUS(status);
	}
	assert_int_equal(seen, 0x1fe); /* 1 to 8, each once */
}

static void places_that_cannot_be_written_are_named(void **state)
{
	struct made_run *made = *state;
	struct error err = {0};
	struct run_dir *dir;

	/* nobody, not even root, makes directories there */
	assert_int_not_equal(
		run_dir_open("/proc/nothing/here", "unused", false, made->document, &dir, &err), 0);
	assert_string_equal(err.file, "/proc/nothing");
	if (geteuid() == 0)
		return;
	assert_int_equal(chmod(made->path, 0555), 0);
	assert_int_equal(reopen(made, made->document, &err), -EACCES);
	assert_int_equal(chmod(made->path, 0755), 0);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(the_same_identity_is_resumed),
		CASE(the_first_difference_is_named),
		CASE(a_new_point_is_named_by_what_it_asks_for),
		CASE(the_order_of_keys_points_and_back_ends_does_not_matter),
		CASE(directories_with_other_things_are_left_alone),
		CASE(missing_parents_are_made),
		CASE(damaged_run_files_are_errors_with_a_place),
		CASE(names_of_back_ends_cannot_leave_the_directory),
		CASE(only_sound_files_of_this_run_count_as_done),
		CASE(what_a_killed_writer_left_is_ignored_and_removed),
		CASE(a_start_that_was_killed_is_started_again),
		CASE(finished_files_are_never_touched_by_a_resume),
		CASE(what_is_left_out_now_replaces_what_was),
		CASE(numbers_below_the_scenario_find_the_run_to_carry_on),
		CASE(an_unfinished_run_goes_before_a_newer_finished_one),
		CASE(damaged_directories_are_passed_over_and_not_reused),
		CASE(racing_programs_get_numbers_of_their_own),
		CASE(places_that_cannot_be_written_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
