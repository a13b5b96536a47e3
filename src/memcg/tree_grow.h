/* SPDX-License-Identifier: MIT */
/* Trees that grow as those of real machines do; part of tree.c. */
#ifndef MEMCGBENCH_MEMCG_TREE_GROW_H
#define MEMCGBENCH_MEMCG_TREE_GROW_H

#include "memcg/tree.h"

/* Memcgs that are there before the first pod, session or job, in creation order. */
enum {
	KUBE_PODS = 1,
	KUBE_BEST_EFFORT,
	KUBE_BURSTABLE
};
enum {
	SYSTEMD_INIT = 1,
	SYSTEMD_SYSTEM,
	SYSTEMD_USER,
	SYSTEMD_FIRST_SERVICE
};
#define SYSTEMD_SERVICES 24
enum {
	SLURM_TOP = 1
};

/* Of a session, behind its user's slice. */
enum {
	SESSION_SCOPE = 1,
	SESSION_MANAGER,
	SESSION_INIT,
	SESSION_APPS,
	SESSION_FIRST_APP
};

bool tree_is_grown(enum tree_shape shape);
/* Fill parent[], for a shape that is grown. Each smaller tree is the beginning of a larger one. */
void tree_grow(struct memcg_tree *tree, const struct tree_description *description);
/* Choose who is dying, as rmdir allows: after all below it. -ENOMEM. Takes links. */
int tree_grown_dying(struct memcg_tree *tree, const struct tree_description *description);

#endif
