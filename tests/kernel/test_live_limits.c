// SPDX-License-Identifier: MIT
/* Each limit is found on made-up machines, all that are exceeded at once, and none that is not. */
#include "kernel/live_limits.h"
#include "place.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

static struct live_demand demand_of_ten_thousand(void)
{
	return (struct live_demand){
		.memcgs = 10001,
		.levels = 6,
		.ancestors = 60000,
		.pages = {.anon = 45000, .locked = 10000, .file = 45000},
		.tasks = 9,
		.descriptors = 128,
		.file = "memory.numa_stat",
	};
}

static struct live_facts facts_of_a_large_machine(unsigned version)
{
	return (struct live_facts){
		.mount = "/sys/fs/cgroup",
		.version = version,
		.handed_down = version == 2,
		.has_file = true,
		.memcgs = 120,
		.descendants = version == 2 ? 119 : UINT64_MAX,
		.max_descendants = UINT64_MAX,
		.max_levels = UINT64_MAX,
		.memory = 16384 * MIB,
		.lockable = UINT64_MAX,
		.tasks = UINT64_MAX,
		.descriptors = 1024,
		.page_bytes = 4096,
		.cpus = 2,
		.nodes = 1,
	};
}

/* The demand is not met, for one reason only, which says this. */
static void refused(const struct live_demand *demand, const struct live_facts *facts,
		    const char *text)
{
	struct error_list reasons = {.nr = 0};

	assert_int_equal(live_limits_check(demand, facts, &reasons), -ENODEV);
	assert_int_equal(reasons.total, 1);
	if (!strstr(reasons.items[0].text, text))
		fail_msg("'%s' does not say '%s'", reasons.items[0].text, text);
}

static void met(const struct live_demand *demand, const struct live_facts *facts)
{
	struct error_list reasons = {.nr = 0};

	if (live_limits_check(demand, facts, &reasons))
		fail_msg("%s", reasons.items[0].text);
	assert_int_equal(reasons.total, 0);
}

static void large_machines_have_room(void **state)
{
	struct live_demand demand = demand_of_ten_thousand();

	(void)state;
	for (unsigned version = 1; version <= 2; version++) {
		struct live_facts facts = facts_of_a_large_machine(version);

		met(&demand, &facts);
	}
}

static void ids_are_counted_to_the_last(void **state)
{
	struct live_demand demand = demand_of_ten_thousand();
	struct live_facts facts = facts_of_a_large_machine(1);

	(void)state;
	facts.memcgs = 65535 - 10001 - LIVE_OTHERS;
	met(&demand, &facts);
	facts.memcgs++;
	refused(&demand, &facts, "needs 10003 cgroups");
	/* More than there can be, as a count that races with others may say. */
	facts.memcgs = 70000;
	refused(&demand, &facts, "leave 0");
}

static void limits_of_v2_cgroups_count_those_that_exist(void **state)
{
	struct live_demand demand = demand_of_ten_thousand();
	struct live_facts facts = facts_of_a_large_machine(2);

	(void)state;
	facts.max_descendants = 119 + 10003;
	facts.max_levels = 6;
	met(&demand, &facts);
	facts.max_descendants--;
	refused(&demand, &facts, "cgroup.max.descendants leaves 10002");
	facts.max_descendants++;
	facts.max_levels = 5;
	refused(&demand, &facts, "needs 6 levels of cgroups, and cgroup.max.depth allows 5");
}

static void memory_is_that_of_cgroups_and_pages(void **state)
{
	struct live_demand demand = demand_of_ten_thousand();
	struct live_facts facts = facts_of_a_large_machine(1);
	uint64_t needed = live_cgroup_bytes(&demand, 2, 1) + UINT64_C(100000) * 4096;

	(void)state;
	facts.memory = needed;
	met(&demand, &facts);
	facts.memory--;
	refused(&demand, &facts, "cgroups and charged pages need");
}

/* 8,000 took 17.1 KiB of slab each and 2.06 KiB a CPU, of two. */
static void cgroups_take_what_was_measured(void **state)
{
	struct live_demand demand = {.memcgs = 8000};
	double measured = 8002 * (17.14 + 2 * 2.06) * 1024;
	double said = (double)live_cgroup_bytes(&demand, 2, 1);

	(void)state;
	assert_true(said > 0.95 * measured && said < 1.15 * measured);
	assert_true(live_cgroup_bytes(&demand, 72, 2) > live_cgroup_bytes(&demand, 72, 1));
	/* A chain of 10,000 has 50 million pointers to ancestors. */
	demand.ancestors = 50000000;
	assert_true((double)live_cgroup_bytes(&demand, 2, 1) - said == 50000000.0 * sizeof(void *));
}

static void locked_pages_have_a_limit_of_their_own(void **state)
{
	struct live_demand demand = demand_of_ten_thousand();
	struct live_facts facts = facts_of_a_large_machine(1);

	(void)state;
	facts.lockable = 10000 * 4096;
	met(&demand, &facts);
	facts.lockable = 8 * MIB;
	refused(&demand, &facts, "RLIMIT_MEMLOCK (ulimit -l) allows 8");
}

static void tasks_and_descriptors_are_limited(void **state)
{
	struct live_demand demand = demand_of_ten_thousand();
	struct live_facts facts = facts_of_a_large_machine(1);

	(void)state;
	facts.tasks = 8;
	refused(&demand, &facts, "limits of pids leave 8");
	facts.tasks = 9;
	demand.descriptors = 10129;
	refused(&demand, &facts, "RLIMIT_NOFILE (ulimit -n) allows 1024");
}

/* Whoever reads them raises the limit that can be raised, and asks for the other. */
static void files_that_are_kept_are_not_of_the_tree(void **state)
{
	struct live_demand kept, reopened;
	struct memcg_tree *tree;
	struct point point;

	(void)state;
	point_init(&point);
	point.tree.memcgs = 100;
	point.read.cgroup = TARGET_ALL;
	assert_int_equal(memcg_tree_new(&point.tree, &tree), 0);
	reopened = live_demand_of(&point, tree);
	point.read.buffer = BUFFER_KEPT;
	kept = live_demand_of(&point, tree);
	assert_int_equal(kept.descriptors, reopened.descriptors);
	memcg_tree_free(tree);
}

static void rights_are_asked_for(void **state)
{
	struct live_demand demand = demand_of_ten_thousand();
	struct live_facts facts = facts_of_a_large_machine(1);

	(void)state;
	facts.make_error = -EACCES;
	refused(&demand, &facts, "this user may not make cgroups");
	/* One reason is enough. */
	facts.read_only = true;
	refused(&demand, &facts, "is mounted read-only");
	facts = facts_of_a_large_machine(1);
	error_set_at(&facts.notes_error, -EROFS, "/run/memcgbench", 0, 0, "cannot make");
	refused(&demand, &facts, "cannot make");
	facts = facts_of_a_large_machine(1);
	facts.with_cpuset = true;
	refused(&demand, &facts, "cpuset");
	facts = facts_of_a_large_machine(1);
	facts.has_file = false;
	refused(&demand, &facts, "have no memory.numa_stat");
}

static void controllers_are_handed_down_or_may_be(void **state)
{
	struct live_demand demand = demand_of_ten_thousand();
	struct live_facts facts = facts_of_a_large_machine(2);

	(void)state;
	facts.handed_down = false;
	refused(&demand, &facts, "--enable-controllers");
	demand.enable_controllers = true;
	met(&demand, &facts);
	facts.has_processes = true;
	refused(&demand, &facts, "with processes in it");
}

static void all_reasons_are_told(void **state)
{
	struct live_demand demand = demand_of_ten_thousand();
	struct live_facts facts = facts_of_a_large_machine(2);
	struct error_list reasons = {.nr = 0};

	(void)state;
	facts.memcgs = 65000;
	facts.memory = MIB;
	facts.lockable = 65536;
	facts.tasks = 0;
	facts.read_only = true;
	facts.handed_down = false;
	facts.max_levels = 0;
	assert_int_equal(live_limits_check(&demand, &facts, &reasons), -ENODEV);
	assert_int_equal(reasons.total, 7);
}

static void put(const char *directory, const char *file, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	write_text(path, text);
}

static void take(const char *directory, const char *file)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	assert_int_equal(unlink(path), 0);
}

static void facts_are_read_from_files(void **state)
{
	static const char *const files[] = {"cgroup.stat",      "cgroup.max.descendants",
					    "cgroup.max.depth", "cgroup.subtree_control",
					    "cgroup.events",    "cgroup.procs",
					    "memory.numa_stat"};
	struct place *place = *state;
	struct live_facts facts;

	place->hierarchy.version = 2;
	make_below(place->directory, "proc");
	make_below(place->directory, "proc/self");
	put(place->directory, "proc/cgroups",
	    "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t0\t9\t1\nmemory\t0\t300\t1\n");
	put(place->directory, "proc/self/status", "Name:\tx\nCapEff:\t0000000000004000\n");
	put(place->top, "cgroup.stat", "nr_descendants 40\nnr_dying_descendants 7\n");
	put(place->top, "cgroup.max.descendants", "50\n");
	put(place->top, "cgroup.max.depth", "max\n");
	put(place->top, "cgroup.subtree_control", "cpu memory\n");
	put(place->top, "cgroup.events", "populated 1\n");
	put(place->top, "cgroup.procs", "17\n");
	put(place->top, "memory.numa_stat", "");
	live_facts_gather(&place->hierarchy, place->notes, place->directory, "memory.numa_stat",
			  &facts);
	assert_int_equal(facts.memcgs, 300);
	/* Removed ones are among these, and hold no ids: there is one below the top. */
	make_below(place->top, "living");
	live_facts_count(&place->hierarchy, &facts);
	assert_int_equal(facts.memcgs, 2);
	assert_int_equal(unlinkat(place->hierarchy.fd, "living", AT_REMOVEDIR), 0);
	assert_int_equal(facts.descendants, 40);
	assert_int_equal(facts.max_descendants, 50);
	assert_true(facts.max_levels == UINT64_MAX);
	assert_true(facts.lockable == UINT64_MAX);
	assert_true(facts.handed_down && facts.has_processes && facts.has_file);
	assert_int_equal(facts.make_error, 0);
	assert_string_equal(facts.notes_error.text, "");
	/* Nothing was made. */
	assert_int_equal(access(place->notes, F_OK), -1);

	/* A table without memory, as where cgroup v1 is left out of the kernel. */
	put(place->directory, "proc/cgroups", "#subsys_name\thierarchy\n");
	put(place->top, "cgroup.subtree_control", "cpu\n");
	take(place->top, "cgroup.events");
	live_facts_gather(&place->hierarchy, place->notes, place->directory, "memory.stat", &facts);
	assert_int_equal(facts.memcgs, 48);
	assert_false(facts.handed_down || facts.has_processes || facts.has_file);
	put(place->top, "cgroup.events", "");
	take(place->directory, "proc/cgroups");
	take(place->directory, "proc/self/status");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		take(place->top, files[i]);
}

static void notes_that_cannot_be_kept_are_told(void **state)
{
	struct place *place = *state;
	struct live_facts facts;

	snprintf(place->notes, sizeof(place->notes), "%s/none/notes", place->directory);
	live_facts_gather(&place->hierarchy, place->notes, "", "memory.stat", &facts);
	assert_non_null(strstr(facts.notes_error.text, "cannot make"));
	assert_string_equal(facts.notes_error.file, place->notes);
	make_below(place->directory, "none");
	live_facts_gather(&place->hierarchy, place->notes, "", "memory.stat", &facts);
	assert_string_equal(facts.notes_error.text, "");
	assert_int_equal(mkdir(place->notes, 0700), 0);
	assert_int_equal(chmod(place->notes, 0777), 0);
	live_facts_gather(&place->hierarchy, place->notes, "", "memory.stat", &facts);
	assert_non_null(strstr(facts.notes_error.text, "others may write"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_machines_have_room),
		cmocka_unit_test(ids_are_counted_to_the_last),
		cmocka_unit_test(limits_of_v2_cgroups_count_those_that_exist),
		cmocka_unit_test(memory_is_that_of_cgroups_and_pages),
		cmocka_unit_test(cgroups_take_what_was_measured),
		cmocka_unit_test(locked_pages_have_a_limit_of_their_own),
		cmocka_unit_test(tasks_and_descriptors_are_limited),
		cmocka_unit_test(files_that_are_kept_are_not_of_the_tree),
		cmocka_unit_test(rights_are_asked_for),
		cmocka_unit_test(controllers_are_handed_down_or_may_be),
		cmocka_unit_test(all_reasons_are_told),
		cmocka_unit_test_setup_teardown(facts_are_read_from_files, place_enter,
						place_leave),
		cmocka_unit_test_setup_teardown(notes_that_cannot_be_kept_are_told, place_enter,
						place_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
