// SPDX-License-Identifier: MIT
/* The histogram against plain sorted arrays, at all magnitudes, and its text form. */
#include "stats/histogram.h"

#include "base/rng.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_ERROR 0.002 /* share of the value; the contract is 0.004 */

/* Log-uniform: every magnitude from 1 to 2^63 alike. */
static uint64_t any_magnitude(struct rng *rng)
{
	unsigned shift = (unsigned)rng_below(rng, 64);

	return rng_next(rng) >> shift;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static struct histogram *of(const uint64_t *values, size_t n)
{
	struct histogram *h = histogram_new();

	assert_non_null(h);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(histogram_record(h, values[i]), 0);
	return h;
}

static void assert_same(const struct histogram *a, const struct histogram *b)
{
	char *x = histogram_encode(a), *y = histogram_encode(b);

	assert_non_null(x);
	assert_non_null(y);
	assert_string_equal(x, y);
	assert_int_equal(histogram_count(a), histogram_count(b));
	free(x);
	free(y);
}

static void empty_histogram_has_no_values(void **state)
{
	struct histogram *h = of(NULL, 0);

	assert_int_equal(histogram_count(h), 0);
	assert_true(isnan(histogram_mean_ns(h)));
	assert_true(isnan(histogram_quantile_ns(h, 0.5)));
	assert_true(isnan(histogram_quantile_ns(h, 1)));
	histogram_free(h);
	histogram_free(NULL);
}

static void values_below_256_ps_are_exact(void **state)
{
	for (uint64_t v = 0; v < 256; v++) {
		uint64_t values[] = {v, 1000};
		struct histogram *h = of(values, 2);

		assert_true(histogram_quantile_ns(h, 0.5) == (double)v / 1000);
		histogram_free(h);
	}
}

/* The value lies between a smaller and a larger one, so that exact ends do not help. */
static void one_value_of_any_size_comes_back_within_the_error(void **state)
{
	struct rng rng = {2};

	for (unsigned round = 0; round < 50000; round++) {
		uint64_t v = round < 63 ? (uint64_t)1 << round : any_magnitude(&rng);
		uint64_t values[] = {0, v, UINT64_MAX};
		struct histogram *h = of(values, 3);
		double got = histogram_quantile_ns(h, 0.5) * 1000;

		assert_true(fabs(got - (double)v) <= MAX_ERROR * (double)v);
		histogram_free(h);
	}
}

static void quantiles_are_those_of_the_sorted_values(void **state)
{
	static const double shares[] = {0.001, 0.01, 0.07, 0.25,  0.29,   0.5,
					0.57,  0.9,  0.99, 0.999, 0.9999, 1};
	enum {
		MAX = 5000
	};
	static uint64_t values[MAX];
	struct rng rng = {3};

	for (unsigned round = 0; round < 60; round++) {
		size_t n = round == 0 ? 100 : 1 + (size_t)rng_below(&rng, MAX);
		struct histogram *h;

		for (size_t i = 0; i < n; i++)
			values[i] =
				round % 2 ? any_magnitude(&rng) : 30000 + rng_below(&rng, 30000);
		h = of(values, n);
		qsort(values, n, sizeof(*values), ascending);
		for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
			/* Nearest rank, in whole numbers: the shares are whole in 1/10000. */
			uint64_t parts = (uint64_t)llround(shares[i] * 10000);
			size_t rank = (size_t)((parts * n + 9999) / 10000);
			double want = (double)values[rank - 1] / 1000;
			double got = histogram_quantile_ns(h, shares[i]);

			assert_true(fabs(got - want) <= MAX_ERROR * want);
		}
		assert_true(histogram_quantile_ns(h, 1) == (double)values[n - 1] / 1000);
		assert_true(histogram_min_ps(h) == values[0]);
		assert_true(histogram_max_ps(h) == values[n - 1]);
		histogram_free(h);
	}
}

static void mean_is_within_the_error_of_the_exact_mean(void **state)
{
	struct rng rng = {4};
	struct histogram *h = histogram_new();
	double sum = 0;

	assert_non_null(h);
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t v = any_magnitude(&rng) >> 20;

		sum += (double)v / 1000;
		assert_int_equal(histogram_record(h, v), 0);
	}
	assert_true(fabs(histogram_mean_ns(h) - sum / 10000) <= MAX_ERROR * sum / 10000);
	histogram_free(h);
}

static void merging_equals_recording_all_in_one(void **state)
{
	struct rng rng = {5};

	for (unsigned round = 0; round < 50; round++) {
		uint64_t values[300];
		size_t n = (size_t)rng_below(&rng, 301), cut = (size_t)rng_below(&rng, n + 1);
		struct histogram *all, *a, *b;

		for (size_t i = 0; i < n; i++)
			values[i] = any_magnitude(&rng);
		all = of(values, n);
		a = of(values, cut);
		b = of(values + cut, n - cut);
		assert_int_equal(histogram_merge(a, b), 0);
		assert_same(a, all);
		histogram_free(all);
		histogram_free(a);
		histogram_free(b);
	}
}

static void counts_never_wrap(void **state)
{
	struct histogram *a, *b;
	char *before, *after;

	assert_int_equal(histogram_decode("1;5;5;5:18446744073709551615", &a), 0);
	assert_int_equal(histogram_decode("1;7;7;7:1", &b), 0);
	before = histogram_encode(a);
	assert_int_equal(histogram_merge(a, b), -EOVERFLOW);
	after = histogram_encode(a);
	assert_string_equal(before, after);
	free(before);
	free(after);
	histogram_free(a);
	histogram_free(b);
}

static void text_comes_back_as_the_same_histogram(void **state)
{
	struct rng rng = {6};

	for (unsigned round = 0; round < 200; round++) {
		uint64_t values[200];
		size_t n = (size_t)rng_below(&rng, 201);
		struct histogram *h, *back;
		char *text;

		for (size_t i = 0; i < n; i++)
			values[i] = any_magnitude(&rng);
		h = of(values, n);
		text = histogram_encode(h);
		assert_non_null(text);
		for (const char *p = text; *p; p++)
			assert_true(*p > ' ' && *p < 0x7f && *p != '"' && *p != '\\');
		assert_int_equal(histogram_decode(text, &back), 0);
		assert_same(h, back);
		assert_true(histogram_min_ps(h) == histogram_min_ps(back));
		assert_true(histogram_max_ps(h) == histogram_max_ps(back));
		free(text);
		histogram_free(h);
		histogram_free(back);
	}
}

static void text_is_what_files_of_old_say(void **state)
{
	const uint64_t values[] = {0, 3, 3, 256, 1000, 1001, UINT64_MAX};
	struct histogram *h = of(values, 7);
	char *text = histogram_encode(h);

	/* 1000 = 2^9 x (1 + 244.x/256): block 2, two values to a bucket. */
	assert_string_equal(text, "1;0;18446744073709551615;0:1,3:2,253:1,500:2,13835:1");
	free(text);
	histogram_free(h);
	h = of(NULL, 0);
	text = histogram_encode(h);
	assert_string_equal(text, "1;0;0;");
	free(text);
	histogram_free(h);
}

static void damaged_text_is_refused(void **state)
{
	static const char *const damaged[] = {
		"",
		"1",
		"1;",
		"1;0;0",
		"2;0;0;",
		"01;0;0;",
		"1;1;1;", /* ends without values */
		"1;5;5;5:0", /* a count of none */
		"1;5;5;5:1,", /* truncated */
		"1;5;5;5:", /* truncated */
		"1;5;5;5", /* truncated */
		"1;5;6;5:1,0:1", /* not ascending */
		"1;5;6;5:1,-1:1", /* a sign */
		"1;5;6;5:1,+1:1", /* a sign */
		"1;5;6;5:1,1:1 ", /* a blank */
		"1;5;6;5:1, 1:1", /* a blank */
		"1;5;6;05:1,1:1", /* a leading zero */
		"1;5;6;5:01,1:1", /* a leading zero */
		"1;5;6;5:1;1:1", /* wrong separator */
		"1;5;6;0x5:1,1:1", /* not decimal */
		"1;5;6;5:1,1:1\n", /* trailing */
		"1;5;6;5:1,1:1,20000:1", /* beyond the last bucket */
		"1;0;18446744073709551615;0:1,14592:1", /* the first beyond the last */
		"1;4;6;5:1,1:1", /* min is of another bucket */
		"1;5;7;5:1,1:1", /* max is of another bucket */
		"1;1001;1000;1000:2", /* no such bucket for min */
		"1;1001;1000;756:2", /* min above max, in the right bucket */
		"1;1000;1001;756:1", /* one value with two sizes */
		"1;5;5;5:18446744073709551616", /* a count beyond 64 bits */
		"1;5;6;5:18446744073709551615,1:1", /* a sum beyond 64 bits */
		"1;18446744073709551616;18446744073709551616;5:1",
		"1;5;5;18446744073709551621:1", /* wraps to 5 */
		"1;5;6;5:1,18446744073709551615:1", /* wraps to 4 */
	};
	struct histogram *h = NULL;

	/* What the damaged ones are made from is fine. */
	assert_int_equal(histogram_decode("1;5;6;5:1,1:1", &h), 0);
	histogram_free(h);
	assert_int_equal(histogram_decode("1;1000;1001;756:2", &h), 0);
	histogram_free(h);
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		h = NULL;
		if (histogram_decode(damaged[i], &h) != -EINVAL)
			fail_msg("accepted: %s", damaged[i]);
		assert_null(h);
	}
}

/* Whatever one changed character makes of a text: it is refused, or it is that text's histogram. */
static void accepted_text_is_the_only_text_of_its_histogram(void **state)
{
	static const char alphabet[] = "0123456789:,;-x";
	static const char good[] = "1;200;70000;200:1,60:3,700:12,1361:2";
	struct rng rng = {7};
	unsigned accepted = 0;

	for (unsigned round = 0; round < 20000; round++) {
		char text[sizeof(good)], *again;
		struct histogram *h;
		int r;

		memcpy(text, good, sizeof(good));
		text[rng_below(&rng, sizeof(good) - 1)] = alphabet[rng_below(&rng, 15)];
		r = histogram_decode(text, &h);
		if (r < 0) {
			assert_int_equal(r, -EINVAL);
			continue;
		}
		accepted++;
		again = histogram_encode(h);
		assert_string_equal(again, text);
		free(again);
		histogram_free(h);
	}
	assert_true(accepted > 100);
}

struct seen {
	double last_high;
	uint64_t count;
	unsigned buckets;
};

static void look(void *arg, double low_ns, double high_ns, uint64_t count)
{
	struct seen *seen = arg;

	assert_true(low_ns >= seen->last_high && high_ns > low_ns && count > 0);
	assert_true(high_ns - low_ns <= 0.001 * 1.0000001 || high_ns - low_ns <= low_ns / 255);
	seen->last_high = high_ns;
	seen->count += count;
	seen->buckets++;
}

static void buckets_are_visited_ascending_with_all_counts(void **state)
{
	const uint64_t values[] = {1, 1, 2, 300, 70000, 70001, (uint64_t)1 << 63, UINT64_MAX};
	struct histogram *h = of(values, 8);
	struct seen seen = {0};

	histogram_each(h, look, &seen);
	assert_int_equal(seen.count, 8);
	assert_int_equal(seen.buckets, 6);
	assert_true(seen.last_high == 0x1p64 / 1000);
	histogram_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_histogram_has_no_values),
		cmocka_unit_test(values_below_256_ps_are_exact),
		cmocka_unit_test(one_value_of_any_size_comes_back_within_the_error),
		cmocka_unit_test(quantiles_are_those_of_the_sorted_values),
		cmocka_unit_test(mean_is_within_the_error_of_the_exact_mean),
		cmocka_unit_test(merging_equals_recording_all_in_one),
		cmocka_unit_test(counts_never_wrap),
		cmocka_unit_test(text_comes_back_as_the_same_histogram),
		cmocka_unit_test(text_is_what_files_of_old_say),
		cmocka_unit_test(damaged_text_is_refused),
		cmocka_unit_test(accepted_text_is_the_only_text_of_its_histogram),
		cmocka_unit_test(buckets_are_visited_ascending_with_all_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
