// SPDX-License-Identifier: MIT
/* See fixture.h. */
#include "fixture.h"

#include "backend/update_stream.h"
#include "scenario/parameter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct point small_point(uint32_t memcgs, uint32_t nodes, uint32_t cpus)
{
	struct point point;

	point_init(&point);
	point.tree.memcgs = memcgs;
	point.machine.nodes = nodes;
	point.machine.cpus = cpus;
	for (unsigned i = 0; i < nodes; i++)
		point.machine.nids[i] = (uint16_t)i;
	return point;
}

static void check(int ret, const struct error *err)
{
	if (ret)
		fail_msg("%d: %s", ret, err->text);
}

void fixture_init(struct test_model *f, const struct point *point, const char *backend)
{
	struct error_list reasons = {.nr = 0};
	struct error err = {.text = ""};
	struct backend_env env;

	memset(f, 0, sizeof(*f));
	f->point = *point;
	f->backend = backend_find(backend);
	assert_non_null(f->backend);
	assert_int_equal(memcg_tree_new(&point->tree, &f->tree), 0);
	check(machine_open(NULL, &f->machine, &err), &err);
	if (placement_new(f->machine, &f->point, &f->placement, &reasons))
		fail_msg("%s", reasons.items[0].text);
	f->oracle = oracle_new(f->tree, point->machine.nodes);
	assert_non_null(f->oracle);
	assert_int_equal(stat_counts_init(&f->counts, point_format(point), point->machine.nodes,
					  f->point.machine.nids),
			 0);
	assert_int_equal(stat_counts_init(&f->truth, point_format(point), point->machine.nodes,
					  f->point.machine.nids),
			 0);

	env = (struct backend_env){.point = &f->point, .tree = f->tree, .placement = f->placement};
	check(f->backend->create(&env, &f->instance, &err), &err);
}

void fixture_populate(struct test_model *f)
{
	struct charge_plan plan = {.point = &f->point};
	struct error err = {.text = ""};

	check(f->backend->populate(f->instance, &plan, &err), &err);
	oracle_populate(f->oracle, &plan);
}

void fixture_fini(struct test_model *f)
{
	f->backend->destroy(f->instance);
	numa_counts_fini(&f->counts);
	numa_counts_fini(&f->truth);
	oracle_free(f->oracle);
	placement_free(f->placement);
	machine_free(f->machine);
	memcg_tree_free(f->tree);
}

void fixture_update(struct test_model *f, const struct update *update)
{
	if (!(f->backend->capabilities & BACKEND_UPDATE))
		return;
	f->backend->update(f->instance, update);
	oracle_update(f->oracle, update);
}

void fixture_random_updates(struct test_model *f, uint64_t seed, uint64_t updates)
{
	struct update_stream stream;
	struct update update;

	update_stream_init(&stream, seed, &f->point, f->oracle);
	for (uint64_t i = 0; i < updates; i++) {
		update_stream_next(&stream, &update);
		fixture_update(f, &update);
	}
}

void fixture_read(struct test_model *f, uint32_t memcg)
{
	struct read_request request = {.memcg = memcg, .rows = point_rows(&f->point)};

	/* What is not written must not pass by chance. */
	memset(f->counts.cells, 0x5a, stat_nr_cells(&f->counts) * sizeof(*f->counts.cells));
	assert_int_equal(backend_read_counts(f->backend, f->instance, &request, &f->counts), 0);
	oracle_read(f->oracle, memcg, request.rows, &f->truth);
}

struct cell_error fixture_compare(struct test_model *f, uint32_t memcg)
{
	struct cell_error worst;
	char name[CELL_NAME_MAX];
	unsigned beyond;

	fixture_read(f, memcg);
	beyond = oracle_compare(f->backend, &f->point, &f->counts, &f->truth, point_rows(&f->point),
				memcg_tree_size(f->tree, memcg), &worst);
	if (beyond)
		fail_msg("%s, memcg %u: %u cells beyond their bound; %s is %llu, truth %llu, "
			 "bound %llu",
			 f->backend->name, memcg, beyond, cell_error_name(name, &worst, &f->point),
			 (unsigned long long)worst.value, (unsigned long long)worst.truth,
			 (unsigned long long)worst.bound);
	return worst;
}

struct op_counts fixture_count(struct test_model *f, uint32_t memcg, uint64_t *bytes_touched)
{
	struct read_request request = {.memcg = memcg, .rows = point_rows(&f->point)};
	struct op_probe probe = {.lines = NULL};
	const struct region *regions;
	size_t nr;

	regions = f->backend->regions(f->instance, &nr);
	probe.lines = line_set_new(regions, nr);
	assert_non_null(probe.lines);
	assert_int_equal(backend_count(f->backend, f->instance, &request, &f->counts, FORM_TEXT,
				       TEXT_FAST, &probe),
			 0);
	if (bytes_touched)
		*bytes_touched = line_set_bytes(probe.lines);
	line_set_free(probe.lines);
	return probe.counts;
}

uint64_t many_updates(void)
{
	const char *wanted = getenv("MEMCGBENCH_TEST_LONG");

	return wanted && !strcmp(wanted, "1") ? 100000000 : 1000000;
}
