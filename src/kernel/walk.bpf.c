// SPDX-License-Identifier: (MIT OR GPL-2.0-only)
/*
 * A walk over real memcgs inside the kernel, and the sums of their LRU counters: what reading a
 * memory.numa_stat by walking the tree costs on today's unpatched kernel.
 *
 * walk_local: one pass over the subtree; of each memcg its own counters and those of each node that
 * flushes keep (state_local, since 6.6). walk_percpu: 4 x (1 + N) passes, one for each row and
 * column of the file; in each, every item of the row summed over all possible CPUs from the
 * counters that CPUs keep. Both take an item of a memcg that is below 0 for 0.
 *
 * It goes through the memcgs' css links, parents first, as the kernel's own walk does: a removed
 * cgroup's memcg is among its parent's children until its last page is gone, so what is dying is
 * visited, counted and summed. What differs from the kernel's:
 * - No reference to a css is taken. A pass is one RCU read-side section, which keeps every memcg
 *   that it can reach in memory; the kernel's takes and drops a reference at each step.
 * - Links are followed as they are. Who is added or released meanwhile is visited or is not.
 * - Possible CPUs are iterated by a table of their areas' offsets, not by a bitmap.
 * - A load from an address where nothing is gives 0: the JIT compiles some instructions around
 *   each. (A call of bpf_probe_read_kernel() for each made the local walk 4 times, the other 2
 *   times as slow.)
 */
#include <linux/bpf.h>
#include <linux/types.h>
/* before: the helpers want the types */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "kernel/walk_bpf.h"
#include "kernel/walk_types.bpf.h"

#define ONLINE (1u << 1) /* CSS_ONLINE */

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
__u64 cpu_offset[WALK_CPUS]; /* of machine.cpus */
volatile __u64 address; /* of this and that: what comes from memory is a number */

/* As many as there are runs at a time: who loads it says. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_answer);
} answers SEC(".maps");

/* For `find`: addresses of memcgs by id; 0: not found yet. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WALK_FOUND);
	__type(key, __u64);
	__type(value, __u64);
} wanted SEC(".maps");

char _license[] SEC("license") = "Dual MIT/GPL";

struct walk_machine machine;

const __u64 masks[WALK_ROWS] = {WALK_MASKS};

/*
 * A word of the kernel's memory; 0 where there is none. The verifier allows such loads through a
 * pointer to a type of the kernel's, whatever the address is, and takes what a pointer member gives
 * for a pointer again. Here addresses are numbers: so the type is one that begins with a number.
 */
static __always_inline __u64 word(__u64 at)
{
	struct timespec64 *as =
		bpf_rdonly_cast((void *)(at - bpf_core_field_offset(struct timespec64, tv_sec)),
				bpf_core_type_id_kernel(struct timespec64));

	return as->tv_sec;
}

#define OFFSET(type, member) ((__u64)bpf_core_field_offset(struct type, member))
/* A pointer in a struct at an address. */
#define POINTER(at, type, member) word((at) + OFFSET(type, member))
/* A number in one. */
#define NUMBER(at, type, member)                                                              \
	(((struct type *)bpf_rdonly_cast((void *)(at), bpf_core_type_id_kernel(struct type))) \
		 ->member)

static __always_inline __u64 id_of(__u64 css)
{
	__u64 cgroup = POINTER(css, cgroup_subsys_state, cgroup);

	return NUMBER(POINTER(cgroup, cgroup, kn), kernfs_node, id);
}

/* Where a walk is. It comes to each css on its way down or sideways, and to parents again. */
struct place {
	__u64 css, top;
	int fresh; /* css was not visited yet */
	int lost;
};

/* The next step. False: that was the last. */
static __always_inline int step(struct place *at)
{
	__u64 link, parent;

	if (at->fresh) {
		link = POINTER(at->css, cgroup_subsys_state, children.next);
		if (!link)
			goto lost;
		if (link != at->css + OFFSET(cgroup_subsys_state, children)) {
			at->css = link - OFFSET(cgroup_subsys_state, sibling);
			return 1;
		}
	}
	if (at->css == at->top)
		return 0;
	link = POINTER(at->css, cgroup_subsys_state, sibling.next);
	parent = POINTER(at->css, cgroup_subsys_state, parent);
	if (!link || !parent)
		goto lost;
	at->fresh = link != parent + OFFSET(cgroup_subsys_state, children);
	at->css = at->fresh ? link - OFFSET(cgroup_subsys_state, sibling) : parent;
	return 1;
lost:
	at->lost = 1;
	return 0;
}

/* The memcg's mem_cgroup_per_node of the node with this id. */
static __always_inline __u64 node_info(__u64 memcg, __u32 nid)
{
	return word(memcg + OFFSET(mem_cgroup, nodeinfo) + sizeof(__u64) * nid);
}

/* These functions are not static: so each is verified once, whatever is known where it is called.
 */

/* The lists of one column of one memcg; `at` is 0 where there is no way to them. */
__noinline int add_lists(struct walk_answer *answer, __u64 column, __u64 at)
{
	if (!answer)
		return 0;
	if (!at || column > WALK_NODES) {
		answer->unreachable++;
		return 0;
	}
	for (int lru = 0; lru < WALK_LISTS; lru++) {
		long value = word(at + sizeof(__u64) * lru);

		answer->pages[column][lru] += value < 0 ? 0 : value;
		answer->loads++;
	}
	return 0;
}

static __always_inline __u64 local_of_node(__u64 info)
{
	__u64 stats;

	if (!info)
		return 0;
	if (bpf_core_field_exists(struct mem_cgroup_per_node___embedding, lruvec_stats))
		stats = info + OFFSET(mem_cgroup_per_node___embedding, lruvec_stats);
	else
		stats = POINTER(info, mem_cgroup_per_node, lruvec_stats);
	return stats ? stats + OFFSET(lruvec_stats, state_local) : 0;
}

/* Of one memcg all that a pass over it asks for. */
__noinline int add_local(struct walk_answer *answer, __u64 memcg)
{
	__u64 stats = POINTER(memcg, mem_cgroup, vmstats);
	struct bpf_iter_num it;
	int *at;

	if (!answer)
		return 0;
	add_lists(answer, 0, stats ? stats + OFFSET(memcg_vmstats, state_local) : 0);
	bpf_iter_num_new(&it, 0, machine.nr_nodes);
	while ((at = bpf_iter_num_next(&it))) {
		__u32 i = (__u32)*at;

		if (i >= WALK_NODES)
			break;
		add_lists(answer, 1 + i, local_of_node(node_info(memcg, machine.nids[i])));
	}
	bpf_iter_num_destroy(&it);
	return 0;
}

/* One item over all possible CPUs. */
__noinline long sum_possible(struct walk_answer *answer, __u64 at)
{
	struct bpf_iter_num it;
	__u64 loads = 0;
	long sum = 0;
	int *cpu;

	if (!answer)
		return 0;
	bpf_iter_num_new(&it, 0, machine.nr_cpus);
	while ((cpu = bpf_iter_num_next(&it))) {
		__u32 i = (__u32)*cpu;

		if (i >= WALK_CPUS)
			break;
		sum += word(at + cpu_offset[i]);
		loads++;
	}
	bpf_iter_num_destroy(&it);
	answer->loads += loads;
	return sum < 0 ? 0 : sum;
}

/* One row of one column of one memcg. */
__noinline long row_of_memcg(struct walk_answer *answer, __u64 memcg, __u64 mask, __u64 column)
{
	__u64 at, sum = 0;

	if (!answer)
		return 0;
	if (!column) {
		at = POINTER(memcg, mem_cgroup, vmstats_percpu);
		at = at ? at + OFFSET(memcg_vmstats_percpu, state) : 0;
	} else if (column <= WALK_NODES) {
		at = node_info(memcg, machine.nids[column - 1]);
		at = at ? POINTER(at, mem_cgroup_per_node, lruvec_stats_percpu) : 0;
		at = at ? at + OFFSET(lruvec_stats_percpu, state) : 0;
	} else {
		at = 0;
	}
	if (!at) {
		answer->unreachable++;
		return 0;
	}
	for (int lru = 0; lru < WALK_LISTS; lru++)
		if (mask & (1u << lru))
			sum += sum_possible(answer, at + sizeof(__u64) * lru);
	return sum;
}

static __always_inline void count(struct walk_answer *answer, __u64 css)
{
	answer->memcgs++;
	if (!answer->passes && !(NUMBER(css, cgroup_subsys_state, flags) & ONLINE))
		answer->dying++;
}

static __always_inline int end_pass(struct walk_answer *answer, const struct place *at, int over)
{
	answer->passes++;
	return over && !at->lost ? WALK_DONE : WALK_LOST;
}

static __always_inline int pass_local(struct walk_answer *answer, __u64 top, int alone)
{
	struct place at = {.css = top, .top = top, .fresh = 1};
	struct bpf_iter_num it;
	int over = 0;

	bpf_iter_num_new(&it, 0, WALK_STEPS);
	while (!over && bpf_iter_num_next(&it)) {
		if (at.fresh) {
			count(answer, at.css);
			add_local(answer, at.css - OFFSET(mem_cgroup, css));
		}
		over = alone || !step(&at);
	}
	bpf_iter_num_destroy(&it);
	return end_pass(answer, &at, over);
}

/* One row of one column. */
static __always_inline int pass_percpu(struct walk_answer *answer, __u64 top, int alone, __u32 row,
				       __u32 column)
{
	struct place at = {.css = top, .top = top, .fresh = 1};
	struct bpf_iter_num it;
	__u64 sum = 0;
	int over = 0;

	if (row >= WALK_ROWS || column > WALK_NODES)
		return WALK_LOST;
	bpf_iter_num_new(&it, 0, WALK_STEPS);
	while (!over && bpf_iter_num_next(&it)) {
		if (at.fresh) {
			count(answer, at.css);
			sum += row_of_memcg(answer, at.css - OFFSET(mem_cgroup, css), masks[row],
					    column);
		}
		over = alone || !step(&at);
	}
	bpf_iter_num_destroy(&it);
	answer->rows[column][row] = sum;
	return end_pass(answer, &at, over);
}

/* Where the answer goes, emptied, if the memcg is the one that is wanted. */
static __always_inline struct walk_answer *begin(const struct walk_run *run)
{
	__u32 slot = run->slot;
	struct walk_answer *answer = bpf_map_lookup_elem(&answers, &slot);
	struct bpf_iter_num it;
	int *at;

	if (!answer || id_of(run->top.css) != run->top.id)
		return NULL;
	answer->passes = answer->memcgs = answer->dying = answer->unreachable = answer->loads = 0;
	bpf_iter_num_new(&it, 0, 1 + machine.nr_nodes);
	while ((at = bpf_iter_num_next(&it))) {
		__u32 column = (__u32)*at;

		if (column > WALK_NODES)
			break;
		for (int lru = 0; lru < WALK_LISTS; lru++)
			answer->pages[column][lru] = 0;
	}
	bpf_iter_num_destroy(&it);
	return answer;
}

SEC("syscall")
int walk_local(struct walk_run *run)
{
	__u64 since = bpf_ktime_get_ns();
	struct walk_answer *answer;
	int outcome = WALK_GONE;

	bpf_rcu_read_lock();
	answer = begin(run);
	if (answer) {
		outcome = pass_local(answer, run->top.css, run->alone);
		answer->ns = bpf_ktime_get_ns() - since;
	}
	bpf_rcu_read_unlock();
	return outcome;
}

SEC("syscall")
int walk_percpu(struct walk_run *run)
{
	__u64 since = bpf_ktime_get_ns();
	struct walk_answer *answer;
	struct bpf_iter_num it;
	int outcome = WALK_GONE;
	int *pass;

	bpf_rcu_read_lock();
	answer = begin(run);
	bpf_rcu_read_unlock();
	if (!answer)
		return outcome;
	bpf_iter_num_new(&it, 0, WALK_ROWS * (1 + machine.nr_nodes));
	while ((pass = bpf_iter_num_next(&it))) {
		bpf_rcu_read_lock();
		/* Between two passes nothing keeps it. */
		outcome = id_of(run->top.css) != run->top.id
				  ? WALK_GONE
				  : pass_percpu(answer, run->top.css, run->alone,
						(__u32)*pass % WALK_ROWS, (__u32)*pass / WALK_ROWS);
		bpf_rcu_read_unlock();
		if (outcome != WALK_DONE)
			break;
	}
	bpf_iter_num_destroy(&it);
	answer->ns = bpf_ktime_get_ns() - since;
	return outcome;
}

static __always_inline void find_offsets(void)
{
	struct bpf_iter_num it;
	__u64 common;
	int *cpu;

	/* By way of memory: the verifier allows no arithmetic on the address of a map. */
	address = (__u64)&probe;
	common = POINTER(address, bpf_array, pptrs[0]);
	bpf_iter_num_new(&it, 0, machine.nr_cpus);
	while ((cpu = bpf_iter_num_next(&it))) {
		__u32 key = 0, i = (__u32)*cpu;

		if (i >= WALK_CPUS)
			break;
		address = (__u64)bpf_map_lookup_percpu_elem(&probe, &key, machine.cpus[i]);
		cpu_offset[i] = address ? address - common : 0;
	}
	bpf_iter_num_destroy(&it);
}

/*
 * Not timed: looks through the memcgs of the machine, from the one that has no parent on, for those
 * that are wanted. The way there is the calling task's own memcg, whatever the version of cgroups.
 */
SEC("syscall")
int find(void *context)
{
	struct place at = {.fresh = 1};
	struct bpf_iter_num it;
	__u64 css, parent;
	int over = 0;

	(void)context;
	find_offsets();
	bpf_rcu_read_lock();
	css = POINTER(bpf_get_current_task(), task_struct, cgroups);
	css = word(css + OFFSET(css_set, subsys) +
		   sizeof(__u64) * bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id));
	bpf_iter_num_new(&it, 0, WALK_STEPS);
	while (css && bpf_iter_num_next(&it)) {
		parent = POINTER(css, cgroup_subsys_state, parent);
		if (!parent)
			break;
		css = parent;
	}
	bpf_iter_num_destroy(&it);
	at.css = at.top = css;
	bpf_iter_num_new(&it, 0, WALK_STEPS);
	while (css && !over && bpf_iter_num_next(&it)) {
		if (at.fresh) {
			__u64 id = id_of(at.css), *found = bpf_map_lookup_elem(&wanted, &id);

			if (found)
				*found = at.css;
		}
		over = !step(&at);
	}
	bpf_iter_num_destroy(&it);
	bpf_rcu_read_unlock();
	if (!css)
		return WALK_NO_MEMCG;
	return over && !at.lost ? WALK_DONE : WALK_LOST;
}
