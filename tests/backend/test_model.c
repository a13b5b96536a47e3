// SPDX-License-Identifier: MIT
/* Where the model puts its memory. */
#include "backend/model.h"
#include "fixture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t mapped_bytes(const struct test_model *f)
{
	const struct region *regions;
	uint64_t bytes = 0;
	size_t nr;

	regions = f->backend->regions(f->instance, &nr);
	for (size_t i = 0; i < nr; i++)
		bytes += regions[i].bytes;
	return bytes;
}

static void bytes_are_what_create_maps(void **state)
{
	static const uint32_t sizes[] = {1, 9, 100, 300};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (unsigned n = 1; n <= 5; n += 2) {
			struct point point = small_point(sizes[i], n, 3 * n);
			struct test_model f;

			point.machine.layout = i & 1 ? LAYOUT_LEAN : LAYOUT_V5_6;
			point.machine.skew = n == 3 ? 64 : 0;
			for (size_t k = 0; backends[k] && !backends[k]->fixture; k++) {
				fixture_init(&f, &point, backends[k]->name);
				assert_true(f.backend->bytes(&point) == mapped_bytes(&f));
				fixture_fini(&f);
			}
		}
	}
}

static void large_points_take_the_memory_planned_for_them(void **state)
{
	const struct backend *walk = backend_find("walk");
	struct point point = small_point(10000, 2, 72);
	uint64_t bytes = walk->bytes(&point);

	assert_true(bytes > 2300000000u && bytes < 2500000000u);
	point = small_point(1000000, 2, 8);
	point.machine.layout = LAYOUT_LEAN;
	assert_true(walk->bytes(&point) < 12ull << 30);
	/* The largest point there can be does not overflow. */
	point = small_point(4000000, MAX_NODES, MAX_CPUS);
	assert_true(walk->bytes(&point) > 1ull << 54 && walk->bytes(&point) < 1ull << 60);
}

static void areas_are_congruent_and_skewed_as_asked(void **state)
{
	static const uint64_t skews[] = {0, 8, 64, 4032, 4096, 10000};

	for (size_t i = 0; i < sizeof(skews) / sizeof(skews[0]); i++) {
		struct point point = small_point(7, 3, 10);
		const struct model *model;
		struct test_model f;

		point.machine.skew = skews[i];
		fixture_init(&f, &point, "walk");
		model = f.instance;
		for (unsigned cpu = 0; cpu < 10; cpu++) {
			uintptr_t area = (uintptr_t)model->area[cpu];
			uint64_t end = 8 * model->layout.object_bytes;

			assert_int_equal(area % AREA_ALIGN, cpu * skews[i] % AREA_ALIGN);
			for (unsigned other = 0; other < cpu; other++) {
				uintptr_t there = (uintptr_t)model->area[other];

				assert_true(area >= there + end || there >= area + end);
			}
		}
		fixture_fini(&f);
	}
}

static bool lies_in(const struct region *region, const void *from, uint64_t bytes)
{
	const unsigned char *p = from;

	return p >= region->base && p + bytes <= region->base + region->bytes;
}

/* The node of the region that holds the memory; fails where none does. */
static unsigned node_of(const struct test_model *f, const void *from, uint64_t bytes)
{
	const struct region *regions;
	size_t nr;

	regions = f->backend->regions(f->instance, &nr);
	for (size_t i = 0; i < nr; i++)
		if (lies_in(&regions[i], from, bytes))
			return regions[i].node;
	fail_msg("not in any region");
	return 0;
}

static void memory_lies_on_the_node_of_its_owner(void **state)
{
	struct point point = small_point(12, 3, 8);
	const struct model *model;
	struct test_model f;

	point.machine.skew = 4088;
	fixture_init(&f, &point, "cached");
	model = f.instance;
	for (unsigned cpu = 0; cpu < 8; cpu++)
		assert_int_equal(node_of(&f, model->area[cpu], 13 * model->layout.object_bytes),
				 f.placement->node_of_cpu[cpu]);
	for (uint32_t i = 0; i <= 12; i++) {
		struct memcg *memcg = model_memcg(model, i);

		assert_int_equal(node_of(&f, memcg, model->layout.memcg_bytes),
				 f.placement->node_of_cpu[0]);
		assert_int_equal((uintptr_t)memcg % STRUCT_ALIGN, 0);
		for (unsigned node = 0; node < 3; node++)
			assert_int_equal(node_of(&f, *memcg_nodeinfo(model, memcg, node),
						 model->layout.memcg_node_bytes),
					 node);
	}
	fixture_fini(&f);
}

/* Blocks of all objects tile each area: none overlaps, none is out of it. */
static void check_blocks(const struct test_model *f)
{
	const struct model *model = f->instance;
	bool lean = f->point.machine.layout == LAYOUT_LEAN;
	uint64_t at = 0;

	for (uint32_t i = 0; i < model->layout.memcgs; i++) {
		struct memcg *memcg = model_memcg(model, i);

		assert_true(memcg->local == at);
		at += 8 * (lean ? 40 : 128);
		assert_true(memcg->batch == at);
		at += 8 * (lean ? 5 : 128);
		for (unsigned node = 0; node < model->layout.nodes; node++) {
			struct memcg_node *info = *memcg_nodeinfo(model, memcg, node);

			assert_ptr_equal(info->memcg, memcg);
			assert_true(info->local == at);
			at += 8 * 36;
			assert_true(info->batch == at);
			at += 8 * (lean ? 5 : 36);
		}
		if (f->tree->dying[i])
			assert_true(memcg->css_ref & CSS_REF_SHARED);
		else
			assert_true(memcg->css_ref == at);
		at += 8;
	}
	assert_true(at <= model->layout.area_bytes);
}

static void blocks_lie_in_creation_order_with_the_sizes_of_5_6(void **state)
{
	struct point point = small_point(12, 3, 2);
	struct test_model f;

	point.tree.dying_ppm = 300000;
	fixture_init(&f, &point, "cached");
	check_blocks(&f);
	fixture_fini(&f);
	point.machine.layout = LAYOUT_LEAN;
	fixture_init(&f, &point, "cached");
	check_blocks(&f);
	fixture_fini(&f);
}

/* v4.15: one array per memcg, one per memcg and node, and the reference; nothing shared. */
static void blocks_without_batches_lie_one_behind_the_other(void **state)
{
	struct point point = small_point(12, 3, 2);
	const struct model *model;
	struct test_model f;

	for (unsigned lean = 0; lean < 2; lean++) {
		uint64_t object = 8 * ((lean ? 40 : 128) + 3 * 36 + 1);

		point.machine.layout = lean ? LAYOUT_LEAN : LAYOUT_V5_6;
		fixture_init(&f, &point, "walk-415");
		model = f.instance;
		assert_int_equal(model->layout.object_bytes, object);
		/* A line of handles, and one of pointers to three structs of a line each. */
		assert_int_equal(model->layout.memcg_bytes, 2 * STRUCT_ALIGN);
		assert_int_equal(model->layout.memcg_node_bytes, STRUCT_ALIGN);
		for (uint32_t i = 0; i <= 12; i++) {
			struct memcg *memcg = model_memcg(model, i);

			assert_true(memcg->local == i * object);
			assert_true(memcg->css_ref == (i + 1) * object - 8);
			for (unsigned node = 0; node < 3; node++)
				assert_true((*memcg_nodeinfo(model, memcg, node))->local ==
					    (i + 1) * object - 8 - 8 * 36 * (3 - node));
		}
		fixture_fini(&f);
	}
}

static void links_follow_the_tree(void **state)
{
	struct point point = small_point(77, 1, 1);
	const struct model *model;
	struct test_model f;

	point.tree.shape = TREE_RANDOM;
	point.tree.fanout = 3;
	fixture_init(&f, &point, "walk");
	model = f.instance;
	for (uint32_t i = 0; i <= 77; i++) {
		struct memcg *memcg = model_memcg(model, i);
		const struct memcg *links[] = {memcg->parent, memcg->first_child,
					       memcg->next_sibling};
		uint32_t wanted[] = {f.tree->parent[i], f.tree->first_child[i],
				     f.tree->next_sibling[i]};

		for (unsigned k = 0; k < 3; k++) {
			if (wanted[k] == MEMCG_NONE)
				assert_null(links[k]);
			else
				assert_ptr_equal(links[k], model_memcg(model, wanted[k]));
		}
	}
	fixture_fini(&f);
}

static void reads_leave_references_as_they_were(void **state)
{
	struct point point = small_point(20, 2, 3);
	struct read_request request = {.cpu = 2, .rows = ROWS_ALL};
	const struct model *model;
	struct test_model f;

	point.tree.dying_ppm = 500000;
	fixture_init(&f, &point, "walk");
	model = f.instance;
	f.backend->read_counts(f.instance, &request, &f.counts);
	for (uint32_t i = 0; i <= 20; i++) {
		struct memcg *memcg = model_memcg(model, i);

		assert_int_equal(atomic_load(&memcg->css_count), 0);
		if (!f.tree->dying[i])
			assert_int_equal(
				atomic_load(area_counter(model->area[2], memcg->css_ref, 0)), 0);
	}
	fixture_fini(&f);
}

/* Pages never written all read one zero page, and flatter a walk. */
static void every_page_is_there_after_creation(void **state)
{
	struct point point = small_point(300, 3, 6);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), nr;
	const struct region *regions;
	struct test_model f;

	fixture_init(&f, &point, "walk");
	regions = f.backend->regions(f.instance, &nr);
	for (size_t i = 0; i < nr; i++) {
		size_t pages = regions[i].bytes / page;
		unsigned char *resident = calloc(pages, 1);

		assert_non_null(resident);
		assert_int_equal(mincore(regions[i].base, regions[i].bytes, resident), 0);
		for (size_t k = 0; k < pages; k++)
			assert_true(resident[k] & 1);
		free(resident);
	}
	fixture_fini(&f);
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_to_populate(enum tree_shape shape)
{
	struct point point = small_point(60000, 1, 1);
	struct test_model f;
	double seconds;

	point.tree.shape = shape;
	point.machine.layout = LAYOUT_LEAN;
	fixture_init(&f, &point, "cached");
	seconds = cpu_seconds();
	fixture_populate(&f);
	seconds = cpu_seconds() - seconds;
	fixture_compare(&f, 0);
	fixture_fini(&f);
	return seconds;
}

/* A pass for each memcg up its ancestors would take thousands of times as long. */
static void populating_a_chain_costs_no_more_than_a_flat_tree(void **state)
{
	assert_true(seconds_to_populate(TREE_CHAIN) < 20 * seconds_to_populate(TREE_FLAT));
}

static void a_skew_that_splits_counters_is_refused(void **state)
{
	struct point point = small_point(2, 1, 1);
	struct backend_env env;
	struct error err = {.text = ""};
	struct test_model f;
	void *instance;

	fixture_init(&f, &point, "walk");
	f.point.machine.skew = 12;
	env = (struct backend_env){.point = &f.point, .tree = f.tree, .placement = f.placement};
	assert_int_equal(f.backend->create(&env, &instance, &err), -EINVAL);
	assert_non_null(strstr(err.text, "machine.skew: 12 is not a multiple of 8"));
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_what_create_maps),
		cmocka_unit_test(large_points_take_the_memory_planned_for_them),
		cmocka_unit_test(areas_are_congruent_and_skewed_as_asked),
		cmocka_unit_test(memory_lies_on_the_node_of_its_owner),
		cmocka_unit_test(blocks_lie_in_creation_order_with_the_sizes_of_5_6),
		cmocka_unit_test(blocks_without_batches_lie_one_behind_the_other),
		cmocka_unit_test(links_follow_the_tree),
		cmocka_unit_test(reads_leave_references_as_they_were),
		cmocka_unit_test(every_page_is_there_after_creation),
		cmocka_unit_test(populating_a_chain_costs_no_more_than_a_flat_tree),
		cmocka_unit_test(a_skew_that_splits_counters_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
