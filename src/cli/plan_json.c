// SPDX-License-Identifier: MIT
/* A plan as JSON. */
#include "cli/plan.h"

#include <errno.h>
#include <jansson.h>

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
		code = json_dumpf(object, out, flags | JSON_REAL_PRECISION(12)) ? -EIO : 0;
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

		code = pairs ? plan_visit_point(plan, point, pair_to_json, pairs) : -ENOMEM;
		fputs(i ? ",\n" : "\n", out);
		if (code)
			json_decref(pairs);
		else
			code = print_object(
				json_pack(
					"{s:s, s:I, s:I, s:o, s:o}", "id", point->id, "visible",
					(json_int_t)(point->tree.memcgs - tree_dying(&point->tree)),
					"dying", (json_int_t)tree_dying(&point->tree), "parameters",
					point_to_json(point), "backends", pairs),
				JSON_COMPACT, out);
	}
	fputs("\n]}\n", out);
	return code;
}
