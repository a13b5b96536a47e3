// SPDX-License-Identifier: (MIT OR GPL-2.0-only)
/*
 * A walk over real memcgs inside the kernel, and the sums of their LRU counters: what reading a
 * memory.numa_stat by walking the tree costs on today's unpatched kernel.
 *
 * WALK_LOCAL: one pre-order pass; of each memcg and node the counters that flushes keep
 * (state_local, since 6.6). WALK_PERCPU: 4 x (1 + N) passes, one for each row and column of the
 * file; in each, every item of the row summed over all possible CPUs from the counters that CPUs
 * keep (lruvec_stats_percpu). Row sums are summed over the nodes, for the memcg's own counters have
 * no LRU lists any more.
 *
 * The walk is the kernel's own (bpf_iter_css), over cgroups rather than memcgs: iterating needs a
 * pointer that the verifier trusts, which a memcg's is not. A removed cgroup whose memcg still
 * holds pages is passed, and counted, but has no way to its memcg any more: its pages are not in
 * the sums.
 *
 * Types are declared here with the members that are used, and their offsets relocated when the
 * program is loaded (CO-RE): no header of the build host's kernel is needed. Names of members and
 * kernel functions are the kernel's.
 */
#include <linux/bpf.h>
#include <linux/types.h>
/* before: the helpers want the types */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "kernel/walk_bpf.h"

#define RELOCATED __attribute__((preserve_access_index))
#define ONLINE	  (1u << 1) /* CSS_ONLINE */

/* Its place in cgroup.subsys depends on the kernel's configuration. */
enum cgroup_subsys_id {
	memory_cgrp_id = 4
};

struct kernfs_node {
	__u64 id;
} RELOCATED;

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	unsigned int flags;
} RELOCATED;

struct cgroup {
	struct cgroup_subsys_state self;
	int level;
	struct kernfs_node *kn;
	struct cgroup_subsys_state *subsys[16];
} RELOCATED;

struct lruvec_stats_percpu {
	long state[WALK_LISTS];
} RELOCATED;

struct lruvec_stats {
	long state_local[WALK_LISTS];
} RELOCATED;

struct mem_cgroup_per_node {
	struct lruvec_stats_percpu *lruvec_stats_percpu;
	struct lruvec_stats *lruvec_stats;
} RELOCATED;

struct mem_cgroup {
	struct mem_cgroup_per_node *nodeinfo[1];
} RELOCATED;

/* Of a per-CPU array: the address of its element that is the same for all CPUs. */
struct bpf_array {
	void *pptrs[1];
} RELOCATED;

struct task_struct {
	int pid;
} RELOCATED;

/* Large enough for the kernel's. */
struct bpf_iter_css {
	__u64 opaque[3];
} __attribute__((aligned(8)));

struct bpf_iter_num {
	__u64 opaque[1];
} __attribute__((aligned(8)));

extern int bpf_iter_css_new(struct bpf_iter_css *it, struct cgroup_subsys_state *start,
			    unsigned int flags) __ksym;
extern struct cgroup_subsys_state *bpf_iter_css_next(struct bpf_iter_css *it) __ksym;
extern void bpf_iter_css_destroy(struct bpf_iter_css *it) __ksym;
extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __ksym;
extern struct cgroup *bpf_task_get_cgroup1(struct task_struct *task, int hierarchy_id) __ksym __weak;
extern struct cgroup *bpf_cgroup_from_id(__u64 id) __ksym __weak;
extern struct cgroup *bpf_cgroup_ancestor(struct cgroup *cgrp, int level) __ksym;
extern void bpf_cgroup_release(struct cgroup *cgrp) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;

/*
 * What is added to a per-CPU address to find a CPU's own: the kernel's table of it is not among the
 * symbols that every kernel shows. Here from an array of which both addresses are known.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} probe SEC(".maps");
__u64 cpu_offset[WALK_CPUS];
volatile __u64 address; /* of this and that: what comes from memory is a number */

char _license[] SEC("license") = "Dual MIT/GPL";

struct walk_request request;
struct walk_answer answer;

const __u64 masks[WALK_ROWS] = {WALK_MASKS};

/* Where a walk is in the hierarchy: from the cgroup with the id wanted on, while below it. */
struct place {
	int level; /* of the top; -1: not reached yet */
	int over;
};

static int is_below(struct place *place, struct cgroup *cgroup)
{
	int level = BPF_CORE_READ(cgroup, level);

	if (place->level < 0) {
		if (BPF_CORE_READ(cgroup, kn, id) != request.top)
			return 0;
		place->level = level;
		return 1;
	}
	if (level <= place->level)
		place->over = 1;
	return !place->over;
}

static struct mem_cgroup_per_node *node_of(struct cgroup *cgroup, __u32 nid)
{
	struct mem_cgroup_per_node *info = NULL;
	struct cgroup_subsys_state *css;
	struct mem_cgroup *memcg;

	/* The memcg begins with its css. */
	bpf_core_read(&css, sizeof(css),
		      &cgroup->subsys[bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id)]);
	memcg = (struct mem_cgroup *)css;
	if (memcg)
		bpf_core_read(&info, sizeof(info), &memcg->nodeinfo[nid]);
	return info;
}

/*
 * Of one memcg all that a pass over it asks for. These functions are not static, and take addresses:
 * so each is verified once, whatever is known where it is called.
 */
__noinline int add_local(__u64 address)
{
	struct cgroup *cgroup = (struct cgroup *)address;
	struct bpf_iter_num it;
	int *at;

	bpf_iter_num_new(&it, 0, request.nr_nodes);
	while ((at = bpf_iter_num_next(&it))) {
		__u32 i = (__u32)*at;
		struct mem_cgroup_per_node *info;
		long value[WALK_LISTS] = {0};
		struct lruvec_stats *stats;

		if (i >= WALK_NODES)
			break;
		info = node_of(cgroup, request.nids[i]);
		if (!info) {
			answer.unreachable++;
			break;
		}
		stats = BPF_CORE_READ(info, lruvec_stats);
		bpf_core_read(value, sizeof(value), &stats->state_local);
		for (int lru = 0; lru < WALK_LISTS; lru++)
			answer.pages[i][lru] += value[lru] < 0 ? 0 : value[lru];
		answer.loads += WALK_LISTS;
	}
	bpf_iter_num_destroy(&it);
	return 0;
}

static void find_offsets(void)
{
	struct bpf_array *array;
	struct bpf_iter_num it;
	void *common = NULL;
	int *cpu;

	/* By way of memory: the verifier allows no arithmetic on the address of a map. */
	address = (__u64)&probe;
	array = (struct bpf_array *)address;
	bpf_core_read(&common, sizeof(common), &array->pptrs[0]);
	bpf_iter_num_new(&it, 0, request.nr_cpus);
	while ((cpu = bpf_iter_num_next(&it))) {
		__u32 key = 0, at = (__u32)*cpu;

		if (at >= WALK_CPUS)
			break;
		address = (__u64)bpf_map_lookup_percpu_elem(&probe, &key, at);
		cpu_offset[at] = address ? address - (__u64)common : 0;
	}
	bpf_iter_num_destroy(&it);
}

static long sum_possible(struct lruvec_stats_percpu *stats, int lru)
{
	struct bpf_iter_num it;
	long sum = 0;
	int *cpu;

	bpf_iter_num_new(&it, 0, request.nr_cpus);
	while ((cpu = bpf_iter_num_next(&it))) {
		__u32 at = (__u32)*cpu;
		long value = 0;

		if (at >= WALK_CPUS)
			break;
		bpf_core_read(&value, sizeof(value),
			      &((struct lruvec_stats_percpu *)((char *)stats + cpu_offset[at]))->state[lru]);
		sum += value;
		answer.loads++;
	}
	bpf_iter_num_destroy(&it);
	return sum < 0 ? 0 : sum;
}

/* One row on one node. */
__noinline long row_of_node(__u64 address, __u64 mask)
{
	struct mem_cgroup_per_node *info = (struct mem_cgroup_per_node *)address;
	struct lruvec_stats_percpu *stats = BPF_CORE_READ(info, lruvec_stats_percpu);
	long sum = 0;

	for (int lru = 0; lru < WALK_LISTS; lru++)
		if (mask & (1u << lru))
			sum += sum_possible(stats, lru);
	return sum;
}

/* One row on the node of the column, or on all nodes for column 0. */
__noinline long row_of_memcg(__u64 address, __u64 mask, __u32 column)
{
	struct cgroup *cgroup = (struct cgroup *)address;
	struct bpf_iter_num it;
	long sum = 0;
	int *at;

	bpf_iter_num_new(&it, 0, request.nr_nodes);
	while ((at = bpf_iter_num_next(&it))) {
		__u32 i = (__u32)*at;
		struct mem_cgroup_per_node *info;

		if (i >= WALK_NODES)
			break;
		if (column && column != i + 1)
			continue;
		info = node_of(cgroup, request.nids[i]);
		if (info)
			sum += row_of_node((__u64)info, mask);
		else
			answer.unreachable++;
	}
	bpf_iter_num_destroy(&it);
	return sum;
}

/* The top of all: of v1 the parent of the caller's cgroup, of v2 by its id. */
static struct cgroup *find_start(void)
{
	struct cgroup *cgroup, *start;

	if (!request.hierarchy)
		return bpf_cgroup_from_id ? bpf_cgroup_from_id(request.top) : NULL;
	if (!bpf_task_get_cgroup1)
		return NULL;
	cgroup = bpf_task_get_cgroup1((struct task_struct *)bpf_get_current_task_btf(),
				      request.hierarchy);
	if (!cgroup)
		return NULL;
	start = bpf_cgroup_ancestor(cgroup, request.level);
	bpf_cgroup_release(cgroup);
	return start;
}

static void pass_local(struct cgroup *start)
{
	struct place place = {.level = -1};
	struct cgroup_subsys_state *css;
	struct bpf_iter_css it;

	bpf_iter_css_new(&it, &start->self, BPF_CGROUP_ITER_DESCENDANTS_PRE);
	while ((css = bpf_iter_css_next(&it))) {
		struct cgroup *cgroup = BPF_CORE_READ(css, cgroup);

		if (!is_below(&place, cgroup))
			continue;
		answer.memcgs++;
		if (!(BPF_CORE_READ(css, flags) & ONLINE))
			answer.dying++;
		add_local((__u64)cgroup);
	}
	bpf_iter_css_destroy(&it);
}

/* One row, of the column-th node or of all of them. */
static void pass_percpu(struct cgroup *start, __u32 row, __u32 column)
{
	struct place place = {.level = -1};
	struct cgroup_subsys_state *css;
	struct bpf_iter_css it;
	__u64 sum = 0;

	if (row >= WALK_ROWS || column > WALK_NODES)
		return;
	bpf_iter_css_new(&it, &start->self, BPF_CGROUP_ITER_DESCENDANTS_PRE);
	while ((css = bpf_iter_css_next(&it))) {
		struct cgroup *cgroup = BPF_CORE_READ(css, cgroup);

		if (!is_below(&place, cgroup))
			continue;
		answer.memcgs++;
		sum += row_of_memcg((__u64)cgroup, masks[row], column);
	}
	bpf_iter_css_destroy(&it);
	answer.rows[row][column] = sum;
}

SEC("syscall")
int walk(void *context)
{
	struct cgroup *start = find_start();
	__u64 since;

	(void)context;
	if (!start)
		return WALK_NO_START;
	if (request.mode == WALK_PERCPU)
		find_offsets();
	since = bpf_ktime_get_ns();
	bpf_rcu_read_lock();
	if (request.mode == WALK_LOCAL) {
		pass_local(start);
	} else {
		struct bpf_iter_num it;
		int *pass;

		bpf_iter_num_new(&it, 0, WALK_ROWS * (1 + request.nr_nodes));
		while ((pass = bpf_iter_num_next(&it)))
			pass_percpu(start, (__u32)*pass % WALK_ROWS, (__u32)*pass / WALK_ROWS);
		bpf_iter_num_destroy(&it);
	}
	bpf_rcu_read_unlock();
	answer.ns = bpf_ktime_get_ns() - since;
	bpf_cgroup_release(start);
	return WALK_DONE;
}
