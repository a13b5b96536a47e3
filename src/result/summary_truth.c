// SPDX-License-Identifier: MIT
/* See summary_backend.h: how far results are from the truth, beside plain errors. Of each the worst
 * process, by share of the bound. */
#include "result/document.h"
#include "result/summary_backend.h"

#include <math.h>
#include <stdio.h>

void truth_summary_init(struct truth_summary *truth)
{
	*truth = (struct truth_summary){
		.closure = {.pages = NAN, .bound_pages = NAN},
		.inversion = {.pages = NAN, .bound_pages = NAN},
	};
}

static void worst_add(struct worst_summary *worst, const json_t *error, const char *name)
{
	double pages = json_number_at(error, "pages"), bound = json_number_at(error, "bound_pages");
	const char *where = json_string_value(json_object_get(error, name));

	if (!is_worse(pages, bound, worst->pages, worst->bound_pages))
		return;
	worst->pages = pages;
	worst->bound_pages = bound;
	snprintf(worst->where, sizeof(worst->where), "%s", where ? where : "");
}

void truth_summary_add(struct truth_summary *truth, const json_t *result)
{
	const json_t *inversion = json_object_get(result, "inversion");

	worst_add(&truth->closure, json_object_get(result, "closure"), "row");
	worst_add(&truth->inversion, inversion, "cell");
	truth->pairs += json_whole_at(inversion, "pairs");
	truth->cells += json_whole_at(inversion, "cells");
	truth->below += json_whole_at(inversion, "below");
}
