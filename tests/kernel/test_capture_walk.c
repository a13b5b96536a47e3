// SPDX-License-Identifier: MIT
/* The walk of a capture while others make, move and remove what it walks through. */
#include "kernel/capture_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

struct walked {
	int top;
	char seen[400]; /* "0. 1a 2b ..." */
	const char *at; /* where `change` is called, before the visit returns */
	void (*change)(int top);
	bool failed; /* end there instead */
};

static int visit(void *arg, int directory, uint32_t depth, const char *name, struct error *err)
{
	struct walked *walked = arg;
	size_t used = strlen(walked->seen);

	assert_true(directory >= 0);
	snprintf(walked->seen + used, sizeof(walked->seen) - used, "%s%u%s", used ? " " : "", depth,
		 name);
	if (!walked->at || strcmp(walked->at, name) != 0)
		return 1;
	if (walked->failed)
		return error_set(err, -EIO, "stop");
	walked->at = NULL;
	if (walked->change)
		walked->change(walked->top);
	return 1;
}

static int walk(struct walked *walked, uint64_t *vanished)
{
	static const char *const paths[] = {"a", "a/b", "a/b/c", "a/b/d", "a/e", "f", "g"};
	char path[] = "/tmp/memcgbench-walk-XXXXXX", command[64];
	struct capture_walk capture = {.visit = visit, .arg = walked};
	struct error err = {.text = ""};
	int r;

	assert_non_null(mkdtemp(path));
	walked->top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(walked->top >= 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_int_equal(mkdirat(walked->top, paths[i], 0700), 0);
	r = capture_walk(&capture, walked->top, &err);
	if (r && r != -EIO)
		fail_msg("%s", err.text);
	*vanished = capture.vanished;
	close(walked->top);
	snprintf(command, sizeof(command), "rm -rf %s", path);
	assert_int_equal(system(command), 0);
	return r;
}

static void parents_come_first_and_siblings_by_name(void **state)
{
	struct walked walked = {.top = -1};
	uint64_t vanished;

	(void)state;
	assert_int_equal(walk(&walked, &vanished), 0);
	assert_string_equal(walked.seen, "0. 1a 2b 3c 3d 2e 1f 1g");
	assert_int_equal(vanished, 0);
}

static void remove_g(int top)
{
	assert_int_equal(unlinkat(top, "g", AT_REMOVEDIR), 0);
}

static void what_is_removed_before_its_turn_is_counted(void **state)
{
	struct walked walked = {.at = "c", .change = remove_g};
	uint64_t vanished;

	(void)state;
	assert_int_equal(walk(&walked, &vanished), 0);
	assert_string_equal(walked.seen, "0. 1a 2b 3c 3d 2e 1f");
	assert_int_equal(vanished, 1);
}

static void remove_b(int top)
{
	assert_int_equal(unlinkat(top, "a/b/c", AT_REMOVEDIR), 0);
	assert_int_equal(unlinkat(top, "a/b/d", AT_REMOVEDIR), 0);
	assert_int_equal(unlinkat(top, "a/b", AT_REMOVEDIR), 0);
}

/* We stand in c when it, d and their parent go. */
static void what_is_removed_around_us_does_not_end_the_walk(void **state)
{
	struct walked walked = {.at = "c", .change = remove_b};
	uint64_t vanished;

	(void)state;
	assert_int_equal(walk(&walked, &vanished), 0);
	assert_string_equal(walked.seen, "0. 1a 2b 3c 2e 1f 1g");
	assert_int_equal(vanished, 1);
}

static void move_b(int top)
{
	assert_int_equal(mkdirat(top, "g/x", 0700), 0);
	assert_int_equal(mkdirat(top, "g/x/escape", 0700), 0);
	assert_int_equal(renameat(top, "a/b/c", top, "g/x/c"), 0);
}

/* ".." of a directory that was moved leads elsewhere: the walk goes on where it was. */
static void a_directory_that_is_moved_leads_nowhere_else(void **state)
{
	struct walked walked = {.at = "c", .change = move_b};
	uint64_t vanished;

	(void)state;
	assert_int_equal(walk(&walked, &vanished), 0);
	assert_string_equal(walked.seen, "0. 1a 2b 3c 3d 2e 1f 1g 2x 3c 3escape");
	assert_int_equal(vanished, 0);
}

static void replace_f(int top)
{
	assert_int_equal(unlinkat(top, "f", AT_REMOVEDIR), 0);
	assert_int_equal(symlinkat("a", top, "f"), 0);
}

static void a_link_in_the_place_of_a_directory_is_not_followed(void **state)
{
	struct walked walked = {.at = "c", .change = replace_f};
	uint64_t vanished;

	(void)state;
	assert_int_equal(walk(&walked, &vanished), 0);
	assert_string_equal(walked.seen, "0. 1a 2b 3c 3d 2e 1g");
	assert_int_equal(vanished, 1);
}

static void an_error_of_the_visitor_ends_the_walk(void **state)
{
	struct walked walked = {.at = "d", .failed = true};
	uint64_t vanished;

	(void)state;
	assert_int_equal(walk(&walked, &vanished), -EIO);
	assert_string_equal(walked.seen, "0. 1a 2b 3c 3d");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parents_come_first_and_siblings_by_name),
		cmocka_unit_test(what_is_removed_before_its_turn_is_counted),
		cmocka_unit_test(what_is_removed_around_us_does_not_end_the_walk),
		cmocka_unit_test(a_directory_that_is_moved_leads_nowhere_else),
		cmocka_unit_test(a_link_in_the_place_of_a_directory_is_not_followed),
		cmocka_unit_test(an_error_of_the_visitor_ends_the_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
