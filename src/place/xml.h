/* SPDX-License-Identifier: MIT */
/* Recorded topologies, before they are trusted. */
#ifndef MEMCGBENCH_PLACE_XML_H
#define MEMCGBENCH_PLACE_XML_H

#include "base/error.h"

#include <hwloc.h>
#include <stddef.h>

/*
 * Read the file at `path` and see whether hwloc can load it. `*data` is the caller's to free and
 * has a NUL behind its `*length` bytes. -EINVAL with what is wrong with it, or why it cannot be
 * read.
 */
int xml_read(const char *path, char **data, size_t *length, struct error *err);

/* hwloc_topology_set_xmlbuffer() on what xml_read() gave. */
int xml_use(hwloc_topology_t topology, const char *data, size_t length);

#endif
