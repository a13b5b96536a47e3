/* SPDX-License-Identifier: MIT */
/*
 * Documents of one run repeat themselves: point, build, operation counts are the same text in file
 * after file, and parsing is what reading costs. A memo keeps the values of the documents read
 * before, with their texts; where the next document has the very same bytes at the same key, the
 * value is taken from the memo.
 *
 * Documents read through a memo share these values: nobody may change them. Keys come in another
 * order than in the file. One memo per thread.
 */
#ifndef MEMCGBENCH_RESULT_DOCUMENT_MEMO_H
#define MEMCGBENCH_RESULT_DOCUMENT_MEMO_H

#include <jansson.h>
#include <stddef.h>

struct document_memo;

struct document_memo *document_memo_new(void); /* NULL: out of memory */
void document_memo_free(struct document_memo *memo);

/* As json_loadb() with JSON_REJECT_DUPLICATES does, for text with a NUL behind it. NULL where that
 * would fail, but possibly also where it would not. */
json_t *document_memo_parse(struct document_memo *memo, const char *text, size_t length);

/* Over text that is JSON, ended by NUL; over other text they stop somewhere before its end. From
 * an opening quote or the start of a value to behind it. */
const char *json_skip_blanks(const char *p);
const char *json_skip_string(const char *p);
const char *json_skip_value(const char *p);

#endif
