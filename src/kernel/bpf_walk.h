/* SPDX-License-Identifier: MIT */
/*
 * The walk over real memcgs inside the kernel (walk.bpf.c): loaded, pointed at a memcg, run. Built
 * without libbpf all of it is -ENOTSUP, with a message that says so.
 */
#ifndef MEMCGBENCH_KERNEL_BPF_WALK_H
#define MEMCGBENCH_KERNEL_BPF_WALK_H

#include "base/error.h"
#include "kernel/walk_bpf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bpf_walk_mode {
	BPF_WALK_LOCAL, /* one pass over the counters that flushes keep */
	BPF_WALK_PERCPU, /* 4 x (1 + N) passes over those that CPUs keep */
};

struct bpf_walk;

/*
 * Can it be loaded on this machine? Every reason why not goes to `reasons`: no libbpf, no type
 * information of the kernel, what the kernel lacks, no privilege, refused by the verifier. 0, or
 * -ENOTSUP where there is a reason, -ENOMEM.
 */
int bpf_walk_possible(enum bpf_walk_mode mode, struct error_list *reasons);

/*
 * Load it, for this machine's possible CPUs and the nodes `nids`, ascending OS indexes. At most
 * `slots` runs at a time. Free with bpf_walk_free().
 */
int bpf_walk_new(enum bpf_walk_mode mode, const uint16_t *nids, unsigned nr_nodes, unsigned slots,
		 struct bpf_walk **out, struct error *err);
void bpf_walk_free(struct bpf_walk *walk);

/* Possible CPUs of this machine. */
unsigned bpf_walk_nr_cpus(const struct bpf_walk *walk);

/*
 * Find the memcgs of the cgroups whose directories have the inode numbers memcgs[].id, and fill in
 * their addresses. These are good for as long as the cgroups are there. -ENOENT for one that is no
 * directory of the memory hierarchy. One call at a time, for WALK_FOUND memcgs at most.
 */
int bpf_walk_find(struct bpf_walk *walk, struct walk_found *memcgs, size_t nr, struct error *err);

/*
 * Walk the subtree of a memcg, or look at it `alone`. No two calls at a time for one slot, whose
 * answer is good until the next. -ESTALE: the memcg is gone. -ELOOP: the walk came to no end. Other
 * -errno are of the system call.
 */
int bpf_walk_run(struct bpf_walk *walk, unsigned slot, const struct walk_found *top, bool alone,
		 const struct walk_answer **answer);

#endif
