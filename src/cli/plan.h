/* SPDX-License-Identifier: MIT */
/* A scenario held against a machine, and the forms it is shown in. */
#ifndef MEMCGBENCH_CLI_PLAN_H
#define MEMCGBENCH_CLI_PLAN_H

#include "driver/feasible.h"
#include "place/machine.h"
#include "scenario/parameter.h"
#include "scenario/scenario.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct plan {
	const struct machine *machine;
	uint64_t available; /* bytes, on that machine */
	struct fixture_options fixtures; /* what a run would be allowed to */
	struct scenario *scenario;

	/* from here on by plan_prepare() */
	bool swept[MAX_PARAMETERS]; /* does it differ between points? */
	size_t possible, impossible; /* pairs of point and back end */
	uint64_t memory_bytes; /* of the largest process that is possible */
	double total_ns; /* all repetitions of what is possible */
};

void plan_prepare(struct plan *plan);

/* One point with one back end. */
struct pair {
	const struct point *point;
	const struct backend *backend;
	struct estimate estimate;
	bool possible;
	const struct error_list *reasons; /* all of them, where it is not */
};
typedef int (*visit_pair)(void *arg, const struct pair *pair);
/* Calls `visit` for all pairs, of one point or of all; ends early with what it returns but 0. */
int plan_visit_point(const struct plan *plan, const struct point *point, visit_pair visit,
		     void *arg);
int plan_visit(const struct plan *plan, visit_pair visit, void *arg);

/* 0, -ENOMEM or -EIO. */
int plan_print_table(const struct plan *plan, FILE *out);
int plan_print_tsv(const struct plan *plan, FILE *out);
int plan_print_json(const struct plan *plan, FILE *out);
/* Each of its trees, and the paths of the first `most` memcgs; takes no plan_prepare(). */
int plan_print_trees(const struct plan *plan, uint64_t most, bool json, FILE *out);

#endif
