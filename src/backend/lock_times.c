// SPDX-License-Identifier: MIT
/* See lock_times.h. */
#include "backend/lock_times.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>

static struct histogram *histogram_with_room(void)
{
	struct histogram *histogram = histogram_new();

	if (histogram && histogram_reserve(histogram, LOCK_TIMES_MOST_NS * UINT64_C(1000))) {
		histogram_free(histogram);
		return NULL;
	}
	return histogram;
}

int lock_times_init(struct lock_times *times, const char *name)
{
	*times = (struct lock_times){
		.name = name, .wait = histogram_with_room(), .hold = histogram_with_room()};
	return times->wait && times->hold ? 0 : -ENOMEM;
}

void lock_times_fini(struct lock_times *times)
{
	histogram_free(times->wait);
	histogram_free(times->hold);
	times->wait = times->hold = NULL;
}

int lock_times_reset(struct lock_times *times)
{
	struct lock_times anew;

	if (lock_times_init(&anew, times->name)) {
		lock_times_fini(&anew);
		return -ENOMEM;
	}
	lock_times_fini(times);
	*times = anew;
	return 0;
}

static void record(struct lock_times *times, struct histogram *histogram, uint64_t ns)
{
	times->lost += histogram_record(histogram, ns * 1000) != 0;
}

void lock_times_taken(struct lock_times *times, uint64_t now)
{
	times->taken++;
	times->since = now;
}

void lock_times_waited(struct lock_times *times, uint64_t begin, uint64_t now)
{
	lock_times_taken(times, now);
	times->contended++;
	times->wait_ns += now - begin;
	record(times, times->wait, now - begin);
}

void lock_times_dropped(struct lock_times *times, uint64_t now)
{
	times->hold_ns += now - times->since;
	record(times, times->hold, now - times->since);
}

double lock_times_wait_quantile_ns(const struct lock_times *times, double q)
{
	double rank = ceil(q * (double)times->taken);
	double behind = rank - (double)(times->taken - times->contended);

	if (!times->taken)
		return NAN;
	if (behind <= 0)
		return 0;
	return histogram_quantile_ns(times->wait, behind / (double)times->contended);
}
