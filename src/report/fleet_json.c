// SPDX-License-Identifier: MIT
/* See fleet_report.h: for programs. TSV is the same document laid flat. */
#include "report/fleet_report.h"
#include "report/table_json.h"
#include "result/document.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <math.h>

#define FLEET_SCHEMA_NAME    "memcgbench-fleet"
#define FLEET_SCHEMA_VERSION 1

static const char *const basis_words[] = {
	[FLEET_MEASURED] = "measured",
	[FLEET_BETWEEN] = "between",
	[FLEET_BEYOND] = "beyond",
};

static json_t *whole_or_null(bool known, uint64_t value)
{
	return known ? json_integer((json_int_t)value) : json_null();
}

/* Takes over `value`. */
static void put(json_t *object, const char *key, json_t *value, int *failed)
{
	*failed |= json_object_set_new(object, key, value);
}

static void put_sweep(json_t *o, const struct fleet_sweep *sweep, int *failed)
{
	bool derived = sweep->basis != FLEET_MEASURED;

	put(o, "id", json_string(sweep->point.id), failed);
	put(o, "parameters", point_to_json(&sweep->point), failed);
	put(o, "backend", json_string(sweep->backend->backend), failed);
	put(o, "files", json_integer((json_int_t)sweep->files), failed);
	put(o, "basis", json_string(basis_words[sweep->basis]), failed);
	put(o, "from_memcgs", whole_or_null(derived, sweep->from), failed);
	put(o, "to_memcgs", whole_or_null(derived, sweep->to), failed);
	put(o, "slope", json_real_or_null(sweep->slope), failed);
	put(o, "mean_ns", json_real_or_null(sweep->mean_ns), failed);
	put(o, "ci_low_ns", json_real_or_null(sweep->low_ns), failed);
	put(o, "ci_high_ns", json_real_or_null(sweep->high_ns), failed);
	put(o, "ci_level", json_real_or_null(sweep->level), failed);
	put(o, "p50_ns", json_real_or_null(sweep->p50_ns), failed);
	put(o, "processes", whole_or_null(!derived, sweep->backend->processes), failed);
}

/* NULL: out of memory. */
static json_t *cost_to_json(const struct fleet_sweep *sweep, uint64_t interval_ns, uint32_t agents)
{
	struct fleet_cost cost = fleet_cost(sweep, interval_ns, agents);
	json_t *o = json_object();
	int failed = !o;

	put_sweep(o, sweep, &failed);
	put(o, "interval_ns", json_integer((json_int_t)interval_ns), &failed);
	put(o, "agents", json_integer(agents), &failed);
	put(o, "cpu_s_per_hour", json_real_or_null(cost.cpu_s_per_hour), &failed);
	put(o, "ci_low_cpu_s_per_hour", json_real_or_null(cost.low), &failed);
	put(o, "ci_high_cpu_s_per_hour", json_real_or_null(cost.high), &failed);
	put(o, "share_of_cpu", json_real_or_null(cost.share_of_cpu), &failed);
	put(o, "share_of_host", json_real_or_null(cost.share_of_host), &failed);
	put(o, "cpus", whole_or_null(sweep->cpus, sweep->cpus), &failed);
	put(o, "late", json_boolean(cost.late), &failed);
	if (failed) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static int append_costs(const struct fleet_sweep *sweep, const struct fleet_choices *choices,
			json_t *costs)
{
	int failed = 0;

	for (size_t i = 0; i < choices->nr_intervals; i++)
		for (size_t a = 0; a < choices->nr_agents; a++)
			failed |= json_array_append_new(
				costs,
				cost_to_json(sweep, choices->interval_ns[i], choices->agents[a]));
	return failed;
}

static json_t *run_to_json(const struct fleet *fleet, const struct fleet_choices *choices)
{
	json_t *costs = json_array(), *left_out = json_array();
	int failed = !costs || !left_out;

	for (size_t i = 0; i < fleet->nr; i++)
		failed |= append_costs(&fleet->sweeps[i], choices, costs);
	for (size_t i = 0; i < fleet->nr_left_out; i++) {
		const struct fleet_left_out *left = &fleet->left_out[i];

		failed |= json_array_append_new(
			left_out, json_pack("{s:s, s:s?, s:s}", "id", left->point->id, "backend",
					    left->backend, "reason", left->reason));
	}
	if (failed) {
		json_decref(costs);
		json_decref(left_out);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:s, s:o, s:o}", "path", fleet->summary->path, "scenario",
			 fleet->summary->scenario, "host_class", fleet->summary->host_class,
			 "costs", costs, "left_out", left_out);
}

json_t *fleet_to_json(struct fleet *const *fleets, size_t nr, const struct fleet_choices *choices)
{
	json_t *runs = json_array();
	int failed = !runs;

	for (size_t i = 0; i < nr; i++)
		failed |= json_array_append_new(runs, run_to_json(fleets[i], choices));
	if (failed) {
		json_decref(runs);
		return NULL;
	}
	return json_pack("{s:{s:s, s:i}, s:o}", "schema", "name", FLEET_SCHEMA_NAME, "version",
			 FLEET_SCHEMA_VERSION, "runs", runs);
}

static const char *const columns[] = {
	"id",
	"backend",
	"files",
	"basis",
	"from_memcgs",
	"to_memcgs",
	"slope",
	"mean_ns",
	"ci_low_ns",
	"ci_high_ns",
	"ci_level",
	"p50_ns",
	"processes",
	"interval_ns",
	"agents",
	"cpu_s_per_hour",
	"ci_low_cpu_s_per_hour",
	"ci_high_cpu_s_per_hour",
	"share_of_cpu",
	"share_of_host",
	"cpus",
	"late",
};
#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* The cost, then all that says what it is of. */
static void add_row(struct table *table, const json_t *run, const json_t *cost)
{
	const json_t *values = json_object_get(cost, "parameters");

	table_row(table);
	table_json_cell(table, json_object_get(run, "path"));
	table_json_cell(table, json_object_get(run, "scenario"));
	for (size_t i = 0; i < NR_COLUMNS; i++)
		table_json_cell(table, json_object_get(cost, columns[i]));
	for (size_t i = 0; i < nr_parameters; i++)
		table_json_cell(table, json_object_get(values, parameters[i].name));
}

int fleet_tsv_print(struct fleet *const *fleets, size_t nr, const struct fleet_choices *choices,
		    FILE *out)
{
	json_t *document = fleet_to_json(fleets, nr, choices), *run, *cost;
	struct table *table = table_new();
	size_t i, k;
	int r;

	table_column(table, "path", ALIGN_LEFT);
	table_column(table, "scenario", ALIGN_LEFT);
	for (i = 0; i < NR_COLUMNS; i++)
		table_column(table, columns[i], ALIGN_LEFT);
	for (i = 0; i < nr_parameters; i++)
		table_column(table, parameters[i].name, ALIGN_LEFT);
	json_array_foreach (json_object_get(document, "runs"), i, run)
		json_array_foreach (json_object_get(run, "costs"), k, cost)
			add_row(table, run, cost);
	r = document ? table_print_tsv(table, out) : -ENOMEM;
	table_free(table);
	json_decref(document);
	return r;
}
