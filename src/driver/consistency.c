// SPDX-License-Identifier: MIT
/* See consistency.h. */
#include "driver/consistency.h"

#include "base/rng.h"
#include "driver/churn.h"
#include "timing/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAIR_SEED 0x70616972u
#define MOST_NS   100000000u

/* A bound that does not fit is UINT64_MAX. */
static uint64_t add_bounds(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t bound_of(const struct backend *backend, const struct point *point,
			 const struct file_look *file, const struct cell_error *cell)
{
	size_t at = stat_cell(&file->truth, cell->scope, cell->row, cell->column);

	return backend_bound(backend, point, cell->scope, cell->row, cell->column, file->subtree,
			     file->truth.cells[at]);
}

void closure_add(const struct backend *backend, const struct point *point,
		 const struct file_look *file, struct consistency *found)
{
	const struct numa_counts *counts = &file->counts;
	const struct stat_format *format = counts->format;

	if (!format->has_sum || !format->has_nodes)
		return;
	for (unsigned i = 0; i < format->nr_rows; i++) {
		struct cell_error row = {.scope = SCOPE_HIERARCHICAL, .row = i};
		const uint64_t *cells = &counts->cells[stat_cell(counts, row.scope, row.row, 0)];

		row.value = cells[0];
		for (row.column = 0; row.column <= counts->nr_nodes; row.column++) {
			row.truth += row.column ? cells[row.column] : 0;
			row.bound = add_bounds(row.bound, bound_of(backend, point, file, &row));
		}
		if (row.bound == BOUND_NONE)
			continue;
		row.column = 0;
		row.pages = row.value > row.truth ? row.value - row.truth : row.truth - row.value;
		found->rows++;
		found->rows_beyond += row.pages > row.bound;
		if (!found->has_closure || cell_error_worse(&row, &found->closure))
			found->closure = row;
		found->has_closure = true;
	}
}

void inversion_add(const struct backend *backend, const struct point *point,
		   const struct file_look *parent, const struct file_look *child,
		   struct consistency *found)
{
	const struct stat_format *format = parent->counts.format;
	unsigned columns = stat_nr_columns(format, parent->counts.nr_nodes);
	uint64_t cells = found->cells;

	for (unsigned i = 0; i < format->nr_rows * columns; i++) {
		struct cell_error cell = {
			.scope = SCOPE_HIERARCHICAL,
			.row = i / columns,
			.column = stat_first_column(format) + i % columns,
		};
		size_t at = stat_cell(&parent->counts, cell.scope, cell.row, cell.column);

		cell.value = parent->counts.cells[at];
		cell.truth = child->counts.cells[at];
		cell.bound = add_bounds(bound_of(backend, point, parent, &cell),
					bound_of(backend, point, child, &cell));
		if (cell.bound == BOUND_NONE)
			continue;
		found->cells++;
		if (cell.value >= cell.truth)
			continue;
		cell.pages = cell.truth - cell.value;
		found->below++;
		found->below_beyond += cell.pages > cell.bound;
		if (!found->has_inversion || cell_error_worse(&cell, &found->inversion))
			found->inversion = cell;
		found->has_inversion = true;
	}
	found->pairs += found->cells > cells;
}

/* What is read, and where it goes. */
struct look {
	const struct sampler *sampler;
	const struct oracle *oracle;
	struct file_look parent, child;
};

static int file_look_init(struct file_look *file, const struct point *point)
{
	const uint16_t *nids = point->machine.nids;
	const struct stat_format *format = point_format(point);
	int r = stat_counts_init(&file->counts, format, point->machine.nodes, nids);

	return r ? r : stat_counts_init(&file->truth, format, point->machine.nodes, nids);
}

static void file_look_fini(struct file_look *file)
{
	numa_counts_fini(&file->counts);
	numa_counts_fini(&file->truth);
}

static int look_init(struct look *look, const struct sampler *sampler, const struct oracle *oracle)
{
	int r;

	*look = (struct look){sampler, oracle};
	r = file_look_init(&look->parent, sampler->point);
	return r ? r : file_look_init(&look->child, sampler->point);
}

static void look_fini(struct look *look)
{
	file_look_fini(&look->parent);
	file_look_fini(&look->child);
}

static int look_at(const struct look *look, uint32_t memcg, struct file_look *file)
{
	const struct sampler *sampler = look->sampler;
	struct read_request request = {.memcg = memcg, .rows = ROWS_HIERARCHICAL};

	file->subtree = memcg ? memcg_tree_size(sampler->tree, memcg) : sampler->tree->nr;
	file->subtree += churn_below(sampler->churn, memcg);
	oracle_read(look->oracle, memcg, ROWS_HIERARCHICAL, &file->truth);
	return backend_read_counts(sampler->backend, sampler->instance, &request, &file->counts);
}

/* Siblings that come behind one another share one read of their parent. */
static int look_at_pairs(struct look *look, struct consistency *found)
{
	const struct memcg_tree *tree = look->sampler->tree;
	struct rng rng = rng_for(PAIR_SEED, tree->description.seed, tree->nr);
	uint64_t until = clock_now() + MOST_NS;
	uint32_t parent = MEMCG_NONE;

	for (unsigned i = 0; i < CONSISTENCY_PAIRS; i++) {
		uint32_t child = 1 + (uint32_t)rng_below(&rng, tree->nr - 1);
		int r = 0;

		if (tree->dying[child] || tree->dying[tree->parent[child]])
			continue;
		if (tree->parent[child] != parent) {
			parent = tree->parent[child];
			r = look_at(look, parent, &look->parent);
		}
		if (!r)
			r = look_at(look, child, &look->child);
		if (r)
			return r;
		inversion_add(look->sampler->backend, look->sampler->point, &look->parent,
			      &look->child, found);
		if (clock_now() > until)
			break;
	}
	return 0;
}

int consistency_look(const struct sampler *sampler, const struct oracle *oracle,
		     struct consistency *found, struct error *err)
{
	struct look look;
	int r = look_init(&look, sampler, oracle);

	if (!r)
		r = look_at(&look, 0, &look.parent);
	if (!r) {
		closure_add(sampler->backend, sampler->point, &look.parent, found);
		/* Children of the machine's root are not ours to read. */
		if (sampler->point->read.cgroup != TARGET_MACHINE)
			r = look_at_pairs(&look, found);
	}
	look_fini(&look);
	return r ? error_set(err, r, "cannot hold files against each other: %s", strerror(-r)) : 0;
}
