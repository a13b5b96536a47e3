// SPDX-License-Identifier: MIT
/*
 * See plan.h. Reasons are made anew for each form rather than kept: a plan may have 200,000 pairs
 * of point and back end, and asking is cheap.
 */
#include "cli/plan.h"

#include <string.h>

int plan_visit_point(const struct plan *plan, const struct point *point, visit_pair visit,
		     void *arg)
{
	const struct scenario *scenario = plan->scenario;
	struct error_list placement, reasons;
	int code = 0, placed, able, stands;

	placement.nr = placement.total = 0;
	placed = feasible_placement(plan->machine, point, &placement);
	for (size_t i = 0; i < scenario->nr_backends && !code; i++) {
		struct pair pair = {.point = point, .reasons = &reasons};

		pair.backend = backend_find(scenario->backends[i]);
		pair.estimate = estimate_process(point, pair.backend);
		reasons.nr = reasons.total = 0;
		if (placed)
			reasons = placement;
		able = feasible_backend(point, pair.backend, plan->available, &reasons);
		stands = feasible_fixture(plan->machine, point, pair.backend, &plan->fixtures,
					  &reasons);
		pair.possible = !placed && !able && !stands;
		code = visit(arg, &pair);
	}
	return code;
}

int plan_visit(const struct plan *plan, visit_pair visit, void *arg)
{
	int code = 0;

	for (size_t i = 0; i < plan->scenario->nr_points && !code; i++)
		code = plan_visit_point(plan, &plan->scenario->points[i], visit, arg);
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
	plan_visit(plan, add_up, plan);
}
