/* SPDX-License-Identifier: MIT */
/* Lists of node ids as text: ascending numbers and ranges, "0,8,252-255". */
#ifndef MEMCGBENCH_SCENARIO_NIDS_H
#define MEMCGBENCH_SCENARIO_NIDS_H

#include "base/error.h"
#include "scenario/point.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read all of text[0..length). Returns how many, 1..MAX_NODES, or -EINVAL with a message. */
int nids_parse(const char *text, size_t length, uint16_t nids[MAX_NODES], struct error *err);

/* Ranges where two or more ids follow one another; cut where it does not fit. */
void nids_format(const uint16_t *nids, unsigned nr, char *buffer, size_t size);

/* Are they 0..nr-1, as on most machines? */
bool nids_are_plain(const uint16_t *nids, unsigned nr);

#endif
