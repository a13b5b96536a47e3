/* SPDX-License-Identifier: MIT */
/* "Did you mean ..?": the known word nearest to one that is not known. */
#ifndef MEMCGBENCH_BASE_NEAREST_H
#define MEMCGBENCH_BASE_NEAREST_H

#include <stddef.h>

/* Longer words are no misspellings of anything known. */
#define NEAREST_WORD_MAX 64

/*
 * Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other
 * (optimal string alignment); NEAREST_WORD_MAX + 1 where a word is longer than NEAREST_WORD_MAX.
 */
size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/* Keeps the best of the candidates offered. Start with word and length set, all else 0. */
struct nearest {
	const char *word;
	size_t length;
	const char *best; /* NULL: none within a third of the word's length, at least 2 */
	size_t best_length;
	size_t distance;
};
void nearest_offer(struct nearest *nearest, const char *candidate, size_t length);

#endif
