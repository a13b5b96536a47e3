// SPDX-License-Identifier: MIT
/* Which memcgs a point reads, and how much that is, held against trees walked one by one. */
#include "scenario/parameter.h"
#include "scenario/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct made {
	struct point point;
	struct memcg_tree *tree;
	struct target target;
};

static struct made make(enum tree_shape shape, uint32_t memcgs, uint32_t dying_ppm,
			enum read_target cgroup)
{
	struct made made;

	point_init(&made.point);
	made.point.tree.shape = shape;
	made.point.tree.memcgs = memcgs;
	made.point.tree.dying_ppm = dying_ppm;
	made.point.read.cgroup = cgroup;
	assert_int_equal(memcg_tree_new(&made.point.tree, &made.tree), 0);
	made.target = target_of(&made.point, made.tree);
	return made;
}

static uint32_t first_of(enum tree_shape shape, uint32_t memcgs, enum read_target cgroup)
{
	struct made made = make(shape, memcgs, 0, cgroup);

	assert_int_equal(made.target.first, made.target.last);
	assert_int_equal(target_next(&made.target, made.tree, made.target.first), MEMCG_NONE);
	memcg_tree_free(made.tree);
	return made.target.first;
}

static void one_memcg_is_read_but_in_a_sweep(void **state)
{
	(void)state;
	for (enum tree_shape shape = TREE_FLAT; shape <= TREE_SLURM; shape++) {
		assert_int_equal(first_of(shape, 100, TARGET_ROOT), 0);
		assert_int_equal(first_of(shape, 100, TARGET_MACHINE), 0);
		assert_int_equal(first_of(shape, 100, TARGET_LEAF), 100);
	}
	assert_int_equal(first_of(TREE_FLAT, 100, TARGET_MIDDLE), 0);
	assert_int_equal(first_of(TREE_CHAIN, 101, TARGET_MIDDLE), 50);
	/* 1110 fill three levels: the last is 1110, below 110, below 10. */
	assert_int_equal(first_of(TREE_BALANCED, 1110, TARGET_MIDDLE), 10);
	assert_int_equal(first_of(TREE_BALANCED, 110, TARGET_MIDDLE), 10);
}

/* What has no directory is not read, and is part of what is read above it. */
static void dying_memcgs_are_not_read_themselves(void **state)
{
	static const uint32_t dying[] = {0, 1, 300000, 900000, 1000000};

	(void)state;
	for (enum tree_shape shape = TREE_FLAT; shape <= TREE_SLURM; shape++)
		for (enum read_target cgroup = TARGET_MIDDLE; cgroup <= TARGET_ALL; cgroup++)
			for (size_t d = 0; d < sizeof(dying) / sizeof(dying[0]); d++) {
				struct made made = make(shape, 200, dying[d], cgroup);
				uint32_t at = made.target.first, before = 0, files = 0;

				for (; at != MEMCG_NONE; files++) {
					assert_false(made.tree->dying[at]);
					assert_true(!files || at > before);
					before = at;
					at = target_next(&made.target, made.tree, at);
				}
				assert_int_equal(files, cgroup == TARGET_ALL
								? 201 - made.tree->nr_dying
								: 1);
				memcg_tree_free(made.tree);
			}
}

static void sizes_are_those_of_the_subtrees_read(void **state)
{
	static const uint32_t dying[] = {0, 250000, 1000000};

	(void)state;
	for (enum tree_shape shape = TREE_FLAT; shape <= TREE_SLURM; shape++)
		for (enum read_target cgroup = TARGET_ROOT; cgroup <= TARGET_ALL; cgroup++)
			for (size_t d = 0; d < sizeof(dying) / sizeof(dying[0]); d++) {
				struct made made = make(shape, 300, dying[d], cgroup);
				struct target_size size = target_size(&made.point), sum = {0};
				uint32_t at = made.target.first;

				while (at != MEMCG_NONE) {
					uint32_t memcgs = memcg_tree_size(made.tree, at);

					sum.files++;
					sum.memcgs += memcgs;
					sum.most = memcgs > sum.most ? memcgs : sum.most;
					at = target_next(&made.target, made.tree, at);
				}
				assert_true(size.files == sum.files);
				assert_true(size.memcgs == sum.memcgs);
				assert_int_equal(size.most, sum.most);
				assert_true(target_share(&made.point, &size) ==
					    (cgroup == TARGET_ALL ? sum.files : sum.memcgs));
				memcg_tree_free(made.tree);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_memcg_is_read_but_in_a_sweep),
		cmocka_unit_test(dying_memcgs_are_not_read_themselves),
		cmocka_unit_test(sizes_are_those_of_the_subtrees_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
