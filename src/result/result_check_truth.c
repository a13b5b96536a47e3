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

static int check_age(const struct document *document, struct error *err)
{
	const json_t *load = json_object_get(document->json, "under_load");
	const json_t *age = json_object_get(load, "age");
	double unknown = json_number_at(age, "unknown"), most = json_number_at(age, "max_ns");

	if (unknown > json_number_at(load, "reads") || (unknown > 0) != isnan(most))
		return document_fault(document, "under_load.age.unknown", err,
				      "is %.0f, which max_ns does not allow", unknown);
	if (json_number_at(age, "median_ns") > most || json_number_at(age, "p99_ns") > most ||
	    json_number_at(age, "median_ns") > json_number_at(age, "p99_ns"))
		return document_fault(document, "under_load.age.median_ns", err,
				      "and p99_ns and max_ns are not in order");
	return 0;
}

static int check_load(const struct document *document, const struct point *point, struct error *err)
{
	const json_t *load = json_object_get(document->json, "under_load");
	double value = json_number_at(load, "error.value"), low = json_number_at(load, "error.low");
	double high = json_number_at(load, "error.high"), apart = json_number_at(load, "apart");
	double pages = json_number_at(load, "error.pages");
	double beyond = json_number_at(load, "beyond_bound");

	if (!point->write.writers)
		return document_fault(document, "under_load", err,
				      "is there, though write.writers is 0");
	if (low > high || fabs(fmax(0, fmax(low - value, value - high)) - pages) > 0.5)
		return document_fault(document, "under_load.error.pages", err,
				      "%.0f is not how far the value is from low to high", pages);
	/* local rows count here, too */
	if (apart > json_number_at(load, "reads") || (pages > 0 && !(apart > 0)))
		return document_fault(document, "under_load.apart", err,
				      "is %.0f, which the worst cell does not allow", apart);
	if (beyond > apart || (pages > json_number_at(load, "error.bound_pages") && !(beyond > 0)))
		return document_fault(document, "under_load.beyond_bound", err,
				      "is %.0f, which the worst cell does not allow", beyond);
	if (json_number_at(load, "width_pages.median") > json_number_at(load, "width_pages.max"))
		return document_fault(document, "under_load.width_pages.max", err,
				      "is less than the median");
	return check_age(document, err);
}

int result_check_truth(const struct document *document, const struct point *point,
		       struct error *err)
{
	int r = 0;

	if (json_is_object(json_object_get(document->json, "under_load")))
		r = check_load(document, point, err);
	if (r)
		return r;
	if (json_is_object(json_object_get(document->json, "closure")))
		r = check_closure(document, err);
	if (!r && json_is_object(json_object_get(document->json, "inversion")))
		r = check_inversion(document, err);
	return r;
}
