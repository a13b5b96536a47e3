// SPDX-License-Identifier: MIT
/*
 * The walks inside the kernel as back ends, over one live tree of which half the memcgs are dying:
 * they answer what was charged and what the kernel's own files say, and do as much as the model of
 * the walk. Skipped, with the reason, where they cannot run.
 */
#include "backend/backend_table.h"
#include "backend/charge.h"
#include "backend/oracle.h"
#include "kernel/live_env.h"
#include "kernel/live_fixture.h"
#include "kernel/walk_bpf.h"
#include "sanitized.h"
#include "scenario/parameter.h"
#include "scenario/target.h"
#include "timing/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MEMCGS 150
#define PAGES  100

struct stand {
	struct point point;
	struct machine *machine;
	struct placement *placement;
	struct memcg_tree *tree;
	void *fixture; /* NULL: not possible here */
	json_t *described;
	struct oracle *oracle;
};

/* What one back end made of one read. */
struct reading {
	struct numa_counts counts;
	struct op_counts did;
	json_t *facts;
	uint32_t memcg;
};

static void check(int r, const struct error *err)
{
	if (r)
		fail_msg("%d: %s", r, err->text);
}

static void describe_point(struct stand *stand)
{
	struct point *point = &stand->point;
	unsigned nodes = 0;

	point_init(point);
	point->tree.shape = TREE_KUBERNETES;
	point->tree.memcgs = MEMCGS;
	point->tree.fanout = 5;
	point->tree.dying_ppm = 500000;
	point->counters.pages = PAGES;
	for (unsigned i = 0; i < stand->machine->nr_nodes && nodes < MAX_NODES; i++)
		if (stand->machine->nodes[i].bytes)
			point->machine.nids[nodes++] = (uint16_t)stand->machine->nodes[i].os_index;
	point->machine.nodes = nodes;
	point->machine.cpus = stand->machine->possible_cpus;
	point->machine.placement = PLACEMENT_REAL;
}

static bool possible(struct stand *stand)
{
	struct fixture_options options = {.enable_controllers = false};
	struct error_list reasons = {.nr = 0};

	if (!live_fixture.possible(&stand->point, stand->machine, &options, &reasons) &&
	    !backend_kernel_bpfwalk.possible(&stand->point, &reasons) &&
	    !backend_kernel_bpfwalk_percpu.possible(&stand->point, &reasons))
		return true;
	print_message("# skipped: %s\n", reasons.items[0].text);
	return false;
}

static int enter(void **state)
{
	static struct stand stand;
	struct fixture_env env = {.point = &stand.point};
	struct charge_plan plan = {.point = &stand.point};
	struct error_list reasons = {.nr = 0};
	struct error err;

	*state = &stand;
	check(machine_open(NULL, &stand.machine, &err), &err);
	describe_point(&stand);
	if (!possible(&stand))
		return 0;
	assert_int_equal(placement_new(stand.machine, &stand.point, &stand.placement, &reasons), 0);
	assert_int_equal(memcg_tree_new(&stand.point.tree, &stand.tree), 0);
	stand.oracle = oracle_new(stand.tree, stand.point.machine.nodes);
	assert_non_null(stand.oracle);
	oracle_populate(stand.oracle, &plan);
	env.machine = stand.machine;
	check(live_fixture.setup(&env, &stand.fixture, &err), &err);
	stand.described = live_fixture.describe(stand.fixture);
	assert_non_null(stand.described);
	return 0;
}

static int leave(void **state)
{
	struct stand *stand = *state;
	struct error err;
	int r = 0;

	if (stand->fixture)
		r = live_fixture.teardown(stand->fixture, &err);
	json_decref(stand->described);
	oracle_free(stand->oracle);
	memcg_tree_free(stand->tree);
	placement_free(stand->placement);
	machine_free(stand->machine);
	return r;
}

static struct stand *stand_of(void **state)
{
	struct stand *stand = *state;

	if (!stand->fixture)
		skip();
	return stand;
}

/* All rows of what `cgroup` means, by a back end of its own. */
static struct reading read_by(const struct stand *stand, const struct backend *backend,
			      enum read_target cgroup)
{
	struct point point = stand->point;
	struct backend_env env = {&point, stand->tree, stand->placement, stand->described};
	struct charge_plan plan = {.point = &point};
	struct op_probe probe = {.lines = NULL};
	struct reading reading = {.facts = NULL};
	struct read_request request = {.rows = ROWS_ALL};
	void *instance;
	struct error err;

	point.read.cgroup = cgroup;
	request.memcg = reading.memcg = target_of(&point, stand->tree).first;
	check(backend->create(&env, &instance, &err), &err);
	if (backend->populate)
		check(backend->populate(instance, &plan, &err), &err);
	assert_int_equal(numa_counts_init(&reading.counts, point.machine.nodes, point.machine.nids),
			 0);
	assert_int_equal(backend->count_read(instance, &request, &reading.counts, &probe), 0);
	reading.did = probe.counts;
	if (backend->facts)
		reading.facts = backend->facts(instance);
	backend->destroy(instance);
	return reading;
}

static void forget(struct reading *reading)
{
	numa_counts_fini(&reading->counts);
	json_decref(reading->facts);
}

/* Every cell, within what CPUs may hold back. */
static void assert_same(const struct stand *stand, const struct numa_counts *counts,
			const struct numa_counts *others)
{
	uint64_t bound = FOLIO_BATCH_HELD * (uint64_t)stand->point.machine.cpus;

	for (size_t i = 0; i < stat_nr_cells(counts); i++) {
		uint64_t a = counts->cells[i], b = others->cells[i];

		if ((a > b ? a - b : b - a) > bound)
			fail_msg("cell %zu: %lu, not %lu", i, (unsigned long)a, (unsigned long)b);
	}
}

static void assert_answers(const struct stand *stand, const struct backend *backend,
			   enum read_target cgroup)
{
	struct reading walked = read_by(stand, backend, cgroup);
	struct numa_counts truth;

	assert_int_equal(
		numa_counts_init(&truth, stand->point.machine.nodes, stand->point.machine.nids), 0);
	oracle_read(stand->oracle, walked.memcg, ROWS_ALL, &truth);
	/* The test can fail: there is more in the subtree than the bound. */
	assert_true(cgroup == TARGET_LEAF ||
		    truth.cells[numa_cell(truth.nr_nodes, SCOPE_HIERARCHICAL, 0, 0)] >
			    FOLIO_BATCH_HELD * (uint64_t)stand->point.machine.cpus);
	if (charges_are_all)
		assert_same(stand, &walked.counts, &truth);
	if (json_integer_value(json_object_get(stand->described, "version")) == 1) {
		struct reading file = read_by(stand, &backend_kernel, cgroup);

		assert_same(stand, &walked.counts, &file.counts);
		forget(&file);
	}
	numa_counts_fini(&truth);
	forget(&walked);
}

static void sums_are_those_of_the_charges_and_of_the_files(void **state)
{
	struct stand *stand = stand_of(state);

	for (enum read_target cgroup = TARGET_ROOT; cgroup <= TARGET_LEAF; cgroup++) {
		if (cgroup == TARGET_MACHINE) /* others charge there, too */
			continue;
		assert_answers(stand, &backend_kernel_bpfwalk, cgroup);
		assert_answers(stand, &backend_kernel_bpfwalk_percpu, cgroup);
	}
}

static uint64_t fact(const struct reading *reading, const char *name)
{
	json_t *value = json_object_get(reading->facts, name);

	assert_true(json_is_integer(value));
	return (uint64_t)json_integer_value(value);
}

static void passes_do_what_the_model_of_the_walk_does(void **state)
{
	struct stand *stand = stand_of(state);
	uint64_t columns = 1 + stand->point.machine.nodes, cpus = stand->point.machine.cpus;

	for (enum read_target cgroup = TARGET_ROOT; cgroup <= TARGET_LEAF; cgroup++) {
		struct reading live, model;

		if (cgroup == TARGET_MACHINE)
			continue;
		live = read_by(stand, &backend_kernel_bpfwalk_percpu, cgroup);
		model = read_by(stand, &backend_walk, cgroup);
		assert_int_equal(live.did.loads_hierarchical, model.did.loads_hierarchical);
		assert_int_equal(live.did.loads_local, model.did.loads_local);
		assert_int_equal(live.did.memcgs_visited, model.did.memcgs_visited);
		assert_int_equal(live.did.loads_local, 10 * columns * cpus);
		assert_int_equal(fact(&live, "passes"), WALK_ROWS * columns);
		forget(&live);
		forget(&model);
	}
}

static void one_pass_does_what_the_model_of_one_does(void **state)
{
	struct stand *stand = stand_of(state);

	for (enum read_target cgroup = TARGET_ROOT; cgroup <= TARGET_LEAF; cgroup++) {
		struct reading live, model;

		if (cgroup == TARGET_MACHINE)
			continue;
		live = read_by(stand, &backend_kernel_bpfwalk, cgroup);
		model = read_by(stand, &backend_walk_once, cgroup);
		assert_int_equal(live.did.memcgs_visited, model.did.memcgs_visited);
		/* It loads each counter on each CPU, and this one what CPUs have flushed to. */
		assert_int_equal(live.did.loads_hierarchical * stand->point.machine.cpus,
				 model.did.loads_hierarchical);
		assert_int_equal(fact(&live, "passes"), 1);
		forget(&live);
		forget(&model);
	}
}

/* Where the kernel keeps them, which the fixture says. */
static void the_dying_are_walked_and_counted(void **state)
{
	struct stand *stand = stand_of(state);
	json_t *found = json_object_get(stand->described, "dying_found");
	const struct backend *const both[] = {&backend_kernel_bpfwalk,
					      &backend_kernel_bpfwalk_percpu};

	if (!json_is_integer(found) ||
	    json_integer_value(found) < (json_int_t)stand->tree->nr_dying) {
		print_message("# skipped: this kernel keeps fewer than were removed\n");
		skip();
	}
	assert_true(stand->tree->nr_dying > MEMCGS / 3);
	for (size_t i = 0; i < 2; i++) {
		struct reading walked = read_by(stand, both[i], TARGET_ROOT);

		assert_int_equal(fact(&walked, "dying_walked"), stand->tree->nr_dying);
		assert_int_equal(fact(&walked, "walks"), 1);
		assert_true(fact(&walked, "kernel_ns") > 0);
		forget(&walked);
	}
}

static void the_root_of_the_machine_has_more_than_the_tree(void **state)
{
	struct stand *stand = stand_of(state);
	struct reading tree = read_by(stand, &backend_kernel_bpfwalk, TARGET_ROOT);
	struct reading machine = read_by(stand, &backend_kernel_bpfwalk, TARGET_MACHINE);
	size_t total = numa_cell(tree.counts.nr_nodes, SCOPE_HIERARCHICAL, NUMA_ROW_TOTAL, 0);

	assert_int_equal(tree.did.memcgs_visited, stand->tree->nr);
	/* Its own directory, that of the tree's process, and where tasks are parked. */
	assert_true(machine.did.memcgs_visited >= stand->tree->nr + 3);
	assert_true(machine.counts.cells[total] > tree.counts.cells[total]);
	forget(&tree);
	forget(&machine);
}

static void masks_of_rows_are_the_ones_of_the_files(void **state)
{
	static const unsigned masks[] = {WALK_MASKS};

	(void)state;
	for (unsigned row = 0; row < NR_NUMA_ROWS; row++)
		assert_int_equal(masks[row], numa_rows[row].lru_mask);
}

/* A program is loaded for the first answer alone: a load takes tens of milliseconds. */
static void a_process_asks_the_kernel_once(void **state)
{
	const struct backend *const both[] = {&backend_kernel_bpfwalk,
					      &backend_kernel_bpfwalk_percpu};
	struct stand *stand = *state;

	for (size_t i = 0; i < 2; i++) {
		struct error_list first = {.nr = 0};
		int r = both[i]->possible(&stand->point, &first);
		uint64_t since = clock_now();

		for (unsigned times = 0; times < 200; times++) {
			struct error_list again = {.nr = 0};

			assert_int_equal(both[i]->possible(&stand->point, &again), r);
			assert_int_equal(again.total, first.total);
			if (first.nr)
				assert_string_equal(again.items[0].text, first.items[0].text);
		}
		assert_true(clock_now() - since < 1000000000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_of_rows_are_the_ones_of_the_files),
		cmocka_unit_test(sums_are_those_of_the_charges_and_of_the_files),
		cmocka_unit_test(passes_do_what_the_model_of_the_walk_does),
		cmocka_unit_test(one_pass_does_what_the_model_of_one_does),
		cmocka_unit_test(the_dying_are_walked_and_counted),
		cmocka_unit_test(the_root_of_the_machine_has_more_than_the_tree),
		cmocka_unit_test(a_process_asks_the_kernel_once),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
