/* SPDX-License-Identifier: MIT */
/*
 * The fixtures of a sweep (backend/fixture.h): which tasks stand on the same one, and the one that
 * is up. There is never more than one, and each is made once: tasks run grouped by it. In a group
 * all else is as scheduled, so that a point's back ends are measured in turns upon it, models too.
 */
#ifndef MEMCGBENCH_DRIVER_FIXTURES_H
#define MEMCGBENCH_DRIVER_FIXTURES_H

#include "backend/fixture.h"
#include "base/error.h"
#include "driver/schedule.h"
#include "place/machine.h"
#include "scenario/scenario.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fixtures {
	const struct scenario *scenario;
	const struct machine *machine;
	struct fixture_options options;
	const struct fixture **kind; /* [points] NULL: it stands on none */
	uint32_t *group; /* [points] the first point that stands on the same; FIXTURE_NONE */
	uint32_t up; /* the group whose fixture is up; FIXTURE_NONE */
	void *instance;
	json_t *described;
};

#define FIXTURE_NONE UINT32_MAX

/*
 * Bring the tasks into the order of their fixtures: groups in the order in which the schedule comes
 * to them, and in each the order of the schedule. `left_out` as in struct sweep. -ENOMEM.
 */
int fixtures_init(struct fixtures *fixtures, const struct scenario *scenario,
		  const struct machine *machine, const struct fixture_options *options,
		  const bool *left_out, struct task *tasks, size_t nr_tasks);
/* Takes down what is up. */
int fixtures_fini(struct fixtures *fixtures, struct error *err);

/* Have the fixture of this task's point up, and no other. -EINTR where it was stopped. */
int fixtures_raise(struct fixtures *fixtures, const struct task *task,
		   const struct fixture_progress *progress, struct error *err);
/*
 * Does what is up still stand, a process having measured upon it? Where it does not, what is left
 * of it is taken down, for the next one to be made anew: -errno with the reason. 0 also where none
 * is up.
 */
int fixtures_check(struct fixtures *fixtures, struct error *err);

#endif
