// SPDX-License-Identifier: MIT
/* Lines of mountinfo of many kinds are cut up as proc(5) says. */
#include "base/mountinfo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool parse(const char *text, struct mountinfo *out)
{
	static char line[256];

	strcpy(line, text);
	return mountinfo_parse(line, out);
}

static void a_line_has_its_parts(void **state)
{
	struct mountinfo mount;

	(void)state;
	assert_true(parse("35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cg rw,memory",
			  &mount));
	assert_int_equal(mount.major, 0);
	assert_int_equal(mount.minor, 32);
	assert_string_equal(mount.root, "/");
	assert_string_equal(mount.point, "/sys/fs/cgroup/memory");
	assert_string_equal(mount.options, "rw,relatime");
	assert_string_equal(mount.type, "cgroup");
	assert_string_equal(mount.super, "rw,memory");
}

static void optional_fields_may_be_many(void **state)
{
	struct mountinfo mount;

	(void)state;
	assert_true(parse("1 2 8:259 /a /b ro shared:4 master:2 propagate_from:1 - ext4 /dev/x rw",
			  &mount));
	assert_int_equal(mount.major, 8);
	assert_int_equal(mount.minor, 259);
	assert_string_equal(mount.type, "ext4");
	assert_string_equal(mount.super, "rw");
}

static void odd_characters_are_themselves_again(void **state)
{
	struct mountinfo mount;

	(void)state;
	assert_true(
		parse("1 2 0:3 /x\\011y /my\\040dir\\134040/\\08 rw - cgroup2 none rw", &mount));
	assert_string_equal(mount.root, "/x\ty");
	assert_string_equal(mount.point, "/my dir\\040/\\08");
}

static void an_empty_source_is_one(void **state)
{
	struct mountinfo mount;

	(void)state;
	assert_true(parse("1 2 0:3 / /b rw - tmpfs  rw,size=1k", &mount));
	assert_string_equal(mount.super, "rw,size=1k");
}

static void other_lines_are_refused(void **state)
{
	struct mountinfo mount;

	(void)state;
	assert_false(parse("", &mount));
	assert_false(parse("cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0", &mount));
	assert_false(parse("1 2 0:3 / /b rw shared:1", &mount));
	assert_false(parse("1 2 0:3 / /b rw - tmpfs", &mount));
	assert_false(parse("1 2 device / /b rw - tmpfs none rw", &mount));
}

static void words_of_a_list_are_whole(void **state)
{
	(void)state;
	assert_true(mountinfo_has("rw,cpu,memory", "memory"));
	assert_true(mountinfo_has("memory,cpu", "memory"));
	assert_true(mountinfo_has("rw,memory,cpu", "memory"));
	assert_false(mountinfo_has("rw,name=memory", "memory"));
	assert_false(mountinfo_has("rw,memory_hotplug", "memory"));
	assert_false(mountinfo_has("rw,hugememory", "memory"));
	assert_false(mountinfo_has("", "memory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_its_parts),
		cmocka_unit_test(optional_fields_may_be_many),
		cmocka_unit_test(odd_characters_are_themselves_again),
		cmocka_unit_test(an_empty_source_is_one),
		cmocka_unit_test(other_lines_are_refused),
		cmocka_unit_test(words_of_a_list_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
