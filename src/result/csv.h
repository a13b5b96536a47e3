/* SPDX-License-Identifier: MIT */
/* Comma-separated values as RFC 4180 has them: quoted where needed, lines ended by CR LF. */
#ifndef MEMCGBENCH_RESULT_CSV_H
#define MEMCGBENCH_RESULT_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct csv {
	FILE *out;
	bool inside; /* of a line */
};

void csv_text(struct csv *csv, const char *text); /* NULL: an empty field */
void csv_whole(struct csv *csv, uint64_t value);
/* The fewest digits that read back as the same number; empty for NAN. */
void csv_number(struct csv *csv, double value);
void csv_end_line(struct csv *csv);

#endif
