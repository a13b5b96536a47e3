// SPDX-License-Identifier: MIT
/*
 * See numa_stat.h. Text grows in a buffer of fixed size, as it does in the kernel's seq_file: what
 * does not fit is cut, and nothing more is added behind a cut.
 *
 * Two styles write the same bytes. TEXT_SEQ_PRINTF makes one call of a printf for each cell, which
 * is what the kernel's show function does and most of what a cheap read costs. TEXT_FAST makes the
 * digits itself.
 */
#include "memcg/numa_stat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 20 /* of UINT64_MAX */
#define NID_MAX    5 /* digits of UINT16_MAX */

/* Longer than " N4294967295=18446744073709551615", and than any row's name with its sum. */
#define CELL_MAX 64

/* Each reader fills cells of its own: two must not share a line, or a pair that is fetched as one.
 */
#define CELLS_ALIGN 128

struct text {
	char *buffer;
	size_t size;
	size_t length; /* size once something was cut */
};

int numa_counts_init(struct numa_counts *counts, unsigned nr_nodes, const uint16_t *nids)
{
	size_t bytes = numa_nr_cells(nr_nodes) * sizeof(*counts->cells);

	bytes = (bytes + CELLS_ALIGN - 1) / CELLS_ALIGN * CELLS_ALIGN;
	counts->nr_nodes = nr_nodes;
	counts->nids = nids;
	counts->cells = aligned_alloc(CELLS_ALIGN, bytes);
	if (!counts->cells)
		return -ENOMEM;
	memset(counts->cells, 0, bytes);
	return 0;
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

static void append(struct text *text, const char *bytes, size_t length)
{
	size_t room = text->size - text->length;

	if (length < room) {
		memcpy(text->buffer + text->length, bytes, length);
		text->length += length;
	} else if (room) {
		memcpy(text->buffer + text->length, bytes, room - 1);
		text->buffer[text->size - 1] = '\0';
		text->length = text->size;
	}
}

static void append_format(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void append_format(struct text *text, const char *format, ...)
{
	size_t room = text->size - text->length;
	va_list args;
	int length;

	if (!room)
		return;
	va_start(args, format);
	length = vsnprintf(text->buffer + text->length, room, format, args);
	va_end(args);
	text->length = (size_t)length < room ? text->length + (size_t)length : text->size;
}

static void append_row_seq_printf(struct text *text, const struct numa_counts *counts,
				  enum numa_scope scope, enum numa_row row)
{
	const uint64_t *cells = &counts->cells[numa_cell(counts->nr_nodes, scope, row, 0)];

	if (scope == SCOPE_HIERARCHICAL)
		append_format(text, HIERARCHICAL_PREFIX "%s=%" PRIu64, numa_rows[row].name,
			      cells[0]);
	else
		append_format(text, "%s=%" PRIu64, numa_rows[row].name, cells[0]);
	for (unsigned k = 0; k < counts->nr_nodes; k++)
		append_format(text, " N%u=%" PRIu64, counts->nids[k], cells[1 + k]);
	append(text, "\n", 1);
}

/* log10 from log2, 1233/4096 being just below log10(2): the guess is right or one too low. */
static unsigned nr_digits(uint64_t value)
{
	static const uint64_t powers[DIGITS_MAX] = {
		1,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000u,
	};
	unsigned guess = (64 - (unsigned)__builtin_clzll(value | 1)) * 1233 >> 12;

	return guess + (value >= powers[guess] || !value);
}

/* In place from the last digit on, two a step: a division by 100 costs what one by 10 does. */
static char *put_digits(char *at, uint64_t value)
{
	static const char pairs[] = "00010203040506070809"
				    "10111213141516171819"
				    "20212223242526272829"
				    "30313233343536373839"
				    "40414243444546474849"
				    "50515253545556575859"
				    "60616263646566676869"
				    "70717273747576777879"
				    "80818283848586878889"
				    "90919293949596979899";
	char *end = at + nr_digits(value), *digit = end;

	for (; value >= 100; value /= 100) {
		digit -= 2;
		memcpy(digit, &pairs[2 * (value % 100)], 2);
	}
	if (value >= 10)
		memcpy(digit - 2, &pairs[2 * value], 2);
	else
		digit[-1] = (char)('0' + value);
	return end;
}

/* Where a cell can be written: in place where the longest one fits, else `scratch`. */
static char *cell_begin(struct text *text, char scratch[CELL_MAX])
{
	return text->size - text->length > CELL_MAX ? text->buffer + text->length : scratch;
}

static void cell_end(struct text *text, const char *scratch, const char *cell, const char *end)
{
	if (cell == scratch)
		append(text, cell, (size_t)(end - cell));
	else
		text->length += (size_t)(end - cell);
}

static void append_row_fast(struct text *text, const struct numa_counts *counts,
			    enum numa_scope scope, enum numa_row row)
{
	const uint64_t *cells = &counts->cells[numa_cell(counts->nr_nodes, scope, row, 0)];
	char scratch[CELL_MAX], *cell, *at;

	cell = at = cell_begin(text, scratch);
	if (scope == SCOPE_HIERARCHICAL)
		at = stpcpy(at, HIERARCHICAL_PREFIX);
	at = stpcpy(at, numa_rows[row].name);
	*at++ = '=';
	cell_end(text, scratch, cell, put_digits(at, cells[0]));
	for (unsigned k = 0; k < counts->nr_nodes; k++) {
		cell = at = cell_begin(text, scratch);
		*at++ = ' ';
		*at++ = 'N';
		at = put_digits(at, counts->nids[k]);
		*at++ = '=';
		cell_end(text, scratch, cell, put_digits(at, cells[1 + k]));
	}
	append(text, "\n", 1);
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
