/* SPDX-License-Identifier: MIT */
/* The nodes of a machine, from its topology and, for this machine, from sysfs. */
#ifndef MEMCGBENCH_PLACE_NODES_H
#define MEMCGBENCH_PLACE_NODES_H

#include "place/machine.h"

/*
 * Fill machine->nodes, nr_nodes and nr_cpus. With `root` ("" for this system, NULL for a foreign
 * machine), sysfs says which CPUs are a node's own, adds online nodes that hwloc leaves out (those
 * without memory), and procfs says what this thread may use.
 */
int nodes_collect(struct machine *machine, const char *root, struct error *err);
void nodes_free(struct machine *machine);

#endif
