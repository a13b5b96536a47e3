// SPDX-License-Identifier: MIT
/* See live_possible.h. */
#include "kernel/live_possible.h"

#include "kernel/hierarchy.h"

#include <errno.h>

/* Nodes with memory are those that files have columns of. */
static int nodes_are_here(const struct point *point, const struct machine *machine)
{
	unsigned at = 0;

	for (unsigned i = 0; i < machine->nr_nodes; i++) {
		if (!machine->nodes[i].bytes)
			continue;
		if (at == point->machine.nodes ||
		    point->machine.nids[at++] != machine->nodes[i].os_index)
			return 0;
	}
	return at == point->machine.nodes;
}

/* Nothing is folded: what files show is of this machine's nodes and CPUs. */
static int machine_is_here(const struct point *point, const struct machine *machine,
			   struct error_list *reasons)
{
	int r = 0;

	if (!nodes_are_here(point, machine)) {
		error_list_add(reasons, NULL, 0, 0,
			       "live back ends have this machine's nodes with memory, not those "
			       "asked for (machine.nodes: here)");
		r = -ENODEV;
	}
	if (point->machine.cpus != machine->possible_cpus) {
		error_list_add(reasons, NULL, 0, 0,
			       "live back ends have this machine's %u possible CPUs, not %u "
			       "(machine.cpus: here)",
			       machine->possible_cpus, point->machine.cpus);
		r = -ENODEV;
	}
	return r;
}

/* rmdir takes a cgroup only when none is below it: who is dying has none but such. */
static int can_die(const struct memcg_tree *tree)
{
	for (uint32_t memcg = 1; memcg < tree->nr; memcg++)
		if (tree->dying[tree->parent[memcg]] && !tree->dying[memcg])
			return 0;
	return 1;
}

static int dying_is_possible(const struct point *point, struct error_list *reasons)
{
	struct memcg_tree *tree;
	int able;

	if (!tree_dying(&point->tree))
		return 0;
	if (memcg_tree_new(&point->tree, &tree)) {
		error_list_add(reasons, NULL, 0, 0, "no memory for the tree");
		return -ENODEV;
	}
	able = can_die(tree);
	memcg_tree_free(tree);
	if (able)
		return 0;
	error_list_add(reasons, NULL, 0, 0,
		       "a real cgroup cannot be removed while there are others below it, and some "
		       "of the dying have living ones (tree.shape: flat, kubernetes, systemd or "
		       "slurm)");
	return -ENODEV;
}

int live_possible(const struct point *point, const struct machine *machine,
		  const struct fixture_options *options, struct error_list *reasons)
{
	struct hierarchy hierarchy;
	struct error err;
	int here, dies;

	(void)options;
	if (!machine->thissystem) {
		error_list_add(reasons, NULL, 0, 0,
			       "live back ends read this machine, not one that is described");
		return -ENODEV;
	}
	if (hierarchy_find(HIERARCHY_MOUNTS, &hierarchy, &err)) {
		error_list_add(reasons, NULL, 0, 0, "%s", err.text);
		return -ENODEV;
	}
	hierarchy_close(&hierarchy);
	dies = dying_is_possible(point, reasons);
	here = machine_is_here(point, machine, reasons);
	return here ? here : dies;
}
