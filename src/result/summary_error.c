// SPDX-License-Identifier: MIT
/* See summary_backend.h: errors at rest, before the load and after it, of the worst process. */
#include "result/document.h"
#include "result/summary_backend.h"

#include <math.h>
#include <stdio.h>

bool error_is_worse(double pages, double bound, double old_pages, double old_bound)
{
	if (isnan(pages))
		return false;
	if (isnan(old_pages))
		return true;
	if (pages * old_bound != old_pages * bound)
		return pages * old_bound > old_pages * bound;
	return pages > old_pages;
}

/* Keep the worse of two pairs of error and bound. True where it is the new one. */
static bool keep_worse(const json_t *error, double *pages, double *bound)
{
	double new_pages = json_number_at(error, "pages");
	double new_bound = json_number_at(error, "bound_pages");

	if (!error_is_worse(new_pages, new_bound, *pages, *bound))
		return false;
	*pages = new_pages;
	*bound = new_bound;
	return true;
}

void errors_summary_init(struct backend_summary *into)
{
	into->error_pages = into->error_bound_pages = NAN;
	into->error_value = into->error_truth = NAN;
	into->local_error_pages = into->local_error_bound_pages = NAN;
	into->load_error_pages = into->load_error_bound_pages = NAN;
}

void errors_summary_add(struct backend_summary *into, const json_t *result)
{
	const json_t *error = json_object_get(result, "error");
	const json_t *local = json_object_get(result, "local_error");
	const json_t *load = json_at(result, "writers.error");
	const char *cell = json_string_value(json_object_get(error, "cell"));
	uint64_t beyond;

	/* After the load it is one comparison, said of both where there are both. */
	if (!load)
		load = json_at(result, "churn.error");
	beyond = json_whole_at(error, "cells_beyond_bound") +
		 json_whole_at(local, "cells_beyond_bound") +
		 json_whole_at(load, "cells_beyond_bound");
	if (beyond > into->cells_beyond_bound)
		into->cells_beyond_bound = beyond;
	if (keep_worse(error, &into->error_pages, &into->error_bound_pages)) {
		into->error_value = json_number_at(error, "value");
		into->error_truth = json_number_at(error, "truth");
		snprintf(into->error_cell, sizeof(into->error_cell), "%s", cell ? cell : "");
	}
	keep_worse(local, &into->local_error_pages, &into->local_error_bound_pages);
	keep_worse(load, &into->load_error_pages, &into->load_error_bound_pages);
}
