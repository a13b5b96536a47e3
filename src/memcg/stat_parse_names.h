/* SPDX-License-Identifier: MIT */
/* The rows that mainline kernels print in memory.numa_stat and memory.stat, and their units. */
#ifndef MEMCGBENCH_MEMCG_STAT_PARSE_NAMES_H
#define MEMCGBENCH_MEMCG_STAT_PARSE_NAMES_H

#include "memcg/stat_parse.h"

#include <stdbool.h>
#include <stddef.h>

/* Is name[0..length) a row of this type? `*unit` (may be NULL) is set if so. */
bool stat_name_find(enum stat_type type, const char *name, size_t length, enum stat_unit *unit);

/* Is it the beginning of one, but not all of it? */
bool stat_name_is_cut(enum stat_type type, const char *name, size_t length);

#endif
