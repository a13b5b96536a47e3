// SPDX-License-Identifier: MIT
/*
 * See capture_own.h. Rows are in the order of a walk, so backwards each row comes after all that
 * are below it: one sum for each depth holds those of the rows directly below the next one that is
 * less deep.
 */
#include "kernel/capture_own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sums {
	unsigned nr_nids;
	uint64_t *pages; /* [depth][node][list] */
	uint64_t *dying; /* [depth] */
};

static uint64_t *pages_at(const struct sums *sums, uint32_t depth)
{
	return &sums->pages[(size_t)depth * sums->nr_nids * NR_LRU_LISTS];
}

static uint64_t take_off(uint64_t value, uint64_t below, uint64_t *negative)
{
	if (value >= below)
		return value - below;
	++*negative;
	return 0;
}

static bool is_empty(const struct captured_cell *cell)
{
	for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
		if (cell->pages[lru])
			return false;
	return true;
}

/* The row's cells over all nodes of the head; those it has not are 0. */
static void spread(const struct captured *captured, const struct captured_row *row,
		   struct captured_cell *all)
{
	const struct captured_cell *cells = &captured->cells[row->first_cell];
	uint32_t at = 0;

	for (unsigned i = 0; i < captured->nr_nids; i++) {
		memset(&all[i], 0, sizeof(all[i]));
		all[i].nid = captured->nids[i];
		if (at < row->nr_cells && cells[at].nid == all[i].nid)
			all[i] = cells[at++];
	}
}

/* Nothing was read of it, as of a top without files: what is below it is all that is known. */
static void pass_on(const struct sums *sums, uint32_t depth)
{
	uint64_t *above = pages_at(sums, depth), *below = pages_at(sums, depth + 1);

	for (size_t i = 0; i < (size_t)sums->nr_nids * NR_LRU_LISTS; i++) {
		above[i] += below[i];
		below[i] = 0;
	}
	sums->dying[depth] += sums->dying[depth + 1];
	sums->dying[depth + 1] = 0;
}

static void take_row(struct captured *captured, const struct sums *sums, struct captured_row *row,
		     struct captured_cell *all)
{
	uint64_t *negative = &captured->facts[CAPTURED_NEGATIVE];
	uint64_t *above = pages_at(sums, row->depth), *below = pages_at(sums, row->depth + 1);
	struct captured_cell *out = &captured->cells[row->first_cell];
	uint64_t dying = row->dying;

	spread(captured, row, all);
	row->nr_cells = 0;
	for (unsigned i = 0; i < captured->nr_nids; i++) {
		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++) {
			uint64_t *sum = &below[i * NR_LRU_LISTS + lru];

			above[i * NR_LRU_LISTS + lru] += all[i].pages[lru];
			all[i].pages[lru] = take_off(all[i].pages[lru], *sum, negative);
			*sum = 0;
		}
		/* no more than there were: each is less than one of before */
		if (!is_empty(&all[i]))
			out[row->nr_cells++] = all[i];
	}
	row->dying = (uint32_t)take_off(dying, sums->dying[row->depth + 1], negative);
	sums->dying[row->depth + 1] = 0;
	sums->dying[row->depth] += dying;
}

int capture_take_own(struct captured *captured)
{
	struct captured_cell *all = calloc(captured->nr_nids, sizeof(*all));
	struct sums sums = {.nr_nids = captured->nr_nids};
	size_t depths = 2;
	int r = -ENOMEM;

	for (size_t i = 0; i < captured->nr_rows; i++)
		if (captured->rows[i].depth + 2u > depths)
			depths = captured->rows[i].depth + 2u;
	sums.pages = calloc(depths * captured->nr_nids, NR_LRU_LISTS * sizeof(*sums.pages));
	sums.dying = calloc(depths, sizeof(*sums.dying));
	if (all && sums.pages && sums.dying) {
		for (size_t i = captured->nr_rows; i-- > 0;) {
			struct captured_row *row = &captured->rows[i];

			if (row->nr_cells || row->dying)
				take_row(captured, &sums, row, all);
			else
				pass_on(&sums, row->depth);
		}
		r = 0;
	}
	free(all);
	free(sums.pages);
	free(sums.dying);
	return r;
}
