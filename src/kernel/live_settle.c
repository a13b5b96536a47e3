// SPDX-License-Identifier: MIT
/* See live_settle.h. */
#include "kernel/live_settle.h"

#include "kernel/own_cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SETTLE_TENTHS  45u /* of seconds */
#define STILL_TENTHS   10u
#define MOST_TENTHS    150u
#define LINE_BYTES_MAX 256

/* True: stopped. */
static bool wait_tenth(const struct live_progress *progress, uint32_t done, uint32_t of)
{
	const struct timespec tenth = {.tv_nsec = 100000000};

	if (progress && progress->each && progress->each(progress->arg, done, of))
		return true;
	nanosleep(&tenth, NULL);
	return false;
}

int live_settle(const struct live_progress *progress, struct error *err)
{
	for (uint32_t i = 0; i < SETTLE_TENTHS; i++)
		if (wait_tenth(progress, i, SETTLE_TENTHS))
			return error_set(err, -EINTR, "interrupted while the kernel counts");
	return 0;
}

/* The number behind a name at the start of a line; -1 where there is none. */
static int64_t number_in(FILE *file, const char *format)
{
	char line[LINE_BYTES_MAX];
	int64_t number = -1;

	while (file && number < 0 && fgets(line, sizeof(line), file))
		if (sscanf(line, format, &number) != 1)
			number = -1;
	if (file)
		fclose(file);
	return number;
}

/* Of v1: all memcgs of the machine, removed ones that are still there included. */
static int64_t all_memcgs(void)
{
	return number_in(fopen("/proc/cgroups", "re"), "memory %*d %" SCNd64);
}

int live_await_release(const struct hierarchy *hierarchy, const struct live_progress *progress,
		       struct error *err)
{
	int64_t last = all_memcgs();
	uint32_t still = 0;

	if (hierarchy->version != 1)
		return 0;
	for (uint32_t i = 0; still < STILL_TENTHS && i < MOST_TENTHS; i++) {
		int64_t now;

		if (wait_tenth(progress, i, MOST_TENTHS))
			return error_set(err, -EINTR, "interrupted before cgroups were made");
		now = all_memcgs();
		still = now == last ? still + 1 : 0;
		last = now;
	}
	return 0;
}

int64_t live_dying_before(const struct hierarchy *hierarchy)
{
	return hierarchy->version == 1 ? all_memcgs() : 0;
}

static int64_t dying_below(int directory)
{
	int fd = openat(directory, "cgroup.stat", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 ? -1 : number_in(fdopen(fd, "r"), "nr_dying_descendants %" SCNd64);
}

int64_t live_dying_since(const struct live_tree *live, int64_t before)
{
	const struct memcg_tree *tree = live->tree;
	/* The tree's that have a directory, this process's own and the one to park in. */
	int64_t visible = (int64_t)tree->nr - tree->nr_dying + 2, dying;

	if (live->own.hierarchy->version != 1)
		return dying_below(live->own.fd);
	dying = all_memcgs();
	if (before < 0 || dying < 0)
		return -1;
	dying -= before + visible;
	return dying < 0 ? 0 : dying;
}
