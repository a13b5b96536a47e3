// SPDX-License-Identifier: MIT
/*
 * See compare_parts.h: operation counts. They come from counting and not from a clock, so that any
 * difference is a difference of the code or of what it was asked to do. A count that one side does
 * not know is one, too: nobody can say that it is the same.
 */
#include "verdict/compare_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add(struct compare *compare, const struct count_difference *difference)
{
	struct count_difference *grown;

	if (difference->base == difference->new)
		return 0;
	/* room is doubled whenever the number is a power of two */
	if (!(compare->nr_counts & (compare->nr_counts - 1))) {
		size_t room = compare->nr_counts ? 2 * compare->nr_counts : 1;

		grown = realloc(compare->counts, room * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		compare->counts = grown;
	}
	compare->counts[compare->nr_counts++] = *difference;
	return 0;
}

int compare_counts(struct compare *compare, const struct record_cell *base,
		   const struct record_cell *new)
{
	struct count_difference difference = {.base_cell = base, .new_cell = new};
	int r = 0;

	if (!base->counted || !new->counted)
		return 0;
	compare->nr_counted++;
	for (size_t i = 0; !r && i < nr_count_names; i++) {
		difference.name = count_names[i].name;
		difference.base = count_value(&count_names[i], &base->counts);
		difference.new = count_value(&count_names[i], &new->counts);
		r = add(compare, &difference);
	}
	difference.name = "bytes_touched";
	difference.base = base->bytes_touched;
	difference.new = new->bytes_touched;
	return r ? r : add(compare, &difference);
}
