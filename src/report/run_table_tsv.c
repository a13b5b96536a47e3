// SPDX-License-Identifier: MIT
/*
 * TSV: one line for each point and back end. It is the JSON document laid flat, so that a column is
 * named as the key is: id, all parameters, then all keys of a result. null is an empty field.
 */
#include "report/run_table.h"
#include "report/table_json.h"

#include <errno.h>

static void add_columns(struct table *table, json_t *parameters, json_t *result)
{
	const char *key;
	json_t *value;

	table_column(table, "id", ALIGN_LEFT);
	json_object_foreach (parameters, key, value)
		table_column(table, key, ALIGN_LEFT);
	json_object_foreach (result, key, value)
		table_column(table, key, ALIGN_LEFT);
}

static void add_row(struct table *table, json_t *point, json_t *result)
{
	const char *key;
	json_t *value;

	table_row(table);
	table_json_cell(table, json_object_get(point, "id"));
	json_object_foreach (json_object_get(point, "parameters"), key, value)
		table_json_cell(table, value);
	json_object_foreach (result, key, value)
		table_json_cell(table, value);
}

int run_tsv_print(const struct run_summary *summary, FILE *out)
{
	json_t *document = summary_to_json(summary), *point, *result;
	struct table *table = table_new();
	bool first = true;
	size_t p, b;
	int r = -ENOMEM;

	if (!document)
		goto out;
	json_array_foreach (json_object_get(document, "points"), p, point) {
		json_array_foreach (json_object_get(point, "results"), b, result) {
			if (first)
				add_columns(table, json_object_get(point, "parameters"), result);
			first = false;
			add_row(table, point, result);
		}
	}
	r = table_print_tsv(table, out);
out:
	json_decref(document);
	table_free(table);
	return r;
}
