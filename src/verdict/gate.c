// SPDX-License-Identifier: MIT
/* See gate.h. */
#include "verdict/gate.h"

#include "stats/rank_test.h"
#include "stats/sample_size.h"

#include <errno.h>
#include <stdlib.h>

const char *gate_fault_word(enum gate_fault fault)
{
	static const char *const words[] = {
		[GATE_BEYOND_BOUND] = "beyond_bound",
		[GATE_UNSTABLE_COUNTS] = "unstable_counts",
		[GATE_COUNT] = "count",
		[GATE_RATIO] = "ratio",
	};

	return words[fault];
}

/* Correctness holds for all that was measured, whether the other side has it or not. */
static void check_cells(const struct record *record, struct gate_failure *failures, size_t *nr)
{
	for (size_t i = 0; i < record->nr_cells; i++) {
		if (record->cells[i].cells_beyond_bound)
			failures[(*nr)++] = (struct gate_failure){GATE_BEYOND_BOUND,
								  &record->cells[i], NULL, NULL};
	}
	for (size_t i = 0; i < record->nr_cells; i++) {
		if (record->cells[i].counts_differ)
			failures[(*nr)++] = (struct gate_failure){GATE_UNSTABLE_COUNTS,
								  &record->cells[i], NULL, NULL};
	}
}

static const struct record_cell *at_fault(const struct compare *compare,
					  const struct comparison *ratio)
{
	const struct comparison *mover = compare_ratio_cause(compare, ratio).mover;

	return mover ? mover->new_cell : ratio->new_cell;
}

int gate_failures(const struct compare *compare, struct gate_failure **out, size_t *nr)
{
	size_t room = 2 * compare->new->nr_cells + compare->nr_counts + compare->nr_ratios + 1;
	struct gate_failure *failures = calloc(room, sizeof(*failures));

	*out = failures;
	*nr = 0;
	if (!failures)
		return -ENOMEM;
	check_cells(compare->new, failures, nr);
	for (size_t i = 0; i < compare->nr_counts; i++)
		failures[(*nr)++] = (struct gate_failure){GATE_COUNT, compare->counts[i].new_cell,
							  &compare->counts[i], NULL};
	for (size_t i = 0; i < compare->nr_ratios; i++) {
		const struct comparison *ratio = &compare->ratios[i];

		if (ratio->verdict == VERDICT_REGRESSION)
			failures[(*nr)++] = (struct gate_failure){
				GATE_RATIO, at_fault(compare, ratio), NULL, ratio};
	}
	return 0;
}

size_t gate_blind_ratios(const struct compare *compare, size_t *processes)
{
	double alpha = compare->options.alpha;
	size_t made = 0, blind = 0;

	for (size_t i = 0; i < compare->nr_ratios; i++)
		made += compare->ratios[i].verdict != VERDICT_NO_DATA;
	if (made)
		alpha /= (double)made;
	for (size_t i = 0; i < compare->nr_ratios; i++) {
		const struct comparison *ratio = &compare->ratios[i];

		blind += ratio->verdict == VERDICT_NO_DATA ||
			 rank_test_least_p(ratio->base.processes, ratio->new.processes) >= alpha;
	}
	*processes = values_needed_at_least(alpha);
	return blind;
}
