/* SPDX-License-Identifier: MIT */
/* The back ends by name, for the table of all (backend_table.c) and nobody else. */
#ifndef MEMCGBENCH_BACKEND_BACKEND_TABLE_H
#define MEMCGBENCH_BACKEND_BACKEND_TABLE_H

#include "backend/backend.h"

extern const struct backend backend_walk;
extern const struct backend backend_cached;
extern const struct backend backend_cached_fnptr;
extern const struct backend backend_walk_415;
extern const struct backend backend_walk_once;
extern const struct backend backend_rstat;
extern const struct backend backend_packed;
extern const struct backend backend_bounded;
/* Live ones come last. */
extern const struct backend backend_kernel;
extern const struct backend backend_kernel_userwalk;
extern const struct backend backend_kernel_floor;
extern const struct backend backend_kernel_bpfwalk;
extern const struct backend backend_kernel_bpfwalk_percpu;

#endif
