/* SPDX-License-Identifier: MIT */
/* The exact truth: every page counted once, in plain 64-bit numbers, without batches or CPUs. */
#ifndef MEMCGBENCH_BACKEND_ORACLE_H
#define MEMCGBENCH_BACKEND_ORACLE_H

#include "backend/backend.h"
#include "backend/charge.h"

struct oracle;

struct oracle *oracle_new(const struct memcg_tree *tree, unsigned nr_nodes); /* NULL: no memory */
void oracle_free(struct oracle *oracle);
void oracle_populate(struct oracle *oracle, const struct charge_plan *plan);
void oracle_update(struct oracle *oracle, const struct update *update);
/*
 * The same of memcgs beside the tree, children of `parent` which is in it: in the hierarchical rows
 * of those above, and in no local ones. -ENOMEM.
 */
int oracle_update_child(struct oracle *oracle, uint32_t parent, const struct update *update);
/* There are none any more. */
void oracle_forget_children(struct oracle *oracle);
/* Pages of one memcg itself; never below 0 unless updates made it so. */
int64_t oracle_pages(const struct oracle *oracle, uint32_t memcg, unsigned node, enum lru_list lru);
/* The same of its children beside the tree, all together. */
int64_t oracle_child_pages(const struct oracle *oracle, uint32_t memcg, unsigned node,
			   enum lru_list lru);
/* All cells of `rows` for one memcg, of the file that out->format describes. Sums the subtree. A
 * sum below 0 reads as 0. */
void oracle_read(const struct oracle *oracle, uint32_t memcg, unsigned rows,
		 struct numa_counts *out);

/* How far counts are from the truth. */
struct cell_error {
	enum numa_scope scope;
	unsigned row; /* of the file */
	unsigned column;
	uint64_t value, truth;
	uint64_t pages; /* |value - truth| */
	uint64_t bound; /* pages; as the back end's design states it for this truth */
};

/* The cell as people read it: "hierarchical_total N0", "file" for a row's sum, "total_rss" of a
 * memory.stat. Returns `buffer`. */
#define CELL_NAME_MAX 48
const char *cell_error_name(char buffer[CELL_NAME_MAX], const struct cell_error *cell,
			    const struct point *point);

/* Is `a` nearer to its bound, or further beyond it, than `b`? Any error is beyond a bound of 0. */
bool cell_error_worse(const struct cell_error *a, const struct cell_error *b);

/* The cell of `rows` with the largest error/bound (with the largest error where all bounds are 0).
 * Returns how many cells are beyond their bound. worst->bound is BOUND_NONE where no cell is to be
 * compared. */
unsigned oracle_compare(const struct backend *backend, const struct point *point,
			const struct numa_counts *counts, const struct numa_counts *truth,
			unsigned rows, uint32_t subtree, struct cell_error *worst);

#endif
