// SPDX-License-Identifier: MIT
/* The loops that stand for the least a walk can take do load what a walk has to. */
#include "backend/model.h"
#include "bench/roofline.h"
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* The first and the last of the five counters of each block of each memcg and CPU. */
static uint64_t sum_of_ends(const struct model *model)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < model->layout.memcgs; i++) {
		for (unsigned cpu = 0; cpu < model->layout.cpus; cpu++) {
			struct memcg *memcg = model_memcg(model, i);
			unsigned char *area = model->area[cpu];

			sum += (uint64_t)*area_counter(area, memcg->local, 0);
			sum += (uint64_t)*area_counter(area, memcg->local, LRU_UNEVICTABLE);
			for (unsigned node = 0; node < model->layout.nodes; node++) {
				uint64_t local = (*memcg_nodeinfo(model, memcg, node))->local;

				sum += (uint64_t)*area_counter(area, local, 0);
				sum += (uint64_t)*area_counter(area, local, LRU_UNEVICTABLE);
			}
		}
	}
	return sum;
}

static void both_orders_load_all_that_one_pass_loads(void **state)
{
	static const unsigned ahead[] = {0, 1, 4, 72, 1000000};
	struct point point = small_point(50, 3, 7);
	struct roofline roofline;
	struct test_model f;
	uint64_t sum;

	point.tree.shape = TREE_RANDOM;
	fixture_init(&f, &point, "walk-once");
	fixture_populate(&f);
	sum = sum_of_ends(f.instance);
	assert_true(sum > 0);
	assert_int_equal(roofline_init(&roofline, f.instance), 0);
	for (size_t i = 0; i < sizeof(ahead) / sizeof(ahead[0]); i++) {
		assert_true(roofline_by_memcg(&roofline, ahead[i]) == sum);
		assert_true(roofline_by_cpu(&roofline, ahead[i]) == sum);
	}
	roofline_fini(&roofline);
	fixture_fini(&f);
}

static void memcgs_come_in_the_order_of_a_walk(void **state)
{
	struct point point = small_point(50, 1, 1);
	uint32_t at = MEMCG_NONE, nr = 0;
	struct roofline roofline;
	struct test_model f;

	point.tree.shape = TREE_RANDOM;
	fixture_init(&f, &point, "walk-once");
	assert_int_equal(roofline_init(&roofline, f.instance), 0);
	while ((at = memcg_tree_next(f.tree, 0, at)) != MEMCG_NONE)
		assert_true(roofline.object[nr++] == model_memcg(f.instance, at)->local);
	assert_int_equal(nr, roofline.memcgs);
	roofline_fini(&roofline);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_orders_load_all_that_one_pass_loads),
		cmocka_unit_test(memcgs_come_in_the_order_of_a_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
