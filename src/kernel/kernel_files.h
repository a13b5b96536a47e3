/* SPDX-License-Identifier: MIT */
/* Back ends that read the running kernel's files; see kernel_files.c. */
#ifndef MEMCGBENCH_KERNEL_KERNEL_FILES_H
#define MEMCGBENCH_KERNEL_KERNEL_FILES_H

#include "backend/backend.h"
#include "kernel/live_fixture.h"

extern const struct backend backend_kernel;

#endif
