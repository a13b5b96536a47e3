/* SPDX-License-Identifier: MIT */
/*
 * Harm to others: what a thread that shares the first reader's CPU suffers (victim.h), and what
 * tasks that charge pages lose (harm_tasks.h), while the point's readers read. Last of all that a
 * process measures, for it leaves caches, memcgs and the scheduler as nothing else does.
 *
 * Time is cut into pairs of slices, one without reads and one with them, the order within a pair
 * drawn by seed: what drifts on the machine falls on both alike. Readers are the point's: as many,
 * on the same CPUs, at the same pace, the first read of a paced one due half an interval into the
 * slice. Writers and who creates memcgs have no part in it. A read that is under way when its slice
 * ends is waited for outside of all slices.
 */
#ifndef MEMCGBENCH_DRIVER_HARM_H
#define MEMCGBENCH_DRIVER_HARM_H

#include "base/error.h"
#include "driver/sampler.h"
#include "result/harm_figures.h"
#include "stats/histogram.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define HARM_MOST_PAIRS 10

/* What the tasks of one place did in one slice, per second. */
struct harm_rates {
	double charges, touches; /* pages */
};

struct harm {
	bool any; /* false: not looked at */
	unsigned pairs;
	uint64_t slice_ns; /* as they were cut; the victim's are exactly that */
	double seconds[NR_HARM_SIDES]; /* of all slices of a side, as rates are over */
	uint64_t reads; /* by all readers, begun within slices */
	unsigned victim_cpu; /* by OS index */
	const char *victim_policy;
	struct histogram *late[NR_HARM_SIDES]; /* in ps; owned */
	unsigned tasks[NR_HARM_PLACES]; /* all 0: nobody charged */
	uint64_t limit_bytes; /* of each task's memcg; the lowest of them; 0: none */
	struct harm_rates rates[NR_HARM_PLACES][NR_HARM_SIDES][HARM_MOST_PAIRS];
};

/*
 * Nothing where the point's harm.time is none. `fixture` describes what stands for live back ends,
 * NULL for a model: then no tasks charge. `read_ns`: what a read takes; slices are as long as two,
 * where harm.time allows. `order` is a seed. Free with harm_fini(), also after an error.
 */
int harm_measure(const struct sampler *sampler, const json_t *fixture, double read_ns,
		 uint64_t order, struct harm *out, struct error *err);
void harm_fini(struct harm *harm);

/* A guess of how long it takes; `live`: with tasks. */
double harm_guess_ns(const struct point *point, double read_ns, bool live);
/* What the tasks of a live back end take. */
uint64_t harm_guess_bytes(const struct point *point);

/* harm_json.c: the result's `harm`, null where it was not looked at. */
json_t *harm_json(const struct harm *harm);

#endif
