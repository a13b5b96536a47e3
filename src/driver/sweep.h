/* SPDX-License-Identifier: MIT */
/*
 * A sweep: measures what a run directory still lacks, one fresh process after the other, and writes
 * each result as soon as it is there. A process that dies is one failed repetition.
 */
#ifndef MEMCGBENCH_DRIVER_SWEEP_H
#define MEMCGBENCH_DRIVER_SWEEP_H

#include "backend/fixture.h"
#include "base/error.h"
#include "place/machine.h"
#include "result/run_dir.h"
#include "scenario/scenario.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sweep {
	const struct scenario *scenario;
	const struct run_dir *dir;
	/* [nr_points x nr_backends]: left out because not possible here */
	const bool *left_out;
	const struct machine *machine;
	struct fixture_options fixtures; /* what may be done for them */
	uint64_t seed;
	const char *label; /* or NULL */
	uint64_t limit_ns; /* of each process; 0: from the estimate */
	int interrupt_fd;
	FILE *log;
};

struct sweep_result {
	size_t measured, kept,
		failed; /* repetitions: of this call, found done, failed in this call */
	int signal; /* a signal ended it; what is done is kept */
	bool left_behind; /* a fixture could not be taken down, which was said */
};

int sweep_run(const struct sweep *sweep, struct sweep_result *result, struct error *err);

#endif
