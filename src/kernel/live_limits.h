/* SPDX-License-Identifier: MIT */
/*
 * Does this machine let a tree of cgroups with its pages stand? What is asked for and what there is
 * are collected by one side, compared by another, so that every limit can be tested. All that
 * stands in the way is told at once, before anything is made.
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_LIMITS_H
#define MEMCGBENCH_KERNEL_LIVE_LIMITS_H

#include "base/error.h"
#include "kernel/charger.h"
#include "kernel/hierarchy.h"
#include "memcg/tree.h"
#include "scenario/point.h"

#include <stdbool.h>
#include <stdint.h>

/* Ids that the kernel has for memcgs. */
#define MEMCG_IDS 65535u
/* Cgroups beside the tree's: our own directory, and the parking place. */
#define LIVE_OTHERS 2u

struct live_demand {
	uint64_t memcgs; /* of the tree, memcg 0 included */
	uint64_t levels; /* below the hierarchy's top, of the deepest */
	uint64_t ancestors; /* of all of them together */
	struct charger_pages pages;
	uint64_t tasks; /* that exist at a time beside this process */
	uint64_t descriptors; /* that one process has open at a time, files that are read apart */
	const char *file; /* of a cgroup, that is read */
	bool enable_controllers;
};

/* UINT64_MAX where there is no limit, or it is not known. */
struct live_facts {
	const char *mount;
	unsigned version; /* of cgroup */
	bool read_only, with_cpuset; /* see struct hierarchy */
	int make_error; /* this user may not make cgroups there, or not move processes: -errno */
	struct error notes_error; /* notes cannot be kept; "" they can */
	bool handed_down; /* v2: `memory` is in cgroup.subtree_control */
	bool has_processes; /* v2: in a top that is not the machine's root: it hands nothing down */
	bool has_file;
	/* On this machine, removed ones that are still there included: a bound of those that hold
	 * an id. See live_facts_count(). */
	uint64_t memcgs;
	uint64_t descendants, max_descendants, max_levels; /* v2: of the hierarchy's top */
	uint64_t memory; /* bytes that this process may still take */
	uint64_t lockable; /* bytes */
	uint64_t tasks; /* that may still be started */
	uint64_t descriptors; /* of a process */
	uint64_t page_bytes, cpus, nodes; /* possible CPUs; nodes with memory */
};

/* What a point's tree and charges ask for. */
struct live_demand live_demand_of(const struct point *point, const struct memcg_tree *tree);

/*
 * Look at what there is. `root` stands before /proc: "" but in tests. Notes are to be kept in
 * `notes`; NULL: that is the caller's to say, as memory, CPUs and nodes are.
 */
void live_facts_gather(const struct hierarchy *hierarchy, const char *notes, const char *root,
		       const char *file, struct live_facts *facts);

/*
 * Count memcgs that have a directory instead, as only these hold ids: one that is removed gives its
 * id back while its pages are still there, unless some are in swap. Takes some microseconds for
 * each, so it is for where the bound is in the way. What is mounted in part does not show all.
 */
void live_facts_count(const struct hierarchy *hierarchy, struct live_facts *facts);

/* 0, or -ENODEV with every reason added. */
int live_limits_check(const struct live_demand *demand, const struct live_facts *facts,
		      struct error_list *reasons);

/* Memory that the cgroups themselves take in the kernel. */
uint64_t live_cgroup_bytes(const struct live_demand *demand, uint64_t cpus, uint64_t nodes);

#endif
