// SPDX-License-Identifier: MIT
/* See bench_model.h. */
#include "bench_model.h"

#include "scenario/parameter.h"

#include <errno.h>

int bench_model_init(struct bench_model *model, const struct backend *backend,
		     const struct bench_shape *shape, struct error *err)
{
	struct point *point = &model->point;

	*model = (struct bench_model){.backend = backend};
	point_init(point);
	point->tree.shape = shape->shape;
	point->tree.memcgs = shape->memcgs;
	point->machine.nodes = shape->nodes;
	point->machine.cpus = shape->cpus;
	point->machine.skew = shape->skew;
	for (unsigned i = 0; i < shape->nodes; i++)
		point->machine.nids[i] = (uint16_t)i;
	point->counters.spread_cpus = shape->cpus < 2 ? shape->cpus : 2;
	point_set_id(point);
	return machine_open(NULL, &model->machine, err);
}

void bench_model_fini(struct bench_model *model)
{
	bench_model_destroy(model);
	if (model->machine)
		machine_free(model->machine);
	model->machine = NULL;
}

int bench_model_create(struct bench_model *model, struct error *err)
{
	struct error_list reasons = {0};
	struct backend_env env;
	int r;

	r = memcg_tree_new(&model->point.tree, &model->tree);
	if (r < 0)
		return error_set(err, r, "the tree cannot be made");
	r = placement_new(model->machine, &model->point, &model->placement, &reasons);
	if (r < 0) {
		if (reasons.nr > 0)
			*err = reasons.items[0];
		goto fail;
	}
	env = (struct backend_env){&model->point, model->tree, model->placement};
	r = model->backend->create(&env, &model->instance, err);
	if (r < 0)
		goto fail;
	return 0;
fail:
	bench_model_destroy(model);
	return r;
}

void bench_model_destroy(struct bench_model *model)
{
	if (model->unbound) {
		hwloc_set_cpubind(model->machine->topology, model->unbound, HWLOC_CPUBIND_THREAD);
		hwloc_bitmap_free(model->unbound);
	}
	if (model->instance)
		model->backend->destroy(model->instance);
	if (model->placement)
		placement_free(model->placement);
	if (model->tree)
		memcg_tree_free(model->tree);
	model->unbound = NULL;
	model->instance = NULL;
	model->placement = NULL;
	model->tree = NULL;
}

int bench_model_populate(struct bench_model *model, struct error *err)
{
	struct charge_plan plan = {.point = &model->point};

	return model->backend->populate(model->instance, &plan, err);
}

int bench_model_count(const struct bench_model *model, const struct read_request *request,
		      struct numa_counts *scratch, enum read_form form, enum text_style style,
		      struct op_counts *counts, uint64_t *bytes_touched, struct error *err)
{
	struct op_probe probe = {0};
	const struct region *regions;
	size_t nr;
	int r;

	regions = model->backend->regions(model->instance, &nr);
	probe.lines = line_set_new(regions, nr);
	if (!probe.lines)
		return error_set(err, -ENOMEM, "out of memory");
	r = backend_count(model->backend, model->instance, request, scratch, form, style, &probe);
	*counts = probe.counts;
	*bytes_touched = line_set_bytes(probe.lines);
	line_set_free(probe.lines);
	return r < 0 ? error_set(err, r, "the read cannot be counted") : 0;
}

int bench_model_bind(struct bench_model *model, struct error *err)
{
	unsigned os_cpu;

	model->unbound = hwloc_bitmap_alloc();
	if (!model->unbound)
		return error_set(err, -ENOMEM, "out of memory");
	if (hwloc_get_cpubind(model->machine->topology, model->unbound, HWLOC_CPUBIND_THREAD) < 0) {
		hwloc_bitmap_free(model->unbound);
		model->unbound = NULL;
		return error_set(err, -EIO, "the thread's CPUs cannot be read");
	}
	return placement_bind_thread(model->placement, 0, &os_cpu, err);
}
