// SPDX-License-Identifier: MIT
/* See truth_json.h. */
#include "driver/truth_json.h"

#include "result/document.h"

static json_t *count_json(uint64_t value)
{
	return json_integer((json_int_t)value);
}

json_t *closure_json(const struct consistency *found, const struct point *point)
{
	const struct cell_error *row = &found->closure;
	char name[CELL_NAME_MAX];

	if (!found->has_closure)
		return json_null();
	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "pages", count_json(row->pages),
			 "bound_pages", count_json(row->bound), "row",
			 cell_error_name(name, row, point), "sum", count_json(row->value),
			 "columns", count_json(row->truth), "rows", count_json(found->rows),
			 "rows_beyond_bound", count_json(found->rows_beyond));
}

json_t *inversion_json(const struct consistency *found, const struct point *point)
{
	const struct cell_error *cell = &found->inversion;
	char name[CELL_NAME_MAX];
	json_t *json;

	if (!found->pairs)
		return json_null();
	json = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "pairs", count_json(found->pairs),
			 "cells", count_json(found->cells), "below", count_json(found->below),
			 "below_beyond_bound", count_json(found->below_beyond), "pages",
			 count_json(cell->pages), "bound_pages", count_json(cell->bound));
	if (!json || !found->has_inversion)
		return json;
	json_object_set_new(json, "cell", json_string(cell_error_name(name, cell, point)));
	json_object_set_new(json, "parent", count_json(cell->value));
	json_object_set_new(json, "child", count_json(cell->truth));
	return json;
}

json_t *probed_json(const struct probed *p, const struct point *point)
{
	const struct cell_error *cell = &p->error, age = {SCOPE_HIERARCHICAL, AGE_ROW, .column = 0};
	char name[CELL_NAME_MAX], age_name[CELL_NAME_MAX];

	if (!p->reads)
		return json_null();
	/* clang-format off */
	return json_pack("{s:o, s:o, s:o, s:{s:o, s:o, s:s, s:o, s:o, s:o}, s:{s:o, s:o},"
			 " s:{s:s, s:o, s:o, s:o, s:o}, s:o}",
			 "reads", count_json(p->reads),
			 "apart", count_json(p->apart),
			 "beyond_bound", count_json(p->beyond),
			 "error",
			 "pages", count_json(cell->pages),
			 "bound_pages", count_json(cell->bound),
			 "cell", cell_error_name(name, cell, point),
			 "value", count_json(cell->value),
			 "low", count_json(p->low),
			 "high", count_json(p->high),
			 "width_pages",
			 "median", json_real_or_null(p->width_median),
			 "max", json_real_or_null(p->width_max),
			 "age",
			 "cell", cell_error_name(age_name, &age, point),
			 "median_ns", json_real_or_null(p->age_median_ns),
			 "p99_ns", json_real_or_null(p->age_p99_ns),
			 "max_ns", json_real_or_null(p->age_max_ns),
			 "unknown", count_json(p->age_unknown),
			 "seconds", json_real_or_null(p->seconds));
	/* clang-format on */
}
