/* SPDX-License-Identifier: MIT */
/*
 * What may fail a job on a machine that others use, too: what is wrong, what is counted, and how
 * back ends that were measured side by side compare. No wall time.
 */
#ifndef MEMCGBENCH_VERDICT_GATE_H
#define MEMCGBENCH_VERDICT_GATE_H

#include "verdict/compare.h"

enum gate_fault {
	GATE_BEYOND_BOUND, /* rows of the text are wrong beyond what the design allows */
	GATE_UNSTABLE_COUNTS, /* processes of one side count differently */
	GATE_COUNT, /* an operation count is not what it was */
	GATE_RATIO /* a back end fell behind another */
};
/* "beyond_bound", "unstable_counts", "count", "ratio" */
const char *gate_fault_word(enum gate_fault fault);

struct gate_failure {
	enum gate_fault fault;
	const struct record_cell *cell; /* of NEW: the back end at fault */
	const struct count_difference *count; /* GATE_COUNT */
	const struct comparison *ratio; /* GATE_RATIO */
};

/* All of them, by kind, then in the order of NEW; `*out` is the caller's to free. 0 or -ENOMEM. */
int gate_failures(const struct compare *compare, struct gate_failure **out, size_t *nr);

/*
 * Ratios that could not fail alone, because too few processes cannot reach the p that it takes
 * among so many ratios. `processes`: how many would be enough on each side.
 */
size_t gate_blind_ratios(const struct compare *compare, size_t *processes);

#endif
