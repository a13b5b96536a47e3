/* SPDX-License-Identifier: MIT */
/* Kinds of updates whose cost is told apart, and what a run says of each. */
#ifndef MEMCGBENCH_RESULT_UPDATE_KINDS_H
#define MEMCGBENCH_RESULT_UPDATE_KINDS_H

#include "base/error.h"
#include "result/document.h"
#include "scenario/point.h"

/* enum write_mix is the index: all of it but mixed. */
#define NR_UPDATE_KINDS MIX_MIXED

extern const char *const update_kind_names[NR_UPDATE_KINDS]; /* "page", "huge", "lru", "migrate" */

/* Of one kind; NAN: not known, or there are none on this machine. */
struct update_kind_summary {
	double median_ns; /* of one update, from batches: median of the processes' medians */
	double p99_ns; /* of updates timed alone: median of the processes' */
	double max_ns; /* of these the slowest of all processes */
};

/* Their first two fields, of each kind in turn: what is merged as medians over processes. */
#define NR_UPDATE_KIND_FIGURES (2 * NR_UPDATE_KINDS)
double update_kind_figure(const json_t *result, size_t figure); /* NAN: the process has none */
double *update_kind_field(struct update_kind_summary kinds[NR_UPDATE_KINDS], size_t figure);

void update_kinds_init(struct update_kind_summary kinds[NR_UPDATE_KINDS]);
/* Keep the slowest update of each kind. */
void update_kinds_worst(struct update_kind_summary kinds[NR_UPDATE_KINDS], const json_t *result);

/* Does update.kinds of a result agree with itself and with the point? Its fields are there. */
int update_kinds_check(const struct document *document, const struct point *point,
		       struct error *err);
/* The least that measuring them has taken: half of all took the medians or more. 0 without any. */
double update_kinds_least_ns(const struct document *document);

#endif
