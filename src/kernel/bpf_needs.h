/* SPDX-License-Identifier: MIT */
/* What the walk inside the kernel needs of a kernel, and what of it the running one lacks. */
#ifndef MEMCGBENCH_KERNEL_BPF_NEEDS_H
#define MEMCGBENCH_KERNEL_BPF_NEEDS_H

#include "kernel/bpf_walk.h"

struct btf;

/* Look for all of it in the types that a kernel says it has. A reason for each that is missing.
 * 0, or -ENOTSUP. */
int bpf_needs_check(const struct btf *btf, enum bpf_walk_mode mode, struct error_list *reasons);

#endif
