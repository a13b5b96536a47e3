// SPDX-License-Identifier: MIT
/* See truth_age.h. */
#include "driver/truth_age.h"

#include <stdlib.h>

#define BLOCK 64u /* states that are passed over together where none of them can be it */

/* From since_ns until the next state begins. */
struct state {
	uint64_t since_ns;
	int64_t low, high;
};

struct timeline {
	size_t nr;
	struct state *states;
	struct truth_share *blocks; /* [nr / BLOCK + 1] the range of their states */
	uint64_t end_ns; /* the last moment that is known */
};

/* One more step of a writer. Those of one writer are all alike, so their order is no matter. */
struct step {
	uint64_t ns;
	unsigned writer;
};

static int by_time(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->writer < y->writer ? -1 : x->writer > y->writer;
}

static struct step *merged_steps(unsigned nr_writers, const struct writer_record *records,
				 size_t *nr)
{
	struct step *steps, *at;

	*nr = 0;
	for (unsigned i = 0; i < nr_writers; i++)
		*nr += records[i].nr;
	steps = calloc(*nr + 1, sizeof(*steps));
	if (!steps)
		return NULL;
	at = steps;
	for (unsigned i = 0; i < nr_writers; i++)
		for (unsigned k = 0; k < records[i].nr; k++)
			*at++ = (struct step){records[i].ns[k], i};
	qsort(steps, *nr, sizeof(*steps), by_time);
	return steps;
}

/* The record begins when the last writer did, and ends with the first log that is full. */
static void find_ends(unsigned nr_writers, const struct writer_record *records, uint64_t *begin,
		      uint64_t *end)
{
	*begin = 0;
	*end = UINT64_MAX;
	for (unsigned i = 0; i < nr_writers; i++) {
		const struct writer_record *record = &records[i];

		if (record->begin_ns > *begin)
			*begin = record->begin_ns;
		if (record->nr == record->size &&
		    (!record->nr || record->ns[record->nr - 1] < *end))
			*end = record->nr ? record->ns[record->nr - 1] : 0;
	}
}

static void add_state(struct timeline *timeline, uint64_t ns, int64_t low, int64_t high)
{
	struct truth_share *block = &timeline->blocks[timeline->nr / BLOCK];

	if (timeline->nr % BLOCK == 0 || low < block->low)
		block->low = low;
	if (timeline->nr % BLOCK == 0 || high > block->high)
		block->high = high;
	timeline->states[timeline->nr++] = (struct state){ns, low, high};
}

/* All states, one after the other. `place` is each writer's progress modulo a round. */
static void fill(struct timeline *timeline, const struct truth *truth, enum numa_row row,
		 unsigned nr_writers, const struct writer_record *records, const struct step *steps,
		 size_t nr_steps, const struct truth_share *shares, uint64_t *place)
{
	int64_t low = truth_base(truth, row), high = low;
	uint64_t begin;

	find_ends(nr_writers, records, &begin, &timeline->end_ns);
	for (unsigned i = 0; i < nr_writers; i++) {
		place[i] = records[i].first % (2 * ROUND_SLICES);
		low += shares[2 * ROUND_SLICES * i + place[i]].low;
		high += shares[2 * ROUND_SLICES * i + place[i]].high;
	}
	add_state(timeline, begin, low, high);
	for (size_t k = 0; k < nr_steps; k++) {
		const struct truth_share *own = &shares[2 * ROUND_SLICES * steps[k].writer];
		uint64_t *at = &place[steps[k].writer];
		const struct truth_share *before = &own[*at];

		*at = (*at + 1) % (2 * ROUND_SLICES);
		low += own[*at].low - before->low;
		high += own[*at].high - before->high;
		/* A writer that came through the gate before the last one. */
		if (steps[k].ns <= begin)
			timeline->nr = 0;
		add_state(timeline, steps[k].ns > begin ? steps[k].ns : begin, low, high);
	}
}

struct timeline *timeline_new(const struct truth *truth, enum numa_row row, unsigned nr_writers,
			      const struct writer_record *records)
{
	struct truth_share *shares = calloc(2 * ROUND_SLICES * nr_writers, sizeof(*shares));
	uint64_t *place = calloc(nr_writers, sizeof(*place));
	struct timeline *timeline = calloc(1, sizeof(*timeline));
	size_t nr;
	struct step *steps = merged_steps(nr_writers, records, &nr);

	if (timeline) {
		timeline->states = calloc(nr + 1, sizeof(*timeline->states));
		timeline->blocks = calloc(nr / BLOCK + 1, sizeof(*timeline->blocks));
	}
	if (!shares || !place || !steps || !timeline || !timeline->states || !timeline->blocks) {
		timeline_free(timeline);
		timeline = NULL;
	} else {
		for (unsigned i = 0; i < nr_writers; i++)
			truth_shares(truth, i, row, &shares[2 * ROUND_SLICES * i]);
		fill(timeline, truth, row, nr_writers, records, steps, nr, shares, place);
	}
	free(steps);
	free(place);
	free(shares);
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	free(timeline->blocks);
	free(timeline->states);
	free(timeline);
}

/* The last state that began at `when` or before: nr where none did. */
static size_t state_at(const struct timeline *timeline, uint64_t when)
{
	size_t low = 0, high = timeline->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (timeline->states[middle].since_ns <= when)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : timeline->nr;
}

bool timeline_age(const struct timeline *timeline, uint64_t value, uint64_t when, uint64_t *age_ns)
{
	size_t now = state_at(timeline, when), at = now;
	int64_t wanted = (int64_t)value;

	if (now == timeline->nr || when > timeline->end_ns || value > INT64_MAX)
		return false;
	for (;;) {
		const struct truth_share *block = &timeline->blocks[at / BLOCK];
		const struct state *state = &timeline->states[at];

		if (wanted < block->low || wanted > block->high) {
			if (at < BLOCK)
				return false;
			at = at / BLOCK * BLOCK - 1;
			continue;
		}
		if (wanted >= state->low && wanted <= state->high) {
			*age_ns = at == now ? 0 : when - state[1].since_ns;
			return true;
		}
		if (!at--)
			return false;
	}
}

uint64_t timeline_bytes(uint64_t steps)
{
	return steps * (sizeof(struct step) + sizeof(struct state)) +
	       (steps / BLOCK + 1) * sizeof(struct truth_share);
}
