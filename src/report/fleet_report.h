/* SPDX-License-Identifier: MIT */
/*
 * What collectors cost a fleet (verdict/fleet.h), for people and for programs. The JSON document,
 * version 1; every key is always there, what is not known is null:
 *  schema  {"name":"memcgbench-fleet","version":1}
 *  runs [{"path","scenario","host_class",
 *         "costs":[{"id","parameters","backend","files","basis":"measured"|"between"|"beyond",
 *                   "from_memcgs","to_memcgs","slope","mean_ns","ci_low_ns","ci_high_ns",
 *                   "ci_level","p50_ns","processes","interval_ns","agents","cpu_s_per_hour",
 *                   "ci_low_cpu_s_per_hour","ci_high_cpu_s_per_hour","share_of_cpu",
 *                   "share_of_host","cpus","late"}],
 *         "left_out":[{"id","backend","reason"}]}]     backend null: all
 */
#ifndef MEMCGBENCH_REPORT_FLEET_REPORT_H
#define MEMCGBENCH_REPORT_FLEET_REPORT_H

#include "verdict/fleet.h"

#include <jansson.h>
#include <stdio.h>

#define MOST_FLEET_CHOICES 16

/* Each interval with each number of agents. */
struct fleet_choices {
	size_t nr_intervals, nr_agents;
	uint64_t interval_ns[MOST_FLEET_CHOICES];
	uint32_t agents[MOST_FLEET_CHOICES];
};

/* 0, -ENOMEM or -EIO. */
int fleet_table_print(struct fleet *const *fleets, size_t nr, const struct fleet_choices *choices,
		      FILE *out);
int fleet_tsv_print(struct fleet *const *fleets, size_t nr, const struct fleet_choices *choices,
		    FILE *out);
/* The caller owns it. NULL: out of memory. */
json_t *fleet_to_json(struct fleet *const *fleets, size_t nr, const struct fleet_choices *choices);

#endif
