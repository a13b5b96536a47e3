/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* What walk.bpf.c is asked and answers: shared by the program inside the kernel and who loads it.
 */
#ifndef MEMCGBENCH_KERNEL_WALK_BPF_H
#define MEMCGBENCH_KERNEL_WALK_BPF_H

#include <linux/types.h>

#define WALK_LISTS 5 /* LRU lists, in the kernel's order */
#define WALK_ROWS  4 /* total, file, anon, unevictable */
#define WALK_MASKS 0x1f, 0x0c, 0x03, 0x10
#define WALK_NODES 1024 /* at most */
#define WALK_CPUS  8192 /* at most */
#define WALK_FOUND 65536 /* memcgs found at a time: a kernel has ids for no more */
#define WALK_STEPS (1 << 22) /* of one pass: a memcg takes two */

/* The same for all runs of what was loaded. */
struct walk_machine {
	__u32 nr_nodes, nr_cpus; /* possible CPUs */
	__u32 nids[WALK_NODES], cpus[WALK_CPUS]; /* OS indexes; there may be gaps */
};

/* One of the machine's memcgs. */
struct walk_found {
	__u64 id; /* of its directory: the inode number */
	__u64 css; /* address in the kernel: good as long as the directory exists */
};

/* What one run of a walk gets. */
struct walk_run {
	struct walk_found top;
	__u32 slot; /* of the map of answers: no two runs at a time share one */
	__u32 alone; /* only the top: its local rows */
};

enum walk_outcome {
	WALK_DONE,
	WALK_NO_MEMCG, /* the task is in no memcg */
	WALK_GONE, /* at the address is no memcg with that id */
	WALK_LOST, /* a link led nowhere, or after WALK_STEPS there was no end */
};

struct walk_answer {
	__u64 ns; /* inside the kernel */
	__u64 passes;
	__u64 memcgs; /* visited, in all passes together */
	__u64 dying; /* of them removed, in the first pass */
	__u64 unreachable; /* visits from which there was no way to the counters */
	__u64 loads; /* of counters */
	/* Column 0 is the memcgs' own counters, column 1 + k the node nids[k]. */
	union {
		__u64 pages[1 + WALK_NODES][WALK_LISTS]; /* walk_local */
		__u64 rows[1 + WALK_NODES][WALK_ROWS]; /* walk_percpu */
	};
};

#endif
