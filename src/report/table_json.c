// SPDX-License-Identifier: MIT
/* See table_json.h. */
#include "report/table_json.h"

#include <stdlib.h>

void table_json_cell(struct table *table, json_t *value)
{
	char *text;

	if (json_is_string(value))
		table_cell(table, "%s", json_string_value(value));
	else if (json_is_integer(value))
		table_cell(table, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		table_cell(table, "%.12g", json_real_value(value));
	else if (json_is_boolean(value))
		table_cell(table, "%s", json_is_true(value) ? "true" : "false");
	else if (value && !json_is_null(value) && (text = json_dumps(value, JSON_COMPACT))) {
		table_cell(table, "%s", text);
		free(text);
	} else {
		table_cell(table, "%s", "");
	}
}
