// SPDX-License-Identifier: MIT
/* See counts.h. */
#include "result/counts.h"

#include <inttypes.h>
#include <stdio.h>

#define COUNT(field)                                                        \
	{                                                                   \
		.name = #field, .offset = offsetof(struct op_counts, field) \
	}

const struct count_name count_names[] = {
	COUNT(text_bytes),  COUNT(memcgs_visited), COUNT(loads_hierarchical),
	COUNT(loads_local), COUNT(css_gets),       COUNT(atomics),
	COUNT(adds),        COUNT(items_scanned),  COUNT(flushes),
};
const size_t nr_count_names = sizeof(count_names) / sizeof(count_names[0]);

_Static_assert(sizeof(count_names) / sizeof(count_names[0]) ==
		       sizeof(struct op_counts) / sizeof(uint64_t),
	       "every count has a name");

uint64_t count_from_json(const json_t *counts, const char *name)
{
	const json_t *count = json_object_get(counts, name);

	return json_is_null(count) ? COUNT_UNKNOWN : (uint64_t)json_integer_value(count);
}

json_t *count_to_json(uint64_t count)
{
	return count == COUNT_UNKNOWN ? json_null() : json_integer((json_int_t)count);
}

const char *count_text(char text[COUNT_TEXT_MAX], uint64_t count)
{
	if (count == COUNT_UNKNOWN)
		return "unknown";
	snprintf(text, COUNT_TEXT_MAX, "%" PRIu64, count);
	return text;
}
