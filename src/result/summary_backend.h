/* SPDX-License-Identifier: MIT */
/* How the processes of one point and back end are put together; part of summary.h's inside. */
#ifndef MEMCGBENCH_RESULT_SUMMARY_BACKEND_H
#define MEMCGBENCH_RESULT_SUMMARY_BACKEND_H

#include "result/summary.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	PART_HIERARCHICAL,
	PART_LOCAL,
	PART_FORMAT,
	PART_UPDATE, /* this and the following: no part of a read, but summed up like one */
	PART_WRITER,
	PART_WRITER_P99,
	PART_THROUGHPUT,
	PART_CREATE,
	PART_CREATE_P99,
	PART_REMOVE,
	PART_REMOVE_P99,
	PART_KINDS, /* of updates, each one's figures */
	NR_MERGED_PARTS = PART_KINDS + NR_UPDATE_KIND_FIGURES
};

struct backend_merge {
	struct backend_summary *into;
	unsigned room; /* processes */
	/* a figure of each process that has it */
	double *parts[NR_MERGED_PARTS];
	size_t nr_parts[NR_MERGED_PARTS];
};

/* `repetitions`: as many as are expected, at least 1. 0 or -ENOMEM. backend_merge_end() is called
 * in either case. */
int backend_merge_begin(struct backend_merge *merge, struct backend_summary *into, const char *name,
			unsigned repetitions);
/* Add a result that result_read() checked and that is ok. */
int backend_merge_add(struct backend_merge *merge, const json_t *result,
		      const struct histogram *latency);
/* Work out what is reported. */
int backend_merge_end(struct backend_merge *merge);

void backend_summary_fini(struct backend_summary *summary);

/* summary_error.c */
void errors_summary_init(struct backend_summary *into);
void errors_summary_add(struct backend_summary *into, const json_t *result);

/* summary_placement.c; -ENOMEM. */
int placement_summary_add(struct backend_summary *into, const json_t *result);

/* summary_live.c; -ENOMEM. */
int live_summary_add(struct backend_summary *into, const json_t *result);

/* summary_churn.c */
void churn_summary_init(struct churn_summary *churn);
void churn_summary_add(struct churn_summary *churn, const json_t *result);

/* summary_harm.c; add: 0 or -ENOMEM, end() in either case. */
void harm_summary_init(struct harm_summary *harm);
int harm_summary_add(struct harm_summary *harm, const json_t *result);
void harm_summary_end(struct harm_summary *harm);
void harm_summary_fini(struct harm_summary *harm);

/* summary_locks.c; add: 0 or -ENOMEM, end() in either case. */
void locks_summary_init(struct locks_summary *locks);
int locks_summary_add(struct locks_summary *locks, const json_t *result);
void locks_summary_end(struct locks_summary *locks);

/* summary_truth.c */
void truth_summary_init(struct truth_summary *truth);
void truth_summary_add(struct truth_summary *truth, const json_t *result);
/* When all processes are there. -ENOMEM. */
int truth_summary_end(struct backend_summary *into);

#endif
