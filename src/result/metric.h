/* SPDX-License-Identifier: MIT */
/*
 * The figures that are compared: one number for each process, because processes, not samples, are
 * the independent observations. The one place that lists them, with their units and which way is
 * better.
 */
#ifndef MEMCGBENCH_RESULT_METRIC_H
#define MEMCGBENCH_RESULT_METRIC_H

#include "base/units.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct histogram;

/* What one process measured. NAN: not measured, or too few samples of this process for it. */
struct process_figures {
	double p50_ns, p90_ns, p99_ns, p999_ns, max_ns; /* of a read; above p50 never of batches */
	double mean_ns;
	double rate; /* reads a second of one reader, the time between reads not counted */
	double hierarchical_ns, local_ns, format_ns; /* medians of the parts of a read */
	double update_ns; /* median of one charge of one page, nobody reading */
	double update_p99_ns; /* of charges of one page, each timed alone */
	double huge_ns, lru_ns, migrate_ns; /* medians of the other kinds of update */
	double writer_ns; /* median of an update while readers are at work, of batches */
	double throughput; /* updates a second of all writers meanwhile */
	double create_ns, remove_ns; /* medians of what memcgs that come and go take */
	double late_ns; /* p99 of how late a thread on the reader's CPU wakes while reads run */
	double charges; /* pages a second that tasks charge meanwhile */
	double age_ns; /* median age of what is read under load; NAN too where it was not found */
	double width_pages; /* median of the bracket of its truth; NAN: nobody wrote */
	double error_pages; /* of the hierarchical cell with the largest share of its bound */
	double memory_bytes; /* of per-CPU areas and counters */
};

enum metric_better {
	BETTER_LOWER,
	BETTER_HIGHER
};

struct metric {
	const char *name; /* "p50": what --metric takes */
	const char *title; /* "median of a read" */
	const char
		*unit; /* "ns", "pages", "bytes", "reads/s": as machine-readable output says it */
	enum unit_kind kind; /* how people read it */
	enum metric_better better;
	size_t offset; /* of the double in struct process_figures */
};

#define NR_METRICS 23
extern const struct metric metrics[NR_METRICS]; /* the first is the default */

/* NULL: there is none of that name. */
const struct metric *metric_find(const char *name, size_t length);

static inline double metric_of(const struct metric *metric, const struct process_figures *figures)
{
	return *(const double *)((const char *)figures + metric->offset);
}

/* For people, three significant digits with the unit; "-" for NAN. Returns `buffer`. */
const char *metric_text(const struct metric *metric, double value, char buffer[UNIT_TEXT_MAX]);

/* The figures of a result that result_load() checked and that is ok. `latency`: its histogram,
 * decoded. */
void process_figures_from_result(const json_t *result, const struct histogram *latency,
				 struct process_figures *figures);

#endif
