// SPDX-License-Identifier: MIT
/*
 * The set of cache lines that a read touches.
 *
 * Nearly all lines lie in the few regions of a back end, where one bit a line makes adding cheap
 * enough for the 22 million loads of a large walk. The rest (stack, scratch buffers, trees) goes
 * into a hash set of line numbers that doubles before it is three quarters full.
 *
 * A line is known by its number, address / LINE_BYTES. Regions that overlap or share a line are put
 * together first, so that each line has one home and is counted once.
 */
#include "timing/lines.h"

#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>

#define WORD_BITS  64
#define FIRST_SIZE 1024 /* slots of the hash set; a power of two */
#define NR_SEEN    4096 /* a power of two */

struct span {
	uintptr_t first, last; /* line numbers, both in it */
	uint64_t *bits;
};

struct line_set {
	uint64_t nr_lines;
	size_t nr_spans;
	size_t recent; /* the span found last: loads come in runs */
	struct span *spans; /* ascending, with no line in common */
	size_t nr_others, nr_slots;
	uintptr_t *slots; /* line number, 0: free (line 0 holds the null pointer) */
	uintptr_t seen[NR_SEEN]; /* lines in the set, by their low bits: most are added again soon */
};

static uintptr_t line_of(uintptr_t address)
{
	return address / LINE_BYTES;
}

static size_t span_words(const struct span *span)
{
	return (span->last - span->first) / WORD_BITS + 1;
}

static int by_first(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static void collect_spans(struct line_set *set, const struct region *regions, size_t nr)
{
	struct span *spans = set->spans;
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		uintptr_t base = (uintptr_t)regions[i].base;

		if (regions[i].bytes == 0)
			continue;
		spans[kept].first = line_of(base);
		spans[kept++].last = line_of(base + regions[i].bytes - 1);
	}
	qsort(spans, kept, sizeof(*spans), by_first);
	for (size_t i = 0; i < kept; i++) {
		struct span *before = set->nr_spans ? &spans[set->nr_spans - 1] : NULL;

		if (before && spans[i].first <= before->last) {
			if (spans[i].last > before->last)
				before->last = spans[i].last;
		} else {
			spans[set->nr_spans++] = spans[i];
		}
	}
}

struct line_set *line_set_new(const struct region *regions, size_t nr)
{
	struct line_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->spans = calloc(nr + 1, sizeof(*set->spans));
	if (!set->spans)
		goto fail;
	collect_spans(set, regions, nr);
	for (size_t i = 0; i < set->nr_spans; i++) {
		set->spans[i].bits = calloc(span_words(&set->spans[i]), sizeof(uint64_t));
		if (!set->spans[i].bits)
			goto fail;
	}
	set->nr_slots = FIRST_SIZE;
	set->slots = calloc(set->nr_slots, sizeof(*set->slots));
	if (!set->slots)
		goto fail;
	return set;
fail:
	line_set_free(set);
	return NULL;
}

void line_set_free(struct line_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; set->spans && i < set->nr_spans; i++)
		free(set->spans[i].bits);
	free(set->spans);
	free(set->slots);
	free(set);
}

static struct span *find_span(struct line_set *set, uintptr_t line)
{
	size_t low = 0, high = set->nr_spans;
	struct span *span;

	if (high == 0)
		return NULL;
	span = &set->spans[set->recent];
	if (line >= span->first && line <= span->last)
		return span;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		span = &set->spans[middle];
		if (line < span->first) {
			high = middle;
		} else if (line > span->last) {
			low = middle + 1;
		} else {
			set->recent = middle;
			return span;
		}
	}
	return NULL;
}

/* The slot that holds `line`, or the free one where it belongs. */
static uintptr_t *find_slot(uintptr_t *slots, size_t nr_slots, uintptr_t line)
{
	size_t i = (size_t)rng_mix(line) & (nr_slots - 1);

	while (slots[i] != 0 && slots[i] != line)
		i = (i + 1) & (nr_slots - 1);
	return &slots[i];
}

static int grow(struct line_set *set)
{
	size_t nr_slots = 2 * set->nr_slots;
	uintptr_t *slots = calloc(nr_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < set->nr_slots; i++) {
		if (set->slots[i] != 0)
			*find_slot(slots, nr_slots, set->slots[i]) = set->slots[i];
	}
	free(set->slots);
	set->slots = slots;
	set->nr_slots = nr_slots;
	return 0;
}

static int add_other(struct line_set *set, uintptr_t line)
{
	uintptr_t *slot = find_slot(set->slots, set->nr_slots, line);
	int r;

	if (*slot == line)
		return 0;
	if (set->nr_others >= set->nr_slots / 4 * 3) {
		r = grow(set);
		if (r < 0)
			return r;
		slot = find_slot(set->slots, set->nr_slots, line);
	}
	*slot = line;
	set->nr_others++;
	set->nr_lines++;
	return 0;
}

static int add_line(struct line_set *set, uintptr_t line)
{
	struct span *span = find_span(set, line);
	uint64_t *word, bit;

	if (!span)
		return add_other(set, line);
	word = &span->bits[(line - span->first) / WORD_BITS];
	bit = (uint64_t)1 << ((line - span->first) % WORD_BITS);
	set->nr_lines += !(*word & bit);
	*word |= bit;
	return 0;
}

int line_set_add(struct line_set *set, const void *address, size_t bytes)
{
	uintptr_t first = line_of((uintptr_t)address), last;
	int r;

	if (bytes == 0)
		return 0;
	last = line_of((uintptr_t)address + bytes - 1);
	for (uintptr_t line = first; line <= last; line++) {
		if (set->seen[line % NR_SEEN] == line)
			continue;
		r = add_line(set, line);
		if (r < 0)
			return r;
		set->seen[line % NR_SEEN] = line;
	}
	return 0;
}

uint64_t line_set_bytes(const struct line_set *set)
{
	return set->nr_lines * LINE_BYTES;
}

void line_set_each(const struct line_set *set, void (*visit)(void *arg, void *line), void *arg)
{
	for (size_t i = 0; i < set->nr_spans; i++) {
		const struct span *span = &set->spans[i];

		for (size_t word = 0; word < span_words(span); word++) {
			uintptr_t base = span->first + word * WORD_BITS;

			for (uint64_t bits = span->bits[word]; bits; bits &= bits - 1) {
				unsigned bit = (unsigned)__builtin_ctzll(bits);

				visit(arg, (void *)((base + bit) * LINE_BYTES));
			}
		}
	}
	for (size_t i = 0; i < set->nr_slots; i++) {
		if (set->slots[i] != 0)
			visit(arg, (void *)(set->slots[i] * LINE_BYTES));
	}
}
