// SPDX-License-Identifier: MIT
/* The memory hierarchy is found in tables of mounts of many kinds. */
#include "place.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

/* A line of a table of mounts, as proc(5) has it. */
struct line {
	const char *root, *point, *options, *type, *super;
	unsigned off; /* added to the device: it is not the one that is there */
};

static void write_table(const char *path, const struct line *lines, size_t nr)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	for (size_t i = 0; i < nr; i++) {
		char point[300], *to = point;
		struct stat st = {.st_dev = 0};

		(void)stat(lines[i].point, &st);
		for (const char *from = lines[i].point; *from; from++)
			to += *from == ' ' ? sprintf(to, "\\040") : sprintf(to, "%c", *from);
		fprintf(file, "%zu 1 %u:%u %s %s %s shared:7 - %s none %s\n", 30 + i,
			major(st.st_dev), minor(st.st_dev) + lines[i].off, lines[i].root, point,
			lines[i].options, lines[i].type, lines[i].super);
	}
	assert_int_equal(fclose(file), 0);
}

static int find(const struct place *place, const struct line *lines, size_t nr,
		struct hierarchy *found)
{
	struct error err = {.text = ""};
	char table[128];
	int r;

	snprintf(table, sizeof(table), "%s/mounts", place->directory);
	write_table(table, lines, nr);
	r = hierarchy_find(table, found, &err);
	assert_int_equal(unlink(table), 0);
	assert_true(!r || *err.text);
	return r;
}

static void the_hierarchy_with_memory_is_found(void **state)
{
	struct place *place = *state;
	const struct line lines[] = {
		{"/", "/proc", "rw", "proc", "rw", 0},
		{"/", "/nowhere", "rw", "cgroup", "rw,cpuset", 0},
		{"/", "/nowhere", "rw", "cgroup", "rw,name=memory", 0},
		{"/", place->directory, "rw", "cgroup2", "rw", 0},
		{"/", place->top, "rw", "cgroup", "rw,cpu,memory", 0},
	};
	struct hierarchy found;
	char path[200];

	snprintf(path, sizeof(path), "%s/cgroup.controllers", place->directory);
	/* Hybrid: the unified one has no memory controller. */
	write_text(path, "cpu memory_hotplug\n");
	assert_int_equal(find(place, lines, 5, &found), 0);
	assert_int_equal(found.version, 1);
	assert_string_equal(found.mount, place->top);
	assert_false(found.read_only || found.in_part || found.with_cpuset);
	hierarchy_close(&found);

	write_text(path, "cpu memory io\n");
	assert_int_equal(find(place, lines, 5, &found), 0);
	assert_int_equal(found.version, 2);
	hierarchy_close(&found);

	assert_int_equal(find(place, lines, 3, &found), -ENODEV);
	assert_int_equal(found.fd, -1);
	assert_int_equal(unlink(path), 0);
}

static void of_several_mounts_the_best_is_taken(void **state)
{
	struct place *place = *state;
	struct hierarchy found;
	char blank[128], part[128];
	const struct line lines[] = {
		/* hidden: another file system lies upon it */
		{"/", place->directory, "rw", "cgroup", "rw,memory", 1},
		{"/", place->directory, "ro,nosuid", "cgroup", "rw,memory", 0},
		{"/docker/1", part, "rw", "cgroup", "rw,memory", 0},
		{"/", blank, "rw", "cgroup", "rw,cpuset,memory", 0},
		{"/", place->top, "rw", "cgroup", "rw,memory", 0},
	};

	snprintf(blank, sizeof(blank), "%s/a b\\040", place->top);
	snprintf(part, sizeof(part), "%s/part", place->top);
	assert_int_equal(mkdir(part, 0755), 0);
	/* It cannot be opened, but others can. */
	assert_int_equal(find(place, lines, 5, &found), 0);
	assert_string_equal(found.mount, place->top);
	hierarchy_close(&found);
	snprintf(blank, sizeof(blank), "%s/a b", place->top);
	assert_int_equal(mkdir(blank, 0755), 0);
	assert_int_equal(find(place, lines, 5, &found), 0);
	assert_string_equal(found.mount, blank);
	assert_true(found.with_cpuset);
	assert_false(found.read_only || found.in_part);
	hierarchy_close(&found);
	assert_int_equal(find(place, lines, 3, &found), 0);
	assert_string_equal(found.mount, part);
	assert_true(found.in_part);
	hierarchy_close(&found);
	assert_int_equal(find(place, lines, 2, &found), 0);
	assert_string_equal(found.mount, place->directory);
	assert_true(found.read_only);
	hierarchy_close(&found);
	assert_int_equal(find(place, lines, 1, &found), -ENODEV);
}

static void what_is_no_table_of_mounts_is_refused(void **state)
{
	struct place *place = *state;
	struct hierarchy found;
	struct error err;
	char table[128];

	snprintf(table, sizeof(table), "%s/mounts", place->directory);
	write_text(table, "1 1 0:1 / / rw - proc proc rw\ncgroup /x cgroup rw,memory 0 0\n");
	assert_int_equal(hierarchy_find(table, &found, &err), -EINVAL);
	assert_string_equal(err.file, table);
	assert_int_equal(err.line, 2);
	write_text(table, "");
	assert_int_equal(hierarchy_find(table, &found, &err), -ENODEV);
	assert_int_equal(unlink(table), 0);
	assert_int_equal(hierarchy_find(table, &found, &err), -ENOENT);
	hierarchy_close(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_hierarchy_with_memory_is_found, place_enter,
						place_leave),
		cmocka_unit_test_setup_teardown(of_several_mounts_the_best_is_taken, place_enter,
						place_leave),
		cmocka_unit_test_setup_teardown(what_is_no_table_of_mounts_is_refused, place_enter,
						place_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
