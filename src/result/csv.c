// SPDX-License-Identifier: MIT
/* See csv.h. */
#include "result/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void separate(struct csv *csv)
{
	if (csv->inside)
		fputc(',', csv->out);
	csv->inside = true;
}

void csv_text(struct csv *csv, const char *text)
{
	separate(csv);
	if (!text)
		return;
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, csv->out);
		return;
	}
	fputc('"', csv->out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', csv->out);
		fputc(*text, csv->out);
	}
	fputc('"', csv->out);
}

void csv_whole(struct csv *csv, uint64_t value)
{
	separate(csv);
	fprintf(csv->out, "%" PRIu64, value);
}

void csv_number(struct csv *csv, double value)
{
	char text[32];

	separate(csv);
	if (!isfinite(value))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, csv->out);
}

void csv_end_line(struct csv *csv)
{
	fputs("\r\n", csv->out);
	csv->inside = false;
}
