/* SPDX-License-Identifier: MIT */
/*
 * Back ends that read the running kernel's files: kernel_files.c, kernel_userwalk.c,
 * kernel_floor.c.
 */
#ifndef MEMCGBENCH_KERNEL_KERNEL_FILES_H
#define MEMCGBENCH_KERNEL_KERNEL_FILES_H

#include "backend/backend.h"
#include "kernel/live_fixture.h"

extern const struct backend backend_kernel;
extern const struct backend backend_kernel_userwalk;
extern const struct backend backend_kernel_floor;

#endif
