// SPDX-License-Identifier: MIT
/* What people and programs see of a run: golden texts, and what must hold of any of them. */
#include "made_run.h"

#include "report/run_table.h"

#include "base/file.h"
#include "result/document.h"
#include "result/result.h"
#include "result/summary.h"
#include "scenario/parameter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *printed(const struct made_run *made, int (*print)(const struct run_summary *, FILE *))
{
	struct run_summary *summary;
	struct error err = {0};
	char *text = NULL;
	size_t length;
	FILE *out;

	if (summary_load(made->path, &summary, &err))
		fail_msg("%s: %s", err.file, err.text);
	out = open_memstream(&text, &length);
	assert_non_null(out);
	assert_int_equal(print(summary, out), 0);
	fclose(out);
	summary_free(summary);
	return text;
}

/* The golden text is in the source tree; what was printed instead is left beside the test. */
static void expect_golden(const char *text, const char *name)
{
	const char *directory = getenv("MEMCGBENCH_GOLDEN");
	char path[4096], actual[256];
	struct error err = {0};
	size_t length;
	char *golden;

	assert_non_null(directory);
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	snprintf(actual, sizeof(actual), "%s.actual", name);
	if (file_read(path, 1 << 20, &golden, &length, &err) || strcmp(text, golden)) {
		file_write_atomic(actual, text, strlen(text), NULL);
		fail_msg("differs from %s: see %s", path, actual);
	}
	free(golden);
}

/* One run of all result files serves the tests that only look at it. */
static int begin_whole(void **state)
{
	static struct made_run whole;

	made_run_begin(&whole, made_yaml);
	made_run_fill(&whole);
	*state = &whole;
	return 0;
}

static int end_whole(void **state)
{
	made_run_end(*state);
	return 0;
}

static void the_table_of_a_whole_run_is_as_it_was(void **state)
{
	char *text = printed(*state, run_table_print);

	expect_golden(text, "run_table.txt");
	free(text);
}

static void expect_to_fit(char *text)
{
	char *line, *rest;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		assert_in_range(strlen(line), 1, 80);
}

static void no_line_is_wider_than_a_terminal(void **state)
{
	char *text = printed(*state, run_table_print);

	expect_to_fit(text);
	free(text);
}

/* What rows have in common is a line above them then, once for each point. */
static void long_names_of_back_ends_fit_a_terminal(void **state)
{
	struct made_run made;
	char *text, *section;

	made_run_begin(&made, "name: wide\n"
			      "tree: {memcgs: [10, 10k]}\n"
			      "read: {samples: 2000, file: [memory.numa_stat, memory.stat]}\n"
			      "backends: [walk, kernel-bpfwalk-percpu]\n"
			      "repetitions: 6\n");
	made_run_fill(&made);
	text = printed(&made, run_table_print);
	section = strstr(text, "\nWhat a read does\n");
	assert_non_null(section);
	assert_non_null(strstr(section, "-- tree.memcgs: 10\nwalk "));
	assert_non_null(strstr(section, "-- tree.memcgs: 10k\nwalk "));
	expect_to_fit(text);
	free(text);
	made_run_end(&made);
}

static json_t *failed_result(const struct made_run *made, size_t p, size_t b, unsigned repetition,
			     const char *reason)
{
	const struct point *point = &made->scenario->points[p];
	json_t *values = point_to_json(point), *result;

	result = result_new(made->scenario->name, NULL, point->id, values,
			    made->scenario->backends[b], repetition, reason);
	json_decref(values);
	return result;
}

static void failures_batches_and_what_was_left_out_are_said(void **state)
{
	struct made_run made;
	json_t *reasons;
	char *text;

	made_run_begin(&made, "name: small\n"
			      "tree: {memcgs: [10, 20]}\n"
			      "read: {samples: 20, rows: hierarchical}\n"
			      "backends: [walk, cached]\n"
			      "repetitions: 3\n");
	for (unsigned r = 1; r <= 2; r++) {
		made_run_write(&made, 0, 0, r, made_result(&made, 0, 0, r));
		made_run_write(&made, 0, 1, r, made_result(&made, 0, 1, r));
	}
	made_run_write(&made, 0, 0, 3, failed_result(&made, 0, 0, 3, "killed by signal 9"));
	reasons = json_pack("[{s:s, s:s, s:[s]}]", "id", made.scenario->points[1].id, "backend",
			    "walk", "reasons", "it takes 3.00 GiB, and 1.00 GiB is available");
	json_object_set_new(made.document, "left_out", reasons);
	run_dir_free(made.dir);
	assert_int_equal(run_dir_open(made.path, "unused", false, made.document, &made.dir, NULL),
			 0);
	text = printed(&made, run_table_print);
	expect_golden(text, "run_table_failed.txt");
	free(text);
	made_run_end(&made);
}

static void what_writers_paid_under_load_is_a_section(void **state)
{
	struct made_run made;
	char *text, *section, *end;

	made_run_begin(&made, "name: load\n"
			      "tree: {memcgs: 100}\n"
			      "machine: {nodes: 2, cpus: 8}\n"
			      "read: {samples: 20}\n"
			      "write: {writers: [0, 2, 7], mix: mixed}\n"
			      "backends: [walk, cached]\n"
			      "repetitions: 6\n");
	made_run_fill(&made);
	text = printed(&made, run_table_print);
	assert_non_null(strstr(text, "see Writers under load"));
	section = strstr(text, "\nWriters under load\n");
	assert_non_null(section);
	end = strstr(section, "\n\n");
	assert_non_null(end);
	end[1] = '\0';
	expect_golden(section + 1, "run_table_writers.txt");
	free(text);
	made_run_end(&made);
}

static void who_comes_and_goes_has_a_section(void **state)
{
	struct made_run made;
	char *text, *section, *end;

	made_run_begin(&made, "name: churn\n"
			      "tree: {memcgs: 100}\n"
			      "machine: {nodes: 2, cpus: 8}\n"
			      "read: {samples: 20}\n"
			      "write: [{writers: 0}, {churn: 1000, linger: [0, 10k]}]\n"
			      "backends: [walk, cached]\n"
			      "repetitions: 6\n");
	made_run_fill(&made);
	text = printed(&made, run_table_print);
	assert_non_null(strstr(text, "see Memcgs that come and go"));
	assert_null(strstr(text, "\nWriters under load\n"));
	section = strstr(text, "\nMemcgs that come and go\n");
	assert_non_null(section);
	end = strstr(section, "\n\nWhat a read does");
	assert_non_null(end);
	end[1] = '\0';
	expect_golden(section + 1, "run_table_churn.txt");
	free(text);
	made_run_end(&made);
}

static void harm_to_others_has_sections(void **state)
{
	struct made_run made;
	char *text, *section, *end;

	made_run_begin(&made, "name: harm\n"
			      "tree: {memcgs: [100, 1k]}\n"
			      "machine: {nodes: 2, cpus: 8}\n"
			      "read: {samples: 20}\n"
			      "harm: {time: 1s, pages: 1024, limit: 25%, kind: file}\n"
			      "backends: [walk, kernel]\n"
			      "repetitions: 6\n");
	made_run_fill(&made);
	text = printed(&made, run_table_print);
	section = strstr(text, "\nHarm to others: a thread on the reader's CPU\n");
	assert_non_null(section);
	end = strstr(section, "\n\nWhat a read does");
	assert_non_null(end);
	end[1] = '\0';
	expect_golden(section + 1, "run_table_harm.txt");
	free(text);
	made_run_end(&made);
}

/* Files of a live tree of 1000 cgroups, of which 100 should be dying and 60 are. */
static void make_live(struct made_run *made, size_t b, unsigned repetition, double ns)
{
	static const char *const unknown[] = {"loads_local", "loads_hierarchical", "memcgs_visited",
					      "atomics", "bytes_touched"};
	json_t *result = made_result(made, 0, b, repetition);
	json_t *live = json_pack(
		"{s:s, s:s, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, "
		"s:{s:i, s:i, s:i, s:i}}}",
		"file", "memory.numa_stat", "descriptor", "kept", "files", 1, "reads", 2, "bytes",
		412, "fixture", "version", 1, "cgroups", 901, "dying_asked", 100, "dying_found", 60,
		"pages", 10010, "unheld_pages", 0, "made_ns", 100000000, "charged_ns", 400000000,
		"settled_ns", 2147000000, "truth", "hierarchical_pages", 10012, "local_pages_sum",
		9011, "charged_pages", 10010, "bound_pages", 62);

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		json_object_set_new(json_object_get(result, "counts"), unknown[i], json_null());
	made_median(result, ns);
	json_object_set_new(result, "live", live);
	made_run_write(made, 0, b, repetition, result);
}

/* The middle pairs are of the 3rd and 4th repetition: 2750 and 3300 ns. */
static void expect_net_in_json(const struct made_run *made)
{
	struct run_summary *summary;
	struct error err = {0};
	json_t *document, *net;

	assert_int_equal(summary_load(made->path, &summary, &err), 0);
	document = summary_to_json(summary);
	net = json_at(document, "points.0.net_of_floor");
	assert_int_equal(json_array_size(net), 1);
	assert_string_equal(json_string_value(json_at(net, "0.backend")), "kernel");
	assert_true(json_number_at(net, "0.net_ns") == 3025);
	assert_true(json_number_at(net, "0.low_ns") == 2250);
	assert_true(json_number_at(net, "0.high_ns") == 5000);
	json_decref(document);
	summary_free(summary);
}

static void live_back_ends_have_sections(void **state)
{
	struct made_run made;
	char *text, *section, *end;

	made_run_begin(&made, "name: live\n"
			      "tree: {shape: flat, memcgs: 1k, dying: 10%}\n"
			      "read: {samples: 20}\n"
			      "backends: [walk, kernel, kernel-floor]\n"
			      "repetitions: 6\n");
	for (unsigned r = 1; r <= 6; r++) {
		/* net is of pairs: not the difference of the medians beside it */
		made_run_write(&made, 0, 0, r, made_result(&made, 0, 0, r));
		make_live(&made, 1, r, 3000 + 100 * r * r);
		make_live(&made, 2, r, 700 + 150 * r);
	}
	text = printed(&made, run_table_print);
	assert_null(strstr(text, "18446744073709551615"));
	assert_non_null(strstr(text, "a function call in this process"));
	section = strstr(text, "\nWhat live reads cover\n");
	assert_non_null(section);
	end = strstr(section, "\n\nWhere the time goes");
	assert_non_null(end);
	end[1] = '\0';
	expect_golden(section + 1, "run_table_live.txt");
	section = strstr(end + 2, "\nWhat was charged, and what files say, in pages\n");
	assert_non_null(section);
	end = strstr(section, "\n\nRatio of median times");
	assert_non_null(end);
	end[1] = '\0';
	expect_golden(section + 1, "run_table_live_pages.txt");
	free(text);
	expect_net_in_json(&made);
	made_run_end(&made);
}

static void a_run_without_results_says_so(void **state)
{
	struct made_run made;
	char *text;

	made_run_begin(&made, made_small_yaml);
	text = printed(&made, run_table_print);
	assert_non_null(strstr(text, "Nothing is measured yet."));
	assert_non_null(strstr(text, "Not measured yet: 12 of 12 repetitions"));
	free(text);
	made_run_end(&made);
}

static size_t fields_of(const char *line)
{
	size_t nr = 1;

	for (; *line; line++)
		nr += *line == '\t';
	return nr;
}

static void tsv_has_a_line_for_each_pair_and_the_keys_of_json(void **state)
{
	struct made_run made;
	char *text, *line, *rest;
	size_t columns, lines = 0;

	made_run_begin(&made, made_small_yaml);
	made_run_fill(&made);
	text = printed(&made, run_tsv_print);
	line = strtok_r(text, "\n", &rest);
	columns = fields_of(line);
	assert_int_equal(strncmp(line, "id\ttree.shape\ttree.memcgs\t", 25), 0);
	assert_non_null(strstr(line, "\tbackend\tprocesses\t"));
	assert_non_null(strstr(line, "\tp50_ns\tp90_ns\tp99_ns\tp999_ns\tmax_ns\t"));
	while ((line = strtok_r(NULL, "\n", &rest))) {
		assert_int_equal(fields_of(line), columns);
		lines++;
	}
	assert_int_equal(lines, 4);
	free(text);
	made_run_end(&made);
}

static void a_full_disk_is_an_error(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct run_summary *summary;
	struct made_run made;

	if (!full)
		skip();
	setvbuf(full, NULL, _IONBF, 0);
	made_run_begin(&made, made_small_yaml);
	made_run_fill(&made);
	assert_int_equal(summary_load(made.path, &summary, NULL), 0);
	assert_int_equal(run_table_print(summary, full), -EIO);
	assert_int_equal(run_tsv_print(summary, full), -EIO);
	fclose(full);
	summary_free(summary);
	made_run_end(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_of_a_whole_run_is_as_it_was),
		cmocka_unit_test(no_line_is_wider_than_a_terminal),
		cmocka_unit_test(long_names_of_back_ends_fit_a_terminal),
		cmocka_unit_test(failures_batches_and_what_was_left_out_are_said),
		cmocka_unit_test(what_writers_paid_under_load_is_a_section),
		cmocka_unit_test(who_comes_and_goes_has_a_section),
		cmocka_unit_test(harm_to_others_has_sections),
		cmocka_unit_test(live_back_ends_have_sections),
		cmocka_unit_test(a_run_without_results_says_so),
		cmocka_unit_test(tsv_has_a_line_for_each_pair_and_the_keys_of_json),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, begin_whole, end_whole);
}
