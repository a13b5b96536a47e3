/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/*
 * The kernel's types and functions that walk.bpf.c uses, with the members that it uses, under the
 * kernel's names. Offsets are relocated when the program is loaded (CO-RE): no header of the build
 * host's kernel is needed. That the five LRU lists are the first five of each array of counters is
 * true of all kernels that have these members, and not said by their BTF.
 */
#ifndef MEMCGBENCH_KERNEL_WALK_TYPES_BPF_H
#define MEMCGBENCH_KERNEL_WALK_TYPES_BPF_H

#include "kernel/walk_bpf.h"

#include <linux/types.h>
/* after: it wants the types */
#include <bpf/bpf_helpers.h>

#define RELOCATED __attribute__((preserve_access_index))

/* Its place in css_set.subsys depends on the kernel's configuration. */
enum cgroup_subsys_id {
	memory_cgrp_id = 4
};

struct list_head {
	struct list_head *next;
} RELOCATED;

struct kernfs_node {
	__u64 id;
} RELOCATED;

struct cgroup {
	struct kernfs_node *kn;
} RELOCATED;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct list_head sibling, children;
	unsigned int flags;
	struct cgroup_subsys_state *parent;
} RELOCATED;

struct css_set {
	struct cgroup_subsys_state *subsys[1];
} RELOCATED;

struct task_struct {
	struct css_set *cgroups;
} RELOCATED;

struct lruvec_stats_percpu {
	long state[WALK_LISTS];
} RELOCATED;

struct lruvec_stats {
	long state_local[WALK_LISTS];
} RELOCATED;

struct memcg_vmstats_percpu {
	long state[WALK_LISTS];
} RELOCATED;

struct memcg_vmstats {
	long state_local[WALK_LISTS];
} RELOCATED;

struct mem_cgroup_per_node {
	struct lruvec_stats_percpu *lruvec_stats_percpu;
	struct lruvec_stats *lruvec_stats; /* since 6.10 */
} RELOCATED;

struct mem_cgroup_per_node___embedding { /* before 6.10 */
	struct lruvec_stats lruvec_stats;
} RELOCATED;

struct mem_cgroup {
	struct cgroup_subsys_state css;
	struct memcg_vmstats *vmstats;
	struct memcg_vmstats_percpu *vmstats_percpu;
	struct mem_cgroup_per_node *nodeinfo[1];
} RELOCATED;

/* Of a per-CPU array: the address of its element that is the same for all CPUs. */
struct bpf_array {
	void *pptrs[1];
} RELOCATED;

struct timespec64 {
	long long tv_sec;
} RELOCATED;

/* Large enough for the kernel's. */
struct bpf_iter_num {
	__u64 opaque[1];
} __attribute__((aligned(8)));

extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __ksym;
extern void *bpf_rdonly_cast(const void *object, __u32 btf_id) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;

#endif
