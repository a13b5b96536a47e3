// SPDX-License-Identifier: MIT
/* See live_possible.h. */
#include "kernel/live_possible.h"

#include "driver/feasible.h"
#include "kernel/live_limits.h"
#include "kernel/own_note.h"

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

static int dying_is_possible(const struct memcg_tree *tree, struct error_list *reasons)
{
	if (can_die(tree))
		return 0;
	error_list_add(reasons, NULL, 0, 0,
		       "a real cgroup cannot be removed while there are others below it, and some "
		       "of the dying have living ones (tree.shape: flat, kubernetes, systemd or "
		       "slurm)");
	return -ENODEV;
}

static uint64_t nodes_with_memory(const struct machine *machine)
{
	uint64_t nodes = 0;

	for (unsigned i = 0; i < machine->nr_nodes; i++)
		nodes += machine->nodes[i].bytes > 0;
	return nodes;
}

/* Against the limits of this machine's memory hierarchy. */
static int limits_allow(const struct live_demand *demand, const struct machine *machine,
			struct error_list *reasons)
{
	struct hierarchy hierarchy;
	struct live_facts facts;
	char notes[PATH_MAX];
	struct error err, no_notes;
	bool noted = !own_notes_path(notes, &no_notes);
	int r = hierarchy_find(HIERARCHY_MOUNTS, &hierarchy, &err);

	if (r) {
		error_list_add(reasons, err.file, err.line, 0, "%s", err.text);
		return -ENODEV;
	}
	live_facts_gather(&hierarchy, noted ? notes : NULL, "", demand->file, &facts);
	if (facts.memcgs + demand->memcgs + LIVE_OTHERS > MEMCG_IDS)
		live_facts_count(&hierarchy, &facts);
	if (!noted)
		facts.notes_error = no_notes;
	facts.memory = available_memory();
	facts.cpus = machine->possible_cpus;
	facts.nodes = nodes_with_memory(machine);
	r = live_limits_check(demand, &facts, reasons);
	hierarchy_close(&hierarchy);
	return r;
}

static int tree_is_possible(const struct point *point, const struct machine *machine,
			    const struct fixture_options *options, struct error_list *reasons)
{
	struct live_demand demand;
	struct memcg_tree *tree;
	int dies, allowed;

	if (memcg_tree_new(&point->tree, &tree)) {
		error_list_add(reasons, NULL, 0, 0, "no memory for the tree");
		return -ENODEV;
	}
	demand = live_demand_of(point, tree);
	demand.enable_controllers = options->enable_controllers;
	dies = dying_is_possible(tree, reasons);
	allowed = limits_allow(&demand, machine, reasons);
	memcg_tree_free(tree);
	return dies ? dies : allowed;
}

int live_possible(const struct point *point, const struct machine *machine,
		  const struct fixture_options *options, struct error_list *reasons)
{
	int here, stands;

	if (!machine->thissystem) {
		error_list_add(reasons, NULL, 0, 0,
			       "live back ends read this machine, not one that is described");
		return -ENODEV;
	}
	here = machine_is_here(point, machine, reasons);
	stands = tree_is_possible(point, machine, options, reasons);
	return here ? here : stands;
}
