/* SPDX-License-Identifier: MIT */
/*
 * The machine: its NUMA nodes by OS index, its CPUs, what this process may use of them, and the
 * class of host that results are compared within. From hwloc; this machine's or a foreign file's.
 */
#ifndef MEMCGBENCH_PLACE_MACHINE_H
#define MEMCGBENCH_PLACE_MACHINE_H

#include "base/error.h"

#include <hwloc.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct machine_node {
	unsigned os_index;
	uint64_t bytes;        /* local memory; 0: memory-less */
	bool allowed;          /* this process may allocate here (cpuset.mems) */
	unsigned nr_cpus;      /* CPUs local to this node */
	unsigned *cpus;        /* [nr_cpus], OS indexes, ascending */
	unsigned nr_allowed;   /* of them, those this process may run on */
	unsigned *allowed_cpus;
};

struct machine {
	hwloc_topology_t topology;
	bool thissystem;      /* false: planned with, never measured on */
	char *source;         /* "this machine", or the XML's path, or "synthetic:..." */
	unsigned nr_nodes;
	struct machine_node *nodes; /* ascending os_index; nodes hidden by a cpuset included */
	unsigned nr_cpus;           /* online */
	unsigned possible_cpus;     /* /sys/devices/system/cpu/possible; nr_cpus for foreign ones */
	uint64_t llc_bytes;         /* of one last-level cache; 0 where not known */
	char *host_class;           /* CPU model, sockets, nodes, CPUs, virtual or emulated, cgroup
				     * version; never kernel or host name */
};

/*
 * `xml` NULL: this machine. Otherwise a file made by `lstopo FILE.xml`; a missing, malformed or
 * unsupported file is an error (hwloc itself would silently fall back to this machine).
 */
int machine_open(const char *xml, struct machine **out, struct error *err);
/* From an hwloc synthetic description, for tests and planning. */
int machine_open_synthetic(const char *description, struct machine **out, struct error *err);
void machine_free(struct machine *machine);

/*
 * The first environment variable set that makes hwloc describe another machine (HWLOC_XMLFILE,
 * HWLOC_SYNTHETIC, HWLOC_FSROOT, HWLOC_CPUID_PATH, HWLOC_THISSYSTEM), or NULL. Look at this and not
 * only at `thissystem`: a bad file falls back to the native machine in silence.
 */
const char *machine_foreign_variable(void);

/* What `memcgbench topo --format json` prints; the caller owns it. */
json_t *machine_to_json(const struct machine *machine);

/*
 * The context that results carry: kernel release, hwloc version and summary, CPU model, governor,
 * turbo, SMT, THP, numa_balancing, ASLR, load, steal, clock source, LLC size, memory, cgroup version,
 * container or virtual machine. Unknown parts are null. No host or user name. The caller owns it.
 */
json_t *machine_context(const struct machine *machine);

/* What of that context makes figures less trustworthy, one sentence each ("governor is powersave, not
 * performance"), as a JSON array of strings; the caller owns it. */
json_t *machine_warnings(const struct machine *machine, const json_t *context);

#endif
