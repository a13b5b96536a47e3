// SPDX-License-Identifier: MIT
/* A check finds a back end that is wrong, and only such a one. */
#include "backend/check.h"
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct check_result check(const struct backend *backend, uint64_t updates)
{
	struct point point = small_point(40, 2, 4);
	struct error err = {.text = ""};
	struct check_result result;
	struct test_model f;

	fixture_init(&f, &point, "walk");
	if (check_backend(backend, &point, f.tree, f.placement, updates, &result, &err))
		fail_msg("%s", err.text);
	fixture_fini(&f);
	return result;
}

static void a_right_back_end_passes(void **state)
{
	for (size_t i = 0; backends[i] && !backends[i]->fixture; i++) {
		struct check_result result = check(backends[i], 10000);
		unsigned times = backends[i]->capabilities & BACKEND_UPDATE ? 2 : 1;

		assert_true(result.beyond == 0);
		/* Eight memcgs, before and after updates, two blocks of four rows of a sum and two
		 * nodes. */
		assert_true(result.cells == 8 * times * 2 * 4 * 3);
		/* Batches hold something back, where there are any. */
		assert_true(result.worst.pages <= result.worst.bound);
		assert_true((result.worst.pages > 0) == (result.worst.bound > 0));
	}
}

static void without_updates_cells_are_compared_once(void **state)
{
	struct backend fixed = *backend_find("walk");

	assert_true(check(&fixed, 0).cells == 8 * 2 * 4 * 3);
	fixed.capabilities &= ~(unsigned)BACKEND_UPDATE;
	fixed.update = NULL;
	assert_true(check(&fixed, 10000).cells == 8 * 2 * 4 * 3);
}

static void many_updates_are_compared_on_the_way(void **state)
{
	/* After populating, after two millions of updates, and after the last one. */
	assert_true(check(backend_find("packed"), 2000001).cells == 4 * 8 * 2 * 4 * 3);
	assert_true(check(backend_find("packed"), 2000000).cells == 3 * 8 * 2 * 4 * 3);
}

/* Claims that maintained counters are exact. */
static uint64_t no_bound(const struct point *point, enum numa_scope scope, enum numa_row row,
			 unsigned column, uint32_t subtree, uint64_t truth)
{
	return 0;
}

static void a_back_end_beyond_its_bound_is_found(void **state)
{
	struct backend wrong = *backend_find("cached");
	struct check_result result;

	wrong.bound = no_bound;
	result = check(&wrong, 0);
	assert_true(result.beyond > 0);
	assert_true(result.worst.bound == 0 && result.worst.pages > 0);
}

/* Loses the huge pages, and keeps all else. */
static void forgetful_update(void *instance, const struct update *update)
{
	if (update->delta != 512)
		backend_find("walk")->update(instance, update);
}

static void a_back_end_that_loses_updates_is_found(void **state)
{
	struct backend wrong = *backend_find("walk");
	struct check_result result;

	wrong.update = forgetful_update;
	assert_true(check(&wrong, 0).beyond == 0);
	result = check(&wrong, 10000);
	assert_true(result.beyond > 0);
	assert_true(result.worst_updated);
}

/* One cell of one node is off by a page. */
static int off_by_one_read(void *instance, const struct read_request *request,
			   struct numa_counts *out)
{
	int ret = backend_find("walk")->read_counts(instance, request, out);

	out->cells[numa_cell(2, SCOPE_HIERARCHICAL, NUMA_ROW_ANON, 2)]++;
	return ret;
}

static void a_single_wrong_cell_is_found_and_named(void **state)
{
	struct backend wrong = *backend_find("walk");
	struct check_result result;
	char name[CELL_NAME_MAX];
	struct point point = small_point(40, 2, 4);

	wrong.read_counts = off_by_one_read;
	result = check(&wrong, 0);
	assert_true(result.beyond == 8);
	assert_true(result.worst.pages == 1 && result.worst.value == result.worst.truth + 1);
	assert_string_equal(cell_error_name(name, &result.worst, &point), "hierarchical_anon N1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_right_back_end_passes),
		cmocka_unit_test(without_updates_cells_are_compared_once),
		cmocka_unit_test(many_updates_are_compared_on_the_way),
		cmocka_unit_test(a_back_end_beyond_its_bound_is_found),
		cmocka_unit_test(a_back_end_that_loses_updates_is_found),
		cmocka_unit_test(a_single_wrong_cell_is_found_and_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
