// SPDX-License-Identifier: MIT
/* What cannot be measured is told with all of its reasons, and estimates follow what is asked. */
#include "driver/feasible.h"

#include "driver/churn.h"
#include "driver/update_cost.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What fixtures may do. */
static const struct fixture_options nothing;

static int open_machine(void **state)
{
	struct machine *machine;

	if (machine_open_synthetic("node:2(memory=2GB) core:2 pu:1", &machine, NULL))
		return -1;
	*state = machine;
	return 0;
}

static int free_machine(void **state)
{
	machine_free(*state);
	return 0;
}

static struct point small_point(void)
{
	struct point point;

	point_init(&point);
	point.tree.memcgs = 100;
	point.machine.nodes = 2;
	point.machine.cpus = 4;
	return point;
}

static const struct backend *walk(void)
{
	const struct backend *backend = backend_find("walk");

	assert_non_null(backend);
	return backend;
}

static void assert_reasons(const struct machine *machine, const struct point *point,
			   const char *const *parts, size_t nr)
{
	struct error_list reasons = {0};
	int code = feasible(machine, point, walk(), &nothing, &reasons);

	if (reasons.total != nr)
		error_list_print(stderr, &reasons);
	assert_int_equal(reasons.total, nr);
	assert_int_equal(code, nr ? -ENODEV : 0);
	for (size_t i = 0; i < nr; i++)
		assert_non_null(strstr(reasons.items[i].text, parts[i]));
}

#define ASSERT_REASONS(machine, point, ...)                                \
	assert_reasons(machine, point, (const char *const[]){__VA_ARGS__}, \
		       sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void a_file_needs_its_counters(void **state)
{
	const struct backend *packed = backend_find("packed");
	struct point point = small_point();
	struct error_list reasons = {0};

	assert_int_equal(feasible(*state, &point, packed, &nothing, &reasons), 0);
	point.read.version = READ_V2;
	assert_reasons(*state, &point, NULL, 0);
	assert_int_equal(feasible(*state, &point, packed, &nothing, &reasons), -ENODEV);
	assert_int_equal(reasons.total, 1);
	assert_string_equal(reasons.items[0].text,
			    "packed has no counters for v2-numa_stat, only for v1-numa_stat");
}

static void spills_need_updates(void **state)
{
	struct backend still = *walk();
	struct point point = small_point();
	struct error_list reasons = {0};

	point.read.spills = 1;
	assert_reasons(*state, &point, NULL, 0);
	still.name = "still";
	still.capabilities = 0;
	assert_int_equal(feasible(*state, &point, &still, &nothing, &reasons), -ENODEV);
	assert_int_equal(reasons.total, 1);
	assert_non_null(strstr(reasons.items[0].text, "read.spills needs updates, and still"));
}

static void cpu_stat_needs_a_back_end_that_has_it(void **state)
{
	struct point point = small_point();
	struct error_list reasons = {0};

	assert_int_equal(feasible(*state, &point, walk(), &nothing, &reasons), 0);
	point.read.with = WITH_CPU_STAT;
	assert_int_equal(feasible(*state, &point, backend_find("rstat"), &nothing, &reasons), 0);
	ASSERT_REASONS(*state, &point, "read.with: cpu.stat needs a back end that keeps CPU time");
}

static void memory_stat_beside_needs_a_back_end_that_reads_it(void **state)
{
	static const char *const not_able[] = {"packed", "bounded", "cached-fnptr", "kernel-floor",
					       "kernel-bpfwalk"};
	static const char *const able[] = {"walk", "cached", "walk-once", "rstat"};
	struct point point = small_point();

	point.read.with = WITH_MEMORY_STAT;
	for (size_t i = 0; i < sizeof(able) / sizeof(able[0]); i++) {
		struct error_list reasons = {0};

		assert_int_equal(
			feasible_backend(&point, backend_find(able[i]), UINT64_MAX, &reasons), 0);
	}
	for (size_t i = 0; i < sizeof(not_able) / sizeof(not_able[0]); i++) {
		struct error_list reasons = {0};

		assert_int_equal(
			feasible_backend(&point, backend_find(not_able[i]), UINT64_MAX, &reasons),
			-ENODEV);
		assert_non_null(strstr(reasons.items[0].text,
				       "read.with: memory.stat needs a back end that reads that "
				       "file, too, and "));
		assert_non_null(strstr(reasons.items[0].text, not_able[i]));
	}
	(void)state;
}

static void a_file_beside_takes_its_own_time(void **state)
{
	struct point point = small_point();
	double alone, beside, both;

	alone = estimate_process(&point, walk()).process_ns;
	point.read.file = READ_MEMORY_STAT;
	beside = estimate_process(&point, walk()).process_ns;
	point.read.file = READ_NUMA_STAT;
	point.read.with = WITH_MEMORY_STAT;
	both = estimate_process(&point, walk()).process_ns;
	assert_true(both > alone && both > beside);
	(void)state;
}

static void what_fits_is_possible(void **state)
{
	struct point point = small_point();

	assert_reasons(*state, &point, NULL, 0);
	point.machine.placement = PLACEMENT_REAL;
	assert_reasons(*state, &point, NULL, 0);
	/* more nodes than there are share them */
	point.machine.placement = PLACEMENT_FOLD;
	point.machine.nodes = 7;
	assert_reasons(*state, &point, NULL, 0);
}

static void more_readers_than_cpus_are_possible(void **state)
{
	struct point point = small_point();

	point.machine.cpus = 64;
	point.read.readers = 64;
	assert_reasons(*state, &point, NULL, 0);
}

static void real_nodes_must_be_there(void **state)
{
	struct point point = small_point();

	point.machine.nodes = 3;
	point.machine.placement = PLACEMENT_REAL;
	ASSERT_REASONS(*state, &point, "placement: real needs 3");
}

static void memory_must_be_there(void **state)
{
	struct point point = small_point();

	/* the machine has 4 GB in all */
	point.tree.memcgs = 20000;
	point.machine.cpus = 72;
	ASSERT_REASONS(*state, &point, "walk needs 4.");
	point.tree.memcgs = 4000000;
	point.machine.cpus = MAX_CPUS;
	point.machine.nodes = MAX_NODES;
	ASSERT_REASONS(*state, &point, "of memory");
}

static void the_machines_own_root_needs_a_live_back_end(void **state)
{
	struct point point = small_point();

	point.read.cgroup = TARGET_MACHINE;
	ASSERT_REASONS(*state, &point, "read.cgroup: machine needs a live back end");
}

static void all_reasons_are_told_at_once(void **state)
{
	struct point point = small_point();

	point.tree.memcgs = 1000000;
	point.machine.nodes = 3;
	point.machine.placement = PLACEMENT_REAL;
	point.read.cgroup = TARGET_MACHINE;
	ASSERT_REASONS(*state, &point, "placement: real", "of memory", "read.cgroup: machine");
}

static void memory_of_a_foreign_machine_is_its_nodes(void **state)
{
	const struct machine *machine = *state;

	assert_false(machine->thissystem);
	assert_true(available_on(machine) == machine->nodes[0].bytes + machine->nodes[1].bytes);
	assert_true(available_on(machine) >= 3900000000u);
}

static void a_process_takes_more_than_its_counters(void **state)
{
	struct point point = small_point();
	struct estimate small = estimate_process(&point, walk()), large;

	assert_true(small.memory_bytes > walk()->bytes(&point));
	point.tree.memcgs = 10000;
	large = estimate_process(&point, walk());
	assert_true(large.memory_bytes > walk()->bytes(&point));
	/* but not out of all proportion: plans would refuse what fits */
	assert_true((double)large.memory_bytes < 1.05 * (double)walk()->bytes(&point) + (64 << 20));
	assert_true(large.process_ns > small.process_ns);
}

static void who_lingers_takes_time_and_memory(void **state)
{
	struct point point = small_point();
	const struct backend *cached = backend_find("cached");
	struct estimate quiet = estimate_process(&point, cached), few, many;

	(void)state;
	point.write.churn = 1000;
	few = estimate_process(&point, cached);
	point.write.linger = 100000;
	many = estimate_process(&point, cached);
	assert_true(few.process_ns >= quiet.process_ns);
	assert_true(few.memory_bytes > quiet.memory_bytes);
	assert_true(many.process_ns > few.process_ns + churn_guess_ns(&point) / 2);
	assert_true(many.memory_bytes > few.memory_bytes + 100000 * sizeof(uint64_t));
}

static void readers_take_memory_too(void **state)
{
	struct point point = small_point();
	uint64_t one = estimate_process(&point, walk()).memory_bytes, cold;

	point.read.readers = 64;
	point.read.cache = CACHE_COLD;
	cold = estimate_process(&point, walk()).memory_bytes;
	assert_true(cold >= one + 63 * (UINT64_C(16) << 20)); /* a buffer to sweep each */
	point.read.cache = CACHE_HOT;
	point.read.samples = 10000000;
	point.read.time_ns = 3600u * UINT64_C(1000000000) * 24;
	assert_true(estimate_process(&point, walk()).memory_bytes > one + UINT64_C(10000000) * 16);
}

/* Of the time of a process, the part that depends on the samples. */
static double timed_part(struct point point, uint32_t samples, uint64_t time_ns, uint64_t pacing_ns)
{
	double none;

	point.read.samples = 0;
	point.read.time_ns = 0;
	point.read.pacing_ns = 0;
	none = estimate_process(&point, walk()).process_ns - 5 * walk()->guess_read_ns(&point);
	point.read.samples = samples;
	point.read.time_ns = time_ns;
	point.read.pacing_ns = pacing_ns;
	/* updates are timed behind it, and within read.time, too */
	none += update_cost_guess_ns(&point, walk());
	return estimate_process(&point, walk()).process_ns - none;
}

static void the_timed_part_is_samples_or_its_cap(void **state)
{
	struct point point = small_point();
	double read_ns = walk()->guess_read_ns(&point);

	assert_true(fabs(timed_part(point, 100, 3600000000000u, 0) - 100 * read_ns) < 1000);
	assert_true(fabs(timed_part(point, 10000000, 2000000000u, 0) - 2e9) < 1000);
	/* never fewer than five */
	assert_true(fabs(timed_part(point, 100, 1, 0) - 5 * read_ns) < 1000);
	/* paced samples take their interval */
	assert_true(fabs(timed_part(point, 10, 3600000000000u, 1000000000u) - 10e9) < 1000);
}

#define WITH_MACHINE(test) cmocka_unit_test_setup_teardown(test, open_machine, free_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_MACHINE(what_fits_is_possible),
		WITH_MACHINE(a_file_needs_its_counters),
		WITH_MACHINE(spills_need_updates),
		WITH_MACHINE(cpu_stat_needs_a_back_end_that_has_it),
		cmocka_unit_test(memory_stat_beside_needs_a_back_end_that_reads_it),
		cmocka_unit_test(a_file_beside_takes_its_own_time),
		WITH_MACHINE(more_readers_than_cpus_are_possible),
		WITH_MACHINE(real_nodes_must_be_there),
		WITH_MACHINE(memory_must_be_there),
		WITH_MACHINE(the_machines_own_root_needs_a_live_back_end),
		WITH_MACHINE(all_reasons_are_told_at_once),
		WITH_MACHINE(memory_of_a_foreign_machine_is_its_nodes),
		cmocka_unit_test(a_process_takes_more_than_its_counters),
		cmocka_unit_test(who_lingers_takes_time_and_memory),
		cmocka_unit_test(readers_take_memory_too),
		cmocka_unit_test(the_timed_part_is_samples_or_its_cap),
	};

	return cmocka_run_group_tests_name("feasible", tests, NULL, NULL);
}
