// SPDX-License-Identifier: MIT
/* What the charts of a run promise: which there are, what their data says, and how gnuplot is run.
 */
#include "run_fixture.h"

#include "base/file.h"
#include "report/chart_data.h"
#include "report/chart_update.h"
#include "report/charts_axis.h"
#include "report/charts_settings.h"
#include "report/gnuplot.h"
#include "result/summary.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct loaded {
	char directory[64];
	struct run_summary *summary;
	struct chart_views *views;
};

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
	(void)status;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void make_directory(char path[64])
{
	/* In memory where that is possible: writing to disk and syncing takes most of the time. */
	strcpy(path, "/dev/shm/memcgbench-charts-XXXXXX");
	if (mkdtemp(path))
		return;
	strcpy(path, "/tmp/memcgbench-charts-XXXXXX");
	assert_non_null(mkdtemp(path));
}

static void load(struct loaded *loaded, const char *kind)
{
	struct error err = {0};
	char run[80];

	make_directory(loaded->directory);
	snprintf(run, sizeof(run), "%s/run", loaded->directory);
	assert_int_equal(run_fixture_write(run, kind, &err), 0);
	assert_int_equal(summary_load(run, &loaded->summary, &err), 0);
	assert_int_equal(chart_views_new(loaded->summary, &loaded->views, &err), 0);
}

static void unload(struct loaded *loaded)
{
	chart_views_free(loaded->views);
	summary_free(loaded->summary);
	assert_int_equal(nftw(loaded->directory, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* What `put` writes goes to *text, the caller's to free. */
static void put_text(void (*put)(const struct chart_view *view, FILE *out),
		     const struct chart_view *view, char **text)
{
	size_t length;
	FILE *out = open_memstream(text, &length);

	assert_non_null(out);
	put(view, out);
	fclose(out);
}

static unsigned count_of(const char *text, const char *part)
{
	unsigned count = 0;

	while ((text = strstr(text, part))) {
		count++;
		text += strlen(part);
	}
	return count;
}

static void a_sweep_has_one_view_and_a_line_for_each_back_end_and_facet(void **state)
{
	struct loaded loaded;
	const struct chart_view *view;

	(void)state;
	load(&loaded, "sweep");
	assert_int_equal(loaded.views->nr, 1);
	view = &loaded.views->views[0];
	assert_string_equal(view->x->name, "tree.memcgs");
	assert_int_equal(view->nr_lines, 4);
	assert_string_equal(view->lines[0].label, "walk, hot");
	assert_string_equal(view->lines[1].label, "walk, cold");
	assert_string_equal(view->lines[2].label, "cached, hot");
	assert_string_equal(view->lines[3].label, "cached, cold");
	assert_int_equal(view->lines[3].index, 1);
	assert_int_equal(view->lines[3].facet, 1);
	for (size_t l = 0; l < view->nr_lines; l++) {
		assert_int_equal(view->lines[l].nr, 4);
		for (size_t i = 1; i < 4; i++)
			assert_true(view->lines[l].samples[i].x > view->lines[l].samples[i - 1].x);
	}
	assert_string_equal(view->held, "");
	unload(&loaded);
}

static void numbers_that_go_together_share_a_chart_and_make_no_facets(void **state)
{
	struct loaded loaded;

	(void)state;
	load(&loaded, "pairs");
	assert_int_equal(loaded.views->nr, 3);
	assert_string_equal(loaded.views->views[0].x->name, "machine.nodes");
	assert_string_equal(loaded.views->views[0].tied, "machine.cpus");
	assert_string_equal(loaded.views->views[1].x->name, "machine.skew");
	assert_string_equal(loaded.views->views[2].x->name, "counters.batch");
	/* Two skews remain; seven batches are too many. */
	assert_int_equal(loaded.views->views[0].nr_lines, 4);
	assert_string_equal(loaded.views->views[0].held, "counters.batch 512");
	assert_string_equal(loaded.views->views[0].lines[1].label, "walk, skew 64");
	/* Nodes and CPUs in pairs are two facets, not four: with the skews four. */
	assert_int_equal(loaded.views->views[2].nr_lines, 8);
	assert_string_equal(loaded.views->views[2].held, "");
	assert_string_equal(loaded.views->views[2].lines[3].label,
			    "walk, nodes 2, cpus 72, skew 64");
	unload(&loaded);
}

static void a_run_that_sweeps_nothing_has_a_place_for_each_back_end(void **state)
{
	struct loaded loaded;
	const struct chart_view *view;

	(void)state;
	load(&loaded, "single");
	assert_int_equal(loaded.views->nr, 1);
	view = &loaded.views->views[0];
	assert_null(view->x);
	assert_int_equal(view->nr_lines, 2);
	assert_true(view->lines[0].samples[0].x == 1 && view->lines[1].samples[0].x == 2);
	unload(&loaded);
}

static void a_run_without_results_is_said_to_have_nothing_to_draw(void **state)
{
	struct loaded loaded = {.views = NULL};
	struct error err = {0};
	char run[80];

	(void)state;
	make_directory(loaded.directory);
	snprintf(run, sizeof(run), "%s/run", loaded.directory);
	assert_int_equal(run_fixture_write(run, "empty", &err), 0);
	assert_int_equal(summary_load(run, &loaded.summary, &err), 0);
	assert_int_equal(chart_views_new(loaded.summary, &loaded.views, &err), -ENODATA);
	assert_non_null(strstr(err.text, "nothing to draw"));
	unload(&loaded);
}

static void data_says_its_columns_and_has_a_block_for_each_line(void **state)
{
	struct loaded loaded;
	char *text;

	(void)state;
	load(&loaded, "sparse");
	put_text(chart_latency_tsv, &loaded.views->views[0], &text);
	assert_int_equal(text[0], '#');
	assert_non_null(strstr(text, "# x\tmiddle_ns\tci_low_ns\tci_high_ns\tband_low_ns"));
	assert_non_null(strstr(text, "tree.memcgs"));
	/* gnuplot finds a line by the two blank lines before it: none may be lost. */
	assert_int_equal(count_of(text, "\n\n\n#"), 3);
	assert_non_null(strstr(text, "# block 2: cached, hot (no result)\n"));
	/* Nothing that was not measured has a figure. */
	assert_non_null(
		strstr(text, "\n10000\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\tNaN\t"));
	assert_null(strstr(text, "nan"));
	free(text);
	unload(&loaded);
}

static void a_spectrum_is_solid_as_far_as_its_samples_carry(void **state)
{
	struct loaded loaded;
	double depth, percent, deepest = 0, deepest_solid = 0;
	char *text, *line, *rest, solid[32], thin[32];

	(void)state;
	load(&loaded, "sweep");
	put_text(chart_spectrum_tsv, &loaded.views->views[0], &text);
	rest = text;
	while ((line = strsep(&rest, "\n")) && strncmp(line, "# block 1", 9)) {
		if (sscanf(line, "%lf\t%lf\t%31s\t%31s", &depth, &percent, solid, thin) != 4)
			continue;
		assert_true(fabs(percent - (100 - 100 / depth)) < 1e-3);
		deepest = fmax(deepest, depth);
		if (strcmp(solid, "NaN"))
			deepest_solid = fmax(deepest_solid, depth);
		assert_true(strcmp(solid, "NaN") || strcmp(thin, "NaN"));
	}
	/* 10 processes of 200 samples: ten of the 2000 must lie above. */
	assert_true(deepest == 2000);
	assert_true(deepest_solid == 200);
	free(text);
	unload(&loaded);
}

static void batched_samples_have_no_solid_percentile_above_the_median(void **state)
{
	struct loaded loaded;
	const struct chart_view *view;
	struct chart_latency latency;
	char *text, *cached;

	(void)state;
	load(&loaded, "batched");
	view = &loaded.views->views[0];
	put_text(chart_spectrum_tsv, view, &text);
	cached = strstr(text, "# block 2: cached, hot");
	assert_non_null(cached);
	for (char *line; (line = strsep(&cached, "\n")) && strncmp(line, "# block 3", 9);) {
		double depth, percent;
		char solid[32];

		if (sscanf(line, "%lf\t%lf\t%31s", &depth, &percent, solid) == 3 && depth > 2)
			assert_string_equal(solid, "NaN");
	}
	latency = chart_latency(view->lines[2].samples[0].summary);
	assert_true(latency.middle > 0 && isnan(latency.band_high));
	free(text);
	unload(&loaded);
}

static void the_band_is_p50_to_p99_or_minimum_to_p90(void **state)
{
	struct loaded loaded;
	struct chart_latency latency;
	const struct backend_summary *summary;

	(void)state;
	load(&loaded, "sweep");
	summary = loaded.views->views[0].lines[0].samples[3].summary;
	latency = chart_latency(summary);
	assert_false(latency.narrow);
	assert_true(latency.band_low == summary->p50_ns && latency.band_high == summary->p99_ns);
	assert_true(latency.low <= latency.middle && latency.middle <= latency.high);
	unload(&loaded);

	load(&loaded, "sparse"); /* 200 samples: p90 needs 100, p99 1000 */
	summary = loaded.views->views[0].lines[0].samples[0].summary;
	latency = chart_latency(summary);
	assert_true(latency.narrow);
	assert_true(latency.band_low < summary->p50_ns && latency.band_high == summary->p90_ns);
	assert_true(isnan(latency.low));
	unload(&loaded);
}

static void ratios_are_relative_to_the_fastest_of_the_same_facet(void **state)
{
	struct loaded loaded;
	const struct chart_view *view;
	struct ratio hot, cold;

	(void)state;
	load(&loaded, "sweep");
	view = &loaded.views->views[0];
	assert_ptr_equal(chart_fastest(view, 0), &view->lines[2]);
	assert_ptr_equal(chart_fastest(view, 1), &view->lines[3]);
	hot = chart_ratio(view, &view->lines[0], 3);
	cold = chart_ratio(view, &view->lines[1], 3);
	assert_int_equal(hot.pairs, 10);
	assert_int_equal(cold.pairs, 10);
	/* By the rules of the fixture: 203 ms / 9 us, and 234 ms / 23.4 us. */
	assert_true(fabs(hot.median / 22600 - 1) < 0.05);
	assert_true(fabs(cold.median / 9990 - 1) < 0.05);
	assert_int_equal(chart_ratio(view, &view->lines[2], 3).pairs, 0);
	unload(&loaded);
}

/* The number that the settings give to `name`. */
static double setting(const char *settings, const char *name)
{
	char pattern[64];
	const char *at;

	snprintf(pattern, sizeof(pattern), "\n%s = ", name);
	at = strstr(settings, pattern);
	assert_non_null(at);
	return strtod(at + strlen(pattern), NULL);
}

static void put_settings(const struct chart_view *view, char **text)
{
	size_t length;
	FILE *out = open_memstream(text, &length);

	assert_non_null(out);
	assert_int_equal(chart_settings(view, CHART_LATENCY, "test", out), 0);
	fclose(out);
}

static void the_cache_is_marked_where_the_walk_outgrows_it(void **state)
{
	struct loaded loaded;
	char *settings;

	(void)state;
	load(&loaded, "sweep");
	put_settings(&loaded.views->views[0], &settings);
	/* 36,000 bytes a memcg against 32 MiB. */
	assert_true(fabs(setting(settings, "cache_x") / (32.0 * 1048576 / 36000) - 1) < 0.001);
	assert_non_null(strstr(settings, "32.0 MiB"));
	free(settings);
	unload(&loaded);

	load(&loaded, "pairs"); /* all of one size, above the cache or below: no crossing */
	put_settings(&loaded.views->views[2], &settings);
	assert_true(isnan(setting(settings, "cache_x")));
	free(settings);
	unload(&loaded);
}

static void published_figures_come_from_the_run(void **state)
{
	struct loaded loaded;
	char *settings, *caption;

	(void)state;
	load(&loaded, "sweep");
	put_settings(&loaded.views->views[0], &settings);
	assert_true(setting(settings, "nr_references") == 2);
	assert_true(setting(settings, "reference_ns[1]") == 7e8);
	assert_true(setting(settings, "reference_x[2]") == 10000);
	caption = chart_caption(&loaded.views->views[0], CHART_LATENCY, 1000);
	assert_non_null(strstr(caption, "a patch of 2020"));
	free(caption);
	free(settings);
	loaded.summary->nr_references = 0;
	put_settings(&loaded.views->views[0], &settings);
	assert_true(setting(settings, "nr_references") == 0);
	free(settings);
	loaded.summary->nr_references = 2;
	unload(&loaded);
}

static void a_caption_says_what_was_measured_in_lines_of_the_width_asked_for(void **state)
{
	struct loaded loaded;
	char *caption, *rest, *line;
	static const char *const parts[] = {
		"numa_stat_10k", "Example CPU",  "machine.layout v5.6",      "asked: fold",
		"found: fold",   "10 processes", "with 2000 samples in all",
	};

	(void)state;
	load(&loaded, "sweep");
	caption = chart_caption(&loaded.views->views[0], CHART_LATENCY, 10000);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		assert_non_null(strstr(caption, parts[i]));
	free(caption);
	rest = caption = chart_caption(&loaded.views->views[0], CHART_LATENCY, 60);
	assert_non_null(caption);
	assert_int_equal(caption[strlen(caption) - 1], '\n');
	while ((line = strsep(&rest, "\n")))
		assert_true(strlen(line) <= 60);
	free(caption);
	unload(&loaded);
}

/* Times are the view's own: the fixture's processes did not tell kinds of updates apart. */
static void set_update(struct chart_view *view, size_t line, size_t at, double ns)
{
	/* const for all but who made them: the summary is this test's. */
	struct backend_summary *summary =
		(struct backend_summary *)view->lines[line].samples[at].summary;

	summary->kinds[MIX_PAGE].median_ns = ns;
}

static void updates_have_a_chart_where_x_makes_a_difference(void **state)
{
	struct loaded loaded;
	struct chart_view *view;
	char *text;

	(void)state;
	load(&loaded, "sweep");
	view = &loaded.views->views[0];
	assert_false(chart_has_update(view));
	for (size_t i = 0; i < view->lines[0].nr; i++)
		set_update(view, 0, i, 5);
	assert_false(chart_has_update(view));
	set_update(view, 0, view->lines[0].nr - 1, 7.5);
	assert_true(chart_has_update(view));
	put_text(chart_update_tsv, view, &text);
	assert_non_null(strstr(text, "# x is tree.memcgs"));
	assert_non_null(strstr(text, "\n10\t5\tNaN\tNaN\tNaN\tNaN\t"));
	assert_non_null(strstr(text, "\n10000\t7.5\tNaN"));
	/* Not measured is not 0. */
	assert_non_null(strstr(text, "\n10\tNaN\tNaN"));
	free(text);
	unload(&loaded);
}

static void strings_cannot_leave_their_quotes(void **state)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	chart_put_string(out, "it's\n`x` \"y\" \\");
	fclose(out);
	assert_string_equal(text, "'it''s `x` \"y\" \\'");
	free(text);
}

/* Run one script through gnuplot; what it writes goes to *output. */
static int run_script(const char *script, unsigned seconds, char **output, struct error *err)
{
	char directory[64], path[80];
	size_t length;
	int r;

	make_directory(directory);
	snprintf(path, sizeof(path), "%s/test.gp", directory);
	assert_int_equal(file_write_atomic(path, script, strlen(script), err), 0);
	r = gnuplot_run(directory, "test.gp", "svg", seconds, output, &length, err);
	assert_int_equal(nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	return r;
}

static void without_gnuplot_the_message_names_its_package(void **state)
{
	struct error err = {0};
	char *output = NULL, *path = strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	int r;

	(void)state;
	setenv("PATH", "/nowhere", 1);
	r = run_script("print 1\n", 10, &output, &err);
	setenv("PATH", path, 1);
	free(path);
	assert_int_equal(r, -ENOENT);
	assert_non_null(strstr(err.text, "gnuplot-nox"));
	assert_null(output);
}

static int installed(void)
{
	return system("gnuplot --version >/dev/null 2>&1") == 0;
}

static void a_bad_script_is_reported_in_the_words_of_gnuplot(void **state)
{
	struct error err = {0};
	char *output = NULL;

	(void)state;
	if (!installed())
		skip();
	assert_int_equal(run_script("set terminal dumb\nplot nonsense(x)\n", 10, &output, &err),
			 -EIO);
	assert_non_null(strstr(err.text, "nonsense"));
	assert_non_null(strstr(err.text, "line 2"));
	assert_string_equal(err.file, "test.gp");
	assert_null(strchr(err.text, '\n'));
	assert_null(output);
}

static void a_script_that_draws_nothing_is_an_error(void **state)
{
	struct error err = {0};
	char *output = NULL;

	(void)state;
	if (!installed())
		skip();
	assert_int_equal(run_script("x = 1\n", 10, &output, &err), -EIO);
	assert_null(output);
}

static void a_script_that_does_not_end_is_ended(void **state)
{
	struct error err = {0};
	char *output = NULL;

	(void)state;
	if (!installed())
		skip();
	assert_int_equal(run_script("while (1) { x = 1 }\n", 1, &output, &err), -ETIME);
	assert_non_null(strstr(err.text, "1 second"));
	assert_null(output);
}

static void a_picture_comes_back_whole(void **state)
{
	struct error err = {0};
	char *output = NULL;

	(void)state;
	if (!installed())
		skip();
	assert_int_equal(
		run_script("set terminal svg\nset title picture\nplot x\n", 30, &output, &err), 0);
	assert_non_null(strstr(output, ">svg<"));
	assert_non_null(strstr(output, "</svg>"));
	free(output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sweep_has_one_view_and_a_line_for_each_back_end_and_facet),
		cmocka_unit_test(numbers_that_go_together_share_a_chart_and_make_no_facets),
		cmocka_unit_test(a_run_that_sweeps_nothing_has_a_place_for_each_back_end),
		cmocka_unit_test(a_run_without_results_is_said_to_have_nothing_to_draw),
		cmocka_unit_test(data_says_its_columns_and_has_a_block_for_each_line),
		cmocka_unit_test(a_spectrum_is_solid_as_far_as_its_samples_carry),
		cmocka_unit_test(batched_samples_have_no_solid_percentile_above_the_median),
		cmocka_unit_test(the_band_is_p50_to_p99_or_minimum_to_p90),
		cmocka_unit_test(ratios_are_relative_to_the_fastest_of_the_same_facet),
		cmocka_unit_test(the_cache_is_marked_where_the_walk_outgrows_it),
		cmocka_unit_test(published_figures_come_from_the_run),
		cmocka_unit_test(a_caption_says_what_was_measured_in_lines_of_the_width_asked_for),
		cmocka_unit_test(updates_have_a_chart_where_x_makes_a_difference),
		cmocka_unit_test(strings_cannot_leave_their_quotes),
		cmocka_unit_test(without_gnuplot_the_message_names_its_package),
		cmocka_unit_test(a_bad_script_is_reported_in_the_words_of_gnuplot),
		cmocka_unit_test(a_script_that_draws_nothing_is_an_error),
		cmocka_unit_test(a_script_that_does_not_end_is_ended),
		cmocka_unit_test(a_picture_comes_back_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
