/* SPDX-License-Identifier: MIT */
/*
 * Many records in order of time: for each point, back end, host class and metric the series of
 * medians, and where its level changed.
 */
#ifndef MEMCGBENCH_VERDICT_HISTORY_H
#define MEMCGBENCH_VERDICT_HISTORY_H

#include "base/error.h"
#include "result/record.h"
#include "stats/change_points.h"
#include "verdict/noise.h"

#include <stdbool.h>
#include <stddef.h>

struct history_options {
	const struct metric **metrics; /* [nr_metrics] */
	size_t nr_metrics;
	double min_effect; /* 0.03; a series' own is this or twice its noise, whichever is larger */
	bool keep_going; /* past files that cannot be read */
	int64_t since; /* records from before, in seconds since 1970, are left out; 0: none */
};

/* One run in one series: a median over its processes and their interval (NAN below 6). */
struct history_value {
	const struct record *record;
	const struct record_cell *cell;
	double median, low, high;
};

enum series_state {
	SERIES_SEARCHED,
	SERIES_SHORT, /* fewer values than history_least_values(): it can show no change */
	SERIES_NOT_POSITIVE /* has values that are not above 0: there is no factor between them */
};

struct series {
	const struct point *point; /* of its newest record */
	const char *backend, *host_class;
	const struct metric *metric;
	size_t nr;
	struct history_value *values; /* by time */
	enum series_state state;
	double noise; /* A/A; NAN: not measured */
	double min_effect; /* what was asked of a change here */
	size_t nr_changes;
	struct change *changes; /* `at` is an index of `values` */
	bool worse; /* the newest change is for the worse */
};

struct history {
	char *path;
	size_t nr_records;
	struct record **records; /* by time, then by path */
	size_t nr_older; /* records from before options.since, left out */
	struct noise_store *noise; /* or NULL */
	size_t nr_series;
	struct series
		*series; /* in order of host class, point of the newest records, back end, metric */
	bool worse; /* of any series: exit code 1 */
};

/* With fewer values than these not even complete separation is significant. */
size_t history_least_values(void);

/* Is the level after the change worse than the one before? */
bool series_change_is_worse(const struct series *series, const struct change *change);

/*
 * Read every record among the *.json of the directory, and every directory in it that is a run.
 * Files that are not records or noise are said to be foreign, but for README-like names without
 * .json. So are records whose time is not known, and a run that is there twice. Faults as in
 * record_open(). -ENODATA where no record is there. Of the options what is read counts here:
 * keep_going, since.
 */
int history_load(const char *directory, const struct history_options *options, struct history **out,
		 struct error_list *faults);
void history_free(struct history *history);

/* Make the series of the metrics asked for out of the records, and search them for changes; once.
 * 0 or -ENOMEM. */
int history_search(struct history *history, const struct history_options *options);

/* Keep a record: DIRECTORY/20261130T150300Z-SCENARIO-HASH.json, the directory made where it is not
 * there; the hash is of the content, so that the same run is not kept twice. `path` (PATH_MAX) gets
 * its name. 0, -EEXIST (already kept: `err` is not filled), -EINVAL (its time is not known),
 * -errno. */
int history_add(const char *directory, const struct record *record, char *path, struct error *err);

#endif
