/* SPDX-License-Identifier: MIT */
/* Reading and writing run.json; run_dir.h says how it is made and what it holds. */
#ifndef MEMCGBENCH_RESULT_RUN_DOCUMENT_H
#define MEMCGBENCH_RESULT_RUN_DOCUMENT_H

#include "base/error.h"

#include <jansson.h>

/* Strict: schema, types, names of back ends, every point's id against its parameters. */
int run_document_load(const char *path, json_t **run, struct error *err);

int run_document_write(const char *directory, json_t *run, struct error *err);

#endif
