/* SPDX-License-Identifier: MIT */
/*
 * The code that reads memory.numa_stat as it was (now), as the patch was first posted (pointers)
 * and as it was merged (branch), each built as it is and with retpolines from one source, reader.c.
 */
#ifndef MEMCGBENCH_BENCH_READER_H
#define MEMCGBENCH_BENCH_READER_H

#include "backend/model.h"

/* All rows of scope `scope` of the model's root. */
typedef void reader(const struct model *model, enum numa_scope scope, struct numa_counts *out);

reader reader_now, reader_pointers, reader_branch;
reader reader_now_retpoline, reader_pointers_retpoline, reader_branch_retpoline;

#endif
