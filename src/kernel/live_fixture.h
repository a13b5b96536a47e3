/* SPDX-License-Identifier: MIT */
/*
 * The fixture of all live back ends: the point's tree as real cgroups (live_tree.h), its charges as
 * real pages (live_fill.h), its dying memcgs removed while these pages hold them; and what came of
 * it. What it tells processes that measure upon it:
 *
 *  version          of cgroup: 1 or 2
 *  mount, tree      directories: where the hierarchy is mounted, and of memcg 0
 *  parking          the directory of a cgroup outside of the tree, for processes
 *  placement_found  as placement_verify() has it: where the charged pages were found
 *  made_ns, charged_ns, settled_ns    how long each took; of making, the cgroups alone
 *  pages            charged to the whole tree; unheld_pages: of a file's, those that nothing keeps
 *                   from being reclaimed
 *  cgroups          with a directory, memcg 0 included
 *  dying_asked      that were removed
 *  dying_found      of these, as the kernel counts them after two periods of the flusher; null
 *                   where it does not say. Fewer than asked: this kernel gave their pages to their
 *                   parents, or freed them
 *  truth            what the files say against that, see live_truth.h; null where there are none
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_FIXTURE_H
#define MEMCGBENCH_KERNEL_LIVE_FIXTURE_H

#include "backend/fixture.h"

extern const struct fixture live_fixture;

#endif
