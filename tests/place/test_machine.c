// SPDX-License-Identifier: MIT
/* Machines are described by OS index, whole, and bad descriptions are refused. */
#include "fixtures.h"

#include "base/file.h"
#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct wanted {
	unsigned os_index;
	uint64_t gib;
	bool allowed;
	unsigned nr_cpus, first_cpu, nr_allowed;
};

static void assert_nodes(const struct machine *machine, const struct wanted *wanted, unsigned nr)
{
	assert_int_equal(machine->nr_nodes, nr);
	for (unsigned i = 0; i < nr; i++) {
		const struct machine_node *node = &machine->nodes[i];

		assert_int_equal(node->os_index, wanted[i].os_index);
		assert_int_equal(node->bytes >> 30, wanted[i].gib);
		assert_int_equal(node->allowed, wanted[i].allowed);
		assert_int_equal(node->nr_cpus, wanted[i].nr_cpus);
		assert_int_equal(node->nr_allowed, wanted[i].nr_allowed);
		for (unsigned j = 0; j < node->nr_cpus; j++)
			assert_int_equal(node->cpus[j], wanted[i].first_cpu + j);
	}
}

static void power9_keeps_its_sparse_ids(void **state)
{
	static const struct wanted wanted[] = {
		{0, 256, true, 8, 0, 8},  {8, 256, true, 8, 88, 8}, {252, 16, true, 0, 0, 0},
		{253, 16, true, 0, 0, 0}, {254, 16, true, 0, 0, 0}, {255, 16, true, 0, 0, 0},
	};
	struct machine *machine = open_recorded(RECORDED("power9.xml"));

	assert_nodes(machine, wanted, 6);
	assert_false(machine->thissystem);
	assert_int_equal(machine->nr_cpus, 16);
	assert_int_equal(machine->possible_cpus, 16);
	assert_int_equal(machine->llc_bytes, 10 << 20);
	assert_string_equal(machine->source, RECORDED("power9.xml"));
	assert_string_equal(machine->host_class,
			    "POWER9, altivec supported, 2 sockets, 6 nodes, 16 CPUs");
	machine_free(machine);
}

static void memory_beside_cpus_does_not_own_them(void **state)
{
	struct machine *machine = open_recorded(RECORDED("grace-hopper.xml"));

	assert_int_equal(machine->nr_nodes, 9);
	assert_int_equal(machine->nodes[0].nr_cpus, 16);
	for (unsigned i = 1; i < 9; i++) {
		assert_int_equal(machine->nodes[i].nr_cpus, 0);
		assert_true(machine->nodes[i].allowed);
	}
	machine_free(machine);
}

static void nodes_without_memory_are_named(void **state)
{
	static const struct wanted wanted[] = {
		{0, 0, false, 0, 0, 0},
		{1, 32, true, 4, 4, 4},
		{2, 32, true, 4, 8, 4},
		{3, 0, false, 0, 0, 0},
	};
	struct machine *machine = open_recorded(RECORDED("threadripper.xml"));
	json_t *json = machine_to_json(machine), *expected = json_pack("[i, i]", 0, 3);

	assert_nodes(machine, wanted, 4);
	assert_true(json_equal(json_object_get(json, "memoryless_nodes"), expected));
	assert_int_equal(json_array_size(json_object_get(json, "cpus_without_node")), 8);
	json_decref(expected);
	json_decref(json);
	machine_free(machine);
}

static void what_a_cpuset_hides_is_shown_and_not_allowed(void **state)
{
	static const struct wanted wanted[] = {
		{0, 64, true, 4, 0, 2},
		{1, 64, false, 4, 4, 1},
	};
	struct machine *machine = open_recorded(RECORDED("hidden-node.xml"));

	assert_nodes(machine, wanted, 2);
	assert_int_equal(machine->nodes[0].allowed_cpus[1], 1);
	assert_int_equal(machine->nodes[1].allowed_cpus[0], 4);
	machine_free(machine);
}

static void faulty_files_are_refused_by_name(void **state)
{
	static const struct {
		const char *path, *message;
		int code;
	} cases[] = {
		{RECORDED("missing.xml"), "cannot open", -ENOENT},
		{PLACE_DATA, "cannot read", -EISDIR},
		{RECORDED("truncated.xml"), "truncated", -EINVAL},
		{RECORDED("malformed.xml"), "not a valid topology", -EINVAL},
		{RECORDED("no-nodes.xml"), "not a valid topology", -EINVAL},
		{RECORDED("no-complete-cpuset.xml"), "not a valid topology", -EINVAL},
		{RECORDED("not-a-topology.xml"), "not a topology in hwloc's XML", -EINVAL},
		{RECORDED("not-xml.xml"), "not a topology in hwloc's XML", -EINVAL},
		{RECORDED("version3.xml"), "version of hwloc's XML", -EINVAL},
		{"/dev/null", "not a topology in hwloc's XML", -EINVAL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine *machine = NULL;
		struct error err = {0};

		assert_int_equal(machine_open(cases[i].path, &machine, &err), cases[i].code);
		assert_null(machine);
		assert_string_equal(err.file, cases[i].path);
		assert_contains(err.text, cases[i].message);
	}
}

/* A few bytes changed, cut out or doubled. */
static size_t damage(struct rng *rng, char *data, size_t length)
{
	for (uint64_t n = 1 + rng_below(rng, 5); n; n--) {
		size_t at = rng_below(rng, length - 128), span = 1 + rng_below(rng, 63);

		switch (rng_below(rng, 3)) {
		case 0:
			data[at] = "0123456789abcdefx\"<>/ ,-"[rng_below(rng, 24)];
			break;
		case 1:
			length -= span;
			memmove(data + at, data + at + span, length - at);
			break;
		default:
			memmove(data + at, data + at + span, span <= 32 ? span : 32);
		}
	}
	return length;
}

static void damaged_files_are_refused_or_read_and_crash_nothing(void **state)
{
	unsigned rounds = getenv("MEMCGBENCH_TEST_LONG") ? 3000 : 60;
	char path[] = "/tmp/memcgbench-test-XXXXXX", *good, *bad;
	int fd = mkstemp(path), refused = 0;
	size_t length;

	assert_true(fd >= 0);
	assert_int_equal(file_read(RECORDED("power9.xml"), 1 << 20, &good, &length, NULL), 0);
	bad = malloc(length);
	assert_non_null(bad);
	for (unsigned i = 0; i < rounds; i++) {
		struct rng rng = rng_for(1, i, 0);
		struct machine *machine = NULL;
		struct error err = {0};
		size_t left;

		memcpy(bad, good, length);
		left = damage(&rng, bad, length);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bad, left, 0), left);
		if (machine_open(path, &machine, &err)) {
			assert_string_equal(err.file, path);
			assert_true(err.text[0]);
			refused++;
		}
		machine_free(machine);
	}
	assert_in_range(refused, rounds / 4, rounds);
	free(bad);
	free(good);
	close(fd);
	unlink(path);
}

static void faulty_synthetic_descriptions_are_refused(void **state)
{
	struct machine *machine = NULL;
	struct error err = {0};

	assert_int_equal(machine_open_synthetic("nonsense:2", &machine, &err), -EINVAL);
	assert_null(machine);
	assert_contains(err.text, "nonsense:2");
}

static void this_machine_is_this_system(void **state)
{
	struct machine *machine = open_recorded(NULL);
	unsigned nr_cpus = 0, nr_allowed = 0;
	uint64_t bytes = 0;

	assert_true(machine->thissystem);
	assert_string_equal(machine->source, "this machine");
	for (unsigned i = 0; i < machine->nr_nodes; i++) {
		nr_cpus += machine->nodes[i].nr_cpus;
		nr_allowed += machine->nodes[i].nr_allowed;
		bytes += machine->nodes[i].bytes;
	}
	assert_int_equal(nr_cpus, sysconf(_SC_NPROCESSORS_ONLN));
	assert_in_range(nr_allowed, 1, nr_cpus);
	assert_in_range(machine->possible_cpus, nr_cpus, 8192);
	assert_true(bytes > 0);
	machine_free(machine);
}

static void the_class_of_a_host_is_stable(void **state)
{
	struct machine *one = open_recorded(NULL), *two = open_recorded(NULL);
	char name[256] = "";

	assert_string_equal(one->host_class, two->host_class);
	assert_contains(one->host_class, "cgroup");
	gethostname(name, sizeof(name) - 1);
	if (strlen(name) > 3)
		assert_null(strstr(one->host_class, name));
	machine_free(one);
	machine_free(two);
}

/* In a child, since the affinity of this thread would stay narrowed. */
static void a_narrowed_affinity_narrows_what_is_allowed(void **state)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct machine *machine = NULL;
		unsigned nr_allowed = 0, cpu = (unsigned)sched_getcpu(), found = ~0u;
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set) || machine_open(NULL, &machine, NULL))
			_exit(1);
		for (unsigned i = 0; i < machine->nr_nodes; i++) {
			nr_allowed += machine->nodes[i].nr_allowed;
			if (machine->nodes[i].nr_allowed)
				found = machine->nodes[i].allowed_cpus[0];
		}
		_exit(nr_allowed != 1 || found != cpu);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void variables_that_bend_hwloc_are_found(void **state)
{
	static const char *const names[] = {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT",
					    "HWLOC_CPUID_PATH", "HWLOC_THISSYSTEM"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_null(machine_foreign_variable());
		setenv(names[i], "", 1);
		assert_string_equal(machine_foreign_variable(), names[i]);
		unsetenv(names[i]);
	}
}

static void a_machine_from_the_environment_is_not_this_system(void **state)
{
	for (unsigned lie = 0; lie < 2; lie++) {
		struct machine *machine;

		setenv("HWLOC_SYNTHETIC", "node:3 pu:2", 1);
		if (lie)
			setenv("HWLOC_THISSYSTEM", "1", 1);
		machine = open_recorded(NULL);
		unsetenv("HWLOC_SYNTHETIC");
		unsetenv("HWLOC_THISSYSTEM");
		assert_false(machine->thissystem);
		assert_int_equal(machine->nr_nodes, 3);
		assert_contains(machine->source, "HWLOC_SYNTHETIC");
		machine_free(machine);
	}
}

static void a_bad_file_in_the_environment_leaves_this_machine(void **state)
{
	struct machine *machine;

	setenv("HWLOC_XMLFILE", RECORDED("missing.xml"), 1);
	machine = open_recorded(NULL);
	assert_string_equal(machine_foreign_variable(), "HWLOC_XMLFILE");
	unsetenv("HWLOC_XMLFILE");
	assert_true(machine->thissystem);
	machine_free(machine);
}

static void json_keeps_the_contract(void **state)
{
	struct machine *machine = open_synthetic("[numa(memory=4GB)] [numa(memory=0)] pu:2");
	json_t *json = machine_to_json(machine), *nodes = json_object_get(json, "nodes");
	json_t *first = json_array_get(nodes, 0), *cpus = json_pack("[i, i]", 0, 1);

	assert_true(json_is_false(json_object_get(json, "thissystem")));
	assert_string_equal(json_string_value(json_object_get(json, "host_class")),
			    machine->host_class);
	assert_int_equal(json_array_size(nodes), 2);
	assert_int_equal(json_integer_value(json_object_get(first, "os_index")), 0);
	assert_true(json_equal(json_object_get(first, "cpus"), cpus));
	assert_int_equal(json_integer_value(json_object_get(first, "bytes")), 4000000000);
	assert_true(json_is_true(json_object_get(first, "allowed")));
	assert_true(json_is_null(json_object_get(json, "llc_bytes")));
	json_decref(cpus);
	json_decref(json);
	machine_free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(power9_keeps_its_sparse_ids),
		cmocka_unit_test(memory_beside_cpus_does_not_own_them),
		cmocka_unit_test(nodes_without_memory_are_named),
		cmocka_unit_test(what_a_cpuset_hides_is_shown_and_not_allowed),
		cmocka_unit_test(faulty_files_are_refused_by_name),
		cmocka_unit_test(damaged_files_are_refused_or_read_and_crash_nothing),
		cmocka_unit_test(faulty_synthetic_descriptions_are_refused),
		cmocka_unit_test(this_machine_is_this_system),
		cmocka_unit_test(the_class_of_a_host_is_stable),
		cmocka_unit_test(a_narrowed_affinity_narrows_what_is_allowed),
		cmocka_unit_test(variables_that_bend_hwloc_are_found),
		cmocka_unit_test(a_machine_from_the_environment_is_not_this_system),
		cmocka_unit_test(a_bad_file_in_the_environment_leaves_this_machine),
		cmocka_unit_test(json_keeps_the_contract),
	};

	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
