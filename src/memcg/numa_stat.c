// SPDX-License-Identifier: MIT
/* See numa_stat.h, and text_buffer.h for the two styles: the kernel prints each cell by itself. */
#include "memcg/numa_stat.h"

#include "memcg/text_buffer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Each reader fills cells of its own: two must not share a line, or a pair that is fetched as one.
 */
#define CELLS_ALIGN 128

int stat_counts_init(struct numa_counts *counts, const struct stat_format *format,
		     unsigned nr_nodes, const uint16_t *nids)
{
	size_t bytes;

	counts->format = format;
	counts->nr_nodes = nr_nodes;
	counts->nids = nids;
	bytes = stat_nr_cells(counts) * sizeof(*counts->cells);
	bytes = (bytes + CELLS_ALIGN - 1) / CELLS_ALIGN * CELLS_ALIGN;
	counts->cells = aligned_alloc(CELLS_ALIGN, bytes);
	if (!counts->cells)
		return -ENOMEM;
	memset(counts->cells, 0, bytes);
	return 0;
}

int numa_counts_init(struct numa_counts *counts, unsigned nr_nodes, const uint16_t *nids)
{
	return stat_counts_init(counts, &stat_formats[STAT_NUMA_V1], nr_nodes, nids);
}

void numa_counts_fini(struct numa_counts *counts)
{
	free(counts->cells);
	counts->cells = NULL;
}

size_t numa_stat_text_max(unsigned nr_nodes)
{
	size_t columns = nr_nodes * (strlen(" N=") + NID_MAX + DIGITS_MAX);
	size_t size = 1;

	for (int row = 0; row < NR_NUMA_ROWS; row++)
		size += 2 * (strlen(numa_rows[row].name) + strlen("=\n") + DIGITS_MAX + columns) +
			strlen(HIERARCHICAL_PREFIX);
	return size;
}

static void append_row_seq_printf(struct text *text, const struct numa_counts *counts,
				  enum numa_scope scope, enum numa_row row)
{
	const uint64_t *cells = &counts->cells[numa_cell(counts->nr_nodes, scope, row, 0)];

	if (scope == SCOPE_HIERARCHICAL)
		text_append_format(text, HIERARCHICAL_PREFIX "%s=%" PRIu64, numa_rows[row].name,
				   cells[0]);
	else
		text_append_format(text, "%s=%" PRIu64, numa_rows[row].name, cells[0]);
	for (unsigned k = 0; k < counts->nr_nodes; k++)
		text_append_format(text, " N%u=%" PRIu64, counts->nids[k], cells[1 + k]);
	text_append(text, "\n", 1);
}

static void append_row_fast(struct text *text, const struct numa_counts *counts,
			    enum numa_scope scope, enum numa_row row)
{
	const uint64_t *cells = &counts->cells[numa_cell(counts->nr_nodes, scope, row, 0)];
	char scratch[CELL_MAX], *cell, *at;

	cell = at = text_cell_begin(text, scratch);
	if (scope == SCOPE_HIERARCHICAL)
		at = stpcpy(at, HIERARCHICAL_PREFIX);
	at = stpcpy(at, numa_rows[row].name);
	*at++ = '=';
	text_cell_end(text, scratch, cell, text_put_digits(at, cells[0]));
	for (unsigned k = 0; k < counts->nr_nodes; k++) {
		cell = at = text_cell_begin(text, scratch);
		*at++ = ' ';
		*at++ = 'N';
		at = text_put_digits(at, counts->nids[k]);
		*at++ = '=';
		text_cell_end(text, scratch, cell, text_put_digits(at, cells[1 + k]));
	}
	text_append(text, "\n", 1);
}

long numa_stat_text(const struct numa_counts *counts, unsigned rows, enum text_style style,
		    char *buffer, size_t size)
{
	struct text text = {.buffer = buffer, .size = size};

	for (int scope = 0; scope < NR_SCOPES; scope++) {
		if (!(rows & (1u << scope)))
			continue;
		for (int row = 0; row < NR_NUMA_ROWS; row++) {
			if (style == TEXT_FAST)
				append_row_fast(&text, counts, scope, row);
			else
				append_row_seq_printf(&text, counts, scope, row);
		}
	}
	if (text.length >= size)
		return -ENOSPC;
	buffer[text.length] = '\0';
	return (long)text.length;
}
