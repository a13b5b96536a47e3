// SPDX-License-Identifier: MIT
/* Hosts are read from sysfs and procfs, here recorded ones, and what is unknown stays unknown. */
#include "fixtures.h"

#include "place/host.h"
#include "place/nodes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char *text_of(const json_t *context, const char *key)
{
	return json_string_value(json_object_get(context, key));
}

static void lists_and_numbers_are_read(void **state)
{
	hwloc_bitmap_t ids = hwloc_bitmap_alloc();
	long value;

	assert_int_equal(host_read_list(FAKE_ROOT("bare"), "/sys/devices/system/node/online", ids),
			 0);
	assert_int_equal(hwloc_bitmap_weight(ids), 4);
	assert_true(hwloc_bitmap_isset(ids, 8));
	assert_int_equal(host_read_labelled_list(FAKE_ROOT("bare"), "/proc/thread-self/status",
						 "Cpus_allowed_list", ids),
			 0);
	assert_int_equal(hwloc_bitmap_weight(ids), 3);
	assert_false(hwloc_bitmap_isset(ids, 2));
	assert_int_equal(host_read_list(FAKE_ROOT("bare"), "/no/such/file", ids), -ENOENT);
	assert_true(host_read_number(FAKE_ROOT("bare"), "/proc/sys/kernel/numa_balancing", &value));
	assert_int_equal(value, 1);
	assert_false(host_read_number(FAKE_ROOT("bare"), "/proc/sys/kernel/osrelease", &value));
	hwloc_bitmap_free(ids);
}

static void virtual_machines_are_told_from_real_ones(void **state)
{
	assert_null(host_virtualization(FAKE_ROOT("bare")));
	assert_string_equal(host_virtualization(FAKE_ROOT("guest")), "vmware");
	assert_null(host_virtualization(FAKE_ROOT("no-memcg")));
}

static void the_hierarchy_of_the_memory_controller_is_found(void **state)
{
	assert_string_equal(host_cgroup_version(FAKE_ROOT("bare")), "v2");
	assert_string_equal(host_cgroup_version(FAKE_ROOT("guest")), "v1");
	assert_string_equal(host_cgroup_version(FAKE_ROOT("no-memcg")), "none");
}

static void a_machine_that_spoils_figures_is_warned_about(void **state)
{
	struct machine *machine = open_synthetic("pack:1 core:4 pu:1");
	json_t *context = host_context(machine, FAKE_ROOT("bare"));
	json_t *warnings = machine_warnings(machine, context);
	static const char *const wanted[] = {
		"governor is powersave",    "turbo is on",         "SMT is on",
		"huge pages are always on", "numa_balancing is 1", "others are running: the load was above 1 + half",
		"clock source is hpet",
	};
	char *text = json_dumps(warnings, 0);

	assert_string_equal(text_of(context, "kernel"), "5.15.0-91-generic");
	assert_string_equal(text_of(context, "thp"), "always");
	assert_string_equal(text_of(context, "cgroup"), "v2");
	assert_true(json_is_null(json_object_get(context, "container")));
	assert_true(json_is_null(json_object_get(context, "virtualization")));
	assert_int_equal(json_integer_value(json_object_get(context, "memory_bytes")),
			 131072000ll << 10);
	/* Exactly 1 % is stolen: not more than that, and no warning. */
	assert_true(json_real_value(json_object_get(context, "steal")) == 0.01);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_contains(text, wanted[i]);
	assert_int_equal(json_array_size(warnings), sizeof(wanted) / sizeof(wanted[0]));
	free(text);
	json_decref(warnings);
	json_decref(context);
	machine_free(machine);
}

static void a_quiet_guest_is_only_warned_about_as_a_guest(void **state)
{
	struct machine *machine = open_synthetic("pack:1 core:2 pu:1");
	json_t *context = host_context(machine, FAKE_ROOT("guest"));
	json_t *warnings = machine_warnings(machine, context);

	assert_string_equal(text_of(context, "governor"), "performance");
	assert_true(json_is_false(json_object_get(context, "turbo")));
	assert_true(json_is_false(json_object_get(context, "smt")));
	assert_string_equal(text_of(context, "container"), "podman");
	assert_true(json_is_null(json_object_get(context, "kernel")));
	assert_true(json_is_null(json_object_get(context, "steal")));
	assert_int_equal(json_array_size(warnings), 1);
	assert_contains(json_string_value(json_array_get(warnings, 0)), "virtual (vmware)");
	json_decref(warnings);
	json_decref(context);
	machine_free(machine);
}

static void nothing_is_said_of_a_foreign_machines_host(void **state)
{
	struct machine *machine = open_recorded(RECORDED("power9.xml"));
	json_t *context = machine_context(machine), *warnings = machine_warnings(machine, context);
	static const char *const unknown[] = {
		"kernel", "governor",     "turbo",  "smt",       "thp",           "load",
		"steal",  "clock_source", "cgroup", "container", "virtualization"};

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_true(json_is_null(json_object_get(context, unknown[i])));
	assert_string_equal(text_of(context, "architecture"), "ppc64le");
	assert_int_equal(json_array_size(warnings), 0);
	json_decref(warnings);
	json_decref(context);
	machine_free(machine);
}

static void the_context_of_this_machine_is_complete(void **state)
{
	static const char *const known[] = {"kernel", "host_class", "cpu_model", "hwloc_version",
					    "cgroup", "load",       "steal",     "memory_bytes"};
	struct machine *machine = open_recorded(NULL);
	json_t *context = machine_context(machine);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const json_t *value = json_object_get(context, known[i]);

		if (!value || json_is_null(value))
			fail_msg("%s is not known", known[i]);
	}
	json_decref(context);
	machine_free(machine);
}

/* The nodes of a synthetic machine with the sysfs of another that has the same CPUs. */
static void sysfs_adds_nodes_and_decides_about_cpus(void **state)
{
	struct machine *machine = open_synthetic("node:2 pu:2");
	struct error err = {0};

	nodes_free(machine);
	assert_int_equal(nodes_collect(machine, FAKE_ROOT("bare"), &err), 0);
	assert_int_equal(machine->nr_nodes, 4);
	/* Mems_allowed_list is 0: node 1 is hidden. Cpus_allowed_list leaves CPU 2 out. */
	assert_true(machine->nodes[0].allowed);
	assert_int_equal(machine->nodes[0].nr_allowed, 2);
	assert_false(machine->nodes[1].allowed);
	assert_int_equal(machine->nodes[1].nr_cpus, 2);
	assert_int_equal(machine->nodes[1].nr_allowed, 1);
	assert_int_equal(machine->nodes[1].allowed_cpus[0], 3);
	assert_int_equal(machine->nodes[2].os_index, 2);
	assert_int_equal(machine->nodes[2].bytes, 0);
	/* hwloc does not know node 8, sysfs does: named, but never allowed. */
	assert_int_equal(machine->nodes[3].os_index, 8);
	assert_int_equal(machine->nodes[3].bytes >> 30, 16);
	assert_false(machine->nodes[3].allowed);
	machine_free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_numbers_are_read),
		cmocka_unit_test(virtual_machines_are_told_from_real_ones),
		cmocka_unit_test(the_hierarchy_of_the_memory_controller_is_found),
		cmocka_unit_test(a_machine_that_spoils_figures_is_warned_about),
		cmocka_unit_test(a_quiet_guest_is_only_warned_about_as_a_guest),
		cmocka_unit_test(nothing_is_said_of_a_foreign_machines_host),
		cmocka_unit_test(the_context_of_this_machine_is_complete),
		cmocka_unit_test(sysfs_adds_nodes_and_decides_about_cpus),
	};

	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
