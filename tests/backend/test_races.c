// SPDX-License-Identifier: MIT
/*
 * Readers while writers update: what a thread sanitizer watches. What is read meanwhile is
 * within the bound of any moment's truth or not; after the writers have ended it must be.
 */
#include "backend/model.h"
#include "racers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct race the_race = {.writers = 3, .readers = 3, .updates = 20000};

static void check_references(const struct test_model *f)
{
	const struct model *model = f->instance;

	for (uint32_t i = 0; i < model->layout.memcgs; i++) {
		const struct memcg *memcg = model_memcg(model, i);

		assert_int_equal(atomic_load(&memcg->css_count), 0);
		for (unsigned cpu = 0; !f->tree->dying[i] && cpu < model->layout.cpus; cpu++)
			assert_int_equal(
				atomic_load(area_counter(model->area[cpu], memcg->css_ref, 0)), 0);
	}
}

/* Leaves `f` to the caller. */
static void race(struct test_model *f, const char *backend)
{
	struct point point = small_point(30, 2, race_threads(&the_race));

	point.tree.dying_ppm = 500000;
	fixture_init(f, &point, backend);
	fixture_populate(f);
	race_run(f, &the_race);
	for (uint32_t memcg = 0; memcg < f->tree->nr; memcg++)
		fixture_compare(f, memcg);
}

static void run(const char *backend)
{
	struct test_model f;

	race(&f, backend);
	check_references(&f);
	fixture_fini(&f);
}

static void walkers_and_writers_lose_nothing(void **state)
{
	run("walk");
}

static void readers_by_pointer_and_writers_lose_nothing(void **state)
{
	run("cached-fnptr");
}

static void exact_walkers_and_writers_lose_nothing(void **state)
{
	run("walk-415");
}

static void walkers_of_one_pass_and_writers_lose_nothing(void **state)
{
	run("walk-once");
}

static void cached_readers_and_writers_lose_nothing(void **state)
{
	run("cached");
}

/* Its memory is not a model's, and its readers take no references. */
static void readers_of_packed_lines_and_writers_lose_nothing(void **state)
{
	struct test_model f;

	race(&f, "packed");
	fixture_fini(&f);
}

static void readers_of_shares_and_writers_lose_nothing(void **state)
{
	struct test_model f;

	race(&f, "bounded");
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walkers_and_writers_lose_nothing),
		cmocka_unit_test(readers_by_pointer_and_writers_lose_nothing),
		cmocka_unit_test(exact_walkers_and_writers_lose_nothing),
		cmocka_unit_test(walkers_of_one_pass_and_writers_lose_nothing),
		cmocka_unit_test(cached_readers_and_writers_lose_nothing),
		cmocka_unit_test(readers_of_packed_lines_and_writers_lose_nothing),
		cmocka_unit_test(readers_of_shares_and_writers_lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
