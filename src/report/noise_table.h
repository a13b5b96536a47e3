/* SPDX-License-Identifier: MIT */
/* What `aa` shows: how much points differ from themselves, in 80 columns, as TSV and for JSON. */
#ifndef MEMCGBENCH_REPORT_NOISE_TABLE_H
#define MEMCGBENCH_REPORT_NOISE_TABLE_H

#include "report/run_groups.h"
#include "result/record.h"
#include "verdict/noise.h"

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/* A pair of equals with a p below this is called different. */
#define NOISE_ALPHA 0.05

/* One point and back end, by one metric. */
struct noise_row {
	const struct record_cell *cell;
	size_t odd, even; /* processes of each half that have a value */
	double median; /* over all of them; NAN: there are none */
	struct noise noise; /* all NAN where there are too few */
};

/* All points and back ends by one metric. */
struct noise_rows {
	const struct record *record; /* not owned */
	const struct metric *metric;
	size_t nr;
	struct noise_row *rows; /* in the order of the record's cells */
	size_t pairs; /* that could be called different at NOISE_ALPHA: enough processes */
	size_t different; /* of them, that are */
};

/* The record must outlive the rows. 0 or -ENOMEM. */
int noise_rows_init(struct noise_rows *rows, const struct record *record,
		    const struct metric *metric);
void noise_rows_fini(struct noise_rows *rows);

/* Of `nr` metrics, one below the other; `groups` are of the same run. 0, -ENOMEM or -EIO. */
int noise_table_print(const struct noise_rows *rows, size_t nr, const struct run_groups *groups,
		      FILE *out);
/* A line per point, back end and metric. */
int noise_tsv_print(const struct noise_rows *rows, size_t nr, FILE *out);
/* {"metric","alpha","pairs","different"}: as in struct noise_rows. NULL: out of memory. */
json_t *noise_rows_to_json(const struct noise_rows *rows);

#endif
