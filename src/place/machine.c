// SPDX-License-Identifier: MIT
/* See machine.h: loading topologies, and describing them. */
#include "place/machine.h"

#include "place/host.h"
#include "place/nodes.h"
#include "place/xml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The program's own variables first, then those that only bend what others load. */
static const char *const foreign_variables[] = {
	"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH", "HWLOC_THISSYSTEM",
};

const char *machine_foreign_variable(void)
{
	for (size_t i = 0; i < sizeof(foreign_variables) / sizeof(foreign_variables[0]); i++)
		if (getenv(foreign_variables[i]))
			return foreign_variables[i];
	return NULL;
}

/*
 * Is what hwloc loaded of itself this machine? HWLOC_THISSYSTEM=1 makes it say so of any other as
 * well, so beside another variable its word is not taken.
 */
static bool is_this_system(hwloc_topology_t topology)
{
	const char *claim = getenv("HWLOC_THISSYSTEM");
	const char *first = machine_foreign_variable();

	if (claim && first && strcmp(first, "HWLOC_THISSYSTEM"))
		return false;
	return hwloc_topology_is_thissystem(topology);
}

/* Bytes of one last-level cache. */
static uint64_t find_llc(hwloc_topology_t topology)
{
	static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
						  HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE,
						  HWLOC_OBJ_L1CACHE};

	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		hwloc_obj_t cache = hwloc_get_obj_by_type(topology, caches[i], 0);

		if (cache && cache->attr->cache.size)
			return cache->attr->cache.size;
	}
	return 0;
}

static unsigned count_possible_cpus(const char *root, unsigned online)
{
	hwloc_bitmap_t possible = hwloc_bitmap_alloc();
	int weight = -1;

	if (possible && host_read_list(root, "/sys/devices/system/cpu/possible", possible) == 0)
		weight = hwloc_bitmap_weight(possible);
	hwloc_bitmap_free(possible);
	return weight > 0 ? (unsigned)weight : online;
}

/* A machine over a topology that is initialised and not loaded; `source` is copied. */
static int machine_prepare(const char *source, struct machine **out, struct error *err)
{
	struct machine *machine = calloc(1, sizeof(*machine));

	if (!machine)
		return error_set(err, -ENOMEM, "out of memory");
	machine->source = strdup(source);
	if (!machine->source || hwloc_topology_init(&machine->topology) < 0) {
		free(machine->source);
		free(machine);
		return error_set(err, -ENOMEM, "out of memory");
	}
	/* What is hidden from this process is named, not left out. */
	hwloc_topology_set_flags(machine->topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	*out = machine;
	return 0;
}

static int machine_load(struct machine *machine, bool foreign, struct error *err)
{
	const char *root;
	int r;

	if (hwloc_topology_load(machine->topology) < 0)
		return error_set(err, -EINVAL, "hwloc cannot load the topology");
	machine->thissystem = !foreign && is_this_system(machine->topology);
	root = machine->thissystem ? "" : NULL;
	r = nodes_collect(machine, root, err);
	if (r)
		return r;
	machine->possible_cpus = machine->nr_cpus;
	if (machine->thissystem)
		machine->possible_cpus = count_possible_cpus(root, machine->nr_cpus);
	machine->llc_bytes = find_llc(machine->topology);
	machine->host_class = host_class(machine, root);
	if (!machine->host_class)
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

static int machine_open_xml(const char *path, struct machine **out, struct error *err)
{
	struct machine *machine = NULL;
	struct error fault = {0};
	size_t length;
	char *data;
	int r;

	r = xml_read(path, &data, &length, err);
	if (r)
		return r;
	r = machine_prepare(path, &machine, err);
	if (r)
		goto out;
	r = xml_use(machine->topology, data, length);
	if (r)
		error_set(&fault, r, "hwloc does not accept it");
	else
		r = machine_load(machine, true, &fault);
	if (r) {
		error_set_at(err, r, path, 0, 0, "%s", fault.text);
		goto out;
	}
	*out = machine;
	machine = NULL;
out:
	machine_free(machine);
	free(data);
	return r;
}

int machine_open(const char *xml, struct machine **out, struct error *err)
{
	const char *variable = machine_foreign_variable();
	char source[128] = "this machine";
	struct machine *machine;
	int r;

	if (xml)
		return machine_open_xml(xml, out, err);
	r = machine_prepare(source, &machine, err);
	if (r)
		return r;
	r = machine_load(machine, false, err);
	if (r) {
		machine_free(machine);
		return r;
	}
	if (!machine->thissystem) {
		snprintf(source, sizeof(source), "the environment (%s)",
			 variable ? variable : "hwloc's variables");
		free(machine->source);
		machine->source = strdup(source);
		if (!machine->source) {
			machine_free(machine);
			return error_set(err, -ENOMEM, "out of memory");
		}
	}
	*out = machine;
	return 0;
}

int machine_open_synthetic(const char *description, struct machine **out, struct error *err)
{
	struct machine *machine;
	char source[1024];
	int r;

	snprintf(source, sizeof(source), "synthetic:%s", description);
	r = machine_prepare(source, &machine, err);
	if (r)
		return r;
	if (hwloc_topology_set_synthetic(machine->topology, description) < 0)
		r = error_set(err, -EINVAL, "'%s' is not an hwloc synthetic topology", description);
	if (!r)
		r = machine_load(machine, true, err);
	if (r) {
		machine_free(machine);
		return r;
	}
	*out = machine;
	return 0;
}

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	nodes_free(machine);
	hwloc_topology_destroy(machine->topology);
	free(machine->source);
	free(machine->host_class);
	free(machine);
}

static json_t *ids_to_json(const unsigned *ids, unsigned nr)
{
	json_t *array = json_array();

	for (unsigned i = 0; array && i < nr; i++)
		json_array_append_new(array, json_integer(ids[i]));
	return array;
}

static json_t *nodes_to_json(const struct machine *machine)
{
	json_t *nodes = json_array();

	for (unsigned i = 0; i < machine->nr_nodes; i++) {
		const struct machine_node *node = &machine->nodes[i];

		json_array_append_new(
			nodes,
			json_pack("{s:i, s:o, s:o, s:I, s:b}", "os_index", (int)node->os_index,
				  "cpus", ids_to_json(node->cpus, node->nr_cpus), "allowed_cpus",
				  ids_to_json(node->allowed_cpus, node->nr_allowed), "bytes",
				  (json_int_t)node->bytes, "allowed", node->allowed));
	}
	return nodes;
}

/* Nodes that lack memory, or CPUs. */
static json_t *nodes_without(const struct machine *machine, bool memory)
{
	json_t *ids = json_array();

	for (unsigned i = 0; i < machine->nr_nodes; i++) {
		const struct machine_node *node = &machine->nodes[i];

		if (memory ? !node->bytes : !node->nr_cpus)
			json_array_append_new(ids, json_integer(node->os_index));
	}
	return ids;
}

/* CPUs of nodes that are not known: those of memory-less nodes in a recorded topology. */
static json_t *cpus_without_node(const struct machine *machine)
{
	hwloc_bitmap_t rest =
		hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(machine->topology));
	json_t *ids = json_array();
	unsigned id;

	if (!rest)
		return ids;
	for (unsigned i = 0; i < machine->nr_nodes; i++)
		for (unsigned j = 0; j < machine->nodes[i].nr_cpus; j++)
			hwloc_bitmap_clr(rest, machine->nodes[i].cpus[j]);
	hwloc_bitmap_foreach_begin(id, rest) json_array_append_new(ids, json_integer(id));
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(rest);
	return ids;
}

json_t *machine_to_json(const struct machine *machine)
{
	return json_pack(
		"{s:b, s:s, s:s, s:o, s:i, s:i, s:o, s:o, s:o, s:o}", "thissystem",
		machine->thissystem, "source", machine->source, "host_class", machine->host_class,
		"nodes", nodes_to_json(machine), "online_cpus", (int)machine->nr_cpus,
		"possible_cpus", (int)machine->possible_cpus, "llc_bytes",
		machine->llc_bytes ? json_integer((json_int_t)machine->llc_bytes) : json_null(),
		"memoryless_nodes", nodes_without(machine, true), "cpuless_nodes",
		nodes_without(machine, false), "cpus_without_node", cpus_without_node(machine));
}
