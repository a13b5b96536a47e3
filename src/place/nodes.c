// SPDX-License-Identifier: MIT
/*
 * See nodes.h.
 *
 * A CPU belongs to exactly one node, as in Linux. hwloc instead tells of each node which CPUs it is
 * near to, so that memory without CPUs of its own (HBM, CXL, a GPU's) shares the CPUs of its
 * neighbour. Where sysfs does not decide, a CPU belongs to the node with the fewest CPUs around it,
 * and among equals to the one with the lowest OS index: kernels number memory-only nodes last.
 */
#include "place/nodes.h"

#include "place/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sets {
	hwloc_bitmap_t cpus; /* online */
	hwloc_bitmap_t allowed_cpus; /* of them, those this thread may run on */
	hwloc_bitmap_t allowed_nodes; /* those it may allocate on */
	hwloc_bitmap_t nodes; /* all that are known of */
	hwloc_bitmap_t scratch;
	hwloc_bitmap_t own; /* the CPUs of the node at hand */
};

static void sets_fini(struct sets *sets)
{
	hwloc_bitmap_free(sets->cpus);
	hwloc_bitmap_free(sets->allowed_cpus);
	hwloc_bitmap_free(sets->allowed_nodes);
	hwloc_bitmap_free(sets->nodes);
	hwloc_bitmap_free(sets->scratch);
	hwloc_bitmap_free(sets->own);
}

static void narrow(hwloc_bitmap_t set, hwloc_bitmap_t scratch, const char *root, const char *label)
{
	if (host_read_labelled_list(root, "/proc/thread-self/status", label, scratch) == 0)
		hwloc_bitmap_and(set, set, scratch);
}

static int sets_init(struct sets *sets, hwloc_topology_t topology, const char *root)
{
	*sets = (struct sets){
		.cpus = hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(topology)),
		.allowed_cpus = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)),
		.allowed_nodes = hwloc_bitmap_dup(hwloc_topology_get_allowed_nodeset(topology)),
		.nodes = hwloc_bitmap_dup(hwloc_topology_get_topology_nodeset(topology)),
		.scratch = hwloc_bitmap_alloc(),
		.own = hwloc_bitmap_alloc(),
	};
	if (!sets->cpus || !sets->allowed_cpus || !sets->allowed_nodes || !sets->nodes ||
	    !sets->scratch || !sets->own) {
		sets_fini(sets);
		return -ENOMEM;
	}
	if (!root) {
		hwloc_bitmap_or(sets->nodes, sets->nodes,
				hwloc_topology_get_complete_nodeset(topology));
		return 0;
	}
	if (host_read_list(root, "/sys/devices/system/node/online", sets->scratch) == 0)
		hwloc_bitmap_or(sets->nodes, sets->nodes, sets->scratch);
	narrow(sets->allowed_cpus, sets->scratch, root, "Cpus_allowed_list");
	narrow(sets->allowed_nodes, sets->scratch, root, "Mems_allowed_list");
	return 0;
}

/* MemTotal of a node that hwloc hides, in bytes; 0 for a node without memory. */
static uint64_t sysfs_node_bytes(const char *root, unsigned id)
{
	unsigned long long kib = 0;
	char path[96], *text, *total;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo", id);
	text = host_read(root, path);
	total = text ? strstr(text, "MemTotal:") : NULL;
	if (!total || sscanf(total, "MemTotal: %llu kB", &kib) != 1)
		kib = 0;
	free(text);
	return (uint64_t)kib << 10;
}

/* Which of the nodes near to `cpu` owns it; see above. */
static hwloc_obj_t owner_of(hwloc_topology_t topology, unsigned cpu)
{
	hwloc_obj_t node = NULL, best = NULL;
	int best_weight = 0;

	while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node))) {
		int weight;

		if (!hwloc_bitmap_isset(node->cpuset, cpu))
			continue;
		weight = hwloc_bitmap_weight(node->cpuset);
		if (!best || weight < best_weight ||
		    (weight == best_weight && node->os_index < best->os_index)) {
			best = node;
			best_weight = weight;
		}
	}
	return best;
}

/* The CPUs of node `id` into sets->own. */
static void find_own_cpus(struct sets *sets, const struct machine *machine, const char *root,
			  unsigned id)
{
	hwloc_obj_t node = hwloc_get_numanode_obj_by_os_index(machine->topology, id);
	char path[96];
	unsigned cpu;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist", id);
	if (root && host_read_list(root, path, sets->own) == 0) {
		hwloc_bitmap_and(sets->own, sets->own, sets->cpus);
		return;
	}
	hwloc_bitmap_zero(sets->own);
	if (!node)
		return;
	hwloc_bitmap_and(sets->scratch, node->cpuset, sets->cpus);
	hwloc_bitmap_foreach_begin(cpu, sets->scratch) if (owner_of(machine->topology, cpu) == node)
		hwloc_bitmap_set(sets->own, cpu);
	hwloc_bitmap_foreach_end();
}

static int list_ids(hwloc_bitmap_t set, unsigned **ids, unsigned *nr)
{
	int weight = hwloc_bitmap_weight(set);
	unsigned id, i = 0;

	if (weight < 0)
		return -EINVAL; /* endless: not a set that a machine has */
	*ids = malloc(((size_t)weight + 1) * sizeof(**ids));
	if (!*ids)
		return -ENOMEM;
	hwloc_bitmap_foreach_begin(id, set)(*ids)[i++] = id;
	hwloc_bitmap_foreach_end();
	*nr = i;
	return 0;
}

static int collect_node(struct machine_node *node, struct sets *sets, const struct machine *machine,
			const char *root, unsigned id)
{
	hwloc_obj_t object = hwloc_get_numanode_obj_by_os_index(machine->topology, id);
	int r;

	node->os_index = id;
	if (object)
		node->bytes = object->attr->numanode.local_memory;
	else if (root)
		node->bytes = sysfs_node_bytes(root, id);
	/* What hwloc does not know it cannot bind to. */
	node->allowed = object && node->bytes && hwloc_bitmap_isset(sets->allowed_nodes, id);
	find_own_cpus(sets, machine, root, id);
	r = list_ids(sets->own, &node->cpus, &node->nr_cpus);
	if (r)
		return r;
	hwloc_bitmap_and(sets->own, sets->own, sets->allowed_cpus);
	return list_ids(sets->own, &node->allowed_cpus, &node->nr_allowed);
}

int nodes_collect(struct machine *machine, const char *root, struct error *err)
{
	struct sets sets;
	int weight, r;
	unsigned id;

	r = sets_init(&sets, machine->topology, root);
	if (r)
		return error_set(err, r, "out of memory");
	weight = hwloc_bitmap_weight(sets.nodes);
	if (weight <= 0 || hwloc_bitmap_weight(sets.cpus) <= 0) {
		r = error_set(err, -EINVAL, "the topology has no NUMA nodes or no CPUs");
		goto out;
	}
	machine->nr_cpus = (unsigned)hwloc_bitmap_weight(sets.cpus);
	machine->nodes = calloc((size_t)weight, sizeof(*machine->nodes));
	if (!machine->nodes) {
		r = error_set(err, -ENOMEM, "out of memory");
		goto out;
	}
	hwloc_bitmap_foreach_begin(id, sets.nodes) struct machine_node *node =
		&machine->nodes[machine->nr_nodes++];

	r = collect_node(node, &sets, machine, root, id);
	if (r) {
		error_set(err, r, "cannot list the CPUs of node %u: %s", id, strerror(-r));
		goto out;
	}
	hwloc_bitmap_foreach_end();
out:
	sets_fini(&sets);
	return r;
}

void nodes_free(struct machine *machine)
{
	for (unsigned i = 0; i < machine->nr_nodes; i++) {
		free(machine->nodes[i].cpus);
		free(machine->nodes[i].allowed_cpus);
	}
	free(machine->nodes);
	machine->nodes = NULL;
	machine->nr_nodes = 0;
}
