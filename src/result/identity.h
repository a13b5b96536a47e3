/* SPDX-License-Identifier: MIT */
/* What makes two runs the same run: the "identity" of run.json, compared value by value. */
#ifndef MEMCGBENCH_RESULT_IDENTITY_H
#define MEMCGBENCH_RESULT_IDENTITY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The same? If not, the first difference is put into words, as `there` (the run that exists)
 * against `here` (the run that is asked for). The order of keys, points and back ends does not
 * matter.
 */
bool identity_equal(const json_t *there, const json_t *here, char *difference, size_t size);

#endif
