// SPDX-License-Identifier: MIT
/* See target.h. */
#include "scenario/target.h"

#include <errno.h>

/* The root never dies: there always is one. */
static uint32_t last_visible(const struct memcg_tree *tree)
{
	uint32_t memcg = tree->nr - 1;

	while (tree->dying[memcg])
		memcg--;
	return memcg;
}

static uint32_t half_way(const struct memcg_tree *tree, uint32_t memcg)
{
	uint32_t depth = tree->depth[memcg] / 2;

	while (tree->depth[memcg] > depth || tree->dying[memcg])
		memcg = tree->parent[memcg];
	return memcg;
}

struct target target_of(const struct point *point, const struct memcg_tree *tree)
{
	uint32_t memcg = 0;

	switch (point->read.cgroup) {
	case TARGET_ROOT:
	case TARGET_MACHINE:
		break;
	case TARGET_MIDDLE:
		memcg = half_way(tree, last_visible(tree));
		break;
	case TARGET_LEAF:
		memcg = last_visible(tree);
		break;
	case TARGET_ALL:
		return (struct target){0, tree->nr - 1};
	}
	return (struct target){memcg, memcg};
}

/* Every memcg is in the subtrees of itself and of those above it: visible ones are counted on the
 * way down, parents before their children. */
static struct target_size sweep_size(const struct memcg_tree *tree)
{
	struct target_size size = {.files = tree->nr - tree->nr_dying, .most = tree->nr};

	if (!tree->nr_dying) {
		for (uint32_t i = 0; i < tree->nr; i++)
			size.memcgs += tree->depth[i] + 1;
		return size;
	}
	for (uint32_t i = 0; i < tree->nr; i++)
		for (uint32_t at = i; at != MEMCG_NONE; at = tree->parent[at])
			size.memcgs += !tree->dying[at];
	return size;
}

struct target_size target_size_in(const struct target *target, const struct memcg_tree *tree)
{
	uint32_t memcgs;

	if (target->first != target->last)
		return sweep_size(tree);
	memcgs = target->first ? memcg_tree_size(tree, target->first) : tree->nr;
	return (struct target_size){1, memcgs, memcgs};
}

struct target_size target_size(const struct point *point)
{
	uint32_t nr = point->tree.memcgs + 1;
	struct target_size size = {1, nr, nr};
	struct memcg_tree *tree;
	struct target target;
	int r;

	if (point->read.cgroup == TARGET_ROOT || point->read.cgroup == TARGET_MACHINE)
		return size;
	if (point->read.cgroup == TARGET_LEAF && !point->tree.dying_ppm)
		return (struct target_size){1, 1, 1};
	r = memcg_tree_new(&point->tree, &tree);
	if (r == -ENODATA) {
		if (point->read.cgroup == TARGET_ALL)
			size.files = nr - tree_dying(&point->tree);
		size.memcgs = 0;
	}
	if (r)
		return size;
	target = target_of(point, tree);
	size = target_size_in(&target, tree);
	memcg_tree_free(tree);
	return size;
}
