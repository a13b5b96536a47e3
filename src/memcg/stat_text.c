// SPDX-License-Identifier: MIT
/*
 * See stat_text.h. v1 memory.numa_stat has a printer of its own, numa_stat.c, whose time is
 * measured from the first version on; the other files are printed by their tables here. The kernel
 * makes one call for a row of memory.stat, and one for each column of v2 memory.numa_stat and for
 * its name.
 */
#include "memcg/stat_text.h"

#include "memcg/text_buffer.h"

#include <errno.h>
#include <inttypes.h>

/* PAGE_COUNTER_MAX in bytes: nobody limits the memcgs of a model. */
#define NO_LIMIT UINT64_C(9223372036854771712)

static const char *const limit_names[] = {"hierarchical_memory_limit", "hierarchical_memsw_limit"};
#define NR_LIMITS (sizeof(limit_names) / sizeof(limit_names[0]))

size_t stat_text_max(const struct stat_format *format, unsigned nr_nodes)
{
	size_t size = 1;

	if (format->type == STAT_NUMA_V1)
		return numa_stat_text_max(nr_nodes);
	for (unsigned row = 0; row < format->nr_rows; row++) {
		size_t name = strlen(format->rows[row].name) + strlen(format->hierarchical_prefix);
		size_t cells = format->has_nodes ? nr_nodes * (strlen(" N=") + NID_MAX + DIGITS_MAX)
						 : 1 + DIGITS_MAX;

		size += NR_SCOPES * (name + cells + 1);
	}
	for (size_t i = 0; format->has_limits && i < NR_LIMITS; i++)
		size += strlen(limit_names[i]) + 1 + DIGITS_MAX + 1;
	return size;
}

static void append_value(struct text *text, enum text_style style, const char *prefix,
			 const char *name, uint64_t value)
{
	char scratch[CELL_MAX], *cell, *at;

	if (style == TEXT_SEQ_PRINTF) {
		text_append_format(text, "%s%s %" PRIu64 "\n", prefix, name, value);
		return;
	}
	cell = at = text_cell_begin(text, scratch);
	at = stpcpy(stpcpy(at, prefix), name);
	*at++ = ' ';
	at = text_put_digits(at, value);
	*at++ = '\n';
	text_cell_end(text, scratch, cell, at);
}

static void append_column(struct text *text, enum text_style style, unsigned nid, uint64_t value)
{
	char scratch[CELL_MAX], *cell, *at;

	if (style == TEXT_SEQ_PRINTF) {
		text_append_format(text, " N%u=%" PRIu64, nid, value);
		return;
	}
	cell = at = text_cell_begin(text, scratch);
	*at++ = ' ';
	*at++ = 'N';
	at = text_put_digits(at, nid);
	*at++ = '=';
	text_cell_end(text, scratch, cell, text_put_digits(at, value));
}

static void append_row(struct text *text, const struct numa_counts *counts, enum numa_scope scope,
		       unsigned row, enum text_style style)
{
	const struct stat_format *format = counts->format;
	const struct stat_row_format *described = &format->rows[row];
	const char *prefix = scope == SCOPE_HIERARCHICAL ? format->hierarchical_prefix : "";
	const uint64_t *cells =
		&counts->cells[stat_cell(counts, scope, row, stat_first_column(format))];

	if (!format->has_nodes) {
		append_value(text, style, prefix, described->name, *cells * described->scale);
		return;
	}
	if (style == TEXT_SEQ_PRINTF)
		text_append_format(text, "%s", described->name);
	else
		text_append(text, described->name, strlen(described->name));
	for (unsigned k = 0; k < counts->nr_nodes; k++)
		append_column(text, style, counts->nids[k], cells[k] * described->scale);
	text_append(text, "\n", 1);
}

long stat_text(const struct numa_counts *counts, unsigned rows, enum text_style style, char *buffer,
	       size_t size)
{
	struct text text = {.buffer = buffer, .size = size};
	const struct stat_format *format = counts->format;

	if (format->type == STAT_NUMA_V1)
		return numa_stat_text(counts, rows, style, buffer, size);
	for (unsigned scope = 0; scope < NR_SCOPES; scope++) {
		if (scope == SCOPE_HIERARCHICAL && format->has_limits)
			for (size_t i = 0; i < NR_LIMITS; i++)
				append_value(&text, style, "", limit_names[i], NO_LIMIT);
		if (!(rows & format->scopes & (1u << scope)))
			continue;
		for (unsigned row = 0; row < format->nr_rows; row++)
			append_row(&text, counts, scope, row, style);
	}
	if (text.length >= size)
		return -ENOSPC;
	buffer[text.length] = '\0';
	return (long)text.length;
}
