// SPDX-License-Identifier: MIT
/*
 * The one file outside of our own directory that may be written to: with leave only, and put back
 * as it was, but not from under others. In an ordinary directory with files of v2; what the kernel
 * makes of a write, the tests do.
 */
#include "base/file.h"
#include "kernel/hand_down.h"
#include "kernel/own_cgroup.h"
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
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

/* A file of the top or of a cgroup below it. */
static void put(const struct place *place, const char *cgroup, const char *file, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s/%s", place->top, cgroup, file);
	write_text(path, text);
}

static void take(const struct place *place, const char *cgroup, const char *file)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s/%s", place->top, cgroup, file);
	assert_int_equal(unlink(path), 0);
}

/* What was written to it last, over what the kernel said. */
static void subtree_control_is(const struct place *place, const char *text)
{
	char path[300], *found;
	size_t length;

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", place->top);
	assert_int_equal(file_read(path, 4096, &found, &length, NULL), 0);
	assert_string_equal(found, text);
	free(found);
}

static int enter(void **state)
{
	struct place *place;
	int r = place_enter(state);

	if (r)
		return r;
	place = *state;
	place->hierarchy.version = 2;
	put(place, "", "cgroup.subtree_control", "cpu\n");
	return 0;
}

static int leave(void **state)
{
	take(*state, "", "cgroup.subtree_control");
	return place_leave(state);
}

static void nothing_is_written_without_leave(void **state)
{
	struct place *place = *state;
	struct own_cgroup own;
	struct error err;

	assert_int_equal(own_cgroup_make(&place->hierarchy, place->notes, &own, &err), -ENODEV);
	assert_non_null(strstr(err.text, "does not hand the memory controller down"));
	subtree_control_is(place, "cpu\n");
}

static void what_others_handed_down_is_not_taken_back(void **state)
{
	struct place *place = *state;
	struct own_cgroup own;

	place->hierarchy.may_enable = true;
	put(place, "", "cgroup.subtree_control", "cpu memory\n");
	assert_int_equal(own_cgroup_make(&place->hierarchy, place->notes, &own, NULL), 0);
	assert_int_equal(own_cgroup_remove(&own, NULL), 0);
	subtree_control_is(place, "cpu memory\n");
}

static void it_is_put_back(void **state)
{
	struct place *place = *state;
	struct own_cgroup own;

	place->hierarchy.may_enable = true;
	put(place, "", "cgroup.subtree_control", "");
	assert_int_equal(own_cgroup_make(&place->hierarchy, place->notes, &own, NULL), 0);
	subtree_control_is(place, "+memory");
	put(place, "", "cgroup.subtree_control", "memory\n");
	assert_int_equal(own_cgroup_remove(&own, NULL), 0);
	subtree_control_is(place, "-memory");
}

/* `file` of another cgroup says `text`. */
static void stays_for(struct place *place, const char *file, const char *text, bool stays)
{
	struct own_cgroup own;
	struct error err = {.text = ""};

	put(place, "", "cgroup.subtree_control", "");
	assert_int_equal(own_cgroup_make(&place->hierarchy, place->notes, &own, NULL), 0);
	put(place, "", "cgroup.subtree_control", "memory\n");
	put(place, "other", file, text);
	assert_int_equal(own_cgroup_remove(&own, &err), stays ? -EBUSY : 0);
	if (stays) {
		assert_non_null(strstr(err.text, "cgroup other uses it"));
		assert_non_null(strstr(err.text, file));
		subtree_control_is(place, "memory\n");
	} else {
		subtree_control_is(place, "-memory");
	}
	assert_int_equal(faccessat(place->hierarchy.fd, own.name, F_OK, 0), -1);
	take(place, "other", file);
}

static void it_stays_where_others_use_it(void **state)
{
	struct place *place = *state;

	place->hierarchy.may_enable = true;
	make_below(place->top, "other");
	stays_for(place, "memory.max", "1048576\n", true);
	stays_for(place, "memory.max", "max\n", false);
	stays_for(place, "memory.low", "4096\n", true);
	stays_for(place, "memory.oom.group", "0\n", false);
	stays_for(place, "cgroup.subtree_control", "cpu memory\n", true);
	stays_for(place, "cgroup.subtree_control", "cpu\n", false);
}

/* Left by a run that was killed; `made`: its directory is there still. */
static void leave_one(const struct place *place, bool made)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		struct own_cgroup own;

		if (own_cgroup_make(&place->hierarchy, place->notes, &own, NULL))
			_exit(1);
		if (!made && unlinkat(place->hierarchy.fd, own.name, AT_REMOVEDIR) < 0)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

struct said {
	unsigned removed;
	char text[sizeof(((struct error *)NULL)->text)];
};

static void note_what_is_said(void *arg, const struct left_over *left)
{
	struct said *said = arg;

	said->removed += left->state == LEFT_REMOVED;
	strcpy(said->text, left->err->text);
}

static struct said clean(const struct place *place, bool dry)
{
	struct said said = {.text = ""};

	assert_int_equal(own_cgroup_clean(&place->hierarchy, place->notes, dry, note_what_is_said,
					  &said, NULL),
			 0);
	return said;
}

static void cleaning_up_puts_it_back(void **state)
{
	struct place *place = *state;
	struct said said;

	for (unsigned made = 0; made < 2; made++) {
		place->hierarchy.may_enable = true;
		put(place, "", "cgroup.subtree_control", "");
		leave_one(place, made);
		subtree_control_is(place, "+memory");
		put(place, "", "cgroup.subtree_control", "memory\n");
		/* Who cleans up needs no leave for it. */
		place->hierarchy.may_enable = false;
		clean(place, true);
		subtree_control_is(place, "memory\n");
		said = clean(place, false);
		assert_int_equal(said.removed, 1);
		assert_string_equal(said.text, "");
		subtree_control_is(place, "-memory");
		put(place, "", "cgroup.subtree_control", "memory\n");
		/* And once only. */
		assert_int_equal(clean(place, false).removed, 0);
		subtree_control_is(place, "memory\n");
	}
}

static void cleaning_up_leaves_it_to_others(void **state)
{
	struct place *place = *state;
	struct said said;

	place->hierarchy.may_enable = true;
	make_below(place->top, "other");
	put(place, "other", "memory.high", "4096\n");
	put(place, "", "cgroup.subtree_control", "");
	leave_one(place, true);
	put(place, "", "cgroup.subtree_control", "memory\n");
	said = clean(place, false);
	assert_int_equal(said.removed, 1);
	assert_non_null(strstr(said.text, "cgroup other uses it"));
	subtree_control_is(place, "memory\n");
	take(place, "other", "memory.high");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_is_written_without_leave, enter, leave),
		cmocka_unit_test_setup_teardown(what_others_handed_down_is_not_taken_back, enter,
						leave),
		cmocka_unit_test_setup_teardown(it_is_put_back, enter, leave),
		cmocka_unit_test_setup_teardown(it_stays_where_others_use_it, enter, leave),
		cmocka_unit_test_setup_teardown(cleaning_up_puts_it_back, enter, leave),
		cmocka_unit_test_setup_teardown(cleaning_up_leaves_it_to_others, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
