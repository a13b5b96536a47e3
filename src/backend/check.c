// SPDX-License-Identifier: MIT
/* See check.h. */
#include "backend/check.h"

#include "backend/update_stream.h"
#include "scenario/target.h"

#include <errno.h>
#include <stdlib.h>

#define SEEDED_MEMCGS 5
#define UPDATE_SEED   0x6d656d6367u
#define COMPARE_EVERY 1000000u

struct check {
	const struct backend *backend;
	const struct point *point;
	const struct memcg_tree *tree;
	void *instance;
	struct oracle *oracle;
	struct numa_counts counts, truth;
	struct check_result *result;
};

static int compare_memcg(struct check *check, uint32_t memcg, bool updated)
{
	unsigned rows = point_format(check->point)->scopes;
	struct read_request request = {.memcg = memcg, .rows = rows};
	struct check_result *result = check->result;
	struct cell_error worst;
	unsigned beyond;
	int ret;

	ret = backend_read_counts(check->backend, check->instance, &request, &check->counts);
	if (ret)
		return ret;
	oracle_read(check->oracle, memcg, rows, &check->truth);
	beyond = oracle_compare(check->backend, check->point, &check->counts, &check->truth, rows,
				memcg_tree_size(check->tree, memcg), &worst);
	if (!result->cells || cell_error_worse(&worst, &result->worst)) {
		result->worst = worst;
		result->worst_memcg = memcg;
		result->worst_updated = updated;
	}
	result->cells +=
		stat_nr_cells(&check->counts) / NR_SCOPES * (unsigned)__builtin_popcount(rows);
	result->beyond += beyond;
	return 0;
}

static int compare_memcgs(struct check *check, bool updated)
{
	struct target target = target_of(check->point, check->tree);
	struct rng rng = rng_for(check->point->tree.seed, check->tree->nr, updated);
	uint32_t last = check->tree->nr - 1;
	int ret;

	ret = compare_memcg(check, 0, updated);
	if (!ret && target.first)
		ret = compare_memcg(check, target.first, updated);
	if (!ret)
		ret = compare_memcg(check, last / 2, updated);
	if (!ret)
		ret = compare_memcg(check, last, updated);
	for (unsigned i = 0; !ret && i < SEEDED_MEMCGS; i++)
		ret = compare_memcg(check, (uint32_t)rng_below(&rng, check->tree->nr), updated);
	return ret;
}

/* Compares after the last one, and on the way to it after every COMPARE_EVERY. */
static int apply_updates(struct check *check, uint64_t updates)
{
	struct update_stream stream;
	struct update update;
	int ret = 0;

	update_stream_init(&stream, UPDATE_SEED, check->point, check->oracle);
	for (uint64_t i = 1; !ret && i <= updates; i++) {
		update_stream_next(&stream, &update);
		oracle_update(check->oracle, &update);
		check->backend->update(check->instance, &update);
		if (i == updates || i % COMPARE_EVERY == 0)
			ret = compare_memcgs(check, true);
	}
	return ret;
}

static int run(struct check *check, uint64_t updates, struct error *err)
{
	struct charge_plan plan = {.point = check->point};
	int ret;

	ret = check->backend->populate(check->instance, &plan, err);
	if (ret)
		return ret;
	oracle_populate(check->oracle, &plan);
	ret = compare_memcgs(check, false);
	if (!ret && updates && check->backend->capabilities & BACKEND_UPDATE)
		ret = apply_updates(check, updates);
	if (ret)
		return error_set(err, ret, "%s: cannot read", check->backend->name);
	return 0;
}

static int check_init(struct check *check)
{
	unsigned nodes = check->point->machine.nodes;

	check->oracle = oracle_new(check->tree, nodes);
	if (!check->oracle)
		return -ENOMEM;
	if (stat_counts_init(&check->counts, point_format(check->point), nodes,
			     check->point->machine.nids) ||
	    stat_counts_init(&check->truth, point_format(check->point), nodes,
			     check->point->machine.nids))
		return -ENOMEM;
	return 0;
}

int check_backend(const struct backend *backend, const struct point *point,
		  const struct memcg_tree *tree, const struct placement *placement,
		  uint64_t updates, struct check_result *result, struct error *err)
{
	const struct backend_env env = {.point = point, .tree = tree, .placement = placement};
	struct check check = {.backend = backend, .point = point, .tree = tree, .result = result};
	int ret;

	*result = (struct check_result){0};
	ret = check_init(&check);
	if (ret)
		ret = error_set(err, ret, "out of memory");
	else
		ret = backend->create(&env, &check.instance, err);
	if (!ret) {
		ret = run(&check, updates, err);
		backend->destroy(check.instance);
	}
	numa_counts_fini(&check.truth);
	numa_counts_fini(&check.counts);
	oracle_free(check.oracle);
	return ret;
}
