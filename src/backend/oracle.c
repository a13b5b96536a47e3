// SPDX-License-Identifier: MIT
/* See oracle.h. */
#include "backend/oracle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct oracle {
	const struct memcg_tree *tree;
	struct charge_plan plan; /* what static items follow from; none before oracle_populate() */
	unsigned nr_nodes;
	int64_t *pages; /* [memcg][node][lru], local */
	int64_t *children; /* the same of memcgs beside the tree, by parent; NULL: none ever */
};

static size_t place_of(const struct oracle *oracle, uint32_t memcg, unsigned node)
{
	return ((size_t)memcg * oracle->nr_nodes + node) * NR_LRU_LISTS;
}

static int64_t *local_pages(const struct oracle *oracle, uint32_t memcg, unsigned node)
{
	return &oracle->pages[place_of(oracle, memcg, node)];
}

static int64_t *new_pages(const struct oracle *oracle)
{
	return calloc((size_t)oracle->tree->nr * oracle->nr_nodes, NR_LRU_LISTS * sizeof(int64_t));
}

struct oracle *oracle_new(const struct memcg_tree *tree, unsigned nr_nodes)
{
	struct oracle *oracle = calloc(1, sizeof(*oracle));

	if (!oracle)
		return NULL;
	oracle->tree = tree;
	oracle->nr_nodes = nr_nodes;
	oracle->pages = new_pages(oracle);
	if (!oracle->pages) {
		free(oracle);
		return NULL;
	}
	return oracle;
}

void oracle_free(struct oracle *oracle)
{
	if (!oracle)
		return;
	free(oracle->pages);
	free(oracle->children);
	free(oracle);
}

struct oracle_fill {
	struct oracle *oracle;
	uint32_t memcg;
};

static void fill_charge(void *arg, const struct charge *charge)
{
	struct oracle_fill *fill = arg;

	local_pages(fill->oracle, fill->memcg, charge->node)[charge->lru] += charge->pages;
}

void oracle_populate(struct oracle *oracle, const struct charge_plan *plan)
{
	struct oracle_fill fill = {.oracle = oracle};

	oracle->plan = *plan;
	for (fill.memcg = 0; fill.memcg < oracle->tree->nr; fill.memcg++)
		charge_each(plan, fill.memcg, fill_charge, &fill);
}

void oracle_update(struct oracle *oracle, const struct update *update)
{
	local_pages(oracle, update->memcg, update->node)[update->lru] += update->delta;
}

int oracle_update_child(struct oracle *oracle, uint32_t parent, const struct update *update)
{
	if (!oracle->children)
		oracle->children = new_pages(oracle);
	if (!oracle->children)
		return -ENOMEM;
	oracle->children[place_of(oracle, parent, update->node) + update->lru] += update->delta;
	return 0;
}

void oracle_forget_children(struct oracle *oracle)
{
	free(oracle->children);
	oracle->children = NULL;
}

int64_t oracle_pages(const struct oracle *oracle, uint32_t memcg, unsigned node, enum lru_list lru)
{
	return local_pages(oracle, memcg, node)[lru];
}

int64_t oracle_child_pages(const struct oracle *oracle, uint32_t memcg, unsigned node,
			   enum lru_list lru)
{
	return oracle->children ? oracle->children[place_of(oracle, memcg, node) + lru] : 0;
}

/* Cells of one block; column 0 is the memcg's own. */
struct oracle_sum {
	const struct numa_counts *out;
	enum numa_scope scope;
};

/* What one item adds to the rows that show it, as two's complement: a cell may pass through values
 * below 0 on its way. */
static void add_item(const struct oracle_sum *sum, unsigned node, unsigned item, int64_t value)
{
	const struct stat_format *format = sum->out->format;

	for (unsigned row = 0; row < format->nr_rows; row++) {
		const struct stat_row_format *described = &format->rows[row];

		for (unsigned i = 0; i < described->nr_items; i++) {
			if (described->items[i] != item)
				continue;
			if (format->has_sum)
				sum->out->cells[stat_cell(sum->out, sum->scope, row, 0)] +=
					(uint64_t)value;
			if (format->has_nodes)
				sum->out->cells[stat_cell(sum->out, sum->scope, row, 1 + node)] +=
					(uint64_t)value;
		}
	}
}

static void add_static_item(void *arg, const struct item_charge *charge)
{
	add_item(arg, charge->node, charge->item, charge->value);
}

/* `all`: an array like oracle->pages. */
static void add_pages(const struct oracle *oracle, const int64_t *all, uint32_t memcg,
		      const struct oracle_sum *sum)
{
	for (unsigned node = 0; node < oracle->nr_nodes; node++) {
		const int64_t *pages = &all[place_of(oracle, memcg, node)];

		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
			add_item(sum, node, lru, pages[lru]);
	}
}

static void add_memcg(const struct oracle *oracle, uint32_t memcg, struct oracle_sum *sum)
{
	add_pages(oracle, oracle->pages, memcg, sum);
	if (oracle->children && sum->scope == SCOPE_HIERARCHICAL)
		add_pages(oracle, oracle->children, memcg, sum);
	if (oracle->plan.point && stat_shows_items(sum->out->format))
		charge_items_each(&oracle->plan, memcg, add_static_item, sum);
}

void oracle_read(const struct oracle *oracle, uint32_t memcg, unsigned rows,
		 struct numa_counts *out)
{
	size_t scope_cells = stat_nr_cells(out) / NR_SCOPES;

	for (unsigned scope = 0; scope < NR_SCOPES; scope++) {
		struct oracle_sum sum = {.out = out, .scope = scope};
		uint64_t *cells = &out->cells[scope * scope_cells];
		uint32_t at = memcg;

		if (!(rows & (1u << scope)))
			continue;
		memset(cells, 0, scope_cells * sizeof(*cells));
		while (at != MEMCG_NONE) {
			add_memcg(oracle, at, &sum);
			if (scope == SCOPE_LOCAL)
				break;
			at = memcg_tree_next(oracle->tree, memcg, at);
		}
		for (size_t i = 0; i < scope_cells; i++)
			if ((int64_t)cells[i] < 0)
				cells[i] = 0;
	}
}

const char *cell_error_name(char buffer[CELL_NAME_MAX], const struct cell_error *cell,
			    const struct point *point)
{
	const struct stat_format *format = point_format(point);
	int length = snprintf(buffer, CELL_NAME_MAX, "%s%s",
			      cell->scope == SCOPE_HIERARCHICAL ? format->hierarchical_prefix : "",
			      format->rows[cell->row].name);

	if (cell->column > 0)
		snprintf(buffer + length, CELL_NAME_MAX - (size_t)length, " N%u",
			 point->machine.nids[cell->column - 1]);
	return buffer;
}

bool cell_error_worse(const struct cell_error *a, const struct cell_error *b)
{
	unsigned __int128 left = (unsigned __int128)a->pages * b->bound;
	unsigned __int128 right = (unsigned __int128)b->pages * a->bound;

	if (left != right)
		return left > right;
	if (a->pages != b->pages)
		return a->pages > b->pages;
	return a->bound > b->bound;
}

unsigned oracle_compare(const struct backend *backend, const struct point *point,
			const struct numa_counts *counts, const struct numa_counts *truth,
			unsigned rows, uint32_t subtree, struct cell_error *worst)
{
	unsigned columns = stat_nr_columns(counts->format, counts->nr_nodes);
	unsigned nr_rows = counts->format->nr_rows, beyond = 0;
	bool first = true;

	*worst = (struct cell_error){.scope = SCOPE_LOCAL, .bound = BOUND_NONE};

	for (unsigned i = 0; i < stat_nr_cells(counts); i++) {
		struct cell_error cell = {
			.scope = i / columns / nr_rows,
			.row = i / columns % nr_rows,
			.column = stat_first_column(counts->format) + i % columns,
			.value = counts->cells[i],
			.truth = truth->cells[i],
		};

		if (!(rows & (1u << cell.scope)))
			continue;
		cell.pages =
			cell.value > cell.truth ? cell.value - cell.truth : cell.truth - cell.value;
		cell.bound = backend_bound(backend, point, cell.scope, cell.row, cell.column,
					   subtree, cell.truth);
		if (cell.bound == BOUND_NONE)
			continue;
		beyond += cell.pages > cell.bound;
		if (first || cell_error_worse(&cell, worst))
			*worst = cell;
		first = false;
	}
	return beyond;
}
