// SPDX-License-Identifier: MIT
/*
 * The directory below which cgroups are made: only what is proved to be ours is ever removed, and
 * all of that. In an ordinary directory, which rmdir treats as it does cgroups.
 */
#include "kernel/own_cgroup.h"
#include "kernel/remove_tree.h"

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
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* A hierarchy and a place for notes. */
struct place {
	char directory[64], top[80], notes[80];
	struct hierarchy hierarchy;
};

static int enter(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	*state = place;
	if (!place)
		return -1;
	strcpy(place->directory, "/tmp/memcgbench-own-XXXXXX");
	if (!mkdtemp(place->directory))
		return -1;
	snprintf(place->top, sizeof(place->top), "%s/cgroup", place->directory);
	snprintf(place->notes, sizeof(place->notes), "%s/notes", place->directory);
	if (mkdir(place->top, 0755) < 0)
		return -1;
	return hierarchy_open(place->top, 1, &place->hierarchy, NULL);
}

static int leave(void **state)
{
	struct place *place = *state;
	uint64_t removed;
	int fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	/* Fails where a file or a link was left behind. */
	r = remove_tree(fd, place->directory + strlen("/tmp/"), &removed, NULL);
	close(fd);
	hierarchy_close(&place->hierarchy);
	free(place);
	return r;
}

static void make_below(const char *directory, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

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

/* Makes its directory and ever more below it, until it is killed. */
static void make_until_killed(const struct place *place, int started)
{
	struct own_cgroup own;
	char path[300];

	(void)!write(started, "", 1);
	if (own_cgroup_make(&place->hierarchy, place->notes, &own, NULL))
		_exit(1);
	for (unsigned i = 0;; i++) {
		snprintf(path, sizeof(path), "%s/%s/%u", place->top, own.name, i);
		if (mkdir(path, 0755) < 0)
			_exit(1);
		strcat(path, "/below");
		if (mkdir(path, 0755) < 0)
			_exit(1);
	}
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
	for (unsigned i = 0; i < 3000; i++) {
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
	assert_int_equal(remove_tree(place->hierarchy.fd, "deep", &removed, NULL), 0);
	assert_int_equal(removed, 1 + 4 * 3000);
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

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void hierarchies_are_found_in_tables_of_mounts(void **state)
{
	struct place *place = *state;
	char table[128], text[600], path[200];
	struct hierarchy found;
	struct error err;

	snprintf(table, sizeof(table), "%s/mounts", place->directory);
	snprintf(text, sizeof(text),
		 "proc /proc proc rw 0 0\ncgroup /nowhere cgroup rw,cpuset 0 0\n"
		 "cgroup2 %s cgroup2 rw 0 0\ncgroup %s cgroup rw,memory 0 0\n",
		 place->directory, place->top);
	snprintf(path, sizeof(path), "%s/cgroup.controllers", place->directory);
	write_text(table, text);
	/* Hybrid: the unified one has no memory controller. */
	write_text(path, "cpu memory_hotplug\n");
	assert_int_equal(hierarchy_find(table, &found, &err), 0);
	assert_int_equal(found.version, 1);
	assert_string_equal(found.mount, place->top);
	hierarchy_close(&found);

	write_text(path, "cpu memory io\n");
	assert_int_equal(hierarchy_find(table, &found, &err), 0);
	assert_int_equal(found.version, 2);
	hierarchy_close(&found);

	write_text(table, "proc /proc proc rw 0 0\n");
	assert_int_equal(hierarchy_find(table, &found, &err), -ENODEV);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(table), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_made_is_removed, enter, leave),
		cmocka_unit_test_setup_teardown(a_second_one_of_the_same_process_is_refused, enter,
						leave),
		cmocka_unit_test_setup_teardown(one_in_use_is_left_alone, enter, leave),
		cmocka_unit_test_setup_teardown(what_a_killed_process_left_is_removed, enter,
						leave),
		cmocka_unit_test_setup_teardown(what_only_looks_like_it_is_refused, enter, leave),
		cmocka_unit_test_setup_teardown(links_inside_are_not_followed, enter, leave),
		cmocka_unit_test_setup_teardown(any_depth_and_width_is_removed, enter, leave),
		cmocka_unit_test_setup_teardown(notes_that_others_may_write_prove_nothing, enter,
						leave),
		cmocka_unit_test_setup_teardown(hierarchies_are_found_in_tables_of_mounts, enter,
						leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
