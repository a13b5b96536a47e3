// SPDX-License-Identifier: MIT
/* Trees are what their description says, and the same for ever. */
#include "memcg/tree.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct memcg_tree *tree_of(const struct tree_description *description)
{
	struct memcg_tree *tree = NULL;

	assert_int_equal(memcg_tree_new(description, &tree), 0);
	assert_non_null(tree);
	assert_int_equal(tree->nr, description->memcgs + 1);
	return tree;
}

#define FNV_BASIS 0xcbf29ce484222325u

static uint64_t fnv1a(uint64_t hash, uint8_t byte)
{
	return (hash ^ byte) * 0x100000001b3u;
}

/* Of the 32-bit little-endian parents, whatever the byte order of the machine. */
static uint64_t hash_parents(const struct memcg_tree *tree)
{
	uint64_t hash = FNV_BASIS;

	for (uint32_t i = 0; i < tree->nr; i++)
		for (unsigned shift = 0; shift < 32; shift += 8)
			hash = fnv1a(hash, (uint8_t)(tree->parent[i] >> shift));
	return hash;
}

static uint64_t hash_dying(const struct memcg_tree *tree)
{
	uint64_t hash = FNV_BASIS;

	for (uint32_t i = 0; i < tree->nr; i++)
		hash = fnv1a(hash, tree->dying[i]);
	return hash;
}

/* The hashes were computed by an independent implementation of the description. */
static const struct vector {
	struct tree_description description;
	uint64_t parents, dying;
	uint32_t max_depth, nr_dying;
} vectors[] = {
	{{TREE_FLAT, 1000, 10, 500000, 0x1}, 0x68f59db740933fd1, 0xcb56d8ed25cce823, 1, 500},
	{{TREE_CHAIN, 1000, 10, 250000, 0x2}, 0x49f75831c1de7b71, 0x1e84e644b0f099dd, 1000, 250},
	{{TREE_BALANCED, 10000, 10, 0, 0x1}, 0xf4c420865e014611, 0xdef4f709bd3d7b9f, 4, 0},
	{{TREE_BALANCED, 10000, 10, 500000, 0x1}, 0xf4c420865e014611, 0xbec9adeb5e8d8677, 4, 5000},
	{{TREE_BALANCED, 999, 65535, 1000000, 0x1}, 0xaf9b58331133ef41, 0x5aafb0b0ed043c3c, 1, 999},
	{{TREE_RANDOM, 1, 1, 0, 0x1}, 0x4ebaad864bc6f2e1, 0x08328807b4eb6fed, 1, 0},
	{{TREE_RANDOM, 10000, 10, 100000, 0x1}, 0x61d659dc5e798363, 0x45ca988f34cd0181, 19, 1000},
	{{TREE_RANDOM, 10000, 10, 100000, 0x2}, 0x2f774a828b8edd39, 0x603adaf60ebf39f3, 17, 1000},
	{{TREE_RANDOM, 10000, 1, 1, 0x1}, 0x5d277454fe595b11, 0xdef4f709bd3d7b9f, 10000, 0},
	{{TREE_RANDOM, 9999, 65535, 999999, ~0ull},
	 0x60d6ff5b4b04b558,
	 0x62afe9c8e27f8207,
	 19,
	 9998},
	{{TREE_RANDOM, 50000, 2, 333333, 0x7}, 0xfd37838d898a98cb, 0xa7ef5479c3ae13bb, 34, 16666},
	{{TREE_KUBERNETES, 1000, 10, 500000, 0x1}, 0x3332d47d8ced1d7c, 0x9f1fed8eae2e1083, 4, 500},
	{{TREE_KUBERNETES, 10000, 3, 0, 0x7}, 0xd635450697773780, 0xdef4f709bd3d7b9f, 4, 0},
	{{TREE_SYSTEMD, 1000, 10, 250000, 0x1}, 0x615986577ed0197d, 0xfcfc1477ae0a3ba1, 5, 250},
	{{TREE_SYSTEMD, 5000, 65535, 999999, 0x3}, 0x7acddd9e7836f002, 0x9047b474fdcb5ff2, 5, 4999},
	{{TREE_SLURM, 1000, 10, 100000, 0x1}, 0x35eb4d6a9d6fc5da, 0xd90c22093e9eeb4f, 4, 100},
	{{TREE_SLURM, 20000, 4, 1000000, 0x2}, 0x16b29a0df1d300d7, 0x66d778cb90e7f97f, 4, 20000},
};

static void trees_are_the_same_for_ever(void **state)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct vector *vector = &vectors[i];
		struct memcg_tree *tree = tree_of(&vector->description);

		assert_int_equal(hash_parents(tree), vector->parents);
		assert_int_equal(hash_dying(tree), vector->dying);
		assert_int_equal(tree->max_depth, vector->max_depth);
		assert_int_equal(tree->nr_dying, vector->nr_dying);
		memcg_tree_free(tree);
	}
}

static void links_agree_with_parents(void **state)
{
	for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++) {
		struct memcg_tree *tree = tree_of(&vectors[v].description);
		uint32_t linked = 0, dying = 0;

		assert_int_equal(tree->parent[0], MEMCG_NONE);
		assert_int_equal(tree->depth[0], 0);
		assert_false(tree->dying[0]);
		for (uint32_t i = 0; i < tree->nr; i++) {
			uint32_t previous = i, child = tree->first_child[i];

			for (; child != MEMCG_NONE; child = tree->next_sibling[child]) {
				assert_true(child > previous && child < tree->nr);
				assert_int_equal(tree->parent[child], i);
				assert_int_equal(tree->depth[child], tree->depth[i] + 1);
				previous = child;
				linked++;
			}
			dying += tree->dying[i];
		}
		assert_int_equal(linked, tree->nr - 1);
		assert_int_equal(dying, tree->nr_dying);
		memcg_tree_free(tree);
	}
}

static void no_memcg_has_more_children_than_the_fanout(void **state)
{
	for (uint32_t fanout = 1; fanout <= 12; fanout++) {
		for (enum tree_shape shape = TREE_BALANCED; shape <= TREE_RANDOM; shape++) {
			struct tree_description description = {
				.shape = shape, .memcgs = 2000, .fanout = fanout, .seed = fanout};
			struct memcg_tree *tree = tree_of(&description);
			uint32_t *children = calloc(tree->nr, sizeof(*children));

			assert_non_null(children);
			for (uint32_t i = 1; i < tree->nr; i++)
				assert_true(++children[tree->parent[i]] <= fanout);
			free(children);
			memcg_tree_free(tree);
		}
	}
}

/* With room for all, the last of 100 memcgs has 100 candidates: over many seeds each quarter of
 * them must come out about as often. */
static void random_parents_are_uniform(void **state)
{
	enum {
		TREES = 2000,
		MEMCGS = 100
	};
	uint32_t quarters[4] = {0};

	for (uint64_t seed = 0; seed < TREES; seed++) {
		struct tree_description description = {
			.shape = TREE_RANDOM, .memcgs = MEMCGS, .fanout = 65535, .seed = seed};
		struct memcg_tree *tree = tree_of(&description);

		quarters[tree->parent[MEMCGS] / (MEMCGS / 4)]++;
		memcg_tree_free(tree);
	}
	/* 500 expected in each; the standard deviation is 19. */
	for (int i = 0; i < 4; i++)
		assert_in_range(quarters[i], 500 - 100, 500 + 100);
}

static void the_share_of_the_dying_does_not_change_the_shape(void **state)
{
	struct tree_description description = {TREE_RANDOM, 5000, 7, 0, 42};
	struct memcg_tree *living = tree_of(&description), *dying;

	description.dying_ppm = 500000;
	dying = tree_of(&description);
	assert_int_equal(hash_parents(living), hash_parents(dying));
	assert_int_equal(living->nr_dying, 0);
	assert_int_equal(dying->nr_dying, 2500);
	memcg_tree_free(living);
	memcg_tree_free(dying);
}

/* By recursion, which the walk does without. */
static uint32_t collect(const struct memcg_tree *tree, uint32_t at, uint32_t *order, uint32_t nr)
{
	order[nr++] = at;
	for (uint32_t c = tree->first_child[at]; c != MEMCG_NONE; c = tree->next_sibling[c])
		nr = collect(tree, c, order, nr);
	return nr;
}

static void the_walk_is_the_subtree_in_pre_order(void **state)
{
	static const struct tree_description descriptions[] = {
		{TREE_FLAT, 50, 0, 0, 1},
		{TREE_CHAIN, 50, 0, 0, 1},
		{TREE_BALANCED, 200, 3, 0, 1},
		{TREE_RANDOM, 200, 4, 0, 9},
	};

	for (size_t d = 0; d < sizeof(descriptions) / sizeof(descriptions[0]); d++) {
		struct memcg_tree *tree = tree_of(&descriptions[d]);

		for (uint32_t top = 0; top < tree->nr; top++) {
			uint32_t order[201];
			uint32_t nr = collect(tree, top, order, 0), at = MEMCG_NONE;

			for (uint32_t i = 0; i < nr; i++) {
				at = memcg_tree_next(tree, top, at);
				assert_int_equal(at, order[i]);
			}
			assert_int_equal(memcg_tree_next(tree, top, at), MEMCG_NONE);
		}
		memcg_tree_free(tree);
	}
}

static void four_million_memcgs_take_no_recursion(void **state)
{
	struct tree_description description = {.shape = TREE_CHAIN, .memcgs = 4000000};
	struct memcg_tree *tree = tree_of(&description);
	uint32_t at = MEMCG_NONE, visited = 0;

	while ((at = memcg_tree_next(tree, 0, at)) != MEMCG_NONE)
		visited++;
	assert_int_equal(visited, tree->nr);
	assert_int_equal(tree->max_depth, description.memcgs);
	memcg_tree_free(tree);
}

static void descriptions_out_of_range_are_refused(void **state)
{
	static const struct tree_description bad[] = {
		{TREE_FLAT, 0, 10, 0, 1},
		{TREE_FLAT, 4000001, 10, 0, 1},
		{TREE_FLAT, 10, 10, 1000001, 1},
		{TREE_BALANCED, 10, 0, 0, 1},
		{TREE_BALANCED, 10, 65536, 0, 1},
		{TREE_RANDOM, 10, 0, 0, 1},
		{TREE_RANDOM, 10, 65536, 0, 1},
		{(enum tree_shape)(TREE_CAPTURED + 1), 10, 10, 0, 1},
	};
	struct memcg_tree *tree = NULL;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(memcg_tree_new(&bad[i], &tree), -EINVAL);
	assert_null(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_are_the_same_for_ever),
		cmocka_unit_test(links_agree_with_parents),
		cmocka_unit_test(no_memcg_has_more_children_than_the_fanout),
		cmocka_unit_test(random_parents_are_uniform),
		cmocka_unit_test(the_share_of_the_dying_does_not_change_the_shape),
		cmocka_unit_test(the_walk_is_the_subtree_in_pre_order),
		cmocka_unit_test(four_million_memcgs_take_no_recursion),
		cmocka_unit_test(descriptions_out_of_range_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
