/* SPDX-License-Identifier: MIT */
/*
 * The victim: a thread on the first reader's CPU that wants it for a moment every millisecond, as a
 * task does that serves requests, and keeps a record of how late it got it. It sleeps until
 * absolute times: while it is kept off the CPU its times go on to pass, and each of them counts, so
 * that one long delay weighs as long as it was.
 *
 * It has the ordinary scheduling policy, whatever the process has, and a timer without slack. What
 * it waits for is its own wake-up (timer, interrupt, switch) and whoever is not preempted: a reader
 * in user space loses the CPU to it as the scheduler sees fit, a kernel that walks without a point
 * where it may be preempted keeps it until the walk is over.
 */
#ifndef MEMCGBENCH_DRIVER_VICTIM_H
#define MEMCGBENCH_DRIVER_VICTIM_H

#include "base/error.h"
#include "place/placement.h"
#include "stats/histogram.h"

#include <stdint.h>

#define VICTIM_PERIOD_NS 1000000u

struct victim;

/* Start it on the CPU of the reader of that index. The placement outlives it. */
int victim_start(const struct placement *placement, unsigned index, struct victim **out,
		 struct error *err);
/* Be late from `from` to before `until` (clock_now()'s times); every delay goes to `late`, which is
 * the victim's until victim_end(). */
void victim_begin(struct victim *victim, uint64_t from, uint64_t until, struct histogram *late);
/* Wait until it has had its last turn: that may be later than `until`. -ENOMEM. */
int victim_end(struct victim *victim, struct error *err);
/* Not between victim_begin() and victim_end(). NULL is fine. */
void victim_stop(struct victim *victim);

unsigned victim_cpu(const struct victim *victim); /* by OS index, where it was found */
const char *victim_policy(const struct victim *victim); /* as found: "other" */

#endif
