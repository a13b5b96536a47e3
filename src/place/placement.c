// SPDX-License-Identifier: MIT
/* See placement.h: which real node stands for each modelled one. */
#include "place/placement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool usable(const struct machine_node *node)
{
	return node->allowed && node->bytes;
}

static bool without_memory(const struct machine_node *node)
{
	return !node->bytes;
}

static bool unknown_to_hwloc(const struct machine *machine, const struct machine_node *node)
{
	return node->bytes &&
	       !hwloc_get_numanode_obj_by_os_index(machine->topology, node->os_index);
}

/* Why a node cannot be used; NULL where it can. */
static const char *obstacle(const struct machine *machine, const struct machine_node *node)
{
	if (usable(node))
		return NULL;
	if (without_memory(node))
		return "without memory";
	if (unknown_to_hwloc(machine, node))
		return "not known to hwloc";
	return "hidden from this process (cpuset.mems)";
}

/* "0-1,8" of the nodes with this obstacle (NULL: of the usable ones); the caller frees. */
static char *nodes_with(const struct machine *machine, const char *why, unsigned *nr)
{
	hwloc_bitmap_t ids = hwloc_bitmap_alloc();
	char *text = NULL;

	*nr = 0;
	for (unsigned i = 0; ids && i < machine->nr_nodes; i++) {
		const char *here = obstacle(machine, &machine->nodes[i]);

		if (here != why && (!here || !why || strcmp(here, why)))
			continue;
		hwloc_bitmap_set(ids, machine->nodes[i].os_index);
		(*nr)++;
	}
	if (ids)
		hwloc_bitmap_list_asprintf(&text, ids);
	hwloc_bitmap_free(ids);
	return text;
}

/* One reason per kind of obstacle, each with the ids of its nodes. */
static void explain_nodes(const struct machine *machine, struct error_list *reasons)
{
	for (unsigned i = 0; i < machine->nr_nodes; i++) {
		const char *why = obstacle(machine, &machine->nodes[i]);
		bool told = !why;
		char *ids;
		unsigned nr;

		for (unsigned j = 0; !told && j < i; j++) {
			const char *before = obstacle(machine, &machine->nodes[j]);

			told = before && !strcmp(before, why);
		}
		if (told)
			continue;
		ids = nodes_with(machine, why, &nr);
		error_list_add(reasons, NULL, 0, 0, "%s %s of %s cannot be used: %s",
			       nr == 1 ? "node" : "nodes", ids ? ids : "?", machine->source, why);
		free(ids);
	}
}

static void explain_too_few(const struct machine *machine, const struct point *point,
			    unsigned nr_usable, struct error_list *reasons)
{
	unsigned nr;
	char *ids = nodes_with(machine, NULL, &nr);

	if (!nr_usable)
		error_list_add(reasons, NULL, 0, 0, "%s has no NUMA node that can be used",
			       machine->source);
	else
		error_list_add(
			reasons, NULL, 0, 0,
			"placement: real needs %u NUMA nodes that can be used, and %s has %u "
			"(%s %s); placement: fold would share them",
			point->machine.nodes, machine->source, nr_usable,
			nr_usable == 1 ? "node" : "nodes", ids ? ids : "?");
	free(ids);
	explain_nodes(machine, reasons);
}

static int find_node(const struct machine *machine, unsigned os_index)
{
	for (unsigned i = 0; i < machine->nr_nodes; i++)
		if (machine->nodes[i].os_index == os_index)
			return (int)i;
	return -1;
}

/*
 * Every modelled node gets a real one of its own: that with its id where there is one, else the
 * first that is left, those with CPUs first.
 */
static void map_real(struct placement *placement, const struct point *point, bool *taken)
{
	const struct machine *machine = placement->machine;

	for (unsigned n = 0; n < placement->nr_nodes; n++) {
		int i = find_node(machine, point->machine.nids[n]);

		placement->real_node[n] = machine->nr_nodes;
		if (i < 0 || !usable(&machine->nodes[i]) || taken[i])
			continue;
		placement->real_node[n] = (unsigned)i;
		taken[i] = true;
	}
	for (unsigned pass = 0; pass < 2; pass++) {
		unsigned i = 0;

		for (unsigned n = 0; n < placement->nr_nodes; n++) {
			if (placement->real_node[n] < machine->nr_nodes)
				continue;
			while (i < machine->nr_nodes && (taken[i] || !usable(&machine->nodes[i]) ||
							 (pass == 0 && !machine->nodes[i].nr_cpus)))
				i++;
			if (i == machine->nr_nodes)
				break;
			placement->real_node[n] = i;
			taken[i] = true;
		}
	}
}

static void map_fold(struct placement *placement)
{
	const struct machine *machine = placement->machine;
	unsigned i = machine->nr_nodes - 1;

	for (unsigned n = 0; n < placement->nr_nodes; n++) {
		do
			i = (i + 1) % machine->nr_nodes;
		while (!usable(&machine->nodes[i]));
		placement->real_node[n] = i;
	}
}

/*
 * Blocks of modelled CPUs, as equal as can be, over the nodes that own CPUs: all of them when
 * folded (the model decides), those whose real node has CPUs otherwise. 0, or -ENODEV where none
 * has.
 */
static int place_cpus(struct placement *placement)
{
	const struct machine *machine = placement->machine;
	bool real = placement->asked == PLACEMENT_REAL;
	unsigned owners = 0, owner = 0;

	for (unsigned n = 0; n < placement->nr_nodes; n++)
		owners += !real || machine->nodes[placement->real_node[n]].nr_cpus;
	if (!owners)
		return -ENODEV;
	for (unsigned n = 0; n < placement->nr_nodes; n++) {
		uint64_t first, end;

		if (real && !machine->nodes[placement->real_node[n]].nr_cpus)
			continue;
		first = (uint64_t)owner * placement->nr_cpus / owners;
		end = (uint64_t)(owner + 1) * placement->nr_cpus / owners;
		for (uint64_t cpu = first; cpu < end; cpu++)
			placement->node_of_cpu[cpu] = (uint16_t)n;
		owner++;
	}
	return 0;
}

static int check_nodes(const struct machine *machine, const struct point *point,
		       struct error_list *reasons)
{
	unsigned nr_usable = 0, nr_allowed = 0;

	for (unsigned i = 0; i < machine->nr_nodes; i++) {
		nr_usable += usable(&machine->nodes[i]);
		nr_allowed += machine->nodes[i].nr_allowed;
	}
	if (!nr_allowed)
		error_list_add(reasons, NULL, 0, 0,
			       "no CPU of %s's nodes may be used (cpuset.cpus)", machine->source);
	if (!nr_usable ||
	    (point->machine.placement == PLACEMENT_REAL && nr_usable < point->machine.nodes)) {
		explain_too_few(machine, point, nr_usable, reasons);
		return -ENODEV;
	}
	return nr_allowed ? 0 : -ENODEV;
}

static struct placement *placement_alloc(const struct machine *machine, const struct point *point)
{
	struct placement *placement = calloc(1, sizeof(*placement));

	if (!placement)
		return NULL;
	placement->machine = machine;
	placement->asked = point->machine.placement;
	placement->nr_nodes = point->machine.nodes;
	placement->nr_cpus = point->machine.cpus;
	placement->pages = point->machine.pages;
	placement->real_node = calloc(placement->nr_nodes, sizeof(*placement->real_node));
	placement->node_of_cpu = calloc(placement->nr_cpus, sizeof(*placement->node_of_cpu));
	placement->nids = calloc(placement->nr_nodes, sizeof(*placement->nids));
	if (!placement->real_node || !placement->node_of_cpu || !placement->nids) {
		placement_free(placement);
		return NULL;
	}
	memcpy(placement->nids, point->machine.nids,
	       placement->nr_nodes * sizeof(*placement->nids));
	return placement;
}

/*
 * Containers often forbid binding, which only an attempt shows. Better to be told before anything
 * is measured than by the first process that fails. `tried` has one element per real node.
 */
static int probe_binding(const struct placement *placement, bool *tried, struct error_list *reasons)
{
	int result = 0;

	memset(tried, 0, placement->machine->nr_nodes * sizeof(*tried));
	for (unsigned n = 0; n < placement->nr_nodes; n++) {
		struct region region;
		struct error err;
		int r;

		if (tried[placement->real_node[n]])
			continue;
		tried[placement->real_node[n]] = true;
		r = placement_map(placement, n, 1, &region, &err);
		if (!r) {
			placement_unmap(&region);
			continue;
		}
		error_list_add(reasons, NULL, 0, 0, "%s", err.text);
		result = -ENODEV;
	}
	return result;
}

int placement_new(const struct machine *machine, const struct point *point, struct placement **out,
		  struct error_list *reasons)
{
	struct placement *placement;
	bool *taken = NULL;
	int r = check_nodes(machine, point, reasons);

	if (r)
		return r;
	placement = placement_alloc(machine, point);
	taken = calloc(machine->nr_nodes, sizeof(*taken));
	if (!placement || !taken) {
		error_list_add(reasons, NULL, 0, 0, "out of memory");
		r = -ENOMEM;
		goto out;
	}
	if (placement->asked == PLACEMENT_REAL)
		map_real(placement, point, taken);
	else
		map_fold(placement);
	r = place_cpus(placement);
	if (r) {
		error_list_add(
			reasons, NULL, 0, 0,
			"placement: real puts all modelled nodes on nodes of %s that have no "
			"CPUs, and per-CPU areas lie on nodes with CPUs; name one in "
			"machine.node_ids",
			machine->source);
		goto out;
	}
	if (machine->thissystem)
		r = probe_binding(placement, taken, reasons);
	if (r)
		goto out;
	*out = placement;
	placement = NULL;
out:
	free(taken);
	placement_free(placement);
	return r;
}

void placement_free(struct placement *placement)
{
	if (!placement)
		return;
	free(placement->real_node);
	free(placement->node_of_cpu);
	free(placement->nids);
	free(placement);
}
