/* SPDX-License-Identifier: MIT */
/*
 * What results keep of a live fixture: its figures, and none of its paths, which name this process
 * and the machine's mounts. "live.fixture" in result/result.h.
 */
#ifndef MEMCGBENCH_KERNEL_LIVE_FACTS_H
#define MEMCGBENCH_KERNEL_LIVE_FACTS_H

#include <jansson.h>

/* As facts() of struct fixture. */
json_t *live_facts(const json_t *described);

#endif
