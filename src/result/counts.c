// SPDX-License-Identifier: MIT
/* See counts.h. */
#include "result/counts.h"

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
