// SPDX-License-Identifier: MIT
/*
 * Points by the table of parameters: defaults, the rules between parameters, ids, JSON.
 */
#include "base/fnv.h"
#include "memcg/captured.h"
#include "scenario/nids.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void point_init(struct point *point)
{
	memset(point, 0, sizeof(*point));
	for (size_t i = 0; i < nr_parameters; i++)
		if (parameters[i].kind != PARAMETER_NIDS)
			parameter_set(&parameters[i], point, parameters[i].fallback);
	for (unsigned i = 0; i < MAX_NODES; i++)
		point->machine.nids[i] = (uint16_t)i;
	/* lowered to the one CPU and node that a machine has by default */
	for (size_t i = 0; i < nr_parameters; i++)
		if (parameters[i].kind != PARAMETER_NIDS)
			parameter_set(&parameters[i], point,
				      parameter_fallback(&parameters[i], point));
}

/*
 * A spill goes through all ancestors, so a chain costs the square of its length. No kernel holds a
 * longer one: memcg ids have 16 bits.
 */
#define DEEPEST 65535

static bool tree_is_chain(const struct tree_description *tree)
{
	bool by_fanout = tree->shape == TREE_BALANCED || tree->shape == TREE_RANDOM;

	return tree->shape == TREE_CHAIN || (by_fanout && tree->fanout == 1);
}

static int blame(const char *name, const struct parameter **culprit)
{
	if (culprit)
		*culprit = parameter_find(name, strlen(name));
	return -EINVAL;
}

/* The churner has a modelled CPU of its own, too. */
static int check_churn(const struct point *point, const struct parameter **culprit,
		       struct error *err)
{
	uint64_t threads = (uint64_t)point->read.readers + point->write.writers + 1;

	if (!point->write.churn && point->write.linger) {
		error_set(err, -EINVAL, "write.linger: nobody is removed without write.churn (0)");
		return blame("write.linger", culprit);
	}
	if (!point->write.churn)
		return 0;
	if (threads > point->machine.cpus) {
		error_set(err, -EINVAL,
			  "write.churn: takes a CPU beside those of %" PRIu32 " readers and "
			  "%" PRIu32 " writers (together at most machine.cpus, %" PRIu32 ")",
			  point->read.readers, point->write.writers, point->machine.cpus);
		return blame("write.churn", culprit);
	}
	if (point->read.cache == CACHE_COLD) {
		error_set(err, -EINVAL,
			  "write.churn: what comes meanwhile lies where no cold cache was made "
			  "(read.cache: hot)");
		return blame("write.churn", culprit);
	}
	return 0;
}

/* Every thread has modelled CPUs of its own; see backend.h. */
static int check_writers(const struct point *point, const struct parameter **culprit,
			 struct error *err)
{
	uint64_t threads = (uint64_t)point->read.readers + point->write.writers;
	uint64_t memcgs = point->tree.memcgs;
	uint64_t living = memcgs - memcgs * point->tree.dying_ppm / 1000000;

	if (!point->write.writers)
		return 0;
	if (threads > point->machine.cpus) {
		error_set(err, -EINVAL,
			  "write.writers: %" PRIu32 " and %" PRIu32 " readers are more than the "
			  "machine has CPUs (together at most machine.cpus, %" PRIu32 ")",
			  point->write.writers, point->read.readers, point->machine.cpus);
		return blame("write.writers", culprit);
	}
	if (point->write.mix == MIX_MIGRATE && point->machine.nodes < 2) {
		error_set(err, -EINVAL, "write.mix: migrate needs two nodes (machine.nodes)");
		return blame("write.mix", culprit);
	}
	if (point->write.target == WRITE_OWN && living < point->write.writers) {
		error_set(err, -EINVAL,
			  "write.target: own needs a memcg for each of %" PRIu32 " writers, and "
			  "%" PRIu64 " are neither the root nor dying",
			  point->write.writers, living);
		return blame("write.target", culprit);
	}
	return 0;
}

static int check_captured(const struct point *point, const struct parameter **culprit,
			  struct error *err)
{
	bool captured = point->tree.shape == TREE_CAPTURED;
	bool charges = point->counters.distribution == DISTRIBUTION_CAPTURED;

	if (captured && !point->tree.file_hash) {
		error_set(err, -EINVAL,
			  "tree.shape: captured trees are made of a file (tree.file)");
		return blame("tree.shape", culprit);
	}
	if (!captured && point->tree.file_hash) {
		error_set(err, -EINVAL, "tree.file: goes with tree.shape captured alone");
		return blame("tree.file", culprit);
	}
	if (!captured && charges) {
		error_set(err, -EINVAL,
			  "counters.distribution: captured goes with tree.shape captured alone");
		return blame("counters.distribution", culprit);
	}
	if (captured && point->tree.memcgs > CAPTURED_MEMCGS_MAX) {
		error_set(err, -EINVAL, "tree.memcgs: more than captured trees have (%u)",
			  CAPTURED_MEMCGS_MAX);
		return blame("tree.memcgs", culprit);
	}
	return 0;
}

/* The first of harm's keys behind `harm.time` that is not at its default, from `from` on. */
static const char *harm_key(const struct point *point, const char *const *from)
{
	for (; *from; from++)
		if (!parameter_is_default(parameter_find(*from, strlen(*from)), point))
			return *from;
	return NULL;
}

#define LEAST_HELD 64u /* pages: as many as the kernel's batch may hold back */

static int check_harm_tasks(const struct point *point, const struct parameter **culprit,
			    struct error *err)
{
	static const char *const keys[] = {"harm.tasks", "harm.pages", "harm.limit", "harm.kind",
					   NULL};
	const char *key = harm_key(point, keys + (point->harm.time_ns > 0));

	if (key && (!point->harm.time_ns || !point->harm.tasks)) {
		error_set(err, -EINVAL, "%s: no task is there to charge pages without harm.%s", key,
			  point->harm.time_ns ? "tasks (1 or more)" : "time (a time)");
		return blame(key, culprit);
	}
	if (!point->harm.limit_ppm)
		return 0;
	if (point->harm.kind == HARM_ANON) {
		error_set(err, -EINVAL,
			  "harm.limit: anonymous pages have nowhere to go under it (with "
			  "harm.kind: file)");
		return blame("harm.limit", culprit);
	}
	if ((uint64_t)point->harm.pages * point->harm.limit_ppm / 1000000 < LEAST_HELD) {
		error_set(err, -EINVAL,
			  "harm.limit: leaves too few of %" PRIu32 " pages to go on with (%u or "
			  "more)",
			  point->harm.pages, LEAST_HELD);
		return blame("harm.limit", culprit);
	}
	return 0;
}

static int check_harm(const struct point *point, const struct parameter **culprit,
		      struct error *err)
{
	if (!point->harm.time_ns)
		return check_harm_tasks(point, culprit, err);
	if (point->read.cache == CACHE_COLD || point->read.spills) {
		error_set(err, -EINVAL,
			  "harm.time: what is done between reads would do harm as well "
			  "(read.cache: hot, read.spills: 0)");
		return blame("harm.time", culprit);
	}
	if (point->harm.time_ns / 4 < point->read.pacing_ns) {
		error_set(err, -EINVAL,
			  "harm.time: too short for reads at that pace (at least 4 times "
			  "read.pacing)");
		return blame("harm.time", culprit);
	}
	return check_harm_tasks(point, culprit, err);
}

int point_check(const struct point *point, const struct parameter **culprit, struct error *err)
{
	unsigned cpus = point->machine.cpus, nodes = point->machine.nodes;

	if (check_captured(point, culprit, err))
		return -EINVAL;
	if (tree_is_chain(&point->tree) && point->tree.memcgs > DEEPEST) {
		error_set(err, -EINVAL,
			  "tree.memcgs: %" PRIu32 " memcgs make an impossible tree, a chain of "
			  "that depth (at most %d)",
			  point->tree.memcgs, DEEPEST);
		return blame("tree.memcgs", culprit);
	}
	for (unsigned i = 1; i < nodes; i++) {
		if (point->machine.nids[i] > point->machine.nids[i - 1])
			continue;
		error_set(err, -EINVAL, "machine.node_ids: not ascending (one id for each node)");
		return blame("machine.node_ids", culprit);
	}
	if (point->machine.skew % 8) {
		error_set(err, -EINVAL,
			  "machine.skew: %" PRIu64 " would misalign counters (a multiple of 8)",
			  point->machine.skew);
		return blame("machine.skew", culprit);
	}
	if (point->counters.spread_cpus > cpus) {
		error_set(err, -EINVAL,
			  "counters.spread.cpus: %" PRIu32 " is more than the machine has "
			  "(at most machine.cpus, %u)",
			  point->counters.spread_cpus, cpus);
		return blame("counters.spread.cpus", culprit);
	}
	if (point->counters.spread_nodes > nodes) {
		error_set(err, -EINVAL,
			  "counters.spread.nodes: %" PRIu32 " is more than the machine has "
			  "(at most machine.nodes, %u)",
			  point->counters.spread_nodes, nodes);
		return blame("counters.spread.nodes", culprit);
	}
	if (point->read.readers > cpus) {
		error_set(err, -EINVAL,
			  "read.readers: %" PRIu32 " is more than the machine has CPUs "
			  "(at most machine.cpus, %u)",
			  point->read.readers, cpus);
		return blame("read.readers", culprit);
	}
	if (point->read.buffer != BUFFER_REOPENED && point->read.form == FORM_COUNTS) {
		error_set(err, -EINVAL, "read.buffer: counts need none (read.form text)");
		return blame("read.buffer", culprit);
	}
	if (point->read.spills && point->write.writers) {
		error_set(
			err, -EINVAL,
			"read.spills: writers spill by themselves (0 with write.writers above 0)");
		return blame("read.spills", culprit);
	}
	if (point_neighbour(point) == point_format(point)) {
		error_set(err, -EINVAL,
			  "read.with: memory.stat is read already (read.file memory.numa_stat)");
		return blame("read.with", culprit);
	}
	if (point->machine.layout == LAYOUT_LEAN && point_shows_items(point)) {
		error_set(err, -EINVAL,
			  "machine.layout: lean holds the LRU lists only, and %s shows more (v5.6)",
			  stat_type_name(point_neighbour(point) ? point_neighbour(point)->type
								: point_format(point)->type));
		return blame("machine.layout", culprit);
	}
	if (check_churn(point, culprit, err) || check_harm(point, culprit, err))
		return -EINVAL;
	return check_writers(point, culprit, err);
}

void point_set_id(struct point *point)
{
	const struct parameter *sorted[MAX_PARAMETERS];
	char value[PARAMETER_TEXT_MAX];
	uint64_t hash = FNV1A_START;
	size_t nr = 0;

	for (size_t i = 0; i < nr_parameters; i++) {
		size_t at = nr;

		if (!parameters[i].in_id || parameter_is_default(&parameters[i], point))
			continue;
		for (; at && strcmp(sorted[at - 1]->name, parameters[i].name) > 0; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = &parameters[i];
		nr++;
	}
	for (size_t i = 0; i < nr; i++) {
		parameter_base_text(sorted[i], point, value);
		hash = fnv1a(hash, sorted[i]->name);
		hash = fnv1a(hash, "=");
		hash = fnv1a(hash, value);
		hash = fnv1a(hash, "\n");
	}
	snprintf(point->id, sizeof(point->id), "%016" PRIx64, hash);
}

json_t *point_to_json(const struct point *point)
{
	char text[PARAMETER_TEXT_MAX];
	json_t *object = json_object();

	for (size_t i = 0; i < nr_parameters; i++) {
		const struct parameter *parameter = &parameters[i];
		uint64_t value = parameter_get(parameter, point);
		json_t *json;

		if (parameter->kind != PARAMETER_NUMBER)
			json = json_string(parameter_text(parameter, point, text));
		else if (parameter->unit == UNIT_SHARE)
			json = json_real((double)value / 1e6);
		else
			json = json_integer((json_int_t)value);
		if (json_object_set_new(object, parameter->name, json)) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

/* Base units of a JSON number, or -ERANGE. */
static int64_t number_from_json(const struct parameter *parameter, const json_t *json)
{
	double share;

	if (parameter->unit != UNIT_SHARE)
		return json_is_integer(json) ? json_integer_value(json) : -ERANGE;
	share = json_number_value(json) * 1e6;
	if (!json_is_number(json) || !(share >= 0 && share <= 1e6) ||
	    fabs(share - round(share)) > 1e-6)
		return -ERANGE;
	return (int64_t)round(share);
}

static int value_from_json(const struct parameter *parameter, const json_t *json,
			   struct point *point, struct error *err)
{
	const char *text = json_string_value(json);
	int64_t number;
	uint64_t value;
	int code;

	if (parameter->kind == PARAMETER_NUMBER) {
		number = number_from_json(parameter, json);
		value = (uint64_t)number;
		if (number >= 0 && ((value >= parameter->min && value <= parameter->max) ||
				    (parameter->words && value == parameter->words[0].value))) {
			parameter_set(parameter, point, value);
			return 0;
		}
		return error_set(err, -EINVAL,
				 "%s: not a number of its range (%" PRIu64 " to %" PRIu64 ")",
				 parameter->name, parameter->min, parameter->max);
	}
	if (!text)
		return error_set(err, -EINVAL, "%s: not a string", parameter->name);
	if (parameter->kind != PARAMETER_NIDS) {
		code = parameter_parse(parameter, text, strlen(text), &value, err);
		if (!code)
			parameter_set(parameter, point, value);
		return code;
	}
	code = nids_parse(text, strlen(text), point->machine.nids, err);
	if (code >= 0 && (unsigned)code != point->machine.nodes)
		return error_set(err, -EINVAL, "machine.node_ids: not as many as machine.nodes");
	return code < 0 ? code : 0;
}

/* A document older than the parameter does not have it: then it was measured at the default. */
static int value_left_out(const struct parameter *parameter, struct point *point, struct error *err)
{
	if (parameter->required)
		return error_set(err, -EINVAL, "parameters: '%s' is missing", parameter->name);
	if (parameter->kind != PARAMETER_NIDS)
		parameter_set(parameter, point, parameter_fallback(parameter, point));
	else
		for (unsigned i = 0; i < point->machine.nodes; i++)
			point->machine.nids[i] = (uint16_t)i;
	return 0;
}

int point_from_json(const json_t *object, const char *id, struct point *point, struct error *err)
{
	const char *key;
	json_t *json;

	memset(point, 0, sizeof(*point));
	if (!json_is_object(object))
		return error_set(err, -EINVAL, "parameters: not an object");
	json_object_foreach ((json_t *)object, key, json)
		if (!parameter_find(key, strlen(key)))
			return error_set(err, -EINVAL, "parameters: '%s' is not known", key);
	for (size_t i = 0; i < nr_parameters; i++) {
		json = json_object_get(object, parameters[i].name);
		/* the table has machine.nodes before machine.node_ids, which looks at it */
		if (json ? value_from_json(&parameters[i], json, point, err)
			 : value_left_out(&parameters[i], point, err))
			return -EINVAL;
	}
	if (point_check(point, NULL, err))
		return -EINVAL;
	point_set_id(point);
	if (id && strcmp(id, point->id))
		return error_set(err, -EINVAL, "id '%s' is not of these parameters, which have %s",
				 id, point->id);
	return 0;
}
