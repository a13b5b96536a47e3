/* SPDX-License-Identifier: MIT */
/*
 * Holds a back end against the oracle on one point: after populating, and again after seeded random
 * updates; of many, after each million of them. Every cell of the root, the memcg that the point
 * reads, one in the middle of the creation order, the last one and some seeded others.
 */
#ifndef MEMCGBENCH_BACKEND_CHECK_H
#define MEMCGBENCH_BACKEND_CHECK_H

#include "backend/oracle.h"

struct check_result {
	uint64_t cells; /* compared */
	uint64_t beyond; /* of them, beyond their bound */
	struct cell_error worst; /* with the largest error/bound */
	uint32_t worst_memcg;
	bool worst_updated; /* found after the updates; else after populating */
};

/*
 * Every back end checked with the same point, seed and number of updates sees the same updates. A
 * back end without BACKEND_UPDATE is compared once. 0, or -errno where it could not be checked;
 * a mismatch is no error.
 */
int check_backend(const struct backend *backend, const struct point *point,
		  const struct memcg_tree *tree, const struct placement *placement,
		  uint64_t updates, struct check_result *result, struct error *err);

#endif
