// SPDX-License-Identifier: MIT
/* See captured.h: the text of a captured tree. */
#include "memcg/captured.h"

#include <inttypes.h>

static void write_fact(uint64_t value, const struct captured_fact_form *form, FILE *out)
{
	if (form->words)
		fprintf(out, "%s %s\n", form->key, form->words[value]);
	else if (value == CAPTURED_UNKNOWN)
		fprintf(out, "%s unknown\n", form->key);
	else
		fprintf(out, "%s %" PRIu64 "\n", form->key, value);
}

/* Bytes that would end the word, or that a terminal might obey, are %XX. */
static void write_name(const char *name, FILE *out)
{
	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;

		if (byte > 0x20 && byte < 0x7f && byte != '%')
			putc(byte, out);
		else
			fprintf(out, "%%%02X", byte);
	}
}

static void write_row(const struct captured *captured, uint32_t at, FILE *out)
{
	const struct captured_row *row = &captured->rows[at];

	fprintf(out, "%" PRIu32 " ", row->depth);
	write_name(captured_row_name(captured, at), out);
	fprintf(out, " %" PRIu32, row->dying);
	for (size_t i = row->first_cell; i < row->first_cell + row->nr_cells; i++) {
		const struct captured_cell *cell = &captured->cells[i];

		fprintf(out, " N%u", cell->nid);
		for (unsigned lru = 0; lru < NR_LRU_LISTS; lru++)
			fprintf(out, "%c%" PRIu64, lru ? ',' : '=', cell->pages[lru]);
	}
	putc('\n', out);
}

void captured_write(const struct captured *captured, const char *comment, FILE *out)
{
	fprintf(out, CAPTURED_MAGIC " %d\n%s", CAPTURED_VERSION, comment);
	for (unsigned i = 0; i < NR_CAPTURED_FACTS; i++)
		write_fact(captured->facts[i], &captured_fact_forms[i], out);
	fputs("nodes", out);
	for (unsigned i = 0; i < captured->nr_nids; i++)
		fprintf(out, "%c%u", i ? ',' : ' ', captured->nids[i]);
	fputs("\ntree\n", out);
	for (uint32_t i = 0; i < captured->nr_rows; i++)
		write_row(captured, i, out);
}
