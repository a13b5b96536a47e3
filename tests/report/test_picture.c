// SPDX-License-Identifier: MIT
/* What a picture promises that is drawn for a page. gnuplot itself is tried in test_charts.c. */
#include "report/picture.h"
#include "report/source.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void put_data(const void *data, FILE *out)
{
	(void)data;
	fputs("1\t10\n2\t40\n\n\n1\t20\n2\t80\n", out);
}

static int put_settings(const void *data, const char *name, FILE *out)
{
	fprintf(out,
		"data = '%s.tsv'\nchart_title = 'a title'\nchart_subtitle = 'below it'\n"
		"x_title = 'x'\ny_title = 'y'\nnr_lines = 2\narray line_label[2] = ['<one>', "
		"'two']\n"
		"array line_backend[2] = [0, 1]\narray line_facet[2] = [0, 0]\n"
		"nr_captions = 1\narray caption[1] = ['a caption']\narray line_drawn[2] = [1, "
		"1]\n%s",
		name, data ? (const char *)data : "");
	return 0;
}

static char *caption(const void *data, unsigned width)
{
	(void)data;
	(void)width;
	return strdup("a caption\n");
}

static const struct picture picture = {
	"small", "A small picture", "ratio.gp", put_data, put_settings, caption, NULL,
};

static bool no_gnuplot(const struct error *err)
{
	return strstr(err->text, "gnuplot-nox") != NULL;
}

static unsigned open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static void a_picture_for_a_page_has_its_lines_and_leaves_words_to_the_page(void **state)
{
	struct error err = {0};
	unsigned before = open_descriptors();
	char *svg = NULL;
	int r = picture_svg(&picture, NULL, false, &svg, &err);

	(void)state;
	if (r == -ENOENT && no_gnuplot(&err))
		skip();
	assert_int_equal(r, 0);
	assert_non_null(strstr(svg, "<svg"));
	assert_non_null(strstr(svg, "&lt;one"));
	assert_non_null(strstr(svg, "two"));
	assert_null(strstr(svg, "a title"));
	assert_null(strstr(svg, "below it"));
	assert_null(strstr(svg, "a caption"));
	free(svg);
	assert_int_equal(open_descriptors(), before);
}

static void a_fault_is_said_of_the_picture_and_gives_nothing(void **state)
{
	struct picture bad = picture;
	struct error err = {0};
	unsigned before = open_descriptors();
	char *svg = NULL;
	int r;

	(void)state;
	bad.data = "nonsense here\n";
	r = picture_svg(&bad, NULL, false, &svg, &err);
	if (r == -ENOENT && no_gnuplot(&err))
		skip();
	assert_int_equal(r, -EIO);
	assert_string_equal(err.file, "small.gp");
	assert_non_null(strstr(err.text, "nonsense"));
	assert_null(svg);
	assert_int_equal(open_descriptors(), before);

	bad.script = "missing.gp";
	assert_int_equal(picture_svg(&bad, NULL, false, &svg, &err), -ENOENT);
	assert_non_null(strstr(err.text, "missing.gp"));
}

static void what_the_program_holds_is_found_by_name_and_whole(void **state)
{
	(void)state;
	assert_non_null(source_find("style.gp"));
	assert_null(source_find("style"));
	for (const struct source *source = sources; source->name; source++) {
		assert_ptr_equal(source_find(source->name), source);
		assert_int_equal(strlen(source->text), source->length);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_picture_for_a_page_has_its_lines_and_leaves_words_to_the_page),
		cmocka_unit_test(a_fault_is_said_of_the_picture_and_gives_nothing),
		cmocka_unit_test(what_the_program_holds_is_found_by_name_and_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
