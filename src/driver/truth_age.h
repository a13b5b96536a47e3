/* SPDX-License-Identifier: MIT */
/*
 * How old a value is: the time from the last moment at which it was true, as far as that can be
 * known, until it was read. Made from the writers' logs after they have ended: a record of between
 * which two values one row's sum was, at any moment of it. A row that has come back to an older
 * value is as good as new: nobody who reads it could tell.
 *
 * A moment is a state of all writers at once, so here rows are summed before they are bracketed:
 * the bracket is that of one moment, and between slices it is a single value.
 */
#ifndef MEMCGBENCH_DRIVER_TRUTH_AGE_H
#define MEMCGBENCH_DRIVER_TRUTH_AGE_H

#include "driver/truth.h"
#include "driver/writer_record.h"

#include <stdbool.h>
#include <stdint.h>

struct timeline;

/* The sum of a hierarchical row, over the time that all logs have. NULL: no memory. */
struct timeline *timeline_new(const struct truth *truth, enum numa_row row, unsigned nr_writers,
			      const struct writer_record *records);
void timeline_free(struct timeline *timeline);

/*
 * Was `value` true at `when` (clock_now()) or earlier? *age_ns is how long ago, 0: it was then.
 * False where it was not within the record, or `when` is not.
 */
bool timeline_age(const struct timeline *timeline, uint64_t value, uint64_t when, uint64_t *age_ns);

/* Bytes that a record of so many steps in all takes. */
uint64_t timeline_bytes(uint64_t steps);

#endif
