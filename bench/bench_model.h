/* SPDX-License-Identifier: MIT */
/*
 * A modelled tree with one back end over it, on this machine: what cases of the suites are run on.
 * Everything that a case does not name has the default of a scenario.
 */
#ifndef MEMCGBENCH_BENCH_MODEL_H
#define MEMCGBENCH_BENCH_MODEL_H

#include "backend/backend.h"
#include "backend/charge.h"
#include "base/error.h"
#include "place/machine.h"
#include "place/placement.h"
#include "scenario/point.h"

struct bench_shape {
	enum tree_shape shape;
	uint32_t memcgs;
	uint32_t nodes, cpus;
	uint64_t skew;
};

struct bench_model {
	struct point point;
	const struct backend *backend;
	struct machine *machine;
	struct memcg_tree *tree;
	struct placement *placement;
	void *instance;
	hwloc_cpuset_t unbound; /* where the thread ran before it was bound; NULL: it was not */
};

/* The point and the machine only; bench_model_create() makes the rest. */
int bench_model_init(struct bench_model *model, const struct backend *backend,
		     const struct bench_shape *shape, struct error *err);
void bench_model_fini(struct bench_model *model);

/* Tree, placement and the back end's memory, every byte written; not populated. */
int bench_model_create(struct bench_model *model, struct error *err);
void bench_model_destroy(struct bench_model *model);

int bench_model_populate(struct bench_model *model, struct error *err);
/* One counted read, outside of what is timed: what it did, and the bytes of the lines it touched.
 */
int bench_model_count(const struct bench_model *model, const struct read_request *request,
		      struct numa_counts *scratch, enum read_form form, enum text_style style,
		      struct op_counts *counts, uint64_t *bytes_touched, struct error *err);
/* Bind the calling thread to the real CPU behind modelled CPU 0, until the model goes. */
int bench_model_bind(struct bench_model *model, struct error *err);

#endif
