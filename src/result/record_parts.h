/* SPDX-License-Identifier: MIT */
/* What the files that make records share; part of record.h's inside. */
#ifndef MEMCGBENCH_RESULT_RECORD_PARTS_H
#define MEMCGBENCH_RESULT_RECORD_PARTS_H

#include "result/document.h"
#include "result/record.h"

#define RECORD_SCHEMA_NAME    "memcgbench-record"
#define RECORD_SCHEMA_VERSION 1

extern const struct document_schema record_schema;

/* Make record->index; 0 or -ENOMEM. To be called when the cells are complete. */
int record_index(struct record *record);

/* Read a record file, strictly. -EINVAL, -EPROTONOSUPPORT, -ENOMEM, -errno, with a message. */
int record_read(const char *path, struct record **out, struct error *err);

#endif
