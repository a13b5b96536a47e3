/* SPDX-License-Identifier: MIT */
/* What one process measured, and its document; see measure.h and result/result.h. */
#ifndef MEMCGBENCH_DRIVER_MEASURE_JSON_H
#define MEMCGBENCH_DRIVER_MEASURE_JSON_H

#include "backend/backend.h"
#include "backend/oracle.h"
#include "driver/churn.h"
#include "driver/consistency.h"
#include "driver/flusher.h"
#include "driver/harm.h"
#include "driver/probe.h"
#include "driver/sampler.h"
#include "driver/update_cost.h"
#include "driver/update_kinds.h"
#include "driver/writer.h"
#include "place/machine.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct measured {
	uint64_t since; /* clock_now() when the process began to work */
	uint64_t create_ns, verify_ns, populate_ns, count_ns, pilot_ns, measure_ns, parts_ns,
		update_ns, truth_ns, harm_ns, destroy_ns;
	uint64_t bytes, estimate_bytes;
	json_t *placement_found;
	json_t *live; /* what a live back end found out, NULL of others; owned */
	struct op_counts counts;
	uint64_t bytes_touched;
	uint64_t shows; /* of files, in a read */
	struct cell_error error[NR_SCOPES];
	bool has_error[NR_SCOPES];
	unsigned beyond_bound[NR_SCOPES]; /* cells */
	struct timer_floor floor;
	bool pilot;
	struct sampling sampling;
	struct sampled sampled;
	struct parts parts;
	struct update_cost update;
	struct update_kinds update_kinds;
	struct writers_cost writers;
	struct flusher_cost flusher;
	json_t *locks; /* what the samples found; owned */
	struct churn_cost churn;
	struct harm harm;
	struct cell_error load_error; /* after the writers ended */
	unsigned load_beyond_bound; /* cells */
	struct probed probed; /* under load */
	struct consistency consistency; /* before and after the load */
};

/* The result document; NULL with a message where memory is out or a figure is not a number. */
json_t *measured_to_json(const struct measured *measured, const json_t *request,
			 const struct point *point, const struct machine *machine,
			 struct error *err);
void measured_fini(struct measured *measured);

#endif
