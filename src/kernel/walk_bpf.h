/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* What walk.bpf.c is asked and answers: shared by the program inside the kernel and who loads it. */
#ifndef MEMCGBENCH_KERNEL_WALK_BPF_H
#define MEMCGBENCH_KERNEL_WALK_BPF_H

#include <linux/types.h>

#define WALK_LISTS 5 /* LRU lists, in the kernel's order */
#define WALK_ROWS  4 /* total, file, anon, unevictable */
#define WALK_MASKS 0x1f, 0x0c, 0x03, 0x10
#define WALK_NODES 64 /* at most */
#define WALK_CPUS  8192 /* at most */

enum walk_mode {
	WALK_LOCAL,
	WALK_PERCPU
};

enum walk_outcome {
	WALK_DONE,
	WALK_NO_START, /* no cgroup to start at, or no function to find it */
};

struct walk_request {
	__u64 top; /* kernfs id (the inode number) of the cgroup whose subtree is walked */
	__u32 mode;
	__s32 hierarchy; /* id of the v1 hierarchy as in /proc/cgroups; 0: v2 */
	__s32 level; /* v1: of an ancestor of both the top and the caller's cgroup */
	__u32 nr_cpus; /* possible ones */
	__u32 nr_nodes;
	__u32 nids[WALK_NODES];
};

struct walk_answer {
	__u64 ns; /* inside of the kernel */
	__u64 memcgs; /* visited, in all passes together */
	__u64 dying; /* of them removed; WALK_LOCAL only */
	__u64 unreachable; /* visits from which there was no way to the counters */
	__u64 loads; /* of counters */
	__u64 pages[WALK_NODES][WALK_LISTS]; /* WALK_LOCAL */
	__u64 rows[WALK_ROWS][1 + WALK_NODES]; /* WALK_PERCPU: sums, then nodes */
};

#endif
