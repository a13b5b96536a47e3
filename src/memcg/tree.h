/* SPDX-License-Identifier: MIT */
/*
 * The shape of a tree of memcgs: who is whose parent, in creation order, and who is dying.
 *
 * Memcg 0 is the root of the tree made; memcgs 1..M lie below it. A parent is always created before
 * its children, so parent[i] < i. Creation order fixes addresses in a model of the tree. A tree is
 * a pure function of its description: the same on every machine.
 */
#ifndef MEMCGBENCH_MEMCG_TREE_H
#define MEMCGBENCH_MEMCG_TREE_H

#include <stdbool.h>
#include <stdint.h>

enum tree_shape {
	TREE_FLAT, /* all below the root */
	TREE_CHAIN, /* each below the one before: depth M */
	TREE_BALANCED, /* filled level by level, `fanout` children each, in creation order */
	TREE_RANDOM, /* a seeded random parent among those with fewer than `fanout` children */
	/* as they grow on real machines, see tree_grow.c */
	TREE_KUBERNETES, /* QoS slices, pods, containers: `fanout` at most in a pod */
	TREE_SYSTEMD, /* services, and users' sessions with `fanout` apps at most */
	TREE_SLURM, /* users, jobs, steps: `fanout` at most of a job */
	TREE_CAPTURED, /* as it was on a running machine: see captured.h */
};

/* Who names a node's cgroups: for names only, see tree_name.h. */
enum tree_driver {
	TREE_DRIVER_SYSTEMD,
	TREE_DRIVER_CGROUPFS
};

struct tree_description {
	enum tree_shape shape;
	uint32_t memcgs; /* M, below the root: 1..4,000,000 */
	uint32_t fanout; /* 1..65535; not used by flat and chain */
	uint32_t dying_ppm; /* share of the M that are dying, parts per million; exactly
			     * floor(M * ppm / 1e6) of them, chosen by seed; never the root.
			     * Any of the four plain shapes; of those as they grow on real
			     * machines only those below which all are dying, as of rmdir */
	uint64_t seed;
	enum tree_driver driver; /* of kubernetes */
	uint64_t file_hash; /* of captured: of its file; 0: not captured */
	/* Its file, which outlives all trees made of it. NULL where only the description is known,
	 * as that of results is: no tree can be made of it then. */
	const struct captured *captured;
};

struct captured;

#define TREE_ALL_PPM 1000000u

/* How many are dying. */
static inline uint32_t tree_dying(const struct tree_description *description)
{
	return (uint32_t)((uint64_t)description->memcgs * description->dying_ppm / TREE_ALL_PPM);
}

#define MEMCG_NONE UINT32_MAX

struct memcg_tree {
	struct tree_description description;
	uint32_t nr; /* M' = M + 1 */
	uint32_t *parent; /* [nr]; MEMCG_NONE for the root */
	uint32_t *first_child; /* [nr]; MEMCG_NONE where none */
	uint32_t *next_sibling; /* [nr]; in creation order; MEMCG_NONE for the last */
	uint32_t *depth; /* [nr]; the root has 0 */
	bool *dying; /* [nr] */
	uint32_t nr_dying;
	uint32_t max_depth;
};

/* 0, -ENOMEM, -EINVAL where the description is out of range, or -ENODATA where it is of a captured
 * tree whose file is not there. Free with memcg_tree_free(). */
int memcg_tree_new(const struct tree_description *description, struct memcg_tree **tree);
void memcg_tree_free(struct memcg_tree *tree);

/*
 * The memcg after `at` in a pre-order walk of the subtree of `top`, `top` itself first (`at` ==
 * MEMCG_NONE starts); MEMCG_NONE at the end. Takes no memory, whatever the depth.
 */
uint32_t memcg_tree_next(const struct memcg_tree *tree, uint32_t top, uint32_t at);

/* Memcgs in the subtree of `top`, itself included: 1 or more. */
uint32_t memcg_tree_size(const struct memcg_tree *tree, uint32_t top);

#endif
