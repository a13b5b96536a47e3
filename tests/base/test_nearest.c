// SPDX-License-Identifier: MIT
/* The nearest known word is found, and far words are not offered. */
#include "base/nearest.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static size_t distance(const char *a, const char *b)
{
	return edit_distance(a, strlen(a), b, strlen(b));
}

static void distances_are_known_ones(void **state)
{
	assert_int_equal(distance("", ""), 0);
	assert_int_equal(distance("", "abc"), 3);
	assert_int_equal(distance("kitten", "sitting"), 3);
	assert_int_equal(distance("flaw", "lawn"), 2);
	assert_int_equal(distance("nmae", "name"), 1);
	assert_int_equal(distance("ca", "abc"), 3);
}

/* The definition itself, without a table: short words only. */
static size_t slow_distance(const char *a, size_t i, const char *b, size_t j)
{
	size_t best, other;

	if (!i || !j)
		return i + j;
	best = slow_distance(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]);
	other = slow_distance(a, i - 1, b, j) + 1;
	best = other < best ? other : best;
	other = slow_distance(a, i, b, j - 1) + 1;
	best = other < best ? other : best;
	if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
		other = slow_distance(a, i - 2, b, j - 2) + 1;
		best = other < best ? other : best;
	}
	return best;
}

static void distances_are_those_of_the_definition(void **state)
{
	struct rng rng = {3};

	for (unsigned n = 0; n < 300; n++) {
		char a[6], b[6];
		size_t i = rng_below(&rng, 7), j = rng_below(&rng, 7);

		for (size_t k = 0; k < 6; k++) {
			a[k] = (char)('a' + rng_below(&rng, 3));
			b[k] = (char)('a' + rng_below(&rng, 3));
		}
		assert_int_equal(edit_distance(a, i, b, j), slow_distance(a, i, b, j));
	}
}

static void long_words_are_far_from_everything(void **state)
{
	char word[NEAREST_WORD_MAX + 1];

	memset(word, 'a', sizeof(word));
	assert_int_equal(edit_distance(word, sizeof(word), "a", 1), NEAREST_WORD_MAX + 1);
	assert_int_equal(edit_distance(word, NEAREST_WORD_MAX, "a", 1), NEAREST_WORD_MAX - 1);
}

static const char *offered(const char *word)
{
	static const char *const known[] = {"machine", "name", "nodes", "tree"};
	struct nearest nearest = {.word = word, .length = strlen(word)};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		nearest_offer(&nearest, known[i], strlen(known[i]));
	return nearest.best;
}

static void the_nearest_word_is_offered(void **state)
{
	assert_string_equal(offered("nmae"), "name");
	assert_string_equal(offered("node"), "nodes");
	assert_string_equal(offered("machines"), "machine");
	assert_string_equal(offered("trees"), "tree");
}

static void far_words_are_not_offered(void **state)
{
	assert_null(offered("zzzz"));
	assert_null(offered("x"));
	assert_null(offered(""));
	assert_null(offered("repetitions"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_are_known_ones),
		cmocka_unit_test(distances_are_those_of_the_definition),
		cmocka_unit_test(long_words_are_far_from_everything),
		cmocka_unit_test(the_nearest_word_is_offered),
		cmocka_unit_test(far_words_are_not_offered),
	};

	return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
