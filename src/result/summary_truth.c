// SPDX-License-Identifier: MIT
/* See summary_backend.h: how far results are from the truth, beside plain errors. Of each the worst
 * process, by share of the bound. */
#include "result/document.h"
#include "result/summary_backend.h"
#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void truth_summary_init(struct truth_summary *truth)
{
	*truth = (struct truth_summary){
		.load = {.pages = NAN, .bound_pages = NAN},
		.width_pages = NAN,
		.age_ns = NAN,
		.age_p99_ns = NAN,
		.age_max_ns = NAN,
		.closure = {.pages = NAN, .bound_pages = NAN},
		.inversion = {.pages = NAN, .bound_pages = NAN},
	};
}

static void worst_add(struct worst_summary *worst, const json_t *error, const char *name)
{
	double pages = json_number_at(error, "pages"), bound = json_number_at(error, "bound_pages");
	const char *where = json_string_value(json_object_get(error, name));

	if (!error_is_worse(pages, bound, worst->pages, worst->bound_pages))
		return;
	worst->pages = pages;
	worst->bound_pages = bound;
	snprintf(worst->where, sizeof(worst->where), "%s", where ? where : "");
}

/* The higher; not known where one of them is not. */
static double higher(double known, double other, bool first)
{
	return first || isnan(other) ? other : isnan(known) ? known : fmax(known, other);
}

static void load_add(struct truth_summary *truth, const json_t *load)
{
	double p99 = json_number_at(load, "age.p99_ns"), most = json_number_at(load, "age.max_ns");
	bool first = !truth->reads;

	truth->reads += json_whole_at(load, "reads");
	truth->apart += json_whole_at(load, "apart");
	truth->beyond += json_whole_at(load, "beyond_bound");
	worst_add(&truth->load, json_object_get(load, "error"), "cell");
	truth->age_p99_ns = higher(truth->age_p99_ns, p99, first);
	truth->age_max_ns = higher(truth->age_max_ns, most, first);
	truth->age_unknown += json_whole_at(json_object_get(load, "age"), "unknown");
}

void truth_summary_add(struct truth_summary *truth, const json_t *result)
{
	const json_t *load = json_object_get(result, "under_load");
	const json_t *inversion = json_object_get(result, "inversion");

	if (json_is_object(load))
		load_add(truth, load);
	worst_add(&truth->closure, json_object_get(result, "closure"), "row");
	worst_add(&truth->inversion, inversion, "cell");
	truth->pairs += json_whole_at(inversion, "pairs");
	truth->cells += json_whole_at(inversion, "cells");
	truth->below += json_whole_at(inversion, "below");
}

int truth_summary_end(struct backend_summary *into)
{
	struct truth_summary *truth = &into->truth;
	double *figures;
	size_t nr = 0;

	if (!truth->reads)
		return 0;
	figures = calloc(into->processes, sizeof(*figures));
	if (!figures)
		return -ENOMEM;
	for (unsigned i = 0; i < into->processes; i++)
		if (!isnan(into->figures[i].width_pages))
			figures[nr++] = into->figures[i].width_pages;
	truth->width_pages = median(figures, nr);
	nr = 0;
	for (unsigned i = 0; i < into->processes; i++)
		if (!isnan(into->figures[i].width_pages))
			figures[nr++] =
				isnan(into->figures[i].age_ns) ? INFINITY : into->figures[i].age_ns;
	truth->age_ns = median(figures, nr);
	if (!isfinite(truth->age_ns))
		truth->age_ns = NAN;
	free(figures);
	return 0;
}
