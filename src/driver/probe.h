/* SPDX-License-Identifier: MIT */
/*
 * Reads that are held against the truth while writers are at work: a phase of its own behind the
 * samples, so that no sample waits for it. One thread reads the file that the point reads (of a
 * sweep the root's), now and then, at moments that keep no step with paced writers; before and
 * after each read it looks how far every writer is. truth.h says what follows from that.
 *
 * The periodic flusher is at work, too, where there is one; of a period longer than the phase it
 * has no turn. Who creates and removes memcgs stands still: where those are at one moment is not
 * known beforehand. The ones that linger are there.
 *
 * A bound holds at rest. Under load a read may be further off than that without any fault of the
 * design: it sums counters of different moments while it takes long, or finds a flush under way.
 * How many reads were is counted.
 */
#ifndef MEMCGBENCH_DRIVER_PROBE_H
#define MEMCGBENCH_DRIVER_PROBE_H

#include "backend/oracle.h"
#include "base/error.h"
#include "driver/sampler.h"
#include "driver/writer.h"

#include <stdint.h>

/* Ages are of this cell. */
#define AGE_ROW NUMA_ROW_TOTAL

struct probed {
	uint64_t reads; /* 0: none were made */
	uint64_t beyond; /* with a cell beyond the bound that holds at rest */
	uint64_t apart; /* with a cell outside of its bracket */
	/* The cell with the largest share of its bound; truth is the end of its bracket that is
	 * nearest. */
	struct cell_error error;
	uint64_t low, high; /* its bracket */
	double width_median, width_max; /* pages, of the bracket of the sum of AGE_ROW */
	/* Of the same sum. A value that was not true within the record is older than all others:
	 * where it would decide, NAN. */
	double age_median_ns, age_p99_ns, age_max_ns;
	uint64_t age_unknown; /* reads whose value was not true within the record */
	double seconds;
};

/*
 * Starts the writers again, and ends them. `oracle` has not been told of them yet. Takes as long
 * as writers_least_ns() says, of paced ones read.time but 1 s at most; less where a log is full;
 * but never fewer than 5 reads. Of v1 memory.numa_stat: points that read another file are left
 * alone, and no reads are made.
 */
int probe_load(const struct sampler *sampler, struct writers *writers, const struct oracle *oracle,
	       struct probed *probed, struct error *err);

/* What that will take, for plans, where a read takes read_ns; 0 without writers. */
double probe_guess_ns(const struct point *point, double read_ns);
uint64_t probe_guess_bytes(const struct point *point);

#endif
