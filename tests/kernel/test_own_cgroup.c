// SPDX-License-Identifier: MIT
/*
 * The directory below which cgroups are made: only what is proved to be ours is ever removed, and
 * all of that. In an ordinary directory, which rmdir treats as it does cgroups.
 */
#include "kernel/own_cgroup.h"
#include "kernel/remove_tree.h"
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
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* How many are there of each state, and the reason of the last that was not removed. */
struct tally {
	unsigned of[LEFT_FAILED + 1];
	uint64_t cgroups;
	char why[sizeof(((struct error *)NULL)->text)];
};

static void count(void *arg, const struct left_over *left)
{
	struct tally *tally = arg;

	tally->of[left->state]++;
	tally->cgroups += left->cgroups;
	if (left->state != LEFT_REMOVED)
		snprintf(tally->why, sizeof(tally->why), "%s", left->err->text);
}

static struct tally clean(const struct place *place, bool dry)
{
	struct tally tally = {.why = ""};
	struct error err = {.text = ""};

	if (own_cgroup_clean(&place->hierarchy, place->notes, dry, count, &tally, &err))
		fail_msg("%s", err.text);
	return tally;
}

static bool is_empty(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), found = has_directories(fd);

	close(fd);
	return found == 0;
}

static void what_is_made_is_removed(void **state)
{
	struct place *place = *state;
	struct own_cgroup own;
	char path[300];

	assert_int_equal(own_cgroup_make(&place->hierarchy, place->notes, &own, NULL), 0);
	snprintf(path, sizeof(path), "%s/%s", place->top, own.name);
	make_below(path, "a");
	make_below(path, "a/b");
	make_below(path, "c");
	assert_int_equal(own_cgroup_remove(&own, NULL), 0);
	assert_true(is_empty(place->top));
	snprintf(path, sizeof(path), "%s/%s", place->notes, own.name);
	assert_int_equal(access(path, F_OK), -1);
}

static void a_second_one_of_the_same_process_is_refused(void **state)
{
	struct place *place = *state;
	struct own_cgroup own, other;
	struct error err;

	assert_int_equal(own_cgroup_make(&place->hierarchy, place->notes, &own, NULL), 0);
	assert_int_equal(own_cgroup_make(&place->hierarchy, place->notes, &other, &err), -EEXIST);
	assert_int_equal(own_cgroup_remove(&own, NULL), 0);
}

static void one_in_use_is_left_alone(void **state)
{
	struct place *place = *state;
	struct own_cgroup own;
	struct tally tally;

	assert_int_equal(own_cgroup_make(&place->hierarchy, place->notes, &own, NULL), 0);
	tally = clean(place, false);
	assert_int_equal(tally.of[LEFT_IN_USE], 1);
	assert_int_equal(tally.of[LEFT_REMOVED], 0);
	assert_int_equal(own_cgroup_remove(&own, NULL), 0);
}

/* Makes its directory and more below it, and is killed meanwhile. */
static void make_until_killed(const struct place *place, int started)
{
	struct own_cgroup own;
	char path[300];

	(void)!write(started, "", 1);
	if (own_cgroup_make(&place->hierarchy, place->notes, &own, NULL))
		_exit(1);
	for (unsigned i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "%s/%s/%u", place->top, own.name, i);
		if (mkdir(path, 0755) < 0)
			_exit(1);
		strcat(path, "/below");
		if (mkdir(path, 0755) < 0)
			_exit(1);
	}
	for (;;)
		pause();
}

static unsigned rounds(void)
{
	return getenv("MEMCGBENCH_TEST_LONG") ? 200 : 20;
}

static void what_a_killed_process_left_is_removed(void **state)
{
	struct place *place = *state;
	unsigned left = 0;

	for (unsigned round = 0; round < rounds(); round++) {
		struct timespec nap = {.tv_nsec = round * 100000L % 3000000L};
		struct tally tally;
		int started[2];
		pid_t pid;
		char byte;

		assert_int_equal(pipe2(started, O_CLOEXEC), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			make_until_killed(place, started[1]);
		assert_int_equal(read(started[0], &byte, 1), 1);
		nanosleep(&nap, NULL);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		close(started[0]);
		close(started[1]);
		left += !is_empty(place->top);
		tally = clean(place, true);
		assert_int_equal(tally.of[LEFT_REMOVED], !is_empty(place->top));
		tally = clean(place, false);
		assert_int_equal(tally.of[LEFT_NOT_OURS] + tally.of[LEFT_FAILED], 0);
		assert_true(is_empty(place->top));
	}
	assert_true(left > 0);
}

static void what_only_looks_like_it_is_refused(void **state)
{
	static const char *const names[] = {
		/* as of a process that is gone */
		"memcgbench-999999999-1-01234567-89ab-cdef-0123-456789abcdef",
		/* none of our making */
		"memcgbench-1", "memcgbench-0-1-01234567-89ab-cdef-0123-456789abcdef",
		"memcgbench-5-1-01234567-89ab-cdef-0123-456789abcdef0",
		"memcgbench-05-1-01234567-89ab-cdef-0123-456789abcdef", "memcgbench", "other"};
	struct place *place = *state;
	struct tally tally;
	char path[256], link[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		make_below(place->top, names[i]);
	/* A link that leads out of the hierarchy. */
	make_below(place->directory, "outside");
	make_below(place->directory, "outside/precious");
	snprintf(path, sizeof(path), "%s/outside", place->directory);
	snprintf(link, sizeof(link),
		 "%s/memcgbench-999999998-1-01234567-89ab-cdef-0123-456789abcdef", place->top);
	assert_int_equal(symlink(path, link), 0);

	tally = clean(place, false);
	assert_int_equal(tally.of[LEFT_REMOVED], 0);
	assert_int_equal(tally.of[LEFT_NOT_OURS], 2);
	assert_int_equal(unlink(link), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", place->top, names[i]);
		assert_int_equal(access(path, F_OK), 0);
	}
	snprintf(path, sizeof(path), "%s/outside/precious", place->directory);
	assert_int_equal(access(path, F_OK), 0);
}

static void links_inside_are_not_followed(void **state)
{
	struct place *place = *state;
	struct own_cgroup own;
	struct error err;
	char path[300];

	make_below(place->directory, "outside");
	make_below(place->directory, "outside/precious");
	assert_int_equal(own_cgroup_make(&place->hierarchy, place->notes, &own, NULL), 0);
	snprintf(path, sizeof(path), "%s/%s/link", place->top, own.name);
	assert_int_equal(symlink("../../outside", path), 0);
	/* No cgroup holds links; here it keeps the directory from going. */
	assert_int_equal(own_cgroup_remove(&own, &err), -ENOTEMPTY);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/outside/precious", place->directory);
	assert_int_equal(access(path, F_OK), 0);
	/* What is left is a run's that has failed: it goes when its process has ended. */
	snprintf(path, sizeof(path), "%s/%s", place->top, own.name);
	assert_int_equal(rmdir(path), 0);
	snprintf(path, sizeof(path), "%s/%s", place->notes, own.name);
	assert_int_equal(unlink(path), 0);
}

static void any_depth_and_width_is_removed(void **state)
{
	struct place *place = *state;
	uint64_t removed;
	int fd, next;

	make_below(place->top, "deep");
	fd = openat(place->hierarchy.fd, "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (unsigned i = 0; i < 1000; i++) {
		char name[16];

		for (unsigned k = 0; k < 3; k++) {
			snprintf(name, sizeof(name), "leaf%u", k);
			assert_int_equal(mkdirat(fd, name, 0755), 0);
		}
		assert_int_equal(mkdirat(fd, "down", 0755), 0);
		next = openat(fd, "down", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(next >= 0);
		close(fd);
		fd = next;
	}
	close(fd);
	assert_int_equal(remove_tree(place->hierarchy.fd, "deep", NULL, &removed, NULL), 0);
	assert_int_equal(removed, 1 + 4 * 1000);
	assert_true(is_empty(place->top));
}

static void notes_that_others_may_write_prove_nothing(void **state)
{
	struct place *place = *state;
	struct own_cgroup own;
	struct error err;

	assert_int_equal(mkdir(place->notes, 0700), 0);
	assert_int_equal(chmod(place->notes, 0777), 0);
	assert_int_equal(own_cgroup_make(&place->hierarchy, place->notes, &own, &err), -EPERM);
	assert_int_equal(
		own_cgroup_clean(&place->hierarchy, place->notes, false, count, NULL, &err),
		-EPERM);
	assert_true(is_empty(place->top));
}

/* Have a child make its directory, with one below it, and end; its name. */
static void let_one_be_left(const struct place *place, char name[OWN_CGROUP_NAME_MAX])
{
	struct own_cgroup own;
	int names[2];
	pid_t pid;

	assert_int_equal(pipe2(names, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (own_cgroup_make(&place->hierarchy, place->notes, &own, NULL) ||
		    mkdirat(own.fd, "below", 0755) < 0 ||
		    write(names[1], own.name, OWN_CGROUP_NAME_MAX) != OWN_CGROUP_NAME_MAX)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(read(names[0], name, OWN_CGROUP_NAME_MAX), OWN_CGROUP_NAME_MAX);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(names[0]);
	close(names[1]);
}

/* Its name, its note and even an attribute with its name: all but the directory itself. */
static void a_directory_in_the_place_of_ours_is_refused(void **state)
{
	struct place *place = *state;
	char name[OWN_CGROUP_NAME_MAX], path[300], precious[320];
	struct tally tally;

	let_one_be_left(place, name);
	snprintf(path, sizeof(path), "%s/%s", place->top, name);
	snprintf(precious, sizeof(precious), "%s/below", path);
	/* Kept, so that its inode number is not given again. */
	snprintf(precious, sizeof(precious), "%s/kept", place->directory);
	assert_int_equal(rename(path, precious), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	(void)setxattr(path, "user.memcgbench", name, strlen(name), 0);
	snprintf(precious, sizeof(precious), "%s/precious", path);
	assert_int_equal(mkdir(precious, 0755), 0);
	tally = clean(place, false);
	assert_int_equal(tally.of[LEFT_NOT_OURS], 1);
	assert_non_null(strstr(tally.why, "another directory"));
	assert_int_equal(access(precious, F_OK), 0);
	/* And an empty one. */
	assert_int_equal(rmdir(precious), 0);
	assert_int_equal(clean(place, false).of[LEFT_NOT_OURS], 1);
	assert_int_equal(access(path, F_OK), 0);
	snprintf(path, sizeof(path), "%s/%s", place->notes, name);
	assert_int_equal(unlink(path), 0);
}

/* Leave a note that says what `note` does, of a process that is gone. */
static void leave_note(const struct place *place, const char *name, const struct own_note *note)
{
	int notes = own_notes_open(place->notes, true, NULL), fd;

	assert_true(notes >= 0);
	fd = own_note_make(notes, name, note);
	assert_true(fd >= 0);
	close(fd);
	close(notes);
}

static const char boot_name[] = "/proc/sys/kernel/random/boot_id";

static void name_of_the_gone(char name[OWN_CGROUP_NAME_MAX])
{
	FILE *file = fopen(boot_name, "re");
	char boot[37] = "";

	assert_non_null(file);
	assert_int_equal(fread(boot, 1, 36, file), 36);
	fclose(file);
	snprintf(name, OWN_CGROUP_NAME_MAX, "memcgbench-999999999-1-%s", boot);
}

/* Killed between making it and taking its inode number down. */
static void one_that_was_just_made_is_removed(void **state)
{
	struct place *place = *state;
	char name[OWN_CGROUP_NAME_MAX], path[300];
	struct own_note note = {.directory = 0};
	struct stat st;

	name_of_the_gone(name);
	assert_int_equal(fstat(place->hierarchy.fd, &st), 0);
	note.device = st.st_dev;
	leave_note(place, name, &note);
	make_below(place->top, name);
	snprintf(path, sizeof(path), "%s/below", name);
	make_below(place->top, path);
	/* We had not got as far as making anything in it. */
	assert_int_equal(clean(place, false).of[LEFT_NOT_OURS], 1);
	snprintf(path, sizeof(path), "%s/%s/below", place->top, name);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(clean(place, false).of[LEFT_REMOVED], 1);
	assert_true(is_empty(place->top));
	snprintf(path, sizeof(path), "%s/%s", place->notes, name);
	assert_int_equal(access(path, F_OK), -1);
}

/* Neither by one that still has all its descriptors, nor while it waits for its parent. */
static void a_run_that_is_over_is_not_held_by_its_children(void **state)
{
	struct place *place = *state;
	struct own_cgroup own;
	int ready[2], end[2];
	siginfo_t info;
	pid_t pid;
	char byte;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(end, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(end[1]);
		if (own_cgroup_make(&place->hierarchy, place->notes, &own, NULL))
			_exit(1);
		if (fork() == 0) {
			(void)!read(end[0], &byte, 1);
			_exit(0);
		}
		(void)!write(ready[1], "", 1);
		for (;;)
			pause();
	}
	close(end[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(clean(place, false).of[LEFT_IN_USE], 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(clean(place, false).of[LEFT_REMOVED], 1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(is_empty(place->top));
	close(end[1]);
	close(ready[0]);
	close(ready[1]);
}

static bool has_note(const struct place *place, const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", place->notes, name);
	return access(path, F_OK) == 0;
}

static void notes_without_directories_go(void **state)
{
	static const char former[] = "memcgbench-1-1-01234567-89ab-cdef-0123-456789abcdef";
	struct place *place = *state;
	struct own_note here = {.directory = 7}, elsewhere = {.directory = 7};
	char name[OWN_CGROUP_NAME_MAX], path[300];
	struct stat st;

	name_of_the_gone(name);
	assert_int_equal(fstat(place->hierarchy.fd, &st), 0);
	here.device = st.st_dev;
	elsewhere.device = st.st_dev + 1;
	leave_note(place, name, &here);
	clean(place, true);
	assert_true(has_note(place, name));
	clean(place, false);
	assert_false(has_note(place, name));
	/* Its directory may be in a hierarchy that we do not look at: it stays its proof. */
	leave_note(place, name, &elsewhere);
	clean(place, false);
	assert_true(has_note(place, name));
	make_below(place->top, name);
	assert_int_equal(clean(place, false).of[LEFT_NOT_OURS], 1);
	snprintf(path, sizeof(path), "%s/%s", place->notes, name);
	assert_int_equal(unlink(path), 0);
	/* Of an earlier boot. */
	leave_note(place, former, &elsewhere);
	clean(place, false);
	assert_false(has_note(place, former));
	/* Killed before it wrote. */
	write_text(path, "");
	assert_int_equal(clean(place, false).of[LEFT_NOT_OURS], 1);
	assert_false(has_note(place, name));
}

static void what_takes_the_place_of_a_tree_stays(void **state)
{
	struct place *place = *state;
	uint64_t removed;
	struct stat is;

	make_below(place->top, "a");
	make_below(place->top, "b");
	make_below(place->top, "b/below");
	assert_int_equal(fstatat(place->hierarchy.fd, "a", &is, 0), 0);
	assert_int_equal(remove_tree(place->hierarchy.fd, "b", &is, &removed, NULL), -ESTALE);
	assert_int_equal(removed, 0);
	assert_int_equal(faccessat(place->hierarchy.fd, "b/below", F_OK, 0), 0);
	assert_int_equal(remove_tree(place->hierarchy.fd, "a", &is, &removed, NULL), 0);
	assert_int_equal(removed, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_made_is_removed, place_enter, place_leave),
		cmocka_unit_test_setup_teardown(a_second_one_of_the_same_process_is_refused,
						place_enter, place_leave),
		cmocka_unit_test_setup_teardown(one_in_use_is_left_alone, place_enter, place_leave),
		cmocka_unit_test_setup_teardown(what_a_killed_process_left_is_removed, place_enter,
						place_leave),
		cmocka_unit_test_setup_teardown(what_only_looks_like_it_is_refused, place_enter,
						place_leave),
		cmocka_unit_test_setup_teardown(links_inside_are_not_followed, place_enter,
						place_leave),
		cmocka_unit_test_setup_teardown(any_depth_and_width_is_removed, place_enter,
						place_leave),
		cmocka_unit_test_setup_teardown(notes_that_others_may_write_prove_nothing,
						place_enter, place_leave),
		cmocka_unit_test_setup_teardown(a_directory_in_the_place_of_ours_is_refused,
						place_enter, place_leave),
		cmocka_unit_test_setup_teardown(one_that_was_just_made_is_removed, place_enter,
						place_leave),
		cmocka_unit_test_setup_teardown(a_run_that_is_over_is_not_held_by_its_children,
						place_enter, place_leave),
		cmocka_unit_test_setup_teardown(notes_without_directories_go, place_enter,
						place_leave),
		cmocka_unit_test_setup_teardown(what_takes_the_place_of_a_tree_stays, place_enter,
						place_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
