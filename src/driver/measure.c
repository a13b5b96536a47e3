// SPDX-License-Identifier: MIT
/*
 * See measure.h. Everything that is not timed as a sample is timed as a step, so that the cost of
 * the harness itself can be seen in each result.
 */
#include "driver/measure.h"

#include "backend/backend.h"
#include "backend/charge.h"
#include "backend/oracle.h"
#include "base/build.h"
#include "base/rng.h"
#include "driver/churn.h"
#include "driver/feasible.h"
#include "driver/flusher.h"
#include "driver/harm.h"
#include "driver/locks.h"
#include "driver/measure_json.h"
#include "driver/neighbour.h"
#include "driver/probe.h"
#include "driver/sampler.h"
#include "driver/seq_file.h"
#include "driver/update_cost.h"
#include "driver/writer.h"
#include "memcg/captured.h"
#include "place/machine.h"
#include "place/placement.h"
#include "result/result.h"
#include "scenario/parameter.h"
#include "scenario/target.h"
#include "timing/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COMPARED_FILES 1000u

/* A measurement under way; all of it freed by fini(). */
struct measurement {
	struct point point;
	uint64_t repetition;
	const struct backend *backend;
	struct machine *machine;
	struct placement *placement;
	struct captured *captured; /* what a captured tree is made of */
	struct memcg_tree *tree;
	void *instance;
	struct charge_plan plan;
	struct line_set *lines;
	struct oracle *oracle; /* from the counted read on: what is in the instance */
	struct writers *writers;
	struct flusher *flusher;
	const json_t *fixture; /* of the request; NULL: the back end stands on none */
	struct churn *churn; /* from populating on: those who linger are there from the start */
	struct measured out;
};

static uint64_t lap(uint64_t *since)
{
	uint64_t now = clock_now(), ns = now - *since;

	*since = now;
	return ns;
}

/* The file of a captured tree, which must be what it was when the run was planned. */
static int take_captured(struct measurement *m, const json_t *path, struct error *err)
{
	int r;

	if (m->point.tree.shape != TREE_CAPTURED)
		return 0;
	if (!json_is_string(path))
		return error_set(err, -EINVAL, "the request has no file of the captured tree");
	r = captured_load(json_string_value(path), &m->captured, err);
	if (r)
		return r;
	if (m->captured->hash != m->point.tree.file_hash)
		return error_set_at(err, -ESTALE, m->captured->path, 0, 0,
				    "is not what it was when the run began");
	m->point.tree.captured = m->captured;
	return 0;
}

static int take_request(struct measurement *m, const json_t *request, struct error *err)
{
	const json_t *point = json_object_get(request, "point");
	const char *name = json_string_value(json_object_get(request, "backend"));
	int r;

	m->backend = name ? backend_find(name) : NULL;
	if (!m->backend)
		return error_set(err, -EINVAL, "no back end '%s'", name ? name : "");
	if (m->backend->fixture) {
		m->fixture = json_object_get(request, "fixture");
		if (!json_is_object(m->fixture))
			return error_set(err, -EINVAL, "the request has no fixture for %s", name);
	}
	m->repetition = (uint64_t)json_integer_value(json_object_get(request, "repetition"));
	r = point_from_json(json_object_get(point, "parameters"),
			    json_string_value(json_object_get(point, "id")), &m->point, err);
	return r ? r : take_captured(m, json_object_get(request, "tree_file"), err);
}

static int place(struct measurement *m, struct error *err)
{
	struct error_list reasons = {.nr = 0};
	int r = machine_open(NULL, &m->machine, err);

	if (r)
		return r;
	r = placement_new(m->machine, &m->point, &m->placement, &reasons);
	if (r && reasons.nr)
		*err = reasons.items[0];
	else if (r)
		error_set(err, r, "cannot place the point: %s", strerror(-r));
	return r;
}

/* Where a fixture's pages lie was looked up when they were charged. */
static int verify(struct measurement *m, struct error *err)
{
	const struct region *regions;
	size_t nr;

	if (m->fixture) {
		m->out.placement_found =
			json_incref(json_object_get(m->fixture, "placement_found"));
		m->out.bytes = (uint64_t)json_integer_value(
			json_object_get(m->out.placement_found, "bytes"));
		return m->out.placement_found
			       ? 0
			       : error_set(err, -EINVAL, "the fixture does not say where it lies");
	}
	regions = m->backend->regions(m->instance, &nr);
	for (size_t i = 0; i < nr; i++)
		m->out.bytes += regions[i].bytes;
	return placement_verify(m->placement, regions, nr, &m->out.placement_found, err);
}

static int build(struct measurement *m, struct error *err)
{
	struct backend_env env = {&m->point, NULL, m->placement, m->fixture};
	uint64_t since = clock_now();
	int r;

	r = memcg_tree_new(&m->point.tree, &m->tree);
	if (r)
		return error_set(err, r, "cannot build the tree: %s", strerror(-r));
	env.tree = m->tree;
	r = m->backend->create(&env, &m->instance, err);
	if (r)
		return r;
	m->out.create_ns = lap(&since);
	r = verify(m, err);
	if (r)
		return r;
	m->out.verify_ns = lap(&since);
	m->plan.point = &m->point;
	r = m->fixture ? 0 : m->backend->populate(m->instance, &m->plan, err);
	if (!r)
		r = churn_new(&(struct churn_env){m->backend, m->instance, &m->point, m->tree,
						  m->placement},
			      &m->churn, err);
	m->out.populate_ns = lap(&since);
	return r;
}

/* Of all files compared, the cell with the largest error/bound stays. */
static void compare(struct measurement *m, const struct numa_counts *counts,
		    const struct numa_counts *truth, enum numa_scope scope, uint32_t subtree)
{
	struct cell_error worst;
	unsigned beyond =
		oracle_compare(m->backend, &m->point, counts, truth, 1u << scope, subtree, &worst);

	if (worst.bound == BOUND_NONE)
		return;
	m->out.beyond_bound[scope] += beyond;
	if (!m->out.has_error[scope] || cell_error_worse(&worst, &m->out.error[scope]))
		m->out.error[scope] = worst;
	m->out.has_error[scope] = true;
}

static void compare_file(struct measurement *m, uint32_t memcg, const struct numa_counts *counts,
			 struct numa_counts *truth)
{
	uint32_t subtree = memcg ? memcg_tree_size(m->tree, memcg) : m->tree->nr;

	/* What else is charged on a machine is not the oracle's to know. */
	if (m->point.read.cgroup == TARGET_MACHINE)
		return;
	subtree += churn_below(m->churn, memcg);

	oracle_read(m->oracle, memcg, point_rows(&m->point), truth);
	compare(m, counts, truth, SCOPE_HIERARCHICAL, subtree);
	if (point_rows(&m->point) & ROWS_LOCAL)
		compare(m, counts, truth, SCOPE_LOCAL, subtree);
}

/*
 * One counted read: what it did, which lines it touched, how far from the truth it is. The oracle
 * sums the subtree of each file, a chain's square in a sweep: of a sweep it sees the first file,
 * the last memcg's, and about COMPARED_FILES seeded others.
 */
static int count_with(struct measurement *m, struct neighbour *neighbour,
		      struct numa_counts *counts, struct numa_counts *truth, struct error *err)
{
	struct target target = target_of(&m->point, m->tree);
	struct read_request request = {.memcg = target.first, .rows = point_rows(&m->point)};
	struct rng rng = rng_for(m->point.tree.seed, target.first, target.last);
	struct op_probe probe = {.lines = m->lines};

	oracle_populate(m->oracle, &m->plan);
	if (churn_account(m->churn, m->oracle))
		return error_set(err, -ENOMEM, "out of memory for the oracle");
	while (request.memcg != MEMCG_NONE) {
		int r = neighbour_count(neighbour, &request, &probe, &m->out.shows);

		if (!r)
			r = seq_file_count(m->backend, m->instance, &m->point, &request, counts,
					   &probe, &m->out.shows);
		if (r)
			return error_set(err, r, "a counted read failed: %s", strerror(-r));
		if (request.memcg == target.first || request.memcg == target.last ||
		    rng_below(&rng, m->tree->nr) < COMPARED_FILES)
			compare_file(m, request.memcg, counts, truth);
		request.memcg = target_next(&target, m->tree, request.memcg);
	}
	m->out.counts = probe.counts;
	backend_forget_uncounted(m->backend, &m->out.counts);
	m->out.bytes_touched = m->lines ? line_set_bytes(m->lines) : COUNT_UNKNOWN;
	return 0;
}

/* The lines that a read touches, where they are this process's. */
static int watch_lines(struct measurement *m)
{
	const struct region *regions;
	size_t nr;

	if (m->fixture)
		return 0;
	regions = m->backend->regions(m->instance, &nr);
	m->lines = line_set_new(regions, nr);
	return m->lines ? 0 : -ENOMEM;
}

static int count(struct measurement *m, struct error *err)
{
	unsigned nr_nodes = m->point.machine.nodes;
	struct numa_counts counts = {.cells = NULL}, truth = {.cells = NULL};
	struct neighbour neighbour = {.with = WITH_NONE};
	uint64_t since = clock_now();
	int r = -ENOMEM;

	m->oracle = oracle_new(m->tree, nr_nodes);
	if (!m->oracle || watch_lines(m))
		goto out;
	if (stat_counts_init(&counts, point_format(&m->point), nr_nodes, m->point.machine.nids) ||
	    stat_counts_init(&truth, point_format(&m->point), nr_nodes, m->point.machine.nids) ||
	    neighbour_init(&neighbour, m->backend, m->instance, &m->point))
		goto out;
	r = count_with(m, &neighbour, &counts, &truth, err);
	m->out.count_ns = lap(&since);
out:
	if (r == -ENOMEM)
		error_set(err, r, "out of memory for the counted read");
	neighbour_fini(&neighbour);
	numa_counts_fini(&counts);
	numa_counts_fini(&truth);
	return r;
}

/* Nobody is at work any more: the root's counters against the oracle, which is told of all updates.
 */
static int compare_after_load(struct measurement *m, struct error *err)
{
	struct read_request request = {.memcg = 0, .cpu = 0, .rows = point_rows(&m->point)};
	struct numa_counts counts = {.cells = NULL}, truth = {.cells = NULL};
	unsigned nr_nodes = m->point.machine.nodes;
	uint32_t subtree = m->tree->nr;
	int r = -ENOMEM;

	writers_account(m->writers, m->oracle);
	subtree += churn_below(m->churn, 0);
	if (stat_counts_init(&counts, point_format(&m->point), nr_nodes, m->point.machine.nids) ||
	    stat_counts_init(&truth, point_format(&m->point), nr_nodes, m->point.machine.nids))
		goto out;
	r = backend_read_counts(m->backend, m->instance, &request, &counts);
	if (r)
		goto out;
	oracle_read(m->oracle, 0, request.rows, &truth);
	m->out.load_beyond_bound =
		oracle_compare(m->backend, &m->point, &counts, &truth, request.rows & ROWS_LOCAL,
			       subtree, &m->out.load_error);
	/* The worst cell that is said is a hierarchical one, as before the load. */
	m->out.load_beyond_bound += oracle_compare(m->backend, &m->point, &counts, &truth,
						   ROWS_HIERARCHICAL, subtree, &m->out.load_error);
out:
	numa_counts_fini(&truth);
	numa_counts_fini(&counts);
	return r ? error_set(err, r, "a read after the writers ended failed: %s", strerror(-r)) : 0;
}

/* The samples, with writers at work where the point has any. */
static int sample_under_load(struct measurement *m, struct sampler *sampler, struct error *err)
{
	int r = writers_new(sampler, &m->writers, err);

	if (r)
		return r;
	sampler->writers = m->writers;
	r = flusher_new(sampler, &m->flusher, err);
	sampler->flusher = m->flusher;
	if (!r)
		r = sampler_run(sampler, &m->out.sampling, &m->out.sampled, err);
	if (!r && !(m->out.locks = locks_json(sampler)))
		r = error_set(err, -ENOMEM, "out of memory for what is known of locks");
	if (!r)
		m->out.flusher = flusher_digest(m->flusher);
	if (!r)
		r = writers_digest(m->writers, &m->out.writers, err);
	if (!r && churn_account(m->churn, m->oracle))
		r = error_set(err, -ENOMEM, "out of memory for the oracle");
	churn_digest(m->churn, &m->out.churn);
	sampler->writers = NULL;
	return r;
}

/* What is read against the truth, and files against each other. Not before the samples where nobody
 * writes: nothing changes then, and what was read before a sample would be warm. */
static int hold_against_truth(struct measurement *m, struct sampler *sampler, struct error *err)
{
	int r = 0;

	if (m->writers)
		r = probe_load(sampler, m->writers, m->oracle, &m->out.probed, err);
	if (!r && (m->writers || m->churn))
		r = compare_after_load(m, err);
	return r ? r : consistency_look(sampler, m->oracle, &m->out.consistency, err);
}

static int sample(struct measurement *m, const json_t *fixed, struct error *err)
{
	struct sampler sampler = {
		.backend = m->backend,
		.instance = m->instance,
		.point = &m->point,
		.tree = m->tree,
		.placement = m->placement,
		.lines = m->lines,
		.llc_bytes = m->machine->llc_bytes,
		.churn = m->churn,
	};
	struct sampling *sampling = &m->out.sampling;
	uint64_t since = clock_now();
	int r = 0;

	timer_floor_measure(&sampler.floor);
	m->out.floor = sampler.floor;
	m->out.pilot = !json_is_object(fixed);
	if (m->out.pilot) {
		r = sampler_pilot(&sampler, sampling, err);
	} else {
		sampling->samples = (uint64_t)json_integer_value(json_object_get(fixed, "samples"));
		sampling->reads_per_sample =
			(uint64_t)json_integer_value(json_object_get(fixed, "reads_per_sample"));
		sampling->loop_ns = json_number_value(json_object_get(fixed, "loop_ns"));
		if (!sampling->samples || !sampling->reads_per_sample)
			r = error_set(err, -EINVAL, "the request's sampling is not usable");
	}
	if (r)
		return r;
	m->out.pilot_ns = lap(&since);
	if (m->point.write.writers)
		r = consistency_look(&sampler, m->oracle, &m->out.consistency, err);
	m->out.truth_ns = lap(&since);
	if (!r)
		r = sample_under_load(m, &sampler, err);
	m->out.measure_ns = lap(&since);
	if (!r)
		r = hold_against_truth(m, &sampler, err);
	m->out.truth_ns += lap(&since);
	if (r)
		return r;
	r = sampler_parts(&sampler, &m->out.parts, err);
	m->out.parts_ns = lap(&since);
	if (r)
		return r;
	/* From here on the counters are not what was counted and read. */
	r = update_cost_measure(&sampler, m->oracle, &m->out.update, err);
	if (!r)
		r = update_kinds_measure(&sampler, &m->out.update_kinds, err);
	m->out.update_ns = lap(&since);
	/* Behind that, for it disturbs everything. */
	if (!r)
		r = harm_measure(&sampler, m->fixture, m->out.sampled.median_ns, m->repetition,
				 &m->out.harm, err);
	m->out.harm_ns = lap(&since);
	return r;
}

static void fini(struct measurement *m)
{
	measured_fini(&m->out);
	flusher_free(m->flusher);
	writers_free(m->writers);
	churn_free(m->churn);
	line_set_free(m->lines);
	oracle_free(m->oracle);
	if (m->instance)
		m->backend->destroy(m->instance);
	memcg_tree_free(m->tree);
	captured_free(m->captured);
	placement_free(m->placement);
	machine_free(m->machine);
}

/* What the back end found out, and what it stands on. */
static json_t *live_json(const struct measurement *m)
{
	json_t *live = m->backend->facts ? m->backend->facts(m->instance) : json_object();

	json_object_set_new(live, "fixture", m->backend->fixture->facts(m->fixture));
	return live;
}

json_t *measure(const json_t *request, struct error *err)
{
	struct measurement *m =
		calloc(1, sizeof(*m)); /* a point is too large for the stack's taste */
	uint64_t begin = clock_now();
	json_t *result = NULL;
	int r;

	if (!m) {
		error_set(err, -ENOMEM, "out of memory");
		return NULL;
	}
	m->out.since = begin;
	r = take_request(m, request, err);
	if (!r)
		r = place(m, err);
	if (!r)
		r = build(m, err);
	if (!r)
		r = count(m, err);
	if (!r)
		r = sample(m, json_object_get(request, "sampling"), err);
	if (!r) {
		uint64_t since = clock_now();

		if (m->fixture)
			m->out.live = live_json(m);
		m->backend->destroy(m->instance);
		m->instance = NULL;
		m->out.destroy_ns = lap(&since);
		m->out.estimate_bytes = estimate_process(&m->point, m->backend).memory_bytes;
		result = measured_to_json(&m->out, request, &m->point, m->machine, err);
	}
	fini(m);
	free(m);
	return result;
}
