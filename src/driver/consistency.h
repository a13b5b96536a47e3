/* SPDX-License-Identifier: MIT */
/*
 * Does a file agree with itself, and with those of the memcgs below it? Looked at while nobody
 * writes: what is found are remainders in batches, or what waits for a flush.
 *
 * Closure: a hierarchical row's sum and its node columns are separate counters, so that the sum of
 * the columns need not be the row's; real dumps show `total=7062 N0=0 N1=7115`. Either side may be
 * off by its own bound, so the bound of the difference is that of the row's sum and of all its
 * columns together. Of a file that has both: v1 memory.numa_stat.
 *
 * Parent below child: a parent's hierarchical cell covers all that its child's does, and should be
 * no less. It may be, by as much as both are off together.
 */
#ifndef MEMCGBENCH_DRIVER_CONSISTENCY_H
#define MEMCGBENCH_DRIVER_CONSISTENCY_H

#include "backend/oracle.h"
#include "base/error.h"
#include "driver/sampler.h"

#include <stdbool.h>
#include <stdint.h>

#define CONSISTENCY_PAIRS 1000u

/*
 * The worst that was found, by share of its bound. In `closure`, value is the row's sum and truth
 * the sum of its columns; in `inversion`, value is the parent's cell and truth the child's.
 */
struct consistency {
	bool has_closure, has_inversion;
	struct cell_error closure, inversion; /* of the inversion: all 0 where none was found */
	uint64_t rows, rows_beyond; /* looked at; of them, beyond their bound */
	uint64_t pairs, cells; /* (parent, child), and cells of theirs, that were compared */
	uint64_t below, below_beyond; /* cells of parents below the child's; beyond the bound */
};

/* A file as it was read, and as it should be: bounds may depend on the latter. */
struct file_look {
	struct numa_counts counts, truth;
	uint32_t subtree; /* memcgs */
};

/* The hierarchical rows of one file into what was found before. */
void closure_add(const struct backend *backend, const struct point *point,
		 const struct file_look *file, struct consistency *found);
/* The same of the hierarchical cells of a parent and its child. */
void inversion_add(const struct backend *backend, const struct point *point,
		   const struct file_look *parent, const struct file_look *child,
		   struct consistency *found);

/*
 * The root's rows, and CONSISTENCY_PAIRS seeded pairs of memcgs
 * that are not dying: those have no file. Fewer, but at least one, where reading takes more than
 * 100 ms. Nobody else reads or writes, and the oracle knows all that the instance has seen.
 */
int consistency_look(const struct sampler *sampler, const struct oracle *oracle,
		     struct consistency *found, struct error *err);

#endif
