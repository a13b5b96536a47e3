/* SPDX-License-Identifier: MIT */
/* Reading many results, one after the other; result.h says what is read. */
#ifndef MEMCGBENCH_RESULT_RESULT_READ_H
#define MEMCGBENCH_RESULT_RESULT_READ_H

#include "base/error.h"
#include "result/document.h"
#include "result/document_memo.h"
#include "scenario/point.h"
#include "stats/histogram.h"

#include <jansson.h>

extern const struct document_schema result_schema;

/* What need not be done again for the next file. All zero to begin with; one per thread. */
struct result_reader {
	struct document_memo *memo; /* or NULL: nothing is remembered */
	json_t *point_json; /* {"id","parameters"} of `point`, or NULL */
	struct point point; /* of the result that was read last */
};

void result_reader_fini(struct result_reader *reader);

/* As result_load(), and the histogram of its latencies, decoded; NULL of a failed process. The
 * caller owns both, and changes neither where the reader has a memo. */
int result_read(struct result_reader *reader, const char *path, json_t **result,
		struct histogram **latency, struct error *err);

/* The same of a document that is open, of this schema. */
int result_take(struct result_reader *reader, const struct document *document, json_t **result,
		struct histogram **latency, struct error *err);

#endif
