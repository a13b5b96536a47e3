/* SPDX-License-Identifier: MIT */
/* Whether a result agrees with itself; part of result.h's inside. */
#ifndef MEMCGBENCH_RESULT_RESULT_CHECK_H
#define MEMCGBENCH_RESULT_RESULT_CHECK_H

#include "base/error.h"
#include "result/document.h"
#include "scenario/point.h"
#include "stats/histogram.h"

/*
 * Of a process that ended well, whose fields are all there and of the right kinds, at `point`; with
 * its histogram, decoded. Numbers of one file that contradict each other were not written by the
 * program: -EINVAL, with the place of the first that does not fit.
 */
int result_check(const struct document *document, const struct point *point,
		 const struct histogram *latency, struct error *err);
/* The part of it that is locks and the flusher. */
int result_check_locks(const struct document *document, const struct point *point,
		       struct error *err);
/* The part of it that is closure, inversions and reads under load. */
int result_check_truth(const struct document *document, const struct point *point,
		       struct error *err);
/* The part of it that is harm to others. */
int result_check_harm(const struct document *document, const struct point *point,
		      struct error *err);

#endif
