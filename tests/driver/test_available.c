// SPDX-License-Identifier: MIT
/* Memory that may still be taken is found in made-up /proc and cgroup trees of many kinds. */
#include "base/file.h"
#include "driver/available.h"
#include "driver/feasible.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB 1048576ull

static void put(const char *root, const char *path, const char *text)
{
	char full[4096];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	assert_int_equal(file_write_atomic(full, text, strlen(text), NULL), 0);
}

static int make_root(void **state)
{
	char name[] = "/tmp/memcgbench-test-XXXXXX";

	if (!mkdtemp(name))
		return -1;
	*state = strdup(name);
	put(*state, "proc/meminfo",
	    "MemTotal:       16777216 kB\nMemFree:  1 kB\nMemAvailable:    8388608 kB\n");
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
	return remove(path);
}

static int remove_root(void **state)
{
	int code = nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return code;
}

#define V2_MOUNT \
	"41 31 0:38 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNT "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"

static void memory_of_the_machine_is_the_least(void **state)
{
	assert_true(available_below(*state) == 8192 * MIB);
}

static void nothing_known_is_no_limit(void **state)
{
	assert_true(available_below("/nonexistent") == UINT64_MAX);
}

static void a_v2_limit_counts_less_what_is_used(void **state)
{
	put(*state, "proc/self/cgroup", "0::/a/b\n");
	put(*state, "proc/self/mountinfo", V2_MOUNT);
	put(*state, "sys/fs/cgroup/a/b/memory.max", "1073741824\n");
	put(*state, "sys/fs/cgroup/a/b/memory.current", "524288000\n");
	put(*state, "sys/fs/cgroup/a/b/memory.high", "max\n");
	assert_true(available_below(*state) == 1024 * MIB - 500 * MIB);
	/* pages of files go when others need them */
	put(*state, "sys/fs/cgroup/a/b/memory.stat",
	    "anon 1\nfile 9\nactive_file 104857600\ninactive_file 209715200\n");
	assert_true(available_below(*state) == 1024 * MIB - 200 * MIB);
	put(*state, "sys/fs/cgroup/a/b/memory.high", "314572800\n");
	assert_true(available_below(*state) == 100 * MIB);
}

static void a_parent_may_be_tighter(void **state)
{
	put(*state, "proc/self/cgroup", "0::/a/b/c\n");
	put(*state, "proc/self/mountinfo", V2_MOUNT);
	put(*state, "sys/fs/cgroup/a/b/c/memory.max", "max\n");
	put(*state, "sys/fs/cgroup/a/memory.max", "1048576\n");
	put(*state, "sys/fs/cgroup/a/b/memory.max", "2097152\n");
	assert_true(available_below(*state) == MIB);
}

static void a_full_cgroup_leaves_nothing(void **state)
{
	put(*state, "proc/self/cgroup", "0::/a\n");
	put(*state, "proc/self/mountinfo", V2_MOUNT);
	put(*state, "sys/fs/cgroup/a/memory.max", "1048576\n");
	put(*state, "sys/fs/cgroup/a/memory.current", "2097152\n");
	assert_true(available_below(*state) == 0);
}

static void v1_is_found_among_its_controllers(void **state)
{
	put(*state, "proc/self/cgroup",
	    "9:name=systemd:/x\n5:hugetlb,memory:/jobs/1\n1:cpu:/memory\n0::/\n");
	put(*state, "proc/self/mountinfo",
	    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
	    "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" V1_MOUNT);
	put(*state, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put(*state, "sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "9223372036854771712\n");
	assert_true(available_below(*state) == 8192 * MIB);
	put(*state, "sys/fs/cgroup/memory/jobs/1/memory.limit_in_bytes", "10485760\n");
	put(*state, "sys/fs/cgroup/memory/jobs/1/memory.usage_in_bytes", "4194304\n");
	put(*state, "sys/fs/cgroup/memory/jobs/1/memory.stat",
	    "inactive_file 77777777\ntotal_inactive_file 1048576\n");
	assert_true(available_below(*state) == 7 * MIB);
	/* the limit of another controller's cgroup of the same name is not ours */
	put(*state, "sys/fs/cgroup/cpu/memory/memory.limit_in_bytes", "1\n");
	assert_true(available_below(*state) == 7 * MIB);
}

static void a_container_sees_its_part_at_the_mount_point(void **state)
{
	put(*state, "proc/self/cgroup", "4:memory:/docker/17/sub\n");
	put(*state, "proc/self/mountinfo",
	    "35 31 0:32 /docker/17 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	put(*state, "sys/fs/cgroup/memory/memory.limit_in_bytes", "3145728\n");
	put(*state, "sys/fs/cgroup/memory/sub/memory.limit_in_bytes", "4194304\n");
	assert_true(available_below(*state) == 3 * MIB);
}

static void a_process_outside_of_its_namespace_looks_at_the_top(void **state)
{
	put(*state, "proc/self/cgroup", "0::/../other\n");
	put(*state, "proc/self/mountinfo", V2_MOUNT);
	put(*state, "sys/fs/cgroup/memory.max", "5242880\n");
	assert_true(available_below(*state) == 5 * MIB);
}

static void blanks_in_mount_points_are_read(void **state)
{
	put(*state, "proc/self/cgroup", "0::/a\n");
	put(*state, "proc/self/mountinfo", "41 31 0:38 / /my\\040cgroups rw - cgroup2 none rw\n");
	put(*state, "my cgroups/a/memory.max", "6291456\n");
	assert_true(available_below(*state) == 6 * MIB);
}

static void what_is_no_number_is_no_limit(void **state)
{
	put(*state, "proc/self/cgroup", "no colons\n0::/a\n");
	put(*state, "proc/self/mountinfo", "short line\n\n" V2_MOUNT);
	put(*state, "sys/fs/cgroup/a/memory.max", "12x\n");
	put(*state, "sys/fs/cgroup/a/memory.high", "\n");
	assert_true(available_below(*state) == 8192 * MIB);
}

static void limits_of_the_process_count(void **state)
{
	struct rlimit before, limit;
	uint64_t pages, available;
	FILE *statm = fopen("/proc/self/statm", "r");

	assert_non_null(statm);
	assert_int_equal(fscanf(statm, "%lu", &pages), 1);
	fclose(statm);
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	limit = before;
	limit.rlim_cur = pages * (uint64_t)sysconf(_SC_PAGESIZE) + 64 * MIB;
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	available = available_memory();
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_true(available <= 64 * MIB && available > 16 * MIB);
	assert_true(available_memory() > available);
}

#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

static void threads_have_limits_of_their_own(void **state)
{
	assert_true(available_tasks(*state) == UINT64_MAX);
	put(*state, "proc/self/cgroup", "8:pids:/a/b\n4:memory:/c\n0::/\n");
	put(*state, "proc/self/mountinfo",
	    V1_MOUNT "40 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n");
	put(*state, "sys/fs/cgroup/memory/c/pids.max", "1\n");
	put(*state, "sys/fs/cgroup/pids/a/pids.max", "100\n");
	put(*state, "sys/fs/cgroup/pids/a/pids.current", "90\n");
	put(*state, "sys/fs/cgroup/pids/a/b/pids.max", "max\n");
	assert_true(available_tasks(*state) == 10);
	put(*state, "proc/self/cgroup", "0::/a\n");
	put(*state, "proc/self/mountinfo", V2_MOUNT);
	put(*state, "sys/fs/cgroup/a/pids.max", "7\n");
	assert_true(available_tasks(*state) == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ROOT(memory_of_the_machine_is_the_least),
		cmocka_unit_test(nothing_known_is_no_limit),
		WITH_ROOT(a_v2_limit_counts_less_what_is_used),
		WITH_ROOT(a_parent_may_be_tighter),
		WITH_ROOT(a_full_cgroup_leaves_nothing),
		WITH_ROOT(v1_is_found_among_its_controllers),
		WITH_ROOT(a_container_sees_its_part_at_the_mount_point),
		WITH_ROOT(a_process_outside_of_its_namespace_looks_at_the_top),
		WITH_ROOT(blanks_in_mount_points_are_read),
		WITH_ROOT(what_is_no_number_is_no_limit),
		cmocka_unit_test(limits_of_the_process_count),
		WITH_ROOT(threads_have_limits_of_their_own),
	};

	return cmocka_run_group_tests_name("available memory", tests, NULL, NULL);
}
