// SPDX-License-Identifier: MIT
/*
 * The floor of the clock: what an interval costs in which nothing happens.
 *
 * A clock may tick in steps coarser than that, so the median comes from chains of readings, each
 * divided by its length; the tail comes from single intervals, which is what a sample is.
 */
#include "timing/clock.h"

#include "stats/order.h"

#include <stddef.h>

#define CHAINS       100
#define CHAIN_LENGTH 200
#define SINGLES      10000

static double chain_ns(void)
{
	uint64_t start = clock_now(), now = start;

	for (unsigned i = 0; i < CHAIN_LENGTH; i++)
		now = clock_now();
	return (double)(now - start) / CHAIN_LENGTH;
}

void timer_floor_measure(struct timer_floor *floor)
{
	double chains[CHAINS], singles[SINGLES];
	uint64_t before, now;

	for (size_t i = 0; i < CHAINS; i++)
		chains[i] = chain_ns();

	before = clock_now();
	for (size_t i = 0; i < SINGLES; i++) {
		now = clock_now();
		singles[i] = (double)(now - before);
		before = now;
	}

	floor->median_ns = median(chains, CHAINS);
	median(singles, SINGLES); /* sorts */
	floor->p99_ns = singles[SINGLES * 99 / 100 - 1];
	floor->intervals = SINGLES;
}
