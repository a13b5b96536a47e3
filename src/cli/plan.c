// SPDX-License-Identifier: MIT
/*
 * See plan.h. Reasons are made anew for each form rather than kept: a plan may have 200,000 pairs
 * of point and back end, and asking is cheap.
 */
#include "cli/plan.h"

#include "base/units.h"
#include "driver/feasible.h"
#include "report/table.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/* One point with one back end. */
struct pair {
	const struct point *point;
	const struct backend *backend;
	struct estimate estimate;
	bool possible;
	const struct error_list *reasons; /* all of them, where it is not */
};

typedef int (*visit_pair)(void *arg, const struct pair *pair);

static int visit_point(const struct plan *plan, const struct point *point, visit_pair visit,
		       void *arg)
{
	const struct scenario *scenario = plan->scenario;
	struct error_list placement, reasons;
	int code = 0, placed;

	placement.nr = placement.total = 0;
	placed = feasible_placement(plan->machine, point, &placement);
	for (size_t i = 0; i < scenario->nr_backends && !code; i++) {
		struct pair pair = {.point = point, .reasons = &reasons};

		pair.backend = backend_find(scenario->backends[i]);
		pair.estimate = estimate_process(point, pair.backend);
		reasons.nr = reasons.total = 0;
		if (placed)
			reasons = placement;
		pair.possible = !feasible_backend(point, pair.backend, plan->available, &reasons) &&
				!placed;
		code = visit(arg, &pair);
	}
	return code;
}

static int each_pair(const struct plan *plan, visit_pair visit, void *arg)
{
	int code = 0;

	for (size_t i = 0; i < plan->scenario->nr_points && !code; i++)
		code = visit_point(plan, &plan->scenario->points[i], visit, arg);
	return code;
}

static int add_up(void *arg, const struct pair *pair)
{
	struct plan *plan = arg;

	if (!pair->possible) {
		plan->impossible++;
		return 0;
	}
	plan->possible++;
	plan->total_ns += pair->estimate.process_ns * plan->scenario->repetitions;
	if (pair->estimate.memory_bytes > plan->memory_bytes)
		plan->memory_bytes = pair->estimate.memory_bytes;
	return 0;
}

static bool differs(const struct parameter *parameter, const struct point *a, const struct point *b)
{
	if (parameter->kind != PARAMETER_NIDS)
		return parameter_get(parameter, a) != parameter_get(parameter, b);
	/* plain ids follow from the number of nodes */
	if (parameter_is_default(parameter, a) && parameter_is_default(parameter, b))
		return false;
	return a->machine.nodes != b->machine.nodes ||
	       memcmp(a->machine.nids, b->machine.nids,
		      a->machine.nodes * sizeof(a->machine.nids[0])) != 0;
}

void plan_prepare(struct plan *plan)
{
	const struct point *points = plan->scenario->points;

	for (size_t k = 0; k < nr_parameters; k++)
		for (size_t i = 1; i < plan->scenario->nr_points && !plan->swept[k]; i++)
			plan->swept[k] = differs(&parameters[k], &points[0], &points[i]);
	each_pair(plan, add_up, plan);
}

/* The parameters that all points share, a line for each section. */
static void print_constants(const struct plan *plan, FILE *out)
{
	const struct point *first = &plan->scenario->points[0];
	char text[PARAMETER_TEXT_MAX];
	const char *section = "";
	size_t length = 0;

	for (size_t k = 0; k < nr_parameters; k++) {
		const char *name = parameters[k].name;

		/* plain node ids follow from the number of nodes, and say nothing */
		if (plan->swept[k] || (parameters[k].kind == PARAMETER_NIDS &&
				       parameter_is_default(&parameters[k], first)))
			continue;
		if (strncmp(name, section, length + 1)) {
			fputs(length ? "\n" : "", out);
			section = name;
			length = strcspn(name, ".");
			fprintf(out, "%-9.*s", (int)length, name);
		} else {
			fputs(",", out);
		}
		fprintf(out, " %s %s", name + length + 1,
			parameter_text(&parameters[k], first, text));
	}
	fputs("\n\n", out);
}

static void print_summary(const struct plan *plan, FILE *out)
{
	const struct scenario *scenario = plan->scenario;
	char total[UNIT_TEXT_MAX], bytes[UNIT_TEXT_MAX];

	fprintf(out, "%s: %s\n", scenario->name, scenario->title ? scenario->title : "(no title)");
	fprintf(out, "planned for %s%s\n", plan->machine->source,
		plan->machine->thissystem ? "" : "; planned, cannot be measured here");
	fprintf(out, "%zu points x %zu back ends x %" PRIu32 " repetitions", scenario->nr_points,
		scenario->nr_backends, scenario->repetitions);
	if (plan->possible)
		fprintf(out, ": about %s; the largest process takes %s",
			unit_format_time(total, plan->total_ns),
			unit_format_bytes(bytes, (double)plan->memory_bytes));
	if (plan->impossible)
		fprintf(out, "; %zu of %zu pairs of point and back end are not possible",
			plan->impossible, plan->impossible + plan->possible);
	fputs("\n\n", out);
}

struct filling {
	struct table *table;
	const struct plan *plan;
	bool base_units; /* TSV: every parameter, and numbers for programs */
};

static void add_columns(const struct filling *filling)
{
	struct table *table = filling->table;

	table_column(table, filling->base_units ? "id" : "point", ALIGN_LEFT);
	for (size_t k = 0; k < nr_parameters; k++)
		if (filling->base_units || filling->plan->swept[k])
			table_column(table, parameters[k].name,
				     parameters[k].kind == PARAMETER_NUMBER ? ALIGN_RIGHT
									    : ALIGN_LEFT);
	table_column(table, filling->base_units ? "backend" : "back end", ALIGN_LEFT);
	table_column(table, filling->base_units ? "memory_bytes" : "memory", ALIGN_RIGHT);
	table_column(table, filling->base_units ? "process_ns" : "a process", ALIGN_RIGHT);
	table_column(table, filling->base_units ? "total_ns" : "in total", ALIGN_RIGHT);
	table_column(table, "possible", ALIGN_LEFT);
	table_column(table, filling->base_units ? "reasons" : "", ALIGN_LEFT);
}

static void add_reasons(struct table *table, const struct pair *pair)
{
	char text[4096] = "";
	size_t used = 0;

	for (size_t i = 0; !pair->possible && i < pair->reasons->nr && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? "; " : "",
					 pair->reasons->items[i].text);
	table_cell(table, "%s", pair->possible ? "yes" : "no");
	table_cell(table, "%s", text);
}

static int add_row(void *arg, const struct pair *pair)
{
	char buffer[PARAMETER_TEXT_MAX], bytes[UNIT_TEXT_MAX], one[UNIT_TEXT_MAX],
		all[UNIT_TEXT_MAX];
	const struct filling *filling = arg;
	const struct estimate *estimate = &pair->estimate;
	double total_ns = estimate->process_ns * filling->plan->scenario->repetitions;

	table_row(filling->table);
	table_cell(filling->table, "%s", pair->point->id);
	for (size_t k = 0; k < nr_parameters; k++) {
		if (filling->base_units)
			table_cell(filling->table, "%s",
				   parameter_base_text(&parameters[k], pair->point, buffer));
		else if (filling->plan->swept[k])
			table_cell(filling->table, "%s",
				   parameter_text(&parameters[k], pair->point, buffer));
	}
	table_cell(filling->table, "%s", pair->backend->name);
	if (filling->base_units) {
		table_cell(filling->table, "%" PRIu64, estimate->memory_bytes);
		table_cell(filling->table, "%.0f", estimate->process_ns);
		table_cell(filling->table, "%.0f", total_ns);
	} else {
		table_cell(filling->table, "%s",
			   unit_format_bytes(bytes, (double)estimate->memory_bytes));
		table_cell(filling->table, "%s", unit_format_time(one, estimate->process_ns));
		table_cell(filling->table, "%s", unit_format_time(all, total_ns));
	}
	add_reasons(filling->table, pair);
	return 0;
}

int plan_print_table(const struct plan *plan, FILE *out)
{
	struct filling filling = {.table = table_new(), .plan = plan};
	int code;

	print_summary(plan, out);
	print_constants(plan, out);
	add_columns(&filling);
	each_pair(plan, add_row, &filling);
	code = table_print(filling.table, out);
	table_free(filling.table);
	return code;
}

int plan_print_tsv(const struct plan *plan, FILE *out)
{
	struct filling filling = {.table = table_new(), .plan = plan, .base_units = true};
	int code;

	add_columns(&filling);
	each_pair(plan, add_row, &filling);
	code = table_print_tsv(filling.table, out);
	table_free(filling.table);
	return code;
}

static int pair_to_json(void *arg, const struct pair *pair)
{
	json_t *array = arg, *reasons = json_array();
	int code = 0;

	for (size_t i = 0; !pair->possible && i < pair->reasons->nr; i++)
		code |= json_array_append_new(reasons, json_string(pair->reasons->items[i].text));
	code |= json_array_append_new(
		array, json_pack("{s:s, s:I, s:f, s:b, s:o}", "backend", pair->backend->name,
				 "memory_bytes", (json_int_t)pair->estimate.memory_bytes,
				 "process_ns", pair->estimate.process_ns, "possible",
				 pair->possible, "reasons", reasons));
	return code ? -ENOMEM : 0;
}

static int print_object(json_t *object, size_t flags, FILE *out)
{
	int code = -ENOMEM;

	if (object)
		code = json_dumpf(object, out, flags) ? -EIO : 0;
	json_decref(object);
	return code;
}

/* Points go out one by one: a document of 100,000 would take hundreds of megabytes. */
int plan_print_json(const struct plan *plan, FILE *out)
{
	const struct scenario *scenario = plan->scenario;
	json_t *head = json_pack(
		"{s:{s:s, s:i}, s:s, s:s?, s:b, s:I, s:I, s:I, s:f}", "schema", "name",
		"memcgbench-plan", "version", 1, "scenario", scenario->name, "title",
		scenario->title, "thissystem", plan->machine->thissystem, "repetitions",
		(json_int_t)scenario->repetitions, "pairs_possible", (json_int_t)plan->possible,
		"pairs_impossible", (json_int_t)plan->impossible, "total_ns", plan->total_ns);
	int code;

	fputc('{', out);
	code = print_object(head, JSON_EMBED | JSON_COMPACT, out);
	fputs(",\"points\":[", out);
	for (size_t i = 0; i < scenario->nr_points && !code; i++) {
		const struct point *point = &scenario->points[i];
		json_t *pairs = json_array();

		code = pairs ? visit_point(plan, point, pair_to_json, pairs) : -ENOMEM;
		fputs(i ? ",\n" : "\n", out);
		if (code)
			json_decref(pairs);
		else
			code = print_object(json_pack("{s:s, s:o, s:o}", "id", point->id,
						      "parameters", point_to_json(point),
						      "backends", pairs),
					    JSON_COMPACT, out);
	}
	fputs("\n]}\n", out);
	return code;
}
