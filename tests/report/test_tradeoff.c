// SPDX-License-Identifier: MIT
/* What the chart of time, error and update cost promises: what it takes for each, where 0 is, and
 * names that stand at their points and hide no others. */
#include "run_fixture.h"

#include "base/rng.h"
#include "report/chart_tradeoff.h"
#include "report/chart_tradeoff_names.h"
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

static char directory[64];
static struct run_summary *summary;
static struct chart_views *views;

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
	return remove(path);
}

static int begin(void **state)
{
	struct error err = {0};
	char run[80];

	strcpy(directory, "/tmp/memcgbench-tradeoff-XXXXXX");
	assert_non_null(mkdtemp(directory));
	snprintf(run, sizeof(run), "%s/run", directory);
	assert_int_equal(run_fixture_write(run, "errors", &err), 0);
	if (summary_load(run, &summary, &err))
		fail_msg("%s", err.text);
	return chart_views_new(summary, &views, &err);
}

static int end(void **state)
{
	chart_views_free(views);
	summary_free(summary);
	return nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
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

static void a_facet_has_a_point_for_each_back_end_at_the_largest_value(void **state)
{
	struct chart_view one;

	assert_int_equal(chart_facet_new(&views->views[0], 1, &one), 0);
	assert_int_equal(one.nr_lines, 2);
	assert_string_equal(one.lines[0].label, "walk, update 10.0 ns");
	assert_string_equal(one.lines[1].label, "cached, update 12.5 ns");
	assert_string_equal(one.held, "cold");
	for (size_t l = 0; l < 2; l++) {
		assert_int_equal(one.lines[l].nr, 1);
		assert_int_equal(one.lines[l].samples[0].point->tree.memcgs, 10000);
		assert_int_equal(one.lines[l].samples[0].point->read.cache, CACHE_COLD);
	}
	assert_false(chart_is_under_load(&one));
	chart_facet_free(&one);
	assert_int_equal(chart_facet_new(&views->views[0], 2, &one), -ENODATA);
}

static void zero_has_a_place_left_of_all_others(void **state)
{
	struct chart_view one;
	double places[2], bounds[2], low, high;
	char *data, *settings, *at;

	assert_int_equal(chart_facet_new(&views->views[0], 0, &one), 0);
	put_text(chart_tradeoff_tsv, &one, &data);
	put_text(chart_tradeoff_settings, &one, &settings);
	at = data;
	for (unsigned i = 0; i < 2; i++) {
		at = strstr(at, "# block");
		assert_non_null(at);
		at = strchr(at, '\n') + 1;
		assert_int_equal(sscanf(at, "%lf %*f %*f %*f %lf", &places[i], &bounds[i]), 2);
	}
	/* 160k pages of 1.6M, and 0 of 0 less than a decade below */
	assert_true(places[1] == 160000 && bounds[1] == 1600000);
	assert_true(places[0] == bounds[0] && places[0] < 100000 && places[0] > 10000);
	assert_non_null(strstr(data, "\t0\t0\t10\tNaN\twalk\t"));
	assert_non_null(strstr(settings, "has_zero = 1\n"));
	at = strstr(settings, "set xrange [");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "set xrange [%lf:%lf]", &low, &high), 2);
	assert_true(low < places[0] && high > bounds[1]);
	assert_non_null(strstr(settings, "'0' 16666.7, '100k' 100000, '1M' 1e+06"));
	free(settings);
	free(data);
	chart_facet_free(&one);
}

static void reads_under_load_go_before_those_at_rest(void **state)
{
	struct backend_summary s = *views->views[0].lines[0].samples[0].summary;
	struct chart_tradeoff t;

	s.error_pages = 5;
	s.error_bound_pages = 50;
	s.truth.load = (struct worst_summary){7, 70, "hierarchical_anon"};
	t = chart_tradeoff(&s);
	assert_true(t.error == 5 && t.bound == 50 && !t.under_load && t.update_ns == 10);
	s.truth.reads = 9;
	s.writer_ns = 33;
	t = chart_tradeoff(&s);
	assert_true(t.error == 7 && t.bound == 70 && t.under_load && t.update_ns == 33);
}

/* As chart_tradeoff_names.c has it, in pixels of the plot. */
static void box(const struct chart_name *name, double *left, double *right, double *y)
{
	double width = 7.0 * (double)strlen(name->text);
	double x = name->at_x * 806;

	*left = name->side == SIDE_LEFT ? x : name->side == SIDE_RIGHT ? x - width : x - width / 2;
	*right = *left + width;
	*y = name->at_y * 420;
}

static void names_stay_in_the_plot_and_hide_no_other(void **state)
{
	struct rng rng = rng_for(1, 2, 3);
	unsigned hidden = 0, outside = 0, far = 0;

	for (unsigned n = 0; n < 200; n++) {
		struct chart_name names[8];
		double left[8], right[8], y[8];

		for (unsigned i = 0; i < 8; i++)
			names[i] = (struct chart_name){
				.text = "cached-fnptr, update 12.5 ns",
				.x = 0.05 + 0.9 * (double)rng_below(&rng, 1000) / 1000,
				/* every second one nearly at the same place as the one before */
				.y = i % 2 ? names[i - 1].y + 0.005
					   : 0.08 + 0.8 * (double)rng_below(&rng, 1000) / 1000,
				.bound = NAN,
			};
		for (unsigned i = 1; i < 8; i += 2)
			names[i].x = names[i - 1].x;
		chart_names_place(names, 8);
		for (unsigned i = 0; i < 8; i++) {
			box(&names[i], &left[i], &right[i], &y[i]);
			outside += left[i] < 0 || right[i] > 806 || y[i] < 8 || y[i] > 412;
			far += fabs(names[i].at_y - names[i].y) > 0.15;
			for (unsigned k = 0; k < i; k++)
				hidden += left[i] < right[k] && left[k] < right[i] &&
					  fabs(y[i] - y[k]) < 17;
		}
	}
	assert_int_equal(far, 0);
	assert_int_equal(outside, 0);
	/* Of 5,600 pairs: eight long names in one corner find no place. */
	assert_true(hidden < 28);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_facet_has_a_point_for_each_back_end_at_the_largest_value),
		cmocka_unit_test(zero_has_a_place_left_of_all_others),
		cmocka_unit_test(reads_under_load_go_before_those_at_rest),
		cmocka_unit_test(names_stay_in_the_plot_and_hide_no_other),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, end);
}
