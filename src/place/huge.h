/* SPDX-License-Identifier: MIT */
/* How much of some memory lies in huge pages. */
#ifndef MEMCGBENCH_PLACE_HUGE_H
#define MEMCGBENCH_PLACE_HUGE_H

#include "place/placement.h"

#include <stdio.h>

/*
 * The bytes of the regions that are mapped by huge pages, as a JSON integer, from a file like
 * /proc/self/smaps. JSON null where it cannot be told: no such file, or a mapping with huge pages
 * that only partly belongs to the regions.
 */
json_t *huge_bytes(const struct region *regions, size_t nr);
json_t *huge_bytes_in(FILE *smaps, const struct region *regions, size_t nr);

#endif
