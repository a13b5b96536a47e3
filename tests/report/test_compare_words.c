// SPDX-License-Identifier: MIT
/* How changes are written, and how deep a cover letter says that trees are. */
#include "report/compare_words.h"

#include "memcg/tree.h"
#include "report/compare_cover_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_change(double change, const char *expected)
{
	char text[CHANGE_TEXT_MAX];

	assert_string_equal(change_text(text, change, "%"), expected);
}

static void changes_are_percentages_until_a_factor_says_more(void **state)
{
	char text[CHANGE_TEXT_MAX];

	expect_change(0, "0%");
	expect_change(0.0004, "+0.0%");
	expect_change(-0.004, "-0.4%");
	expect_change(0.0994, "+9.9%");
	expect_change(0.0996, "+10%");
	expect_change(-0.123, "-12%");
	expect_change(0.99, "+99%");
	expect_change(1, "x2");
	expect_change(26999, "x27.0k");
	expect_change(-0.89, "-89%");
	expect_change(1 / 12.3 - 1, "/12.3");
	expect_change(-1, "-100%");
	expect_change(INFINITY, "+inf");
	expect_change(NAN, "-");
	assert_string_equal(change_text(text, 0.12, " %"), "+12 %");
}

static void expect_interval(double low, double high, const char *expected)
{
	struct relative_change change = {0, low, high};
	char text[CHANGE_TEXT_MAX];

	assert_string_equal(change_interval_text(text, &change), expected);
}

static void intervals_say_per_cent_once(void **state)
{
	expect_interval(-0.012, 0.007, "-1.2..+0.7%");
	expect_interval(0, 0, "0..0%");
	expect_interval(-0.003, 1.12, "-0.3%..x2.12");
	expect_interval(1, 2, "x2..x3");
	expect_interval(-0.99, -0.5, "/100..-50%");
	expect_interval(NAN, NAN, "-");
}

static void intervals_of_medians_are_shares_of_them(void **state)
{
	struct compared_side side = {10, 0, 200, 190, 204, 0.97};
	char text[CHANGE_TEXT_MAX];

	assert_string_equal(plus_minus_text(text, &side), "5.0%");
	side.low = side.high = 200;
	assert_string_equal(plus_minus_text(text, &side), "0%");
	side.median = side.low = 0;
	assert_string_equal(plus_minus_text(text, &side), "-");
	side.low = side.high = NAN;
	assert_string_equal(plus_minus_text(text, &side), "-");
}

static void small_probabilities_are_not_zero(void **state)
{
	char text[CHANGE_TEXT_MAX];

	assert_string_equal(probability_text(text, 1e-5), "<.001");
	assert_string_equal(probability_text(text, 0.0006), "0.001");
	assert_string_equal(probability_text(text, 1), "1.000");
	assert_string_equal(probability_text(text, NAN), "-");
}

static void depths_are_those_of_the_trees_that_are_made(void **state)
{
	static const uint32_t sizes[] = {1, 2, 9, 10, 11, 110, 111, 1234};
	static const uint32_t fanouts[] = {1, 2, 10, 65535};

	for (enum tree_shape shape = TREE_FLAT; shape <= TREE_SLURM; shape++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
			for (size_t f = 0; f < sizeof(fanouts) / sizeof(fanouts[0]); f++) {
				struct tree_description description = {shape, sizes[s], fanouts[f],
								       0, 1};
				struct memcg_tree *tree;

				assert_int_equal(memcg_tree_new(&description, &tree), 0);
				assert_int_equal(cover_tree_depth(&description), tree->max_depth);
				memcg_tree_free(tree);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_percentages_until_a_factor_says_more),
		cmocka_unit_test(intervals_say_per_cent_once),
		cmocka_unit_test(intervals_of_medians_are_shares_of_them),
		cmocka_unit_test(small_probabilities_are_not_zero),
		cmocka_unit_test(depths_are_those_of_the_trees_that_are_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
