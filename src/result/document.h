/* SPDX-License-Identifier: MIT */
/*
 * JSON documents with a schema: read from a file, checked against a table of fields, and every
 * fault named at its file, line and column. Keys that the table does not know are kept.
 */
#ifndef MEMCGBENCH_RESULT_DOCUMENT_H
#define MEMCGBENCH_RESULT_DOCUMENT_H

#include "base/error.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_kind {
	FIELD_TEXT,
	FIELD_BACKEND, /* a text that may be the name of a back end */
	FIELD_WHOLE, /* an integer, at least 0 */
	FIELD_POSITIVE, /* an integer, at least 1 */
	FIELD_NUMBER, /* json_is_figure() */
	FIELD_FLAG,
	FIELD_OBJECT,
	FIELD_ARRAY,
};

enum {
	FIELD_NULL = 1u << 0, /* may be null */
	FIELD_OPTIONAL = 1u << 1, /* may be absent */
};

/* A field whose parent is absent or null is not looked for: the parent has a line of its own. */
struct field {
	const char *path; /* "sampling.samples"; a number as a part counts array elements */
	enum field_kind kind;
	unsigned flags;
};

struct document_schema {
	const char *name;
	int version; /* newer ones are refused */
	size_t limit; /* bytes that are read at most */
	const struct field *fields;
	size_t nr_fields;
};

/* A document and the text that it came from, so that faults can be placed. */
struct document {
	const char *path;
	const struct document_schema *schema;
	char *text;
	json_t *json;
};

struct document_memo; /* see document_memo.h */

/* -ENOENT and other errors of reading; -EINVAL for faults in the text or of the schema;
 * -EPROTONOSUPPORT for a version that only a newer program reads. */
int document_open(const char *path, const struct document_schema *schema, struct document *document,
		  struct error *err);
/* The same where a document may be of one of several schemas, which document->schema says. With
 * `memo` not NULL, what it remembers is not parsed again. */
int document_open_any(const char *path, const struct document_schema *const *schemas, size_t nr,
		      struct document_memo *memo, struct document *document, struct error *err);
/* Do the file's first bytes name that schema, as those do that are written here? Where they do not,
 * it may be of that schema all the same; but where they do, nothing more need be read to know. */
bool document_begins_as(const char *path, const char *schema_name);
void document_close(struct document *document);

/* Check one more table of fields. */
int document_check(const struct document *document, const struct field *fields, size_t nr,
		   struct error *err);

/* The same of a value inside the document, which is at the path `where`. */
int document_check_at(const struct document *document, const json_t *json, const char *where,
		      const struct field *fields, size_t nr, struct error *err);

/* A number that a figure may be: at least 0, and not more than an integer can be. */
bool json_is_figure(const json_t *value);

/* The value at a path, or NULL. */
json_t *json_at(const json_t *json, const char *path);
double json_number_at(const json_t *json, const char *path); /* NAN where there is no number */
uint64_t json_whole_at(const json_t *json, const char *path); /* 0 where there is no integer */
/* JSON has no NaN: what is not known is null. */
json_t *json_real_or_null(double value);

/* Fill `err` with a message placed where the field is (or its nearest parent); returns -EINVAL. */
int document_fault(const struct document *document, const char *field, struct error *err,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Written at once or not at all, indented, so that faults can be named by line. */
int document_write(const char *path, const json_t *document, struct error *err);

#endif
