/* SPDX-License-Identifier: MIT */
/*
 * One fresh process that measures. The program executes itself with the hidden command `measure`:
 * the request is JSON on descriptor 3, the answer one JSON document on descriptor 4, and the tail
 * of stderr is kept as the reason where it fails. It dies with its parent, and before it when
 * memory runs out.
 */
#ifndef MEMCGBENCH_DRIVER_CHILD_H
#define MEMCGBENCH_DRIVER_CHILD_H

#include "base/error.h"

#include <jansson.h>
#include <stdint.h>

#define CHILD_REQUEST_FD 3
#define CHILD_ANSWER_FD  4

enum child_outcome {
	CHILD_DONE, /* `answer` is its document */
	CHILD_FAILED, /* `reason` says why */
	CHILD_INTERRUPTED, /* a signal for the parent arrived: the child was ended, nothing is kept
			    */
};

struct child_report {
	enum child_outcome outcome;
	json_t *answer; /* owned by the caller; CHILD_DONE only */
	char reason[700]; /* CHILD_FAILED only */
	int signal; /* CHILD_INTERRUPTED only */
	uint64_t wall_ns;
};

struct child_options {
	uint64_t limit_ns; /* longer is a failure */
	int interrupt_fd; /* from interrupt_open() */
	/* Called a few times a second while the child runs; may be NULL. */
	void (*tick)(void *arg);
	void *arg;
};

/* 0 whatever the child's fate; -errno where no child could be started. */
int child_run(const json_t *request, const struct child_options *options,
	      struct child_report *report, struct error *err);

/* In the child: read the request, give the answer. */
json_t *child_read_request(struct error *err);
int child_give_answer(const json_t *answer, struct error *err);

#endif
