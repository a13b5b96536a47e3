// SPDX-License-Identifier: MIT
/* See summary_backend.h: how much memory there was, where it was asked for and where it was found,
 * of the worst process. */
#include "result/document.h"
#include "result/summary_backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * The worst of two documents of placement_verify(): of bytes out of place or unknown the most, of
 * bytes in huge pages the fewest; folded where either is.
 */
static void merge_found(json_t *into, const json_t *from)
{
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach (into, key, value) {
		const json_t *other = json_object_get(from, key);

		if (json_is_object(value)) {
			merge_found(value, other);
		} else if (json_is_array(value)) {
			for (i = 0; i < json_array_size(value); i++)
				merge_found(json_array_get(value, i), json_array_get(other, i));
		} else if (json_is_integer(value) && json_is_integer(other)) {
			bool fewest = !strcmp(key, "huge_bytes");
			json_int_t a = json_integer_value(value), b = json_integer_value(other);

			json_integer_set(value, (a < b) == fewest ? a : b);
		} else if (!strcmp(key, "placement") && json_is_string(other) &&
			   !strcmp(json_string_value(other), "fold")) {
			json_string_set(value, "fold");
		}
	}
}

int placement_summary_add(struct backend_summary *into, const json_t *result)
{
	const char *asked = json_string_value(json_at(result, "placement.asked"));
	const json_t *found = json_at(result, "placement.found");
	const json_t *memory = json_object_get(result, "memory");

	if (json_whole_at(memory, "bytes") > into->memory_bytes)
		into->memory_bytes = json_whole_at(memory, "bytes");
	if (!into->placement_asked) {
		into->placement_asked = strdup(asked);
		if (!into->placement_asked)
			return -ENOMEM;
	}
	if (!json_is_object(found))
		return 0;
	if (into->placement_found) {
		merge_found(into->placement_found, found);
		return 0;
	}
	into->placement_found = json_deep_copy(found);
	return into->placement_found ? 0 : -ENOMEM;
}
