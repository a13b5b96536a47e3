// SPDX-License-Identifier: MIT
/* What tables say at their top of the points in them. */
#include "report/point_groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 1000

/* The head of `nr` points that differ in counters.pages only; the caller frees it. */
static char *head_of(size_t nr, struct point_groups **groups)
{
	static struct point points[MOST];
	const struct point *list[MOST];
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	for (size_t i = 0; i < nr; i++) {
		point_init(&points[i]);
		points[i].counters.pages = 10000 + (uint32_t)((i + nr / 2) % nr);
		list[i] = &points[i];
	}
	*groups = point_groups_new(list, nr);
	assert_non_null(*groups);
	point_groups_head(*groups, 400, 11, out);
	fclose(out);
	return text;
}

static void a_few_values_are_listed(void **state)
{
	struct point_groups *groups;
	char *text = head_of(12, &groups);

	assert_non_null(strstr(text, "counters.pages 10006, 10007, "));
	assert_non_null(strstr(text, "10k, 10001, "));
	assert_null(strstr(text, "values"));
	free(text);
	point_groups_free(groups);
}

static void of_many_values_the_ends_are_said(void **state)
{
	struct point_groups *groups;
	char *text = head_of(MOST, &groups);

	assert_non_null(strstr(text, "varied     counters.pages 10k to 10999, 1000 values\n"));
	assert_null(strstr(text, "10001"));
	free(text);
	point_groups_free(groups);
}

static void commands_get_every_value(void **state)
{
	struct point_groups *groups;
	char *text = head_of(MOST, &groups), *values;
	size_t length;
	FILE *out = open_memstream(&values, &length);

	assert_non_null(out);
	assert_int_equal(point_groups_values(groups, groups->row, ",", out), MOST);
	fclose(out);
	assert_non_null(strstr(values, "10500,10501,"));
	assert_non_null(strstr(values, "10999,10k,10001,"));
	free(values);
	free(text);
	point_groups_free(groups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_few_values_are_listed),
		cmocka_unit_test(of_many_values_the_ends_are_said),
		cmocka_unit_test(commands_get_every_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
