/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's files say of a fixture's tree once all has been counted, held against each
 * other and against what was charged: the hierarchical total of the tree's root, and the sum of the
 * local totals of all cgroups that have a file. Memcgs of removed cgroups have none: what they
 * hold, and they alone, is in the former and not in the latter.
 *
 * Read once by whoever has made the fixture, by the parser that reads any file (stat_parse.h).
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_TRUTH_H
#define MEMCGBENCH_KERNEL_LIVE_TRUTH_H

#include "kernel/live_tree.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct live_truth {
	bool known; /* false: there are no such files */
	bool has_local; /* v2's files have no local rows */
	uint64_t hierarchical, local_sum; /* pages on LRU lists */
};

/*
 * memory.numa_stat of a tree below the directories, of cgroup `version`. A kernel without NUMA has
 * none of these files: not known, which is no error. -EINTR where it was stopped.
 */
int live_truth_look(struct live_dirs *dirs, unsigned version, const struct live_progress *progress,
		    struct live_truth *truth, struct error *err);

/* "truth" of "live.fixture" in result/result.h. */
json_t *live_truth_json(const struct live_truth *truth, uint64_t charged, uint64_t bound);

#endif
