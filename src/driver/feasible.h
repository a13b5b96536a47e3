/* SPDX-License-Identifier: MIT */
/* Can this machine measure that point with that back end? Asked before anything is measured. */
#ifndef MEMCGBENCH_DRIVER_FEASIBLE_H
#define MEMCGBENCH_DRIVER_FEASIBLE_H

#include "backend/backend.h"
#include "base/error.h"
#include "place/machine.h"
#include "scenario/point.h"

#include <stdint.h>

/*
 * 0, or -ENODEV with every reason added: placement (placement_new()), memory (the estimate against
 * what is available: MemAvailable and the limits of the cgroups this process is in), readers
 * against allowed CPUs (a warning is not a reason: more readers than CPUs is possible), back ends
 * that cannot do what is asked (read.cgroup: machine needs a live back end, writers one that takes
 * updates).
 */
int feasible(const struct machine *machine, const struct point *point,
	     const struct backend *backend, const struct fixture_options *fixtures,
	     struct error_list *reasons);

/*
 * The parts of it, for those who ask for many points: what does not depend on the back end, what
 * does, and what its fixture needs, which looks at the machine. `available` is available_on() the
 * machine, asked once.
 */
int feasible_placement(const struct machine *machine, const struct point *point,
		       struct error_list *reasons);
int feasible_backend(const struct point *point, const struct backend *backend, uint64_t available,
		     struct error_list *reasons);
int feasible_fixture(const struct machine *machine, const struct point *point,
		     const struct backend *backend, const struct fixture_options *fixtures,
		     struct error_list *reasons);

/* Bytes this process may still take: MemAvailable, limits of its cgroups and its own; UINT64_MAX
 * where not known. */
uint64_t available_memory(void);
/* The same for this machine; all memory of the nodes for a foreign one. */
uint64_t available_on(const struct machine *machine);

/* Whole-process estimates for plans and progress, rough. */
struct estimate {
	uint64_t memory_bytes;
	double process_ns; /* one repetition: creation, populating, checking, timed part */
};
struct estimate estimate_process(const struct point *point, const struct backend *backend);

#endif
