/* SPDX-License-Identifier: MIT */
/*
 * What sysfs and procfs say about a host. Every reader takes the root they are mounted under: ""
 * for this system, a directory of recorded files in tests, NULL for a foreign machine, of which
 * nothing can be read. What cannot be read is NULL or "not known", never an error.
 */
#ifndef MEMCGBENCH_PLACE_HOST_H
#define MEMCGBENCH_PLACE_HOST_H

#include "place/machine.h"

#include <hwloc.h>
#include <jansson.h>
#include <stdbool.h>

/* All of a file, or its first line without trailing blanks; the caller frees. The path is absolute.
 */
char *host_read(const char *root, const char *path);
char *host_read_line(const char *root, const char *path);

/* A file that holds one number. */
bool host_read_number(const char *root, const char *path, long *value);

/* A file that holds a list of ids ("0-3,8"): 0, or -ENOENT where it cannot be read. */
int host_read_list(const char *root, const char *path, hwloc_bitmap_t ids);

/* The list after `label` in a file like /proc/thread-self/status. */
int host_read_labelled_list(const char *root, const char *path, const char *label,
			    hwloc_bitmap_t ids);

/* "kvm", "emulated", ...; NULL where nothing speaks for a virtual machine. A constant. */
const char *host_virtualization(const char *root);

/* "docker", "podman", "container", or NULL. A constant. */
const char *host_container(const char *root);

/* Which hierarchy has the memory controller: "v1", "v2" or "none". A constant. */
const char *host_cgroup_version(const char *root);

/* The host class; `root` NULL for a foreign machine, of which only hwloc's part is known. The
 * caller frees; NULL: out of memory. */
char *host_class(const struct machine *machine, const char *root);

/* The CPU model as hwloc has it, or the architecture, or "unknown CPU". */
const char *host_cpu_model(hwloc_topology_t topology);

/* machine_context() with the files under `root`. */
json_t *host_context(const struct machine *machine, const char *root);

#endif
