// SPDX-License-Identifier: MIT
/*
 * Each file is printed with the rows that kernels print, in their order, and reads back as what was
 * printed; and what the rows say fits together.
 */
#include "memcg/stat_items.h"
#include "memcg/stat_text.h"

#include "base/rng.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NODES 3

static const uint16_t nids[NODES] = {0, 8, 252};
static const enum stat_type types[] = {STAT_NUMA_V1, STAT_NUMA_V2, STAT_MEMORY_V1, STAT_MEMORY_V2};
#define NR_TYPES (sizeof(types) / sizeof(types[0]))

static const char *data_directory;

static void counts_of(struct numa_counts *counts, enum stat_type type, struct rng *rng)
{
	assert_int_equal(stat_counts_init(counts, &stat_formats[type], NODES, nids), 0);
	/* All lengths of numbers that do not overflow when they are in bytes. */
	for (size_t i = 0; i < stat_nr_cells(counts); i++)
		counts->cells[i] = rng_next(rng) >> (13 + rng_below(rng, 51));
}

static void masks_of_numa_stat_are_its_rows_items(void **state)
{
	const struct stat_format *format = &stat_formats[STAT_NUMA_V1];

	assert_int_equal(format->nr_rows, NR_NUMA_ROWS);
	for (unsigned row = 0; row < NR_NUMA_ROWS; row++) {
		unsigned mask = 0;

		for (unsigned i = 0; i < format->rows[row].nr_items; i++)
			mask |= 1u << format->rows[row].items[i];
		assert_int_equal(mask, numa_rows[row].lru_mask);
		assert_int_equal(stat_row_lists(&format->rows[row]), numa_row_items(row));
		assert_string_equal(format->rows[row].name, numa_rows[row].name);
	}
	assert_int_equal(stat_block_items(format, 2), 30);
	assert_false(stat_shows_items(format));
	assert_true(stat_shows_items(&stat_formats[STAT_NUMA_V2]));
}

/* Does `text` have the rows of a file that a kernel printed, in their order? */
static void assert_rows_of(const char *text, const char *file)
{
	char path[4096], line[256], name[256];
	FILE *kernel;

	snprintf(path, sizeof(path), "%s/%s", data_directory, file);
	kernel = fopen(path, "r");
	assert_non_null(kernel);
	while (fgets(line, sizeof(line), kernel)) {
		size_t length = strcspn(line, " =");

		snprintf(name, sizeof(name), "%.*s", (int)length, line);
		if (strncmp(text, name, length) || text[length] != line[length])
			fail_msg("%s: %s expected at: %.40s", file, name, text);
		text = strchr(text, '\n') + 1;
	}
	fclose(kernel);
	assert_string_equal(text, "");
}

static void rows_are_a_kernels_in_its_order(void **state)
{
	static const struct {
		enum stat_type type;
		const char *file;
	} cases[] = {
		{STAT_NUMA_V1, "v1-numa_stat-linux-5.6"},
		{STAT_MEMORY_V1, "v1-memory.stat-linux-4.19"},
		{STAT_MEMORY_V2, "v2-memory.stat-linux-5.4"},
	};
	struct rng rng = {1};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct numa_counts counts;
		char text[8192];

		counts_of(&counts, cases[i].type, &rng);
		assert_true(stat_text(&counts, ROWS_ALL, TEXT_FAST, text, sizeof(text)) > 0);
		assert_rows_of(text, cases[i].file);
		numa_counts_fini(&counts);
	}
}

static void v2_numa_stat_is_printed_in_bytes_without_sums(void **state)
{
	struct numa_counts counts;
	char text[4096];

	assert_int_equal(stat_counts_init(&counts, &stat_formats[STAT_NUMA_V2], 2, nids), 0);
	for (size_t i = 0; i < stat_nr_cells(&counts); i++)
		counts.cells[i] = i;
	assert_true(stat_text(&counts, ROWS_ALL, TEXT_SEQ_PRINTF, text, sizeof(text)) > 0);
	/* Behind 30 local cells, which are not printed; stacks are counted in KiB. */
	assert_string_equal(text, "anon N0=122880 N8=126976\n"
				  "file N0=131072 N8=135168\n"
				  "kernel_stack N0=34816 N8=35840\n"
				  "shmem N0=147456 N8=151552\n"
				  "file_mapped N0=155648 N8=159744\n"
				  "file_dirty N0=163840 N8=167936\n"
				  "file_writeback N0=172032 N8=176128\n"
				  "anon_thp N0=180224 N8=184320\n"
				  "inactive_anon N0=188416 N8=192512\n"
				  "active_anon N0=196608 N8=200704\n"
				  "inactive_file N0=204800 N8=208896\n"
				  "active_file N0=212992 N8=217088\n"
				  "unevictable N0=221184 N8=225280\n"
				  "slab_reclaimable N0=229376 N8=233472\n"
				  "slab_unreclaimable N0=237568 N8=241664\n");
	numa_counts_fini(&counts);
}

/* The next row of the file that is one of its table: limits are not. */
static const struct stat_row *next_row(const struct stat_file *file, size_t *at)
{
	while (*at < file->nr_rows && strstr(file->rows[*at].name, "_limit"))
		++*at;
	assert_true(*at < file->nr_rows);
	return &file->rows[(*at)++];
}

static void check_row(const struct stat_row *read, const struct numa_counts *counts,
		      enum numa_scope scope, unsigned row)
{
	const struct stat_format *format = counts->format;
	const struct stat_row_format *described = &format->rows[row];
	const uint64_t *cells =
		&counts->cells[stat_cell(counts, scope, row, stat_first_column(format))];
	char name[64];

	snprintf(name, sizeof(name), "%s%s",
		 scope == SCOPE_HIERARCHICAL ? format->hierarchical_prefix : "", described->name);
	assert_true(read->known);
	assert_string_equal(read->name, name);
	assert_int_equal(read->unit, described->unit);
	assert_int_equal(read->has_value, format->has_sum);
	if (format->has_sum)
		assert_true(read->value == *cells++ * described->scale);
	assert_int_equal(read->nr_columns, format->has_nodes ? NODES : 0);
	for (unsigned k = 0; k < read->nr_columns; k++) {
		assert_int_equal(read->columns[k].nid, nids[k]);
		assert_true(read->columns[k].value == cells[k] * described->scale);
	}
}

static void what_is_printed_reads_back_the_same(void **state)
{
	struct rng rng = {2};

	for (size_t i = 0; i < NR_TYPES * 50; i++) {
		const struct stat_format *format = &stat_formats[types[i % NR_TYPES]];
		struct numa_counts counts;
		struct stat_file *file;
		struct error err;
		char text[8192];
		size_t at = 0;
		long length;

		counts_of(&counts, format->type, &rng);
		length = stat_text(&counts, ROWS_ALL, TEXT_FAST, text, sizeof(text));
		assert_true(length > 0);
		if (stat_parse("f", text, (size_t)length, STAT_AUTO, &file, &err))
			fail_msg("%u:%u: %s in: %s", err.line, err.column, err.text, text);
		assert_int_equal(file->type, format->type);
		for (unsigned scope = 0; scope < NR_SCOPES; scope++)
			for (unsigned row = 0;
			     format->scopes & (1u << scope) && row < format->nr_rows; row++)
				check_row(next_row(file, &at), &counts, scope, row);
		assert_true(at == file->nr_rows);
		stat_file_free(file);
		numa_counts_fini(&counts);
	}
}

static void both_styles_give_the_same_bytes_in_any_buffer(void **state)
{
	struct rng rng = {3};

	for (size_t i = 0; i < NR_TYPES; i++) {
		struct numa_counts counts;
		char whole[8192], text[2][8192];
		size_t length, most = stat_text_max(&stat_formats[types[i]], NODES);
		long got;

		counts_of(&counts, types[i], &rng);
		counts.cells[stat_nr_cells(&counts) - 1] = UINT64_MAX / 4096;
		got = stat_text(&counts, ROWS_ALL, TEXT_SEQ_PRINTF, whole, sizeof(whole));
		assert_true(got > 0);
		length = (size_t)got;
		assert_true(most > length && most <= sizeof(whole));
		for (size_t size = 1; size <= length + 2; size++) {
			for (unsigned style = 0; style < 2; style++) {
				memset(text[style], 'x', sizeof(text[style]));
				got = stat_text(&counts, ROWS_ALL, style, text[style], size);
				assert_true(got == (size > length ? (long)length : -ENOSPC));
				assert_int_equal(text[style][size], 'x');
			}
			assert_string_equal(text[0], text[1]);
			assert_memory_equal(text[0], whole, strlen(text[0]));
		}
		numa_counts_fini(&counts);
	}
}

static void a_block_can_be_left_out(void **state)
{
	struct rng rng = {4};
	struct numa_counts counts;
	char text[8192];

	counts_of(&counts, STAT_MEMORY_V1, &rng);
	assert_true(stat_text(&counts, ROWS_HIERARCHICAL, TEXT_FAST, text, sizeof(text)) > 0);
	assert_memory_equal(text, "hierarchical_memory_limit 9223372036854771712\n", 46);
	assert_non_null(strstr(text, "\ntotal_cache "));
	assert_null(strstr(text, "\ncache "));
	numa_counts_fini(&counts);
}

static void every_page_is_anonymous_or_of_a_file(void **state)
{
	for (long pages = 0; pages < 10000; pages += 37) {
		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
			long anon = stat_item_value(ITEM_ANON, lru, pages);
			long file = stat_item_value(ITEM_FILE, lru, pages);
			long shmem = stat_item_value(ITEM_SHMEM, lru, pages);

			assert_true(anon >= 0 && shmem >= 0 && shmem <= file);
			assert_true(anon + file == pages);
			assert_true(stat_item_value(ITEM_ANON_THP, lru, pages) <= anon);
			assert_true(stat_item_value(ITEM_ANON_THP, lru, pages) % 512 == 0);
			assert_true(stat_item_value(ITEM_FILE_MAPPED, lru, pages) <= file);
			assert_true(stat_item_value(EVENT_PGPGIN, lru, pages) -
					    stat_item_value(EVENT_PGPGOUT, lru, pages) ==
				    pages);
		}
	}
	assert_true(stat_item_value(ITEM_SHMEM, LRU_ACTIVE_ANON, 1000) == 100);
	assert_true(stat_item_value(ITEM_SHMEM, LRU_ACTIVE_FILE, 1000) == 0);
}

static void every_item_that_a_file_shows_is_filled(void **state)
{
	for (size_t i = 0; i < NR_TYPES; i++) {
		const struct stat_format *format = &stat_formats[types[i]];

		for (unsigned row = 0; row < format->nr_rows; row++) {
			for (unsigned k = 0; k < format->rows[row].nr_items; k++) {
				unsigned item = format->rows[row].items[k];

				assert_true(item < NR_LRU_LISTS || stat_item_is_static(item));
				/* Lruvecs have what numa_stat shows. */
				assert_true(!format->has_nodes || item < NR_NODE_ITEMS);
			}
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_of_numa_stat_are_its_rows_items),
		cmocka_unit_test(rows_are_a_kernels_in_its_order),
		cmocka_unit_test(v2_numa_stat_is_printed_in_bytes_without_sums),
		cmocka_unit_test(what_is_printed_reads_back_the_same),
		cmocka_unit_test(both_styles_give_the_same_bytes_in_any_buffer),
		cmocka_unit_test(a_block_can_be_left_out),
		cmocka_unit_test(every_page_is_anonymous_or_of_a_file),
		cmocka_unit_test(every_item_that_a_file_shows_is_filled),
	};

	if (argc < 2)
		return 2;
	data_directory = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
