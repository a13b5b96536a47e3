// SPDX-License-Identifier: MIT
/* See perf.h; the interface is perf_event_open(2). */
#include "timing/perf.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CACHE_EVENT(cache, result) \
	((cache) | (PERF_COUNT_HW_CACHE_OP_READ << 8) | ((uint64_t)(result) << 16))

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} events[NR_PERF_EVENTS] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"llc_misses", PERF_TYPE_HW_CACHE,
	 CACHE_EVENT(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_RESULT_MISS)},
	{"dtlb_misses", PERF_TYPE_HW_CACHE,
	 CACHE_EVENT(PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_RESULT_MISS)},
};

void perf_counters_open(struct perf_counters *counters)
{
	for (int i = 0; i < NR_PERF_EVENTS; i++) {
		struct perf_event_attr attr = {
			.type = events[i].type,
			.size = sizeof(attr),
			.config = events[i].config,
			.disabled = 1,
			.inherit = 1,
			.exclude_kernel = 1,
			.exclude_hv = 1,
			.read_format =
				PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		};

		counters->fd[i] =
			(int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
}

/* An event stands for those that threads inherited from it. */
static void tell_all(const struct perf_counters *counters, unsigned long what)
{
	for (int i = 0; i < NR_PERF_EVENTS; i++)
		if (counters->fd[i] >= 0)
			ioctl(counters->fd[i], what, 0);
}

void perf_counters_start(const struct perf_counters *counters)
{
	tell_all(counters, PERF_EVENT_IOC_ENABLE);
}

void perf_counters_stop(const struct perf_counters *counters)
{
	tell_all(counters, PERF_EVENT_IOC_DISABLE);
}

/* False where the event was never on the hardware. */
static bool read_counter(int fd, double *value, double *share)
{
	uint64_t v[3]; /* value, time enabled, time running */

	if (fd < 0 || read(fd, v, sizeof(v)) != sizeof(v) || !v[2])
		return false;
	*share = (double)v[2] / (double)v[1];
	*value = (double)v[0] / *share;
	return true;
}

json_t *perf_counters_close(struct perf_counters *counters)
{
	json_t *found = json_object();
	double least = 1;
	bool any = false;

	for (int i = 0; i < NR_PERF_EVENTS; i++) {
		double value, share;
		bool known = read_counter(counters->fd[i], &value, &share);

		json_object_set_new(found, events[i].name, known ? json_real(value) : json_null());
		if (known && share < least)
			least = share;
		any |= known;
		if (counters->fd[i] >= 0)
			close(counters->fd[i]);
	}
	json_object_set_new(found, "running_share", json_real(least));
	if (any)
		return found;
	json_decref(found);
	return NULL;
}
