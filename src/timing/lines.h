/* SPDX-License-Identifier: MIT */
/*
 * The set of cache lines that a read touches, and how to make them cold again.
 *
 * A counting run of a back end adds every address it loads; the size of the set is the figure
 * "bytes touched", and evicting the set between samples is what `cache: cold` means.
 */
#ifndef MEMCGBENCH_TIMING_LINES_H
#define MEMCGBENCH_TIMING_LINES_H

#include "place/placement.h"

#include <stddef.h>
#include <stdint.h>

#define LINE_BYTES 64

struct line_set; /* one bit per line of the regions it was made over; other addresses by hash */

struct line_set *line_set_new(const struct region *regions, size_t nr); /* NULL: out of memory */
void line_set_free(struct line_set *set);
int line_set_add(struct line_set *set, const void *address, size_t bytes); /* 0 or -ENOMEM */
uint64_t line_set_bytes(const struct line_set *set); /* of the distinct lines added */
/* Calls `visit` once for every line of the set, with its first byte; those of regions ascending. */
void line_set_each(const struct line_set *set, void (*visit)(void *arg, void *line), void *arg);

/*
 * Evicts the set's lines from all caches (clflushopt on x86-64, dc civac on AArch64), then sweeps a
 * buffer larger than second-level cache and TLB reach, so that translations, stack and code are
 * cold too. Where lines cannot be flushed by user code, or `set` is NULL, the sweep is over twice
 * the last level cache instead. Memory whose lines are in the set must stay mapped while the
 * evictor is used.
 */
struct evictor;
/* `set`: not owned, may still grow. `llc_bytes` 0: not known. NULL: out of memory. */
struct evictor *evictor_new(const struct line_set *set, uint64_t llc_bytes);
void evictor_free(struct evictor *evictor);
void evictor_run(struct evictor *evictor);
void evictor_flush(struct evictor *evictor); /* the set's lines only, where they can be; no sweep */
const char *evictor_method(const struct evictor *evictor); /* "clflushopt + sweep of 16 MiB" */

#endif
