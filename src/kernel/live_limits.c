// SPDX-License-Identifier: MIT
/* See live_limits.h. */
#include "kernel/live_limits.h"

#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/*
 * What a memcg takes in the kernel. Measured on Linux 6.18 with one node and two possible CPUs as
 * what 8,000 of them add to /proc/meminfo, twice: SUnreclaim 17.1 KiB each (of which 4.4 KiB are
 * kernfs nodes of its files), Percpu 2.06 KiB a CPU; and a file that was read adds 0.9 KiB of inode
 * and dentry, which can be reclaimed. The share of a node is known from what the structures hold,
 * 33 statistics of 8 bytes: twice for each CPU, thrice beside, and 2 KiB of the lruvec itself.
 * Older kernels take less.
 */
#define MEMCG_BYTES          (15 * UINT64_C(1024))
#define MEMCG_NODE_BYTES     (3 * UINT64_C(1024))
#define MEMCG_CPU_BYTES      UINT64_C(1600)
#define MEMCG_CPU_NODE_BYTES UINT64_C(544)
/* Each cgroup has a pointer to each of its ancestors. */
#define ANCESTOR_BYTES sizeof(void *)

uint64_t live_cgroup_bytes(const struct live_demand *demand, uint64_t cpus, uint64_t nodes)
{
	uint64_t each = MEMCG_BYTES + MEMCG_NODE_BYTES * nodes +
			cpus * (MEMCG_CPU_BYTES + MEMCG_CPU_NODE_BYTES * nodes);

	return (demand->memcgs + LIVE_OTHERS) * each + demand->ancestors * ANCESTOR_BYTES;
}

static int rights(const struct live_demand *demand, const struct live_facts *facts,
		  struct error_list *reasons)
{
	size_t before = reasons->total;

	if (facts->read_only)
		error_list_add(reasons, NULL, 0, 0, "%s is mounted read-only", facts->mount);
	else if (facts->make_error)
		error_list_add(
			reasons, NULL, 0, 0,
			"this user may not make cgroups at the top of %s and move processes "
			"into them: %s (live back ends need root, or have that directory and "
			"its cgroup.procs delegated to them)",
			facts->mount, strerror(-facts->make_error));
	if (*facts->notes_error.text)
		error_list_add(reasons, facts->notes_error.file, 0, 0,
			       "%s (without a note a cgroup could not be told from others when it "
			       "has to be removed)",
			       facts->notes_error.text);
	if (facts->with_cpuset)
		error_list_add(reasons, NULL, 0, 0,
			       "%s has cpuset beside memory, whose new cgroups take no process",
			       facts->mount);
	if (!facts->has_file)
		error_list_add(reasons, NULL, 0, 0, "this kernel's cgroups have no %s",
			       demand->file);
	return reasons->total > before ? -ENODEV : 0;
}

static int handing_down(const struct live_demand *demand, const struct live_facts *facts,
			struct error_list *reasons)
{
	if (facts->version == 1 || facts->handed_down)
		return 0;
	if (facts->has_processes)
		error_list_add(reasons, NULL, 0, 0,
			       "%s is a cgroup with processes in it, which cannot hand the memory "
			       "controller down",
			       facts->mount);
	else if (!demand->enable_controllers)
		error_list_add(reasons, NULL, 0, 0,
			       "%s/cgroup.subtree_control does not hand the memory controller down "
			       "(run --enable-controllers has it do so for as long as that takes)",
			       facts->mount);
	else
		return 0;
	return -ENODEV;
}

static int over(struct error_list *reasons, uint64_t needed, uint64_t left, const char *what,
		const char *limit)
{
	if (needed <= left)
		return 0;
	error_list_add(reasons, NULL, 0, 0, "the tree needs %" PRIu64 " %s, and %s %" PRIu64,
		       needed, what, limit, left);
	return -ENODEV;
}

static int over_bytes(struct error_list *reasons, uint64_t needed, uint64_t left, const char *what,
		      const char *limit)
{
	char a[UNIT_TEXT_MAX], b[UNIT_TEXT_MAX];

	if (needed <= left)
		return 0;
	error_list_add(reasons, NULL, 0, 0, "%s need %s, and %s %s", what,
		       unit_format_bytes(a, (double)needed), limit,
		       unit_format_bytes(b, (double)left));
	return -ENODEV;
}

static uint64_t less(uint64_t limit, uint64_t used)
{
	if (limit == UINT64_MAX || used == UINT64_MAX)
		return UINT64_MAX;
	return limit - (used < limit ? used : limit);
}

static int numbers(const struct live_demand *demand, const struct live_facts *facts,
		   struct error_list *reasons)
{
	uint64_t cgroups = demand->memcgs + LIVE_OTHERS;
	int r = 0;

	r |= over(reasons, cgroups, less(MEMCG_IDS, facts->memcgs), "cgroups",
		  "of the kernel's 65,535 ids of memcgs those that exist leave");
	r |= over(reasons, cgroups, less(facts->max_descendants, facts->descendants), "cgroups",
		  "cgroup.max.descendants leaves");
	r |= over(reasons, demand->levels, facts->max_levels, "levels of cgroups",
		  "cgroup.max.depth allows");
	r |= over(reasons, demand->tasks, facts->tasks, "tasks at a time", "limits of pids leave");
	r |= over(reasons, demand->descriptors, facts->descriptors, "open files in a process",
		  "RLIMIT_NOFILE (ulimit -n) allows");
	return r ? -ENODEV : 0;
}

static int memory(const struct live_demand *demand, const struct live_facts *facts,
		  struct error_list *reasons)
{
	const struct charger_pages *pages = &demand->pages;
	uint64_t cgroups = live_cgroup_bytes(demand, facts->cpus, facts->nodes);
	uint64_t charged = (pages->anon + pages->locked + pages->file) * facts->page_bytes;
	int r = 0;

	r |= over_bytes(reasons, cgroups + charged, facts->memory, "cgroups and charged pages",
			"what is available is");
	r |= over_bytes(reasons, pages->locked * facts->page_bytes, facts->lockable,
			"pages that are locked", "RLIMIT_MEMLOCK (ulimit -l) allows");
	return r ? -ENODEV : 0;
}

int live_limits_check(const struct live_demand *demand, const struct live_facts *facts,
		      struct error_list *reasons)
{
	int r = rights(demand, facts, reasons);

	r |= handing_down(demand, facts, reasons);
	r |= numbers(demand, facts, reasons);
	r |= memory(demand, facts, reasons);
	return r ? -ENODEV : 0;
}
