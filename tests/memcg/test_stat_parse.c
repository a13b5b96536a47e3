// SPDX-License-Identifier: MIT
/* numa_stat and memory.stat are read back as they were written; damage is found where it is. */
#include "memcg/numa_stat.h"
#include "memcg/stat_parse.h"

#include "base/rng.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct stat_file *parsed(const char *text, enum stat_type type)
{
	struct stat_file *file = NULL;
	struct error err = {0};

	if (stat_parse("f", text, strlen(text), type, &file, &err))
		fail_msg("%u:%u: %s in: %s", err.line, err.column, err.text, text);
	assert_non_null(file);
	return file;
}

static const struct stat_row *row_of(const struct stat_file *file, const char *name)
{
	for (size_t i = 0; i < file->nr_rows; i++)
		if (file->rows[i].known && !strcmp(file->rows[i].name, name))
			return &file->rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void check_against(const struct stat_file *file, const struct numa_counts *counts)
{
	assert_int_equal(file->type, STAT_NUMA_V1);
	assert_int_equal(file->nr_rows, NR_SCOPES * NR_NUMA_ROWS);
	for (size_t i = 0; i < file->nr_rows; i++) {
		const struct stat_row *row = &file->rows[i];
		enum numa_scope scope = i / NR_NUMA_ROWS;
		enum numa_row which = i % NR_NUMA_ROWS;
		const uint64_t *cells =
			&counts->cells[numa_cell(counts->nr_nodes, scope, which, 0)];
		const char *name = row->name;

		assert_true(row->known && row->has_value);
		assert_null(row->text);
		assert_int_equal(row->line, i + 1);
		assert_int_equal(row->unit, STAT_PAGES);
		if (scope == SCOPE_HIERARCHICAL) {
			assert_memory_equal(name, "hierarchical_", 13);
			name += 13;
		}
		assert_string_equal(name, numa_rows[which].name);
		assert_int_equal(row->value, cells[0]);
		assert_int_equal(row->nr_columns, counts->nr_nodes);
		for (unsigned k = 0; k < counts->nr_nodes; k++) {
			assert_int_equal(row->columns[k].nid, counts->nids[k]);
			assert_int_equal(row->columns[k].value, cells[1 + k]);
		}
	}
}

static void what_was_written_is_read_back(void **state)
{
	struct rng rng = rng_for(7, 8, 9);

	for (int round = 0; round < 1000; round++) {
		unsigned nr_nodes = (unsigned)rng_below(&rng, 17);
		uint16_t nids[16], nid = 0;
		size_t size = numa_stat_text_max(nr_nodes);
		struct numa_counts counts;
		struct stat_file *file;
		char *text = malloc(size);

		assert_non_null(text);
		for (unsigned k = 0; k < nr_nodes; k++) {
			nids[k] = nid;
			nid = (uint16_t)(nid + 1 + rng_below(&rng, 63));
		}
		assert_int_equal(numa_counts_init(&counts, nr_nodes, nids), 0);
		for (size_t i = 0; i < numa_nr_cells(nr_nodes); i++)
			counts.cells[i] = rng_next(&rng) >> rng_below(&rng, 64);
		assert_true(numa_stat_text(&counts, ROWS_ALL, TEXT_FAST, text, size) > 0);
		file = parsed(text, STAT_AUTO);
		check_against(file, &counts);
		stat_file_free(file);
		numa_counts_fini(&counts);
		free(text);
	}
}

static void a_thousand_and_twenty_four_nodes_fit(void **state)
{
	static uint16_t nids[STAT_NID_MAX + 1];
	size_t size = numa_stat_text_max(STAT_NID_MAX + 1);
	struct numa_counts counts;
	struct stat_file *file;
	char *text = malloc(size);

	assert_non_null(text);
	for (unsigned k = 0; k <= STAT_NID_MAX; k++)
		nids[k] = (uint16_t)k;
	assert_int_equal(numa_counts_init(&counts, STAT_NID_MAX + 1, nids), 0);
	memset(counts.cells, 0xff, numa_nr_cells(STAT_NID_MAX + 1) * sizeof(*counts.cells));
	assert_true(numa_stat_text(&counts, ROWS_ALL, TEXT_SEQ_PRINTF, text, size) > 0);
	file = parsed(text, STAT_AUTO);
	check_against(file, &counts);
	stat_file_free(file);
	numa_counts_fini(&counts);
	free(text);
}

/* Which format, by the first recognised row; lines above it do not count. */
static void the_first_recognised_row_decides(void **state)
{
	static const struct {
		const char *text;
		enum stat_type type;
	} cases[] = {
		{"total=1 N0=1", STAT_NUMA_V1},
		{"hierarchical_anon=1 N0=1\n", STAT_NUMA_V1},
		{"anon=1 N0=1\n", STAT_NUMA_V1},
		{"anon N0=1\n", STAT_NUMA_V2},
		{"anon 1\n", STAT_MEMORY_V2},
		{"cache 1\n", STAT_MEMORY_V1},
		{"total_cache 1\n", STAT_MEMORY_V1},
		{"shmem 5\npgfault 1\nfile 2\n", STAT_MEMORY_V2},
		{"shmem 5\npgfault 1\nrss 2\n", STAT_MEMORY_V1},
		{"numa_exectime 0\ntotal=1 N0=1\n", STAT_NUMA_V1},
		{"numa_locality 0 0 0\nanon N0=1\n", STAT_NUMA_V2},
		{"whatever=100 N0=0\nfile N0=1\n", STAT_NUMA_V2},
		{"whatever N0=0\nfile=1 N0=1\n", STAT_NUMA_V1},
		{"\n\ncache 1\n", STAT_MEMORY_V1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stat_file *file = parsed(cases[i].text, STAT_AUTO);

		assert_int_equal(file->type, cases[i].type);
		stat_file_free(file);
	}
}

static void the_caller_may_decide(void **state)
{
	struct stat_file *file = parsed("pgfault 5\n", STAT_MEMORY_V1);

	assert_int_equal(file->type, STAT_MEMORY_V1);
	assert_int_equal(file->rows[0].value, 5);
	stat_file_free(file);
	file = parsed("anon 5\nshmem 6\n", STAT_MEMORY_V1);
	assert_false(file->rows[0].known);
	assert_true(file->rows[1].known);
	stat_file_free(file);
}

static void vendor_lines_are_kept_as_text(void **state)
{
	static const char *const lines[] = {
		"numa_locality 0 0 0",
		"numa_exectime 0",
		"whatever=100 N0=0",
		"whatever=100 N0=",
		"whatever=99999999999999999999999 N0=0 N0=0 N4096=1",
		"totals=1 N0=1",
		"total.x=1",
		"total-x 1",
		"Total=1 N0=1",
		"hierarchical_swap=1 N0=1",
		"=5",
		": what is this?",
		"\ttabs\tand  blanks ",
		"",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		static const char *const frames[] = {"total=1 N0=1\n%s\nfile=2 N0=2\n",
						     "anon N0=1\n%s\nfile N0=1\n",
						     "cache 1\n%s\nrss 2\n", "anon 1\n%s\nfile 2"};

		for (size_t f = 0; f < sizeof(frames) / sizeof(frames[0]); f++) {
			struct stat_file *file;
			char text[256];

			snprintf(text, sizeof(text), frames[f], lines[i]);
			file = parsed(text, STAT_AUTO);
			assert_int_equal(file->nr_rows, 3);
			assert_true(file->rows[0].known && file->rows[2].known);
			assert_false(file->rows[1].known);
			assert_null(file->rows[1].name);
			assert_string_equal(file->rows[1].text, lines[i]);
			assert_int_equal(file->rows[1].line, 2);
			assert_int_equal(file->rows[2].line, 3);
			stat_file_free(file);
		}
	}
}

static void units_are_the_rows(void **state)
{
	struct stat_file *file = parsed("cache 4096\npgfault 3\ntotal_pgfault 4\n"
					"hierarchical_memory_limit 9223372036854771712\n",
					STAT_AUTO);

	assert_int_equal(row_of(file, "cache")->unit, STAT_BYTES);
	assert_int_equal(row_of(file, "pgfault")->unit, STAT_COUNT);
	assert_int_equal(row_of(file, "total_pgfault")->unit, STAT_COUNT);
	assert_int_equal(row_of(file, "hierarchical_memory_limit")->unit, STAT_BYTES);
	assert_int_equal(row_of(file, "hierarchical_memory_limit")->value, 9223372036854771712u);
	stat_file_free(file);
	file = parsed("anon N0=4096 N1=18446744073709551615\nworkingset_nodereclaim N1=3 N0=2\n",
		      STAT_AUTO);
	assert_false(row_of(file, "anon")->has_value);
	assert_int_equal(row_of(file, "anon")->unit, STAT_BYTES);
	assert_int_equal(row_of(file, "anon")->columns[1].value, UINT64_MAX);
	assert_int_equal(row_of(file, "workingset_nodereclaim")->unit, STAT_COUNT);
	assert_int_equal(row_of(file, "workingset_nodereclaim")->columns[0].nid, 1);
	stat_file_free(file);
}

static const struct damage {
	const char *text;
	unsigned line, column;
	const char *says; /* part of the message */
	enum stat_type type;
} damages[] = {
	{"", 1, 1, "empty"},
	{"\n", 1, 1, "no known row"},
	{"hello world\n", 1, 1, "no known row"},
	{"whatever=100 N0=0\n", 1, 1, "no known row"},
	{"pgfault 1\nshmem 2\n", 1, 1, "--type"},
	{"vendor 1\npgfault 1\n", 2, 1, "--type"},
	{"vendor 1\n", 1, 1, "none of its rows", STAT_MEMORY_V2},
	{"", 1, 1, "empty", STAT_NUMA_V1},
	/* numbers */
	{"total=x N0=1\n", 1, 7, "'x' where a number"},
	{"total=-1 N0=1\n", 1, 7, "'-' where a number"},
	{"total=+1 N0=1\n", 1, 7, "'+' where a number"},
	{"total= 1 N0=1\n", 1, 7, "' ' where a number"},
	{"total=12k N0=1\n", 1, 9, "'k' in a number"},
	{"total=0x1 N0=1\n", 1, 8, "'x' in a number"},
	{"total=1.5 N0=1\n", 1, 8, "'.' in a number"},
	{"total=01 N0=1\n", 1, 7, "leading zeros"},
	{"total=1 N0=00\n", 1, 12, "leading zeros"},
	{"total=18446744073709551616 N0=1\n", 1, 7, "64 bits"},
	{"total=1 N0=99999999999999999999999999\n", 1, 12, "64 bits"},
	{"anon 18446744073709551616\n", 1, 6, "64 bits"},
	{"anon five\n", 1, 6, "'f' where a number"},
	{"anon 5 6\n", 1, 7, "more than one"},
	{"anon 5 \n", 1, 7, "more than one"},
	{"anon  5\n", 1, 6, "' ' where a number"},
	{"file 1\nanon\t5\n", 2, 5, "where ' ' should be"},
	/* nodes */
	{"total=1 N1024=1\n", 1, 10, "above 1023"},
	{"total=1 N18446744073709551616=1\n", 1, 10, "64 bits"},
	{"total=1 N01=1\n", 1, 10, "leading zeros"},
	{"total=1 N=1\n", 1, 10, "'=' where a number"},
	{"total=1 N0:1\n", 1, 11, "':' where '='"},
	{"total=1 M0=1\n", 1, 9, "'M' where 'N'"},
	{"total=1 n0=1\n", 1, 9, "'n' where 'N'"},
	{"total=1  N0=1\n", 1, 9, "' ' where 'N'"},
	{"total=1\tN0=1\n", 1, 8, "in a number"},
	{"total=1,N0=1\n", 1, 8, "',' in a number"},
	{"total=1 N0=1 N0=1\n", 1, 14, "N0 is twice"},
	{"total=1 N0=1 N8=2 N0=1\n", 1, 19, "N0 is twice"},
	{"anon N0=1 N0=1\n", 1, 11, "N0 is twice"},
	/* rows */
	{"total=1 N0=1\nfile=1 N0=1\ntotal=1 N0=1\n", 3, 1, "twice (first in line 1)"},
	{"anon N0=1\nanon N0=1\n", 2, 1, "twice"},
	{"anon 1\nanon 1\n", 2, 1, "twice"},
	{"cache 1\ntotal_cache 1\ntotal_cache 1\n", 3, 1, "twice"},
	{"file=1 N0=1\n total=1 N0=1\n", 2, 1, "blanks before"},
	{"file=1 N0=1\n\ttotal=1 N0=1\n", 2, 1, "blanks before"},
	{"file=1 N0=1\ntotal 1 N0=1\n", 2, 6, "' ' where '='"},
	{"file=1 N0=1\ntotal:1 N0=1\n", 2, 6, "':' where '='"},
	{"file=1 N0=1\ntotal =1 N0=1\n", 2, 6, "' ' where '='"},
	{"file N0=1\nanon=1 N0=1\n", 2, 5, "'=' where ' '"},
	{"file N0=1\nanon 5\n", 2, 6, "'5' where 'N'"},
	{"file 1\nanon=5\n", 2, 5, "'=' where ' '"},
	{"anon N0=5\n", 1, 6, "'N' where a number", STAT_MEMORY_V2},
	{"total=5 N0=5\n", 1, 1, "none of its rows", STAT_MEMORY_V1},
	{"anon N0=5\n", 1, 5, "' ' where '='", STAT_NUMA_V1},
	/* cuts */
	{"total=", 1, 7, "a number should follow"},
	{"total=\n", 1, 7, "a number should follow"},
	{"total=1 N0=1\nfile=1 ", 2, 8, "'N' should follow"},
	{"total=1 N0=1\nfile=1 N", 2, 9, "a number should follow"},
	{"total=1 N0=1\nfile=1 N0", 2, 10, "'=' should follow"},
	{"total=1 N0=1\nfile=1 N0=", 2, 11, "a number should follow"},
	{"total=1 N0=1\nfile=1 N0=\nanon=1 N0=1\n", 2, 11, "a number should follow"},
	{"total=1 N0=1\nfile", 2, 5, "'=' should follow"},
	{"total=1 N0=1\nfi", 2, 3, "cut in its name"},
	{"total=1 N0=1\nhierarchical_", 2, 14, "cut in its name"},
	{"total=1 N0=1\nhierarchical_un", 2, 16, "cut in its name"},
	{"total=1 N0=1 N1=1\nfile=1 N0=1\n", 2, 12, "N1 is missing, which line 1 has"},
	{"total=1 N0=1\nfile=1 N0=1 N1=1\n", 1, 13, "N1 is missing, which line 2 has"},
	{"total=1\nfile=1 N0=1\n", 1, 8, "N0 is missing"},
	{"total=1 N0=1\nfile=1 N8=1\n", 1, 13, "N8 is missing"},
	{"total=1 N0=1\nfile=1", 2, 7, "N0 is missing"},
	{"anon N0=1 N1=1\nfile N0=1 N1=1\nshmem N0=1", 3, 11, "N1 is missing, which line 1"},
	{"anon N0=1\nfile", 2, 5, "' N' should follow"},
	{"anon N0=1\nfile\nshmem N0=1\n", 2, 5, "' N' should follow"},
	{"anon N0=1\nkernel_sta", 2, 11, "cut in its name"},
	{"anon 1\nfile", 2, 5, "' ' should follow"},
	{"anon 1\nfile ", 2, 6, "a number should follow"},
	{"anon 1\npgfa", 2, 5, "cut in its name"},
	{"cache 1\ntotal_", 2, 7, "cut in its name"},
	{"cache 1\ntotal_rs", 2, 9, "cut in its name"},
	{"total=1 N0=1\nfile=1 N0=1\nhierarchical_total=1 N0=1\n", 3, 26,
	 "no row 'hierarchical_file'"},
	{"file=1 N0=1\nhierarchical_total=1 N0=1\nhierarchical_file=1 N0=1", 3, 25,
	 "no row 'total'"},
	/* bytes */
	{"total=1 N0=1\r\n", 1, 13, "carriage return"},
	{"total=1 N0=1\nnuma_exectime 0\r\n", 2, 16, "carriage return"},
	{"total=1 N0=1\nx\033[31m 1\n", 2, 2, "byte 0x1b"},
	{"total=1 N0=1\nx\x7f 1\n", 2, 2, "byte 0x7f"},
	{"\xef\xbb\xbftotal=1 N0=1\n", 1, 1, "byte 0xef"},
};

static void damage_is_found_where_it_is(void **state)
{
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		const struct damage *d = &damages[i];
		struct stat_file *file = NULL;
		struct error err = {0};

		if (stat_parse("f", d->text, strlen(d->text), d->type, &file, &err) != -EINVAL)
			fail_msg("accepted: %s", d->text);
		if (err.line != d->line || err.column != d->column || !strstr(err.text, d->says))
			fail_msg("%u:%u: %s, not %u:%u and %s, in: %s", err.line, err.column,
				 err.text, d->line, d->column, d->says, d->text);
		assert_string_equal(err.file, "f");
		assert_null(file);
	}
}

static void a_nul_is_an_error_wherever_it_is(void **state)
{
	static const char text[] = "total=1 N0=1\nvendor 1\n";

	for (size_t at = 0; at < sizeof(text); at++) {
		char copy[sizeof(text) + 1];
		struct stat_file *file = NULL;
		struct error err = {0};
		bool second = at >= 13;

		memcpy(copy, text, at);
		copy[at] = '\0';
		memcpy(copy + at + 1, text + at, sizeof(text) - at);
		assert_int_equal(stat_parse("f", copy, sizeof(text), STAT_AUTO, &file, &err),
				 -EINVAL);
		assert_non_null(strstr(err.text, "0x00"));
		if (at < sizeof(text) - 1) {
			assert_int_equal(err.line, second ? 2 : 1);
			assert_int_equal(err.column, second ? at - 12 : at + 1);
		}
	}
}

/*
 * Every prefix of a file with both blocks. It is accepted if and only if its last row has all its
 * columns (digits of the last number may be gone: nothing shows that), or is the only row, and no
 * block contradicts the other.
 */
static void every_cut_that_shows_is_found(void **state)
{
	static const uint16_t nids[] = {0, 8, 252};
	struct numa_counts counts;
	unsigned accepted = 0, ended = 0; /* rows with their newline */
	char text[1024], last = '\0';
	size_t from = 0; /* where the last row starts */
	long length;

	assert_int_equal(numa_counts_init(&counts, 3, nids), 0);
	for (size_t i = 0; i < numa_nr_cells(3); i++)
		counts.cells[i] = 1000 + i;
	length = numa_stat_text(&counts, ROWS_ALL, TEXT_FAST, text, sizeof(text));
	assert_true(length > 0);
	for (size_t cut = 0; cut <= (size_t)length; last = text[cut++]) {
		bool at_digit = last >= '0' && last <= '9';
		struct stat_file *file = NULL;
		struct error err = {0};
		char *copy = strndup(text, cut);
		const char *cell;
		unsigned rows;
		bool whole;
		int r;

		assert_non_null(copy);
		if (last == '\n') {
			ended++;
			from = cut;
		}
		rows = ended + (from < cut);
		cell = strrchr(copy + from, ' ');
		whole = last == '\n' || (at_digit && strchr(cell ? cell : copy + from, '=') &&
					 (rows == 1 || strstr(copy + from, "N252=")));
		r = stat_parse("f", copy, cut, STAT_AUTO, &file, &err);
		if (whole && (rows <= 4 || rows == 8)) {
			assert_int_equal(r, 0);
			assert_int_equal(file->nr_rows, rows);
			accepted++;
		} else {
			assert_int_equal(r, -EINVAL);
			assert_in_range(err.line, 1, ended + 1);
			assert_true(err.column >= 1);
		}
		stat_file_free(file);
		free(copy);
	}
	/* Four digits and a newline of five rows, and the digits of three more numbers of the
	 * first. */
	assert_int_equal(accepted, 5 * 5 + 3 * 4);
	numa_counts_fini(&counts);
}

static void unknown_lines_are_bounded(void **state)
{
	static const char head[] = "anon 1\n";
	size_t length = sizeof(head) - 1 + 2 * (STAT_UNKNOWN_MAX + 1);
	char *text = malloc(length);
	struct stat_file *file = NULL;
	struct error err = {0};

	assert_non_null(text);
	memcpy(text, head, sizeof(head) - 1);
	for (size_t i = sizeof(head) - 1; i < length; i += 2)
		memcpy(text + i, "x\n", 2);
	assert_int_equal(stat_parse("f", text, length - 2, STAT_AUTO, &file, &err), 0);
	assert_int_equal(file->nr_rows, STAT_UNKNOWN_MAX + 1);
	stat_file_free(file);
	file = NULL;
	assert_int_equal(stat_parse("f", text, length, STAT_AUTO, &file, &err), -EINVAL);
	assert_int_equal(err.line, STAT_UNKNOWN_MAX + 2);
	assert_null(file);
	free(text);
}

static void the_longest_file_is_read_and_a_longer_one_refused(void **state)
{
	static const char head[] = "anon 1\nvendor ";
	char *text = malloc(STAT_FILE_MAX + 1);
	struct stat_file *file = NULL;
	struct error err = {0};

	assert_non_null(text);
	memset(text, 'x', STAT_FILE_MAX + 1);
	memcpy(text, head, sizeof(head) - 1);
	assert_int_equal(stat_parse("f", text, STAT_FILE_MAX, STAT_AUTO, &file, &err), 0);
	assert_int_equal(strlen(file->rows[1].text), STAT_FILE_MAX - 7);
	stat_file_free(file);
	file = NULL;
	assert_int_equal(stat_parse("f", text, STAT_FILE_MAX + 1, STAT_AUTO, &file, &err), -EFBIG);
	/* A known row as long: the error is at its place. */
	memcpy(text, "total=1 N0=", 11);
	assert_int_equal(stat_parse("f", text, STAT_FILE_MAX, STAT_AUTO, &file, &err), -EINVAL);
	assert_int_equal(err.column, 12);
	memset(text + 11, '1', STAT_FILE_MAX - 11);
	text[STAT_FILE_MAX - 1] = '\n';
	assert_int_equal(stat_parse("f", text, STAT_FILE_MAX, STAT_AUTO, &file, &err), -EINVAL);
	assert_int_equal(err.column, 12);
	assert_null(file);
	free(text);
}

static void errors_need_no_place_to_go(void **state)
{
	struct stat_file *file = NULL;

	assert_int_equal(stat_parse("f", "total=x", 7, STAT_AUTO, &file, NULL), -EINVAL);
	assert_null(file);
	stat_file_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read_back),
		cmocka_unit_test(a_thousand_and_twenty_four_nodes_fit),
		cmocka_unit_test(the_first_recognised_row_decides),
		cmocka_unit_test(the_caller_may_decide),
		cmocka_unit_test(vendor_lines_are_kept_as_text),
		cmocka_unit_test(units_are_the_rows),
		cmocka_unit_test(damage_is_found_where_it_is),
		cmocka_unit_test(a_nul_is_an_error_wherever_it_is),
		cmocka_unit_test(every_cut_that_shows_is_found),
		cmocka_unit_test(unknown_lines_are_bounded),
		cmocka_unit_test(the_longest_file_is_read_and_a_longer_one_refused),
		cmocka_unit_test(errors_need_no_place_to_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
