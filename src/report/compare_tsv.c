// SPDX-License-Identifier: MIT
/*
 * See compare_report.h. The JSON document laid flat, so that a column is named as the key is: id,
 * all parameters, then all keys of a comparison, those of objects in it behind their own.
 */
#include "report/compare_report.h"

#include "report/table_json.h"

#include <errno.h>
#include <string.h>

static void add_columns(struct table *table, json_t *values, json_t *item)
{
	const char *key, *inner;
	json_t *value, *field;
	char name[64];

	table_column(table, "id", ALIGN_LEFT);
	json_object_foreach (values, key, value)
		table_column(table, key, ALIGN_LEFT);
	table_column(table, "metric", ALIGN_LEFT);
	table_column(table, "unit", ALIGN_LEFT);
	json_object_foreach (item, key, value) {
		if (!strcmp(key, "id") || !strcmp(key, "cause"))
			continue;
		if (!json_is_object(value))
			table_column(table, key, ALIGN_LEFT);
		json_object_foreach (value, inner, field) {
			snprintf(name, sizeof(name), "%.24s_%.24s", key, inner);
			table_column(table, name, ALIGN_LEFT);
		}
	}
	table_column(table, "cause", ALIGN_LEFT);
}

static void add_row(struct table *table, const struct metric *metric, json_t *values, json_t *item)
{
	bool ratio = json_is_string(json_object_get(item, "other"));
	const char *key, *inner;
	json_t *value, *field;

	table_row(table);
	table_json_cell(table, json_object_get(item, "id"));
	json_object_foreach (values, key, value)
		table_json_cell(table, value);
	table_cell(table, "%s", metric->name);
	table_cell(table, "%s", ratio ? "ratio" : metric->unit);
	json_object_foreach (item, key, value) {
		if (!strcmp(key, "id") || !strcmp(key, "cause"))
			continue;
		if (!json_is_object(value))
			table_json_cell(table, value);
		json_object_foreach (value, inner, field)
			table_json_cell(table, field);
	}
	table_json_cell(table, json_object_get(item, "cause"));
}

/* Parameters by id: {"id": {..}}, borrowed. */
static json_t *parameters_by_id(json_t *document)
{
	json_t *index = json_object(), *point;
	size_t i;

	json_array_foreach (json_object_get(document, "points"), i, point)
		json_object_set(index, json_string_value(json_object_get(point, "id")),
				json_object_get(point, "parameters"));
	return index;
}

int compare_tsv_print(const struct compare *compare, FILE *out)
{
	static const char *const lists[] = {"comparisons", "ratios"};
	json_t *document = compare_to_json(compare), *index, *item;
	struct table *table = table_new();
	bool first = true;
	size_t i;
	int r;

	index = document ? parameters_by_id(document) : NULL;
	for (size_t k = 0; k < 2; k++) {
		json_array_foreach (json_object_get(document, lists[k]), i, item) {
			json_t *values = json_object_get(
				index, json_string_value(json_object_get(item, "id")));

			if (first)
				add_columns(table, values, item);
			first = false;
			add_row(table, compare->options.metric, values, item);
		}
	}
	r = index ? table_print_tsv(table, out) : -ENOMEM;
	json_decref(index);
	json_decref(document);
	table_free(table);
	return r;
}
