/* SPDX-License-Identifier: MIT */
/*
 * How far a writer is, for who wants to know the truth meanwhile, and when it got there.
 *
 * Progress is twice the slices done, and one more while a slice is under way: what a writer does is
 * known beforehand (writer_list.h), so its progress says what it has done, but for where in a slice
 * it is. The log has the time of each step; it ends when it is full, and the writer goes on.
 */
#ifndef MEMCGBENCH_DRIVER_WRITER_RECORD_H
#define MEMCGBENCH_DRIVER_WRITER_RECORD_H

#include "timing/clock.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_APART 128 /* what prefetchers fetch together */

/* All but `progress` is the writer's own until it has ended. */
struct writer_record {
	alignas(PROGRESS_APART) _Atomic uint64_t progress;
	alignas(PROGRESS_APART) uint64_t first; /* progress when it came through the gate */
	uint64_t begin_ns; /* and when that was */
	uint64_t *ns; /* [size] when progress became first + 1 + i */
	uint32_t nr, size;
};

/* ThreadSanitizer knows no fences (and gcc says so); it needs none to find no race of atomics. */
static inline void progress_fence(memory_order order)
{
#ifndef __SANITIZE_THREAD__
	atomic_thread_fence(order);
#else
	(void)order;
#endif
}

static inline void record_time(struct writer_record *record)
{
	if (record->nr < record->size)
		record->ns[record->nr++] = clock_now();
}

static inline void record_start(struct writer_record *record, uint64_t slices)
{
	record->first = 2 * slices;
	record->nr = 0;
	record->begin_ns = clock_now();
	/* Release: with what was done before the gate. */
	atomic_store_explicit(&record->progress, 2 * slices, memory_order_release);
}

/*
 * Release fence: who sees an update of this slice and then, behind an acquire fence, looks at
 * progress sees that the slice had begun.
 */
static inline void record_slice_begins(struct writer_record *record, uint64_t slices)
{
	record_time(record);
	atomic_store_explicit(&record->progress, 2 * slices + 1, memory_order_relaxed);
	progress_fence(memory_order_release);
}

/* Release: who sees that the slice is done sees all its updates. */
static inline void record_slice_ends(struct writer_record *record, uint64_t slices)
{
	record_time(record);
	atomic_store_explicit(&record->progress, 2 * slices, memory_order_release);
}

/* Before a read. Acquire: what was done until then is seen by the read. */
static inline uint64_t progress_before(const struct writer_record *record)
{
	return atomic_load_explicit(&record->progress, memory_order_acquire);
}

/* Behind the read and progress_fence(memory_order_acquire): nothing of later slices was seen. */
static inline uint64_t progress_after(const struct writer_record *record)
{
	return atomic_load_explicit(&record->progress, memory_order_relaxed);
}

#endif
