/* SPDX-License-Identifier: MIT */
/* What the files that make records share; part of record.h's inside. */
#ifndef MEMCGBENCH_RESULT_RECORD_PARTS_H
#define MEMCGBENCH_RESULT_RECORD_PARTS_H

#include "base/error.h"
#include "result/document.h"
#include "result/record.h"

#include <stddef.h>

#define RECORD_SCHEMA_VERSION 1

extern const struct document_schema record_schema;

/* Make record->index; 0 or -ENOMEM. To be called when the cells are complete. */
int record_index(struct record *record);

/* Make a record of an open document of that schema, strictly. -EINVAL, -ENOMEM, with a message. */
int record_take(struct record_reader *reader, const struct document *document, struct record **out,
		struct error *err);

struct document_memo *record_reader_memo(struct record_reader *reader);

/* As point_from_json(), but for what the reader has read before. */
int record_reader_point(struct record_reader *reader, json_t *values, const char *id,
			struct point *point, struct error *err);

/*
 * Make a record of result files that no run.json belongs to: the one file, or else all *.json of
 * the directory. They must be of one host class, one build and one scenario. Files that are not
 * results or contradict each other are faults; `*out` holds the rest, or is NULL. 0 or -ENOMEM.
 */
int record_open_loose(const char *file, const char *directory, struct record **out,
		      struct error_list *faults);

/* The names of all *.json in a directory, sorted, without those that begin with a dot. */
int record_list_files(const char *directory, char ***names, size_t *nr, struct error *err);
void record_free_files(char **names, size_t nr);

/* Add one error to a list. */
void record_fault(struct error_list *faults, const struct error *err);

#endif
