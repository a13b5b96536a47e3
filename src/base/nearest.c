// SPDX-License-Identifier: MIT
/* See nearest.h. Three rows of the dynamic programme are enough for swaps of neighbours. */
#include "base/nearest.h"

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][NEAREST_WORD_MAX + 1];

	if (a_length > NEAREST_WORD_MAX || b_length > NEAREST_WORD_MAX)
		return NEAREST_WORD_MAX + 1;
	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *twice = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);

			best = min(best, min(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = min(best, twice[j - 2] + 1);
			row[j] = best;
		}
	}
	return rows[a_length % 3][b_length];
}

void nearest_offer(struct nearest *nearest, const char *candidate, size_t length)
{
	size_t distance = edit_distance(nearest->word, nearest->length, candidate, length);
	size_t allowed = nearest->length / 3 > 2 ? nearest->length / 3 : 2;

	/* a word of which every letter was replaced is not near */
	if (distance > allowed || distance >= length)
		return;
	if (nearest->best && distance >= nearest->distance)
		return;
	nearest->best = candidate;
	nearest->best_length = length;
	nearest->distance = distance;
}
