/* SPDX-License-Identifier: MIT */
/*
 * The summary of a run: all processes of a directory put together, by point and back end. Tables,
 * charts and pages are made from it and from nothing else.
 */
#ifndef MEMCGBENCH_RESULT_SUMMARY_H
#define MEMCGBENCH_RESULT_SUMMARY_H

#include "backend/backend.h"
#include "base/error.h"
#include "result/harm_figures.h"
#include "result/metric.h"
#include "result/run_dir.h"
#include "result/update_kinds.h"
#include "scenario/point.h"
#include "stats/histogram.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The worst of all processes, by share of its bound. */
struct worst_summary {
	double pages, bound_pages;
	char where[64]; /* cell or row */
};

/* Beside plain errors; result.h says what each is. */
struct truth_summary {
	/* Under load: of all processes; worst: cells against what holds at rest. */
	uint64_t reads, apart, beyond;
	struct worst_summary load;
	double width_pages; /* median of the processes' medians */
	/* Median of the processes' medians, where a value that was not found in the record is older
	 * than all others; of p99 and max the highest, NAN where one is not known. */
	double age_ns, age_p99_ns, age_max_ns;
	uint64_t age_unknown; /* reads whose value was not found */
	/* At rest. */
	struct worst_summary closure;
	uint64_t pairs, cells, below; /* over all processes */
	struct worst_summary inversion;
};

/* One figure of each process; used up when they are put together. */
struct process_values {
	double *v;
	size_t nr;
};

/* Of all processes: counts and totals added up, maxima; of the others the processes' medians. */
struct lock_summary {
	char name[24];
	uint64_t taken, contended, passed_by;
	double wait_ns, hold_ns;
	double wait_p99_ns, wait_max_ns, hold_median_ns, hold_p99_ns, hold_max_ns;
	struct process_values wait_p99, hold_median, hold_p99;
};

struct flusher_summary {
	bool any; /* processes with one */
	uint64_t flushes, late;
	double median_ns, max_ns, total_ns, seconds;
	struct process_values median;
};

/* Of memcgs that came and went while reads were timed: counts of all processes, of each one's
 * median and p99 the median. */
struct churn_summary {
	bool any; /* processes with a churner */
	uint64_t created, removed;
	uint64_t behind; /* created after the next was due */
	uint64_t waits; /* creations that waited for readers to be done with a place */
	uint64_t lingering, pages; /* dying at a time, and charged to each */
	double create_ns, create_p99_ns, remove_ns, remove_p99_ns;
};

#define MOST_LOCKS 4 /* of a back end that are told apart */
struct locks_summary {
	size_t nr;
	struct lock_summary lock[MOST_LOCKS];
	struct flusher_summary flusher;
};

/* Of a process: medians over its slices; round: what a task takes to touch all its pages once;
 * lost: of the charges of the slice without reads beside it, as a share. */
enum harm_figure {
	HARM_CHARGES_WITHOUT, /* per second, of all tasks of the place */
	HARM_CHARGES_WITH,
	HARM_ROUND_WITHOUT, /* ns */
	HARM_ROUND_WITH,
	HARM_LOST,
	NR_HARM_FIGURES
};

struct harm_place_summary {
	unsigned tasks; /* in each process; 0: none here */
	double figure[NR_HARM_FIGURES]; /* medians over processes */
	double lost_low, lost_high; /* the interval; NAN below 6 processes */
	double lost_least, lost_most; /* over all pairs of slices of all processes */
	struct process_values values[NR_HARM_FIGURES];
};

/* Harm to others: driver/harm.h. */
struct harm_summary {
	bool any; /* processes that looked at it */
	double seconds[NR_HARM_SIDES]; /* over all of them, as reads and delays are */
	uint64_t reads;
	uint64_t period_ns; /* of the victim */
	char policy[16];
	struct histogram *late[NR_HARM_SIDES]; /* ps; owned */
	uint64_t limit_bytes; /* 0: none */
	struct harm_place_summary place[NR_HARM_PLACES];
};

/* NAN stands for what is not known or not reported: null in JSON, "-" in tables. */
struct backend_summary {
	char *backend;
	unsigned processes; /* that ended well */
	unsigned failed;
	bool left_out; /* not possible on the machine: run.json says why */
	uint64_t samples, reads,
		reads_per_sample; /* samples and reads over all processes and readers */
	double p50_ns, p90_ns, p99_ns, p999_ns, max_ns;
	double median_ns, ci_low_ns, ci_high_ns, ci_level; /* over process medians */
	double hierarchical_ns, local_ns,
		format_ns; /* medians over processes of the parts' medians */
	/* What writers pay: over the processes' medians; the interval NAN below 6 of them. */
	double update_ns, update_ci_low_ns, update_ci_high_ns;
	struct update_kind_summary kinds[NR_UPDATE_KINDS];
	/* Of writers at work: medians over the processes of median, of p99 of batches, of updates a
	 * second of all; batches that began late, in all processes. */
	double writer_ns, writer_p99_batch_ns, updates_per_s;
	uint64_t updates_behind;
	struct churn_summary churn;
	struct harm_summary harm;
	/* After writers and churner ended; the worst process. */
	double load_error_pages, load_error_bound_pages;
	struct truth_summary truth;
	struct locks_summary locks;
	double floor_ns;
	bool counted; /* counts and bytes_touched are known */
	struct op_counts counts;
	bool counts_differ; /* between processes: said, never averaged */
	uint64_t bytes_touched;
	uint64_t shows; /* of files, in a read; 0: not known, or no text */
	uint64_t cells_beyond_bound; /* in one process at most */
	double error_pages, error_bound_pages, error_value, error_truth;
	char error_cell[64];
	double local_error_pages, local_error_bound_pages;
	uint64_t memory_bytes;
	/* Of back ends that read the running kernel, result.h's "live" of the first process; NULL
	 * of models. Owned. */
	json_t *live;
	bool live_differs; /* between processes: said, never averaged */
	struct histogram *latency; /* merged, per read */
	double *process_median_ns; /* [processes], by repetition */
	struct process_figures *figures; /* [processes] */
	unsigned *repetition; /* [processes] */
	double *ratios; /* [processes]: room for summary_ratio() */
	char *placement_asked;
	json_t *placement_found; /* the worst of all processes; owned */
	char *cold_method; /* or NULL */
	int64_t started; /* of its first process, as of the run */
	char **warnings; /* each once, over all processes */
	size_t nr_warnings;
};

/* Ratio of two back ends over processes of the same repetition, which ran close together. */
struct ratio {
	size_t pairs;
	double median, low, high, level; /* low, high, level NAN below 6 pairs */
};

struct point_summary {
	struct point point;
	size_t nr_backends;
	struct backend_summary *backends; /* in the scenario's order; those without a result too */
};

struct failed_repetition {
	char id[POINT_ID_SIZE];
	char *backend;
	unsigned repetition;
	char *reason;
};

struct run_summary {
	char *path;
	json_t *run; /* run.json */
	char *scenario, *title, *host_class;
	size_t nr_points;
	struct point_summary *points;
	size_t nr_failed;
	struct failed_repetition *failed;
	size_t expected, done; /* repetitions */
	size_t nr_references;
	struct reference *references;
	uint64_t llc_bytes;
	int64_t started; /* when the first process did: seconds since 1970; -1: not known */
};

int summary_load(const char *path, struct run_summary **out, struct error *err);
void summary_free(struct run_summary *summary);

/* Memcgs that the point's read covers: of the subtree read, its top included; of a sweep, those
 * whose files are read. Of the root those who linger (write.linger) as well. Linear in the tree
 * where neither its root nor a leaf is read. NAN where that is not known: of a captured tree, whose
 * file is not there, below its root. */
double summary_memcgs(const struct point_summary *point);
/* A larger share of its bound; a bound of 0 allows nothing. NAN (nothing yet) loses to all. */
bool error_is_worse(double pages, double bound, double old_pages, double old_bound);
/* The error as % of the true value of its cell; NAN where there is none, or the truth is 0. */
double summary_error_percent(const struct backend_summary *summary);

/* numerator / denominator, by repetition. pairs == 0 where there are none. Nothing can fail: the
 * place for it was made when the numerator was loaded, so that one thread at a time may ask. */
struct ratio summary_ratio(const struct backend_summary *numerator,
			   const struct backend_summary *denominator);

/* numerator - subtrahend in ns, by repetition, in the same way. */
struct ratio summary_difference(const struct backend_summary *numerator,
				const struct backend_summary *subtrahend);

#define LIVE_FLOOR "kernel-floor" /* the back end that others are net of */
/* Of "live", by its path; NAN: not known, or a model. */
double live_number(const struct backend_summary *summary, const char *path);
/* How the kernel is read: "kept", "reopened", "local", "percpu"; NULL: it does not say. */
const char *live_word(const struct backend_summary *summary);
double live_walked(const struct backend_summary *summary); /* memcgs; NAN: only the kernel knows */
/* Did the kernel let go of memcgs that should be dying? */
bool live_lost_dying(const struct backend_summary *summary);

/* Parts of the document below: null where nothing is known, NULL where memory is out. */
json_t *locks_summary_to_json(const struct locks_summary *locks);
json_t *flusher_summary_to_json(const struct flusher_summary *flusher);
json_t *churn_summary_to_json(const struct churn_summary *churn);
json_t *harm_summary_to_json(const struct harm_summary *harm);

/* How late the victim was; NAN where it was not late often enough to know. q = 1: the longest. */
double harm_late_ns(const struct harm_summary *harm, enum harm_side side, double q);

/* The document that `run --format json` prints; the caller owns it. */
json_t *summary_to_json(const struct run_summary *summary);

#endif
