// SPDX-License-Identifier: MIT
/*
 * See table.h. Cells are kept as text, row by row, until the widths of all columns are known.
 * Running out of memory is remembered and told by the print functions, so that filling needs no
 * checks.
 */
#include "report/table.h"

#include "report/page_html.h"
#include "report/wrap.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct column {
	char *title;
	enum table_align align;
	const char *unit; /* of its cells' values; NULL: they have none */
};

struct row {
	char *label, *heading; /* heading NULL: cells */
	unsigned indent;
	size_t nr_cells;
	char **cells; /* at most as many as there are columns */
	double *values; /* beside the cells; NAN where there is none */
};

struct table {
	bool broken; /* memory ran out: something is missing */
	size_t nr_columns, nr_rows, room;
	struct column *columns;
	struct row *rows;
};

struct table *table_new(void)
{
	return calloc(1, sizeof(struct table));
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->nr_columns; i++)
		free(table->columns[i].title);
	for (size_t i = 0; i < table->nr_rows; i++) {
		for (size_t k = 0; k < table->rows[i].nr_cells; k++)
			free(table->rows[i].cells[k]);
		free(table->rows[i].cells);
		free(table->rows[i].values);
		free(table->rows[i].label);
		free(table->rows[i].heading);
	}
	free(table->columns);
	free(table->rows);
	free(table);
}

/* Texts may come from files of others: no control character reaches a terminal or a TSV field. */
static void blank_controls(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = ' ';
	}
}

void table_column(struct table *table, const char *title, enum table_align align)
{
	struct column *grown;
	char *copy;

	if (!table)
		return;
	grown = realloc(table->columns, (table->nr_columns + 1) * sizeof(*grown));
	if (grown)
		table->columns = grown;
	copy = strdup(title);
	if (!grown || !copy) {
		free(copy);
		table->broken = true;
		return;
	}
	blank_controls(copy);
	table->columns[table->nr_columns++] = (struct column){copy, align, NULL};
}

static struct row *add_row(struct table *table)
{
	if (table->nr_rows == table->room) {
		size_t room = table->room ? 2 * table->room : 16;
		struct row *grown = realloc(table->rows, room * sizeof(*grown));

		if (!grown) {
			table->broken = true;
			return NULL;
		}
		table->rows = grown;
		table->room = room;
	}
	table->rows[table->nr_rows] = (struct row){0};
	return &table->rows[table->nr_rows++];
}

void table_row(struct table *table)
{
	struct row *row = table ? add_row(table) : NULL;

	if (!row)
		return;
	row->cells = calloc(table->nr_columns ? table->nr_columns : 1, sizeof(*row->cells));
	row->values = calloc(table->nr_columns ? table->nr_columns : 1, sizeof(*row->values));
	if (!row->cells || !row->values)
		table->broken = true;
}

void table_heading(struct table *table, unsigned indent, const char *label, const char *text)
{
	struct row *row = table ? add_row(table) : NULL;

	if (!row)
		return;
	row->indent = indent;
	row->label = strdup(label);
	row->heading = strdup(text);
	if (row->label && row->heading)
		blank_controls(row->label);
	else
		table->broken = true;
}

void table_cell(struct table *table, const char *format, ...)
{
	struct row *row;
	va_list args;
	char *text;
	int length;

	if (!table || table->broken || !table->nr_rows)
		return;
	row = &table->rows[table->nr_rows - 1];
	if (row->heading || row->nr_cells == table->nr_columns)
		return;
	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0) {
		table->broken = true;
		return;
	}
	blank_controls(text);
	row->values[row->nr_cells] = NAN;
	row->cells[row->nr_cells++] = text;
}

void table_value(struct table *table, double value, const char *unit)
{
	struct row *row = table && table->nr_rows ? &table->rows[table->nr_rows - 1] : NULL;

	if (!row || table->broken || !row->nr_cells)
		return;
	row->values[row->nr_cells - 1] = value;
	table->columns[row->nr_cells - 1].unit = unit;
}

/* Characters of UTF-8: bytes that do not continue one. */
static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static const char *cell_text(const struct row *row, size_t column)
{
	return column < row->nr_cells ? row->cells[column] : "";
}

static void measure(const struct table *table, size_t *widths)
{
	for (size_t c = 0; c < table->nr_columns; c++) {
		widths[c] = width_of(table->columns[c].title);
		for (size_t r = 0; r < table->nr_rows; r++) {
			size_t width = width_of(cell_text(&table->rows[r], c));

			if (width > widths[c])
				widths[c] = width;
		}
	}
}

static size_t width_across(const struct table *table, const size_t *widths, size_t gap)
{
	size_t across = 0;

	for (size_t c = 0; c < table->nr_columns; c++)
		across += widths[c] + (c ? gap : 0);
	return across;
}

/* Blanks between columns: one where only that fits a terminal. */
static size_t gap_of(const struct table *table, const size_t *widths)
{
	return width_across(table, widths, 2) > TABLE_COLUMNS &&
			       width_across(table, widths, 1) <= TABLE_COLUMNS
		       ? 1
		       : 2;
}

/* One line of texts; blanks are held back until something follows them. `row` NULL: the titles. */
static void print_line(const struct table *table, const struct row *row, const size_t *widths,
		       size_t gap, FILE *out)
{
	size_t blanks = 0;

	for (size_t c = 0; c < table->nr_columns; c++) {
		const char *text = row ? cell_text(row, c) : table->columns[c].title;
		size_t width = width_of(text), pad = widths[c] - width;
		bool right = table->columns[c].align == ALIGN_RIGHT;

		if (c)
			blanks += gap;
		if (right)
			blanks += pad;
		if (width) {
			fprintf(out, "%*s%s", (int)blanks, "", text);
			blanks = 0;
		}
		if (!right)
			blanks += pad;
	}
	fputc('\n', out);
}

static bool has_titles(const struct table *table)
{
	for (size_t c = 0; c < table->nr_columns; c++) {
		if (table->columns[c].title[0])
			return true;
	}
	return false;
}

/* The widths of all columns, for the caller to free; NULL: out of memory. */
static size_t *measured(const struct table *table)
{
	size_t *widths = calloc(table->nr_columns ? table->nr_columns : 1, sizeof(*widths));

	if (widths)
		measure(table, widths);
	return widths;
}

size_t table_width(const struct table *table)
{
	size_t *widths = table ? measured(table) : NULL, across = 0;

	if (widths)
		across = width_across(table, widths, gap_of(table, widths));
	free(widths);
	return across;
}

int table_print(const struct table *table, FILE *out)
{
	size_t *widths, gap;

	if (!table || table->broken)
		return -ENOMEM;
	widths = measured(table);
	if (!widths)
		return -ENOMEM;
	gap = gap_of(table, widths);
	if (has_titles(table))
		print_line(table, NULL, widths, gap, out);
	for (size_t r = 0; r < table->nr_rows; r++) {
		const struct row *row = &table->rows[r];

		if (row->heading)
			wrap_print(out, row->indent, row->label, row->heading);
		else
			print_line(table, row, widths, gap, out);
	}
	free(widths);
	return ferror(out) ? -EIO : 0;
}

int table_print_tsv(const struct table *table, FILE *out)
{
	if (!table || table->broken)
		return -ENOMEM;
	for (size_t c = 0; c < table->nr_columns; c++)
		fprintf(out, "%s%s", c ? "\t" : "", table->columns[c].title);
	fputc('\n', out);
	for (size_t r = 0; r < table->nr_rows; r++) {
		if (table->rows[r].heading)
			continue;
		for (size_t c = 0; c < table->nr_columns; c++)
			fprintf(out, "%s%s", c ? "\t" : "", cell_text(&table->rows[r], c));
		fputc('\n', out);
	}
	return ferror(out) ? -EIO : 0;
}

static void html_titles(const struct table *table, size_t nr_keys, FILE *out)
{
	fputs("<thead><tr>", out);
	for (size_t c = 0; c < table->nr_columns; c++) {
		const struct column *column = &table->columns[c];

		fprintf(out, "<th scope=\"col\"%s%s",
			column->align == ALIGN_RIGHT ? " class=\"n\"" : "",
			c < nr_keys ? " data-key" : "");
		if (column->unit)
			fprintf(out, " data-unit=\"%s\"", column->unit);
		fputc('>', out);
		html_text(out, column->title);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

static void html_row(const struct table *table, const struct row *row, FILE *out)
{
	fputs("<tr>", out);
	for (size_t c = 0; c < table->nr_columns; c++) {
		double value = c < row->nr_cells ? row->values[c] : NAN;

		fputs(table->columns[c].align == ALIGN_RIGHT ? "<td class=\"n\"" : "<td", out);
		if (isfinite(value))
			fprintf(out, " data-v=\"%.12g\"", value);
		fputc('>', out);
		html_text(out, cell_text(row, c));
		fputs("</td>", out);
	}
	fputs("</tr>\n", out);
}

int table_print_html(const struct table *table, const char *id, const char *label, size_t nr_keys,
		     FILE *out)
{
	if (!table || table->broken)
		return -ENOMEM;
	fputs("<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
	html_text(out, label);
	fprintf(out, "\"><table id=\"%s\">\n", id);
	html_titles(table, nr_keys, out);
	fputs("<tbody>\n", out);
	for (size_t r = 0; r < table->nr_rows; r++)
		if (!table->rows[r].heading)
			html_row(table, &table->rows[r], out);
	fputs("</tbody></table></div>\n", out);
	return ferror(out) ? -EIO : 0;
}

/* What would end a cell, or make something else of its text, is escaped. */
static void put_markdown(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else if (strchr("|\\`*_[~", *text))
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	}
}

static void put_markdown_row(const struct table *table, const struct row *row, FILE *out)
{
	for (size_t c = 0; c < table->nr_columns; c++) {
		fputs(c ? " " : "| ", out);
		if (row && row->heading) {
			fputs(c ? "" : "**", out);
			put_markdown(c ? "" : row->heading, out);
			fputs(c ? "" : "**", out);
		} else {
			put_markdown(row ? cell_text(row, c) : table->columns[c].title, out);
		}
		fputs(" |", out);
	}
	fputc('\n', out);
}

int table_print_markdown(const struct table *table, FILE *out)
{
	if (!table || table->broken)
		return -ENOMEM;
	put_markdown_row(table, NULL, out);
	for (size_t c = 0; c < table->nr_columns; c++)
		fprintf(out, "%s %s |", c ? "" : "|",
			table->columns[c].align == ALIGN_RIGHT ? "--:" : ":--");
	fputc('\n', out);
	for (size_t r = 0; r < table->nr_rows; r++)
		put_markdown_row(table, &table->rows[r], out);
	return ferror(out) ? -EIO : 0;
}
