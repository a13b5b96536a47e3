// SPDX-License-Identifier: MIT
/* See result_check.h: what a result says of how far it is from the truth, beside plain errors. */
#include "result/result_check.h"

#include <math.h>

/* Whole numbers, written as such. */
static bool is_difference(double pages, double a, double b)
{
	return isnan(pages) || fabs(fabs(a - b) - pages) < 0.5;
}

static int check_closure(const struct document *document, struct error *err)
{
	const json_t *closure = json_object_get(document->json, "closure");
	double pages = json_number_at(closure, "pages");
	double beyond = json_number_at(closure, "rows_beyond_bound");

	if (!is_difference(pages, json_number_at(closure, "sum"),
			   json_number_at(closure, "columns")))
		return document_fault(document, "closure.pages", err,
				      "%.0f is not the difference of sum and columns", pages);
	if ((beyond > 0) != (pages > json_number_at(closure, "bound_pages")) ||
	    beyond > json_number_at(closure, "rows"))
		return document_fault(document, "closure.rows_beyond_bound", err,
				      "is %.0f of %.0f, which the worst row does not allow", beyond,
				      json_number_at(closure, "rows"));
	return 0;
}

static int check_inversion(const struct document *document, struct error *err)
{
	const json_t *inversion = json_object_get(document->json, "inversion");
	double pages = json_number_at(inversion, "pages");
	double below = json_number_at(inversion, "below");
	double beyond = json_number_at(inversion, "below_beyond_bound");

	if (below > json_number_at(inversion, "cells") || (below > 0) != (pages > 0))
		return document_fault(document, "inversion.below", err,
				      "is %.0f of %.0f cells, the worst by %.0f pages", below,
				      json_number_at(inversion, "cells"), pages);
	if (beyond > below || (beyond > 0) != (pages > json_number_at(inversion, "bound_pages")))
		return document_fault(document, "inversion.below_beyond_bound", err,
				      "is %.0f, which the worst cell does not allow", beyond);
	if (below > 0 &&
	    json_number_at(inversion, "child") - json_number_at(inversion, "parent") != pages)
		return document_fault(document, "inversion.pages", err,
				      "%.0f is not what the child is above its parent", pages);
	return 0;
}

int result_check_truth(const struct document *document, const struct point *point,
		       struct error *err)
{
	int r = 0;

	(void)point;
	if (json_is_object(json_object_get(document->json, "closure")))
		r = check_closure(document, err);
	if (!r && json_is_object(json_object_get(document->json, "inversion")))
		r = check_inversion(document, err);
	return r;
}
