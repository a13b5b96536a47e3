// SPDX-License-Identifier: MIT
/* memory.numa_stat is written as the kernel writes it, in both styles, into any size of buffer. */
#include "memcg/numa_stat.h"

#include "base/rng.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint16_t power_nids[] = {0, 8, 252, 253, 254, 255};

static void fill(struct numa_counts *counts, struct rng *rng)
{
	/* All lengths of numbers, from 0 to 20 digits. */
	for (size_t i = 0; i < numa_nr_cells(counts->nr_nodes); i++)
		counts->cells[i] = rng_next(rng) >> rng_below(rng, 64);
	counts->cells[rng_below(rng, numa_nr_cells(counts->nr_nodes))] = UINT64_MAX;
	counts->cells[rng_below(rng, numa_nr_cells(counts->nr_nodes))] = 0;
}

static void text_is_byte_for_byte_the_kernels(void **state)
{
	static const uint16_t nids[] = {0, 8};
	static const char expected[] =
		"total=1 N0=2 N8=3\n"
		"file=4 N0=5 N8=6\n"
		"anon=7 N0=8 N8=9\n"
		"unevictable=10 N0=11 N8=12\n"
		"hierarchical_total=13 N0=14 N8=15\n"
		"hierarchical_file=16 N0=17 N8=18\n"
		"hierarchical_anon=19 N0=20 N8=21\n"
		"hierarchical_unevictable=22 N0=23 N8=18446744073709551615\n";
	const char *hierarchical = strstr(expected, "hierarchical_");
	size_t local = (size_t)(hierarchical - expected);
	struct numa_counts counts;
	char text[1024];

	assert_int_equal(numa_counts_init(&counts, 2, nids), 0);
	for (size_t i = 0; i < numa_nr_cells(2); i++)
		counts.cells[i] = i + 1;
	counts.cells[numa_nr_cells(2) - 1] = UINT64_MAX;
	for (enum text_style style = TEXT_SEQ_PRINTF; style <= TEXT_FAST; style++) {
		assert_int_equal(numa_stat_text(&counts, ROWS_ALL, style, text, sizeof(text)),
				 strlen(expected));
		assert_string_equal(text, expected);
		assert_int_equal(
			numa_stat_text(&counts, ROWS_HIERARCHICAL, style, text, sizeof(text)),
			strlen(hierarchical));
		assert_string_equal(text, hierarchical);
		assert_int_equal(numa_stat_text(&counts, ROWS_LOCAL, style, text, sizeof(text)),
				 local);
		assert_memory_equal(text, expected, local);
		assert_int_equal(text[local], '\0');
	}
	numa_counts_fini(&counts);
}

static void a_machine_without_columns_has_row_sums_only(void **state)
{
	struct numa_counts counts;
	char text[256];

	assert_int_equal(numa_counts_init(&counts, 0, NULL), 0);
	counts.cells[numa_cell(0, SCOPE_LOCAL, NUMA_ROW_ANON, 0)] = 7;
	assert_true(numa_stat_text(&counts, ROWS_LOCAL, TEXT_FAST, text, sizeof(text)) > 0);
	assert_string_equal(text, "total=0\nfile=0\nanon=7\nunevictable=0\n");
	numa_counts_fini(&counts);
}

static void both_styles_give_the_same_bytes(void **state)
{
	struct rng rng = rng_for(1, 2, 3);

	for (int round = 0; round < 2000; round++) {
		unsigned nr_nodes = (unsigned)rng_below(&rng, 9);
		uint16_t nids[8], nid = 0;
		size_t size = numa_stat_text_max(nr_nodes);
		char *printed = malloc(size), *fast = malloc(size);
		struct numa_counts counts;
		long length;

		assert_true(printed && fast);
		for (unsigned k = 0; k < nr_nodes; k++)
			nids[k] = nid = (uint16_t)(nid + 1 + rng_below(&rng, 127));
		assert_int_equal(numa_counts_init(&counts, nr_nodes, nids), 0);
		fill(&counts, &rng);
		length = numa_stat_text(&counts, ROWS_ALL, TEXT_SEQ_PRINTF, printed, size);
		assert_true(length > 0);
		assert_int_equal(numa_stat_text(&counts, ROWS_ALL, TEXT_FAST, fast, size), length);
		assert_memory_equal(printed, fast, (size_t)length + 1);
		numa_counts_fini(&counts);
		free(printed);
		free(fast);
	}
}

static void numbers_are_right_beside_every_power_of_two_and_ten(void **state)
{
	static const uint16_t nids[] = {0};
	struct numa_counts counts;
	char printed[1024], fast[1024];

	assert_int_equal(numa_counts_init(&counts, 1, nids), 0);
	for (uint64_t base = 2; base <= 10; base += 8) {
		for (uint64_t power = 1, next; power; power = next) {
			next = power <= UINT64_MAX / base ? power * base : 0;
			counts.cells[0] = power - 1;
			counts.cells[1] = power;
			counts.cells[2] = power + 1;
			numa_stat_text(&counts, ROWS_LOCAL, TEXT_SEQ_PRINTF, printed,
				       sizeof(printed));
			numa_stat_text(&counts, ROWS_LOCAL, TEXT_FAST, fast, sizeof(fast));
			assert_string_equal(printed, fast);
		}
	}
	numa_counts_fini(&counts);
}

static void the_longest_text_just_fits(void **state)
{
	static const uint16_t nids[] = {UINT16_MAX, UINT16_MAX, UINT16_MAX};

	for (unsigned nr_nodes = 0; nr_nodes <= 3; nr_nodes++) {
		size_t size = numa_stat_text_max(nr_nodes);
		char *text = malloc(size);
		struct numa_counts counts;

		assert_non_null(text);
		assert_int_equal(numa_counts_init(&counts, nr_nodes, nids), 0);
		memset(counts.cells, 0xff, numa_nr_cells(nr_nodes) * sizeof(*counts.cells));
		for (enum text_style style = TEXT_SEQ_PRINTF; style <= TEXT_FAST; style++)
			assert_int_equal(numa_stat_text(&counts, ROWS_ALL, style, text, size),
					 size - 1);
		numa_counts_fini(&counts);
		free(text);
	}
}

/* Buffers of exactly `size` bytes from malloc, so that ASan sees a byte too many. */
static void a_small_buffer_gets_what_fits_and_enospc(void **state)
{
	struct numa_counts counts;
	struct rng rng = rng_for(4, 5, 6);
	char whole[2048];
	long length;

	assert_int_equal(numa_counts_init(&counts, 6, power_nids), 0);
	fill(&counts, &rng);
	length = numa_stat_text(&counts, ROWS_ALL, TEXT_SEQ_PRINTF, whole, sizeof(whole));
	assert_true(length > 0);
	for (enum text_style style = TEXT_SEQ_PRINTF; style <= TEXT_FAST; style++) {
		for (size_t size = 0; size <= (size_t)length + 70; size++) {
			char *text = malloc(size + !size);
			long got = numa_stat_text(&counts, ROWS_ALL, style, text, size);

			assert_int_equal(got, size > (size_t)length ? length : -ENOSPC);
			if (size) {
				size_t fits = size > (size_t)length ? (size_t)length : size - 1;

				assert_memory_equal(text, whole, fits);
				assert_int_equal(text[fits], '\0');
			}
			free(text);
		}
	}
	numa_counts_fini(&counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_byte_for_byte_the_kernels),
		cmocka_unit_test(a_machine_without_columns_has_row_sums_only),
		cmocka_unit_test(both_styles_give_the_same_bytes),
		cmocka_unit_test(numbers_are_right_beside_every_power_of_two_and_ten),
		cmocka_unit_test(the_longest_text_just_fits),
		cmocka_unit_test(a_small_buffer_gets_what_fits_and_enospc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
