// SPDX-License-Identifier: MIT
/*
 * What walk.bpf.c uses, by name. libbpf and the verifier would refuse the program as well, but say
 * it in instructions; this says which kernels have it.
 */
#include "kernel/bpf_needs.h"

#include <bpf/btf.h>
#include <errno.h>
#include <linux/btf.h>
#include <string.h>

#define BOTH (1u << BPF_WALK_LOCAL | 1u << BPF_WALK_PERCPU)

struct need {
	unsigned modes;
	const char *type; /* a struct, or a function */
	const char *member; /* NULL: of a function */
	const char *since; /* who has it */
};

static const struct need needs[] = {
	{BOTH, "bpf_rdonly_cast", NULL, "Linux 6.2 and later"},
	{BOTH, "bpf_rcu_read_lock", NULL, "Linux 6.2 and later"},
	{BOTH, "bpf_iter_num_new", NULL, "Linux 6.4 and later"},
	{BOTH, "css_set", "subsys", "Linux with CONFIG_CGROUPS"},
	{BOTH, "cgroup_subsys_state", "children", "Linux with CONFIG_CGROUPS"},
	{BOTH, "cgroup", "kn", "Linux with CONFIG_CGROUPS"},
	{BOTH, "kernfs_node", "id", "Linux 5.5 and later"},
	{BOTH, "mem_cgroup", "nodeinfo", "Linux with CONFIG_MEMCG"},
	{1u << BPF_WALK_LOCAL, "mem_cgroup", "vmstats", "Linux 5.13 and later"},
	{1u << BPF_WALK_LOCAL, "memcg_vmstats", "state_local", "Linux 6.6 and later"},
	{1u << BPF_WALK_LOCAL, "lruvec_stats", "state_local", "Linux 6.6 and later"},
	{1u << BPF_WALK_PERCPU, "mem_cgroup", "vmstats_percpu", "Linux 5.2 and later"},
	{1u << BPF_WALK_PERCPU, "memcg_vmstats_percpu", "state", "Linux 5.13 and later"},
	{1u << BPF_WALK_PERCPU, "mem_cgroup_per_node", "lruvec_stats_percpu",
	 "Linux 5.15 and later"},
	{1u << BPF_WALK_PERCPU, "lruvec_stats_percpu", "state", "Linux 5.15 and later"},
};

static bool has_member(const struct btf *btf, const char *type, const char *name)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	const struct btf_type *found = id > 0 ? btf__type_by_id(btf, (unsigned)id) : NULL;

	if (!found)
		return false;
	for (unsigned i = 0; i < btf_vlen(found); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(found)[i].name_off), name))
			return true;
	return false;
}

static bool has(const struct btf *btf, const struct need *need)
{
	if (need->member)
		return has_member(btf, need->type, need->member);
	return btf__find_by_name_kind(btf, need->type, BTF_KIND_FUNC) > 0;
}

int bpf_needs_check(const struct btf *btf, enum bpf_walk_mode mode, struct error_list *reasons)
{
	int r = 0;

	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		const struct need *need = &needs[i];

		if (!(need->modes & 1u << mode) || has(btf, need))
			continue;
		error_list_add(reasons, NULL, 0, 0,
			       "the walk inside the kernel needs %s%s%s, which this kernel lacks "
			       "(%s have it)",
			       need->type, need->member ? "." : "()",
			       need->member ? need->member : "", need->since);
		r = -ENOTSUP;
	}
	return r;
}
