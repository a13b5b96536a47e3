// SPDX-License-Identifier: MIT
/*
 * Shapes of real machines, as a sequence of creations that stops when the tree has its size: every
 * size is possible, and a smaller tree is the beginning of a larger one. What is drawn, and in
 * which order, must never change: results are identified by their seeds.
 *
 * kubernetes: kubepods, its two QoS slices, then pod after pod: three of five burstable, one best
 * effort, one guaranteed, which lies beside the slices. A pod has its sandbox, a container, and
 * with each throw of a coin one more, up to `fanout`: three in the mean, as nodes of 80 to 360 pods
 * and up to 765 containers have.
 *
 * systemd: init.scope, system.slice, user.slice and the services that boot starts; then a service
 * started by somebody, or a user who logs in: slice, session scope, user manager with its
 * init.scope and app.slice, and 1 to `fanout` apps. A third are services.
 *
 * slurm: one job after the other, a quarter of them by a new user, the others by the user of a
 * memcg chosen at random: who has many jobs gets more. A job has the steps extern and batch, and
 * with each throw of a coin one more, up to `fanout`.
 */
#include "memcg/tree_grow.h"

#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>

enum {
	STREAM_GROW = 3, /* behind the streams of tree.c */
	STREAM_REMOVE = 4,
};

struct growth {
	struct memcg_tree *tree;
	uint32_t made; /* memcgs, the root included */
	uint32_t fanout;
	struct rng rng;
};

/* The new memcg; one that does not fit is not made, and the number it would have had is returned:
 * nothing that follows fits either. */
static uint32_t add(struct growth *growth, uint32_t parent)
{
	if (growth->made < growth->tree->nr)
		growth->tree->parent[growth->made++] = parent;
	return growth->made - 1;
}

static bool full(const struct growth *growth)
{
	return growth->made == growth->tree->nr;
}

/* `least` children, and one more with each throw of a coin; never more than the fanout. */
static void add_by_coin(struct growth *growth, uint32_t parent, uint32_t least)
{
	for (uint32_t i = 0; i < growth->fanout && !full(growth); i++) {
		if (i >= least && rng_next(&growth->rng) >> 63)
			return;
		add(growth, parent);
	}
}

static void grow_kubernetes(struct growth *growth)
{
	static const uint32_t fifths[] = {KUBE_BURSTABLE, KUBE_BURSTABLE, KUBE_BURSTABLE,
					  KUBE_BEST_EFFORT, KUBE_PODS};

	add(growth, 0);
	add(growth, KUBE_PODS);
	add(growth, KUBE_PODS);
	while (!full(growth))
		add_by_coin(growth, add(growth, fifths[rng_below(&growth->rng, 5)]), 2);
}

static void grow_session(struct growth *growth)
{
	uint32_t apps = 1 + (uint32_t)rng_below(&growth->rng, growth->fanout);
	uint32_t user = add(growth, SYSTEMD_USER), manager;

	add(growth, user);
	manager = add(growth, user);
	add(growth, manager);
	user = add(growth, manager);
	for (; apps && !full(growth); apps--)
		add(growth, user);
}

static void grow_systemd(struct growth *growth)
{
	for (uint32_t i = SYSTEMD_INIT; i <= SYSTEMD_USER; i++)
		add(growth, 0);
	for (uint32_t i = 0; i < SYSTEMD_SERVICES; i++)
		add(growth, SYSTEMD_SYSTEM);
	while (!full(growth)) {
		if (rng_below(&growth->rng, 3) == 0)
			add(growth, SYSTEMD_SYSTEM);
		else
			grow_session(growth);
	}
}

/* The user above a memcg below slurm. */
static uint32_t user_of(const struct growth *growth, uint32_t memcg)
{
	while (growth->tree->parent[memcg] != SLURM_TOP)
		memcg = growth->tree->parent[memcg];
	return memcg;
}

static void grow_slurm(struct growth *growth)
{
	add(growth, 0);
	while (!full(growth)) {
		uint32_t before = growth->made - 1 - SLURM_TOP, user;

		if (!before || rng_below(&growth->rng, 4) == 0)
			user = add(growth, SLURM_TOP);
		else
			user = user_of(growth,
				       1 + SLURM_TOP + (uint32_t)rng_below(&growth->rng, before));
		if (!full(growth))
			add_by_coin(growth, add(growth, user), 2);
	}
}

bool tree_is_grown(enum tree_shape shape)
{
	return shape == TREE_KUBERNETES || shape == TREE_SYSTEMD || shape == TREE_SLURM;
}

void tree_grow(struct memcg_tree *tree, const struct tree_description *description)
{
	struct growth growth = {
		.tree = tree,
		.made = 1,
		.fanout = description->fanout,
		.rng = rng_for(description->seed, STREAM_GROW, description->shape),
	};

	if (description->shape == TREE_KUBERNETES)
		grow_kubernetes(&growth);
	else if (description->shape == TREE_SYSTEMD)
		grow_systemd(&growth);
	else
		grow_slurm(&growth);
}

/* Who has no living child, in creation order. */
static uint32_t find_childless(const struct memcg_tree *tree, uint32_t *candidates)
{
	uint32_t nr = 0;

	for (uint32_t i = 1; i < tree->nr; i++)
		if (tree->first_child[i] == MEMCG_NONE)
			candidates[nr++] = i;
	return nr;
}

int tree_grown_dying(struct memcg_tree *tree, const struct tree_description *description)
{
	struct rng rng = rng_for(description->seed, STREAM_REMOVE, 0);
	uint32_t *candidates = malloc(tree->nr * sizeof(*candidates));
	uint32_t *living = calloc(tree->nr, sizeof(*living)); /* children */
	uint32_t nr, parent;

	if (!candidates || !living) {
		free(candidates);
		free(living);
		return -ENOMEM;
	}
	for (uint32_t i = 1; i < tree->nr; i++)
		living[tree->parent[i]]++;
	nr = find_childless(tree, candidates);
	/* One after the other, each time any that can be removed: of M memcgs M can be. */
	for (uint32_t i = 0; i < tree->nr_dying; i++) {
		uint32_t at = (uint32_t)rng_below(&rng, nr), memcg = candidates[at];

		tree->dying[memcg] = true;
		candidates[at] = candidates[--nr];
		parent = tree->parent[memcg];
		if (--living[parent] == 0 && parent)
			candidates[nr++] = parent;
	}
	free(candidates);
	free(living);
	return 0;
}
