// SPDX-License-Identifier: MIT
/* Trees as real machines grow them: their sizes, who may be dying, and their names. */
#include "memcg/tree_name.h"

#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct memcg_tree *tree_of(const struct tree_description *description)
{
	struct memcg_tree *tree = NULL;

	assert_int_equal(memcg_tree_new(description, &tree), 0);
	return tree;
}

#define FOR_EACH_GROWN(shape) \
	for (enum tree_shape shape = TREE_KUBERNETES; shape <= TREE_SLURM; shape++)

/* Any number of memcgs makes a tree of so many, and the same memcgs whatever comes behind them. */
static void small_trees_are_the_beginning_of_large_ones(void **state)
{
	FOR_EACH_GROWN(shape)
	{
		struct tree_description large = {shape, 1000, 4, 0, 5}, small = large;
		struct memcg_tree *all = tree_of(&large);

		for (small.memcgs = 1; small.memcgs <= 1000; small.memcgs++) {
			struct memcg_tree *tree = tree_of(&small);

			assert_int_equal(tree->nr, small.memcgs + 1);
			for (uint32_t i = 1; i < tree->nr; i++)
				assert_true(tree->parent[i] < i);
			assert_memory_equal(tree->parent, all->parent,
					    tree->nr * sizeof(*tree->parent));
			memcg_tree_free(tree);
		}
		memcg_tree_free(all);
	}
}

static void the_largest_trees_have_the_depth_of_their_kind(void **state)
{
	static const uint32_t depths[] = {4, 5, 4};

	FOR_EACH_GROWN(shape)
	{
		struct tree_description description = {shape, 4000000, 10, 0, 1};
		struct memcg_tree *tree = tree_of(&description);

		assert_int_equal(tree->max_depth, depths[shape - TREE_KUBERNETES]);
		memcg_tree_free(tree);
	}
}

static void the_seed_and_nothing_else_makes_another_tree(void **state)
{
	FOR_EACH_GROWN(shape)
	{
		struct tree_description description = {shape, 3000, 10, 300000, 1};
		struct memcg_tree *one = tree_of(&description), *again = tree_of(&description);
		struct memcg_tree *other, *living;
		size_t bytes = one->nr * sizeof(*one->parent);

		assert_memory_equal(one->parent, again->parent, bytes);
		assert_memory_equal(one->dying, again->dying, one->nr);
		description.dying_ppm = 0;
		living = tree_of(&description);
		assert_memory_equal(one->parent, living->parent, bytes);
		description.seed = 2;
		other = tree_of(&description);
		assert_true(memcmp(one->parent, other->parent, bytes));
		memcg_tree_free(one);
		memcg_tree_free(again);
		memcg_tree_free(living);
		memcg_tree_free(other);
	}
}

static void a_pod_session_or_job_has_at_most_the_fanout(void **state)
{
	static const uint32_t fanouts[] = {1, 2, 3, 10};

	FOR_EACH_GROWN(shape)
	for (size_t f = 0; f < sizeof(fanouts) / sizeof(fanouts[0]); f++) {
		struct tree_description description = {shape, 5000, fanouts[f], 0, 3};
		struct memcg_tree *tree = tree_of(&description);
		uint32_t *children = calloc(tree->nr, sizeof(*children)), most = 0;

		assert_non_null(children);
		for (uint32_t i = 1; i < tree->nr; i++) {
			uint32_t parent = tree->parent[i];

			/* the childless are what the fanout is about */
			if (tree->first_child[i] != MEMCG_NONE || tree->depth[i] < 3 ||
			    (shape == TREE_SYSTEMD && tree->depth[i] < 5))
				continue;
			if (++children[parent] > most && parent > 3)
				most = children[parent];
		}
		assert_int_equal(most, fanouts[f]);
		free(children);
		memcg_tree_free(tree);
	}
}

/* rmdir refuses a cgroup with living children. */
static void nobody_dies_before_their_children(void **state)
{
	static const uint32_t dying[] = {1, 1000, 500000, 999999, 1000000};

	FOR_EACH_GROWN(shape)
	for (size_t d = 0; d < sizeof(dying) / sizeof(dying[0]); d++) {
		struct tree_description description = {shape, 2001, 10, dying[d], 4};
		struct memcg_tree *tree = tree_of(&description);
		uint32_t nr = 0;

		for (uint32_t i = 1; i < tree->nr; i++) {
			nr += tree->dying[i];
			if (tree->dying[tree->parent[i]])
				assert_true(tree->dying[i]);
		}
		assert_false(tree->dying[0]);
		assert_int_equal(nr, tree->nr_dying);
		assert_int_equal(nr, 2001 * (uint64_t)dying[d] / 1000000);
		memcg_tree_free(tree);
	}
}

static void expect_path(const struct memcg_tree *tree, const char *pattern, bool wanted)
{
	char buffer[16 * MEMCG_NAME_MAX];
	bool found = false;
	regex_t regex;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	for (uint32_t i = 1; i < tree->nr && !found; i++) {
		const char *path = memcg_tree_path(tree, i, buffer, sizeof(buffer));

		found = !regexec(&regex, path, 0, NULL, 0);
	}
	regfree(&regex);
	if (found != wanted)
		fail_msg("%s: %s", pattern, found ? "found" : "not found");
}

#define HEX64 "[0-9a-f]{64}"
#define UUID(dash)                                                                         \
	"[0-9a-f]{8}" dash "[0-9a-f]{4}" dash "4[0-9a-f]{3}" dash "[89ab][0-9a-f]{3}" dash \
	"[0-9a-f]{12}"

static void names_are_those_of_real_machines(void **state)
{
	static const struct {
		struct tree_description description;
		const char *patterns[5];
	} kinds[] = {
		{{TREE_KUBERNETES, 500, 10, 0, 1, TREE_DRIVER_SYSTEMD},
		 {"^kubepods\\.slice/kubepods-burstable\\.slice/kubepods-burstable-pod" UUID(
			  "_") "\\.slice/crio-" HEX64 "\\.scope$",
		  "^kubepods\\.slice/kubepods-besteffort\\.slice/kubepods-besteffort-pod" UUID(
			  "_") "\\.slice/crio-" HEX64 "\\.scope$",
		  "^kubepods\\.slice/kubepods-pod" UUID("_") "\\.slice/crio-" HEX64 "\\.scope$"}},
		{{TREE_KUBERNETES, 500, 10, 0, 1, TREE_DRIVER_CGROUPFS},
		 {"^kubepods/burstable/pod" UUID("-") "/" HEX64 "$",
		  "^kubepods/besteffort/pod" UUID("-") "/" HEX64 "$",
		  "^kubepods/pod" UUID("-") "/" HEX64 "$"}},
		{{TREE_SYSTEMD, 500, 10, 0, 1},
		 {"^init\\.scope$", "^system\\.slice/containerd\\.service$",
		  "^system\\.slice/run-u[0-9]+\\.service$",
		  "^user\\.slice/user-[0-9]+\\.slice/session-[0-9]+\\.scope$",
		  "^user\\.slice/user-1[0-9]{3}\\.slice/user@1[0-9]{3}\\.service/app\\.slice/"
		  "app-[a-z]+\\\\x2d[0-9]+\\.scope$"}},
		{{TREE_SLURM, 500, 10, 0, 1},
		 {"^slurm$", "^slurm/uid_1000/job_[0-9]+/step_extern$",
		  "^slurm/uid_[0-9]+/job_[0-9]+/step_batch$",
		  "^slurm/uid_[0-9]+/job_[0-9]+/step_0$", "^slurm/uid_[0-9]+/job_[0-9]+/step_3$"}},
		{{TREE_CHAIN, 12, 10, 0, 1}, {"^g1/g2/g3/g4/g5/g6/g7/g8/g9/g10/g11/g12$"}},
	};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct memcg_tree *tree = tree_of(&kinds[k].description);

		for (unsigned p = 0; p < 5 && kinds[k].patterns[p]; p++)
			expect_path(tree, kinds[k].patterns[p], true);
		expect_path(tree, "//|^/|/$|^$", false);
		memcg_tree_free(tree);
	}
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void siblings_have_different_valid_names(void **state)
{
	for (enum tree_shape shape = TREE_FLAT; shape <= TREE_SLURM; shape++) {
		struct tree_description description = {shape, 3000, 10, 0, 1};
		struct memcg_tree *tree = tree_of(&description);
		/* a name behind its parent's number: different for all */
		char(*names)[MEMCG_NAME_MAX + 16] = calloc(tree->nr, sizeof(*names));

		assert_non_null(names);
		for (uint32_t i = 1; i < tree->nr; i++) {
			char name[MEMCG_NAME_MAX];

			assert_ptr_equal(memcg_tree_name(tree, i, name), name);
			assert_in_range(strlen(name), 1, 255);
			assert_null(strchr(name, '/'));
			assert_true(strcmp(name, ".") && strcmp(name, ".."));
			snprintf(names[i], sizeof(*names), "%u/%s", tree->parent[i], name);
		}
		qsort(names, tree->nr, sizeof(*names), compare_names);
		for (uint32_t i = 1; i < tree->nr; i++)
			assert_string_not_equal(names[i - 1], names[i]);
		free(names);
		memcg_tree_free(tree);
	}
}

static void a_path_that_does_not_fit_is_refused(void **state)
{
	struct tree_description description = {TREE_CHAIN, 9, 0, 0, 1};
	struct memcg_tree *tree = tree_of(&description);
	char buffer[32];

	/* "g1/.../g9" has 26 bytes */
	assert_string_equal(memcg_tree_path(tree, 9, buffer, 27), "g1/g2/g3/g4/g5/g6/g7/g8/g9");
	for (size_t size = 1; size <= 26; size++)
		assert_null(memcg_tree_path(tree, 9, buffer, size));
	assert_string_equal(memcg_tree_path(tree, 0, buffer, 1), "");
	memcg_tree_free(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_trees_are_the_beginning_of_large_ones),
		cmocka_unit_test(the_largest_trees_have_the_depth_of_their_kind),
		cmocka_unit_test(the_seed_and_nothing_else_makes_another_tree),
		cmocka_unit_test(a_pod_session_or_job_has_at_most_the_fanout),
		cmocka_unit_test(nobody_dies_before_their_children),
		cmocka_unit_test(names_are_those_of_real_machines),
		cmocka_unit_test(siblings_have_different_valid_names),
		cmocka_unit_test(a_path_that_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
