// SPDX-License-Identifier: MIT
/* Captured trees: what is read is what was written, and what is wrong is said where it is. */
#include "memcg/captured.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAD                                                                             \
	"memcgbench-tree 1\ncgroup 1\npage-size 4096\ncpus 4\nmemcgs 2\ndying 3\nnames " \
	"plain\ndying-below parent\nlists-by node\nvanished 0\nunreadable 0\n"           \
	"without-nodes 0\nwithout-lists 0\nnegative 0\nnodes 0,8\n"
#define ROWS "tree\n0 . 1 N0=1,2,3,4,5\n1 a 0 N8=0,0,0,0,9\n2 b%20c 2\n"

static struct captured *read_text(const char *text)
{
	struct captured *captured;
	struct error err = {0};

	if (captured_parse("t", text, strlen(text), &captured, &err))
		fail_msg("%u:%u: %s", err.line, err.column, err.text);
	return captured;
}

static void every_fact_and_row_is_read(void **state)
{
	struct captured *captured = read_text(HEAD ROWS);

	(void)state;
	assert_int_equal(captured->facts[CAPTURED_CGROUP], 1);
	assert_int_equal(captured->facts[CAPTURED_CPUS], 4);
	assert_int_equal(captured->facts[CAPTURED_NAMES], CAPTURED_PLAIN);
	assert_int_equal(captured->facts[CAPTURED_PLACES], CAPTURED_AT_PARENT);
	assert_int_equal(captured->nr_nids, 2);
	assert_int_equal(captured->nids[1], 8);
	assert_int_equal(captured->nr_rows, 3);
	assert_string_equal(captured_row_name(captured, 2), "b c");
	assert_int_equal(captured->cells[captured->rows[1].first_cell].nid, 8);
	assert_int_equal(captured->cells[captured->rows[1].first_cell].pages[LRU_UNEVICTABLE], 9);
	captured_free(captured);
}

/* Row by row, and behind each the dying ones directly below it. */
static void dying_memcgs_follow_their_parents(void **state)
{
	static const uint32_t rows[] = {0, CAPTURED_NO_ROW, 1, 2, CAPTURED_NO_ROW, CAPTURED_NO_ROW};
	static const uint32_t parents[] = {UINT32_MAX, 0, 0, 2, 3, 3};
	struct captured *captured = read_text(HEAD ROWS);

	(void)state;
	assert_int_equal(captured->nr, 6);
	assert_int_equal(captured->nr_dying, 3);
	assert_memory_equal(captured->row, rows, sizeof(rows));
	assert_memory_equal(captured->parent, parents, sizeof(parents));
	captured_free(captured);
}

static void what_is_written_is_what_was_read(void **state)
{
	struct captured *captured = read_text(HEAD "# a remark\n" ROWS);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	captured_write(captured, "", out);
	fclose(out);
	assert_string_equal(text, HEAD ROWS);
	free(text);
	captured_free(captured);
}

static void the_hash_is_of_every_byte(void **state)
{
	struct captured *one = read_text(HEAD ROWS), *same = read_text(HEAD ROWS);
	struct captured *other = read_text(HEAD "# x\n" ROWS);

	(void)state;
	assert_true(one->hash == same->hash);
	assert_true(one->hash != other->hash);
	captured_free(one);
	captured_free(same);
	captured_free(other);
}

struct fault {
	const char *text;
	unsigned line, column;
	const char *says;
};

/* The head is 15 lines, `tree` the 16th, the top the 17th. */
static const struct fault faults[] = {
	{"", 1, 1, "'' where 'memcgbench-tree' is expected"},
	{"memcgbench-tree 2\n", 1, 17, "version: out of range (1 to 1)"},
	{"memcgbench-tree 01\n", 1, 17, "version: not a number (1 to 1)"},
	{"memcgbench-tree 1", 1, 18, "the file ends here (the end of the line)"},
	{"memcgbench-tree 1\ncgroup 3\n", 2, 8, "cgroup: out of range (1 to 2)"},
	{"memcgbench-tree 1\ncpus 3\n", 2, 1, "'cpus' where 'cgroup' is expected"},
	{"memcgbench-tree 1\ncgroup 1\npage-size unknown\n", 3, 11,
	 "page-size: not a number (1024 to 1048576)"},
	{HEAD, 16, 1, "'' where 'tree' is expected"},
	{HEAD "tree\n", 17, 1, "depth: not a number (0 to 0)"},
	{HEAD "tree\n0 x 1\n", 17, 3, "not the name of the top (.)"},
	{HEAD "tree\n0 . 1\n2 a 0\n", 18, 1, "depth: out of range (1 to 1)"},
	{HEAD "tree\n0 . 1\n0 a 0\n", 18, 1, "depth: out of range (1 to 1)"},
	{HEAD "tree\n0 . 1\n1 .. 0\n", 18, 3, "not a name of a cgroup"},
	{HEAD "tree\n0 . 1\n1 a/b 0\n", 18, 3, "not a name of a cgroup"},
	{HEAD "tree\n0 . 1\n1 memcgbench-dying-1 0\n", 18, 3, "not a name of a cgroup"},
	{HEAD "tree\n0 . 1\n1 %41 0\n", 18, 3, "a byte that is not written like this (as itself)"},
	{HEAD "tree\n0 . 1\n1 %4 0\n", 18, 3, "% without two digits (0-9, A-F)"},
	{HEAD "tree\n0 . 1\n1 a\tb 0\n", 18, 4, "a byte that names do not have (as %XX)"},
	{HEAD "tree\n0 . 1 N1=1,0,0,0,0\n", 17, 7, "a node that is not among those of the head"},
	{HEAD "tree\n0 . 1 N8=1,0,0,0,0 N0=1,0,0,0,0\n", 17, 20, "nodes are not ascending"},
	{HEAD "tree\n0 . 1 N0=0,0,0,0,0\n", 17, 7, "a node without pages (leave it out)"},
	{HEAD "tree\n0 . 1 N0=1,2\n", 17, 13, "not a comma"},
	{HEAD "tree\n0 . 1 N0=4503599627370496,1,0,0,0\n", 17, 7,
	 "more pages than there can be (4503599627370496 in all)"},
	{HEAD "tree\n0 . 1 N0=99999999999999999999,1,0,0,0\n", 17, 10,
	 "inactive_anon: out of range (0 to 4503599627370496)"},
	{HEAD "tree\n0 . 1 \n", 17, 7, "not a node, as N0="},
	{HEAD "tree\n0 . 1\r\n", 17, 6, "not the end of the line"},
	{HEAD "tree\n0 . 999999\n", 17, 1, "too many memcgs, dying ones included (1000000)"},
	{HEAD "tree\n0 . 1\n1 a 0\n", 19, 1, "depth: not a number (1 to 2)"},
	{HEAD "tree\n0 . 1\n1 a 0\n1 b 0\n", 20, 1,
	 "1 dying memcgs in all rows (as many as the head says)"},
	{HEAD "tree\n0 . 1\n1 a 0\n1 b 2\n1 c 0\n", 20, 1, "more memcgs than the head says (2)"},
	{HEAD "tree\n0 . 1\n1 a 0\n1 a 2\n", 19, 1,
	 "a name that a sibling has (names of one parent's differ)"},
};

static void faults_are_said_where_they_are(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		const struct fault *fault = &faults[i];
		struct captured *captured = NULL;
		struct error err = {0};
		int r = captured_parse("t", fault->text, strlen(fault->text), &captured, &err);

		assert_int_equal(r, -EINVAL);
		assert_null(captured);
		assert_string_equal(err.text, fault->says);
		assert_string_equal(err.file, "t");
		assert_int_equal(err.line, fault->line);
		assert_int_equal(err.column, fault->column);
	}
}

static void a_nul_is_an_error(void **state)
{
	static const char text[] = HEAD ROWS "\0";
	struct captured *captured;
	struct error err = {0};

	(void)state;
	assert_int_equal(captured_parse("t", text, sizeof(text) - 1, &captured, &err), -EINVAL);
	assert_string_equal(err.text, "a NUL (none)");
}

static void a_name_may_stand_below_several_parents(void **state)
{
	(void)state;
	captured_free(read_text(HEAD "tree\n0 . 1\n1 a 0\n2 a 2\n"));
}

/* A pipe nobody writes to would be waited for. */
static void only_regular_files_are_opened(void **state)
{
	char path[] = "/tmp/memcgbench-captured-XXXXXX", fifo[64];
	struct captured *captured;
	struct error err = {0};

	(void)state;
	assert_non_null(mkdtemp(path));
	snprintf(fifo, sizeof(fifo), "%s/fifo", path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(captured_load(fifo, &captured, &err), -EINVAL);
	assert_string_equal(err.text, "not a regular file");
	assert_int_equal(captured_load(path, &captured, &err), -EINVAL);
	unlink(fifo);
	rmdir(path);
	assert_int_equal(captured_load(path, &captured, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fact_and_row_is_read),
		cmocka_unit_test(dying_memcgs_follow_their_parents),
		cmocka_unit_test(what_is_written_is_what_was_read),
		cmocka_unit_test(the_hash_is_of_every_byte),
		cmocka_unit_test(faults_are_said_where_they_are),
		cmocka_unit_test(a_nul_is_an_error),
		cmocka_unit_test(a_name_may_stand_below_several_parents),
		cmocka_unit_test(only_regular_files_are_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
