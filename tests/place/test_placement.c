// SPDX-License-Identifier: MIT
/* Modelled nodes and CPUs find their real ones, and where they cannot, every reason is given. */
#include "fixtures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void use_nids(struct point *point, const uint16_t *nids)
{
	memcpy(point->machine.nids, nids, point->machine.nodes * sizeof(*nids));
}

/* All reasons in one text, which ends with the test. */
static const char *reasons_against(const struct machine *machine, const struct point *point)
{
	static char text[4096];
	struct placement *placement = NULL;
	struct error_list reasons = {0};
	size_t length = 0;

	assert_int_equal(placement_new(machine, point, &placement, &reasons), -ENODEV);
	assert_null(placement);
	assert_true(reasons.total > 0);
	for (size_t i = 0; i < reasons.nr; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s\n",
					   reasons.items[i].text);
	return text;
}

static void assert_block(const struct placement *placement, unsigned first, unsigned end,
			 unsigned node)
{
	for (unsigned cpu = first; cpu < end; cpu++)
		assert_int_equal(placement->node_of_cpu[cpu], node);
}

static void real_matches_sparse_ids_by_os_index(void **state)
{
	static const uint16_t nids[] = {0, 8, 252, 253, 254, 255};
	struct machine *machine = open_recorded(RECORDED("power9.xml"));
	struct point point = point_of(PLACEMENT_REAL, 6, 160);
	struct placement *placement;

	use_nids(&point, nids);
	placement = place(machine, &point);
	for (unsigned n = 0; n < 6; n++)
		assert_int_equal(real_id(placement, n), nids[n]);
	placement_free(placement);
	machine_free(machine);
}

static void under_real_only_nodes_with_cpus_own_areas(void **state)
{
	static const uint16_t nids[] = {0, 8, 252, 253, 254, 255};
	struct machine *machine = open_recorded(RECORDED("power9.xml"));
	struct point point = point_of(PLACEMENT_REAL, 6, 161);
	struct placement *placement;

	use_nids(&point, nids);
	placement = place(machine, &point);
	assert_block(placement, 0, 80, 0);
	assert_block(placement, 80, 161, 1);
	placement_free(placement);
	machine_free(machine);
}

static void real_gives_other_ids_what_is_left(void **state)
{
	struct machine *machine = open_recorded(RECORDED("threadripper.xml"));
	struct point point = point_of(PLACEMENT_REAL, 2, 8);
	struct placement *placement = place(machine, &point);

	/* Node 1 keeps its id; node 0 has no memory, so 2 is the one left. */
	assert_int_equal(real_id(placement, 1), 1);
	assert_int_equal(real_id(placement, 0), 2);
	placement_free(placement);
	machine_free(machine);
}

static void real_prefers_nodes_with_cpus(void **state)
{
	static const uint16_t nids[] = {7, 500};
	struct machine *machine = open_recorded(RECORDED("grace-hopper.xml"));
	struct point point = point_of(PLACEMENT_REAL, 2, 4);
	struct placement *placement;

	use_nids(&point, nids);
	placement = place(machine, &point);
	assert_int_equal(real_id(placement, 0), 7);
	assert_int_equal(real_id(placement, 1), 0);
	assert_block(placement, 0, 4, 1);
	placement_free(placement);
	machine_free(machine);
}

static void too_few_nodes_are_explained_with_ids(void **state)
{
	struct machine *machine = open_recorded(RECORDED("threadripper.xml"));
	struct point point = point_of(PLACEMENT_REAL, 3, 8);
	const char *text = reasons_against(machine, &point);

	assert_contains(text, "needs 3 NUMA nodes");
	assert_contains(text, "has 2 (nodes 1-2)");
	assert_contains(text, "nodes 0,3 of");
	assert_contains(text, "without memory");
	machine_free(machine);
}

static void hidden_nodes_are_explained_with_ids(void **state)
{
	struct machine *machine = open_recorded(RECORDED("hidden-node.xml"));
	struct point point = point_of(PLACEMENT_REAL, 2, 8);
	const char *text = reasons_against(machine, &point);

	assert_contains(text, "has 1 (node 0)");
	assert_contains(text, "node 1 of");
	assert_contains(text, "cpuset.mems");
	machine_free(machine);
}

static void real_without_any_cpus_is_refused(void **state)
{
	static const uint16_t nids[] = {3, 4};
	struct machine *machine = open_recorded(RECORDED("grace-hopper.xml"));
	struct point point = point_of(PLACEMENT_REAL, 2, 8);

	use_nids(&point, nids);
	assert_contains(reasons_against(machine, &point), "no CPUs");
	machine_free(machine);
}

static void a_machine_without_usable_memory_is_refused(void **state)
{
	struct machine *machine = open_synthetic("[numa(memory=0)] pu:2");
	struct point point = point_of(PLACEMENT_FOLD, 1, 1);
	const char *text = reasons_against(machine, &point);

	assert_contains(text, "has no NUMA node that can be used");
	assert_contains(text, "node 0 of");
	machine_free(machine);
}

static void fold_goes_round_the_usable_nodes(void **state)
{
	struct machine *machine = open_recorded(RECORDED("threadripper.xml"));
	struct point point = point_of(PLACEMENT_FOLD, 5, 72);
	struct placement *placement = place(machine, &point);

	for (unsigned n = 0; n < 5; n++)
		assert_int_equal(real_id(placement, n), 1 + n % 2);
	placement_free(placement);
	machine_free(machine);
}

static void fold_leaves_hidden_nodes_alone(void **state)
{
	struct machine *machine = open_recorded(RECORDED("hidden-node.xml"));
	struct point point = point_of(PLACEMENT_FOLD, 4, 72);
	struct placement *placement = place(machine, &point);

	for (unsigned n = 0; n < 4; n++)
		assert_int_equal(real_id(placement, n), 0);
	placement_free(placement);
	machine_free(machine);
}

static void fold_spreads_cpus_in_blocks_over_all_nodes(void **state)
{
	static const struct {
		unsigned nodes, cpus;
	} cases[] = {{2, 72}, {3, 72}, {2, 5}, {7, 100}, {8, 3}, {1024, 8192}, {1, 1}};
	struct machine *machine = open_recorded(RECORDED("grace-hopper.xml"));

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct point point = point_of(PLACEMENT_FOLD, cases[i].nodes, cases[i].cpus);
		struct placement *placement = place(machine, &point);
		unsigned owned[1024] = {0}, least = cases[i].cpus / cases[i].nodes;

		for (unsigned cpu = 0; cpu < cases[i].cpus; cpu++) {
			assert_in_range(placement->node_of_cpu[cpu], 0, cases[i].nodes - 1);
			if (cpu)
				assert_true(placement->node_of_cpu[cpu] >=
					    placement->node_of_cpu[cpu - 1]);
			owned[placement->node_of_cpu[cpu]]++;
		}
		for (unsigned n = 0; n < cases[i].nodes; n++)
			assert_in_range(owned[n], least, least + 1);
		placement_free(placement);
	}
	machine_free(machine);
}

static void nothing(void *arg)
{
	*(bool *)arg = true;
}

static void a_foreign_machine_is_planned_with_and_never_measured(void **state)
{
	struct machine *machine = open_synthetic("node:2 pu:2");
	struct point point = point_of(PLACEMENT_REAL, 2, 4);
	struct placement *placement = place(machine, &point);
	struct region region = {0};
	struct error err = {0};
	json_t *found = NULL;
	bool called = false;
	unsigned cpu;

	assert_int_equal(placement_map(placement, 0, 4096, &region, &err), -ENODEV);
	assert_contains(err.text, "is not this machine");
	assert_null(region.base);
	assert_int_equal(placement_write(placement, NULL, 0, &err), -ENODEV);
	assert_int_equal(placement_verify(placement, NULL, 0, &found, &err), -ENODEV);
	assert_int_equal(placement_run(placement, 0, nothing, &called, &err), -ENODEV);
	assert_int_equal(placement_bind_thread(placement, 0, &cpu, &err), -ENODEV);
	assert_false(called);
	placement_free(placement);
	machine_free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_matches_sparse_ids_by_os_index),
		cmocka_unit_test(under_real_only_nodes_with_cpus_own_areas),
		cmocka_unit_test(real_gives_other_ids_what_is_left),
		cmocka_unit_test(real_prefers_nodes_with_cpus),
		cmocka_unit_test(too_few_nodes_are_explained_with_ids),
		cmocka_unit_test(hidden_nodes_are_explained_with_ids),
		cmocka_unit_test(real_without_any_cpus_is_refused),
		cmocka_unit_test(a_machine_without_usable_memory_is_refused),
		cmocka_unit_test(fold_goes_round_the_usable_nodes),
		cmocka_unit_test(fold_leaves_hidden_nodes_alone),
		cmocka_unit_test(fold_spreads_cpus_in_blocks_over_all_nodes),
		cmocka_unit_test(a_foreign_machine_is_planned_with_and_never_measured),
	};

	return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
