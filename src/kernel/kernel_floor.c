// SPDX-License-Identifier: MIT
/*
 * The back end `kernel-floor`: the smallest file of the same file system in the same directories,
 * with the same kind of descriptors: what a read of `kernel` costs before it has read anything of
 * interest, a system call or three and the file system's way. It counts nothing, so nothing of it
 * is compared with what was charged.
 */
#include "kernel/kernel_files.h"

#include "kernel/live_reads.h"
#include "scenario/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT_NS    700.0
#define REOPEN_NS  4800.0
#define PATH_BYTES 200u
#define LONGEST    256

/* Files that hold a number or a word, of v1 and v2; every cgroup has some of them. All are printed
 * by the same code of the file system as the statistics. */
static const char *const candidates[] = {
	"cgroup.clone_children", "notify_on_release", "memory.swappiness",
	"cgroup.freeze",         "cgroup.max.depth",  "cgroup.type",
};

static uint64_t bytes(const struct point *point)
{
	return target_size(point).files * PATH_BYTES;
}

static double guess_read_ns(const struct point *point)
{
	return (double)target_size(point).files *
	       (KEPT_NS + (point->read.buffer == BUFFER_REOPENED ? REOPEN_NS : 0));
}

static int possible(const struct point *point, struct error_list *reasons)
{
	int r = live_reads_buffer_possible(point, "kernel-floor", reasons);

	r |= live_reads_descriptors_possible(point, "kernel-floor", target_size(point).files,
					     reasons);
	return r ? -ENODEV : 0;
}

/* The shortest that a directory has, the first of several. NULL: it has none. */
static const char *find_smallest(int directory)
{
	struct live_reads reads = {.files = 0};
	const char *found = NULL;
	long least = LONGEST;

	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		char text[LONGEST];
		long length =
			live_file_read_at(directory, candidates[i], text, sizeof(text), &reads);

		if (length <= 0 || length >= least)
			continue;
		least = length;
		found = candidates[i];
	}
	return found;
}

static int choose_file(const struct backend_env *env, const char **name, struct error *err)
{
	struct live_env live;
	int directory, r = live_env_open(env, &live, err);

	if (r)
		return r;
	directory = live_dirs_open(&live.dirs, target_of(env->point, env->tree).first, err);
	*name = directory < 0 ? NULL : find_smallest(directory);
	live_env_close(&live);
	if (directory < 0)
		return directory;
	return *name ? 0 : error_set(err, -ENOENT, "no small file beside the statistics");
}

static int create(const struct backend_env *env, void **instance, struct error *err)
{
	const char *name;
	int r = choose_file(env, &name, err);

	return r ? r : live_reads_create(env, name, false, instance, err);
}

static int read_nothing(struct live_reading *reading, const struct read_request *request,
			struct numa_counts *out, struct live_reads *reads)
{
	char *text;
	long length = live_reads_text(reading, request->cpu, request->memcg, &text, reads);

	memset(out->cells, 0, stat_nr_cells(out) * sizeof(*out->cells));
	return length < 0 ? (int)length : 0;
}

static int read_counts(void *instance, const struct read_request *request, struct numa_counts *out)
{
	return read_nothing(instance, request, out, NULL);
}

static int count_read(void *instance, const struct read_request *request, struct numa_counts *out,
		      struct op_probe *probe)
{
	struct live_reading *reading = instance;

	(void)probe;
	return read_nothing(reading, request, out, &reading->counted);
}

/* Nothing is asked, so no answer is right or wrong. */
static bool comparable(const struct stat_row_format *row)
{
	(void)row;
	return false;
}

const struct backend backend_kernel_floor = {
	.name = "kernel-floor",
	.description = "the smallest file beside it: what any read of the kernel's files costs",
	.capabilities = BACKEND_PRINTED,
	.uncounted = COUNTS_ALL_BUT_TEXT,
	.files = 1u << STAT_NUMA_V2 | 1u << STAT_MEMORY_V1 | 1u << STAT_MEMORY_V2,
	.fixture = &live_fixture,
	.possible = possible,
	.facts = live_reads_facts,
	.bytes = bytes,
	.guess_read_ns = guess_read_ns,
	.create = create,
	.destroy = live_reads_destroy,
	.regions = live_regions,
	.read_counts = read_counts,
	.count_read = count_read,
	.read_stat = read_counts,
	.count_stat = count_read,
	.read_text = live_reads_read_text,
	.text_room = live_reads_text_room,
	.bound = live_bound,
	.comparable = comparable,
};
