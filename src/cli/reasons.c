// SPDX-License-Identifier: MIT
/*
 * See reasons.h. The object holds, by the reason's text and in order, where it was met first and in
 * how many places: {"REASON": ["point ID, BACKEND", 4]}.
 */
#include "cli/reasons.h"

#include <errno.h>

static int add(json_t *said, const struct point *point, const char *backend, const char *reason)
{
	json_t *entry = json_object_get(said, reason), *nr = json_array_get(entry, 1);

	if (entry)
		return json_integer_set(nr, json_integer_value(nr) + 1);
	entry = json_pack("[o, i]", json_sprintf("point %s, %s", point->id, backend), 1);
	return json_object_set_new(said, reason, entry);
}

int reasons_add(json_t *said, const struct point *point, const char *backend,
		const struct error_list *reasons)
{
	for (size_t i = 0; i < reasons->nr; i++)
		if (add(said, point, backend, reasons->items[i].text))
			return -ENOMEM;
	return 0;
}

void reasons_print(FILE *out, const char *path, const json_t *said)
{
	const char *reason;
	json_t *entry;

	json_object_foreach ((json_t *)said, reason, entry) {
		json_int_t more = json_integer_value(json_array_get(entry, 1)) - 1;

		fprintf(out, "memcgbench: %s: %s", path,
			json_string_value(json_array_get(entry, 0)));
		if (more)
			fprintf(out, ", and %lld more", (long long)more);
		fprintf(out, ": %s\n", reason);
	}
}
