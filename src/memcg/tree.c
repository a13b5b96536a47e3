// SPDX-License-Identifier: MIT
/*
 * See tree.h. Everything here takes time and memory linear in the number of memcgs.
 *
 * Shape and dying memcgs draw from separate streams of the seed, so that a tree keeps its shape
 * when only the share of the dying changes. What is drawn, and in which order, must never change:
 * results are identified by their seeds. The test vectors in tests/memcg/test_tree.c hold it.
 */
#include "memcg/tree.h"

#include "base/rng.h"
#include "memcg/captured.h"
#include "memcg/tree_grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MEMCGS 4000000
#define MAX_FANOUT 65535

enum {
	STREAM_PARENT = 1,
	STREAM_DYING = 2,
};

static bool in_range(const struct tree_description *description)
{
	if (description->memcgs < 1 || description->memcgs > MAX_MEMCGS)
		return false;
	if (description->dying_ppm > TREE_ALL_PPM)
		return false;
	switch (description->shape) {
	case TREE_FLAT:
	case TREE_CHAIN:
		return true;
	case TREE_BALANCED:
	case TREE_RANDOM:
	case TREE_KUBERNETES:
	case TREE_SYSTEMD:
	case TREE_SLURM:
		return description->fanout >= 1 && description->fanout <= MAX_FANOUT;
	case TREE_CAPTURED:
		return !description->captured ||
		       (description->captured->nr == description->memcgs + 1 &&
			description->captured->nr_dying == tree_dying(description));
	}
	return false;
}

/*
 * `open` holds the memcgs with room. One that fills up gives its place to the last, so that each
 * choice is one draw. There is always one with room: the newest has no child yet.
 */
static int choose_random_parents(struct memcg_tree *tree,
				 const struct tree_description *description)
{
	struct rng rng = rng_for(description->seed, STREAM_PARENT, 0);
	uint32_t *open = malloc(tree->nr * sizeof(*open));
	uint16_t *children = calloc(tree->nr, sizeof(*children));
	uint32_t nr_open = 0;

	if (!open || !children) {
		free(open);
		free(children);
		return -ENOMEM;
	}
	open[nr_open++] = 0;
	for (uint32_t i = 1; i < tree->nr; i++) {
		uint32_t at = (uint32_t)rng_below(&rng, nr_open);
		uint32_t parent = open[at];

		tree->parent[i] = parent;
		if (++children[parent] == description->fanout)
			open[at] = open[--nr_open];
		open[nr_open++] = i;
	}
	free(open);
	free(children);
	return 0;
}

static int choose_parents(struct memcg_tree *tree, const struct tree_description *description)
{
	tree->parent[0] = MEMCG_NONE;
	if (description->shape == TREE_RANDOM)
		return choose_random_parents(tree, description);
	if (tree_is_grown(description->shape)) {
		tree_grow(tree, description);
		return 0;
	}
	if (description->shape == TREE_CAPTURED) {
		memcpy(tree->parent, description->captured->parent,
		       tree->nr * sizeof(*tree->parent));
		return 0;
	}
	for (uint32_t i = 1; i < tree->nr; i++) {
		if (description->shape == TREE_FLAT)
			tree->parent[i] = 0;
		else if (description->shape == TREE_CHAIN)
			tree->parent[i] = i - 1;
		else
			tree->parent[i] = (i - 1) / description->fanout;
	}
	return 0;
}

static void link_children(struct memcg_tree *tree)
{
	for (uint32_t i = 0; i < tree->nr; i++) {
		tree->first_child[i] = MEMCG_NONE;
		tree->next_sibling[i] = MEMCG_NONE;
	}
	/* Each is put in front of its younger siblings: lists end up in creation order. */
	for (uint32_t i = tree->nr - 1; i > 0; i--) {
		tree->next_sibling[i] = tree->first_child[tree->parent[i]];
		tree->first_child[tree->parent[i]] = i;
	}
}

static void measure_depths(struct memcg_tree *tree)
{
	tree->depth[0] = 0;
	for (uint32_t i = 1; i < tree->nr; i++) {
		tree->depth[i] = tree->depth[tree->parent[i]] + 1;
		if (tree->depth[i] > tree->max_depth)
			tree->max_depth = tree->depth[i];
	}
}

/*
 * Selection sampling (Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S): one
 * pass picks exactly the number wanted, every set of that size being equally likely.
 */
static int choose_dying(struct memcg_tree *tree, const struct tree_description *description)
{
	struct rng rng = rng_for(description->seed, STREAM_DYING, 0);
	uint32_t wanted = tree_dying(description);

	tree->nr_dying = wanted;
	if (wanted && tree_is_grown(description->shape))
		return tree_grown_dying(tree, description);
	if (description->shape == TREE_CAPTURED) {
		for (uint32_t i = 0; i < tree->nr; i++)
			tree->dying[i] = description->captured->row[i] == CAPTURED_NO_ROW;
		return 0;
	}
	for (uint32_t i = 1; wanted > 0; i++) {
		if (rng_below(&rng, tree->nr - i) < wanted) {
			tree->dying[i] = true;
			wanted--;
		}
	}
	return 0;
}

int memcg_tree_new(const struct tree_description *description, struct memcg_tree **out)
{
	struct memcg_tree *tree;
	int r = -ENOMEM;

	if (!in_range(description))
		return -EINVAL;
	if (description->shape == TREE_CAPTURED && !description->captured)
		return -ENODATA;
	tree = calloc(1, sizeof(*tree));
	if (!tree)
		return -ENOMEM;
	tree->description = *description;
	tree->nr = description->memcgs + 1;
	tree->parent = malloc(tree->nr * sizeof(*tree->parent));
	tree->first_child = malloc(tree->nr * sizeof(*tree->first_child));
	tree->next_sibling = malloc(tree->nr * sizeof(*tree->next_sibling));
	tree->depth = malloc(tree->nr * sizeof(*tree->depth));
	tree->dying = calloc(tree->nr, sizeof(*tree->dying));
	if (!tree->parent || !tree->first_child || !tree->next_sibling || !tree->depth ||
	    !tree->dying)
		goto fail;
	r = choose_parents(tree, description);
	if (r)
		goto fail;
	link_children(tree);
	measure_depths(tree);
	r = choose_dying(tree, description);
	if (r)
		goto fail;
	*out = tree;
	return 0;
fail:
	memcg_tree_free(tree);
	return r;
}

void memcg_tree_free(struct memcg_tree *tree)
{
	if (!tree)
		return;
	free(tree->parent);
	free(tree->first_child);
	free(tree->next_sibling);
	free(tree->depth);
	free(tree->dying);
	free(tree);
}

uint32_t memcg_tree_next(const struct memcg_tree *tree, uint32_t top, uint32_t at)
{
	if (at == MEMCG_NONE)
		return top;
	if (tree->first_child[at] != MEMCG_NONE)
		return tree->first_child[at];
	/* Climb to the nearest memcg with a younger sibling, but never out of the subtree. */
	for (; at != top; at = tree->parent[at])
		if (tree->next_sibling[at] != MEMCG_NONE)
			return tree->next_sibling[at];
	return MEMCG_NONE;
}

uint32_t memcg_tree_size(const struct memcg_tree *tree, uint32_t top)
{
	uint32_t size = 0;

	for (uint32_t at = top; at != MEMCG_NONE; at = memcg_tree_next(tree, top, at))
		size++;
	return size;
}
