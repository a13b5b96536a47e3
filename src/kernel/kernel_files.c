// SPDX-License-Identifier: MIT
/*
 * The back end `kernel`: the running kernel's own file of a real cgroup, read as agents read it
 * (live_files.h). Of a sweep, every file that there is. What is timed is that, and nothing else; of
 * counts (read.form) the scan of the text, too. With read.with: memory.stat that is read in the
 * same way before each file.
 *
 * A kernel prints what it prints: all rows, in its version's format. Rows that the model's format
 * lacks are left out when files are compared, and rows that the kernel lacks are not compared
 * (live_env_comparable()). What the kernel does for a read (loads, memcgs that a flush comes to)
 * cannot be seen from outside, and is not known.
 */
#include "kernel/kernel_files.h"

#include "kernel/live_reads.h"
#include "kernel/live_scan.h"
#include "scenario/target.h"

#include <errno.h>
#include <stdlib.h>

/* Seen on one small virtual machine. */
#define NUMA_STAT_NS   3400.0
#define MEMORY_STAT_NS 6800.0
#define REOPEN_NS      4600.0

/* A path's share of each file, for plans. */
#define PATH_BYTES 200u

static uint64_t bytes(const struct point *point)
{
	return target_size(point).files * PATH_BYTES;
}

static double guess_read_ns(const struct point *point)
{
	double ns = point->read.file == READ_NUMA_STAT ? NUMA_STAT_NS : MEMORY_STAT_NS;

	if (point->read.buffer == BUFFER_REOPENED)
		ns += REOPEN_NS;
	return ns * (double)target_size(point).files;
}

static int possible(const struct point *point, struct error_list *reasons)
{
	uint64_t files = target_size(point).files;
	int r = live_reads_version_possible(point, "kernel", reasons);

	r |= live_reads_buffer_possible(point, "kernel", reasons);
	r |= live_reads_descriptors_possible(point, "kernel", files, reasons);
	if (point_rows(point) != point_format(point)->scopes) {
		error_list_add(reasons, NULL, 0, 0,
			       "read.rows: hierarchical is of models: a kernel prints all rows of "
			       "a file, and kernel reads them");
		r = -ENODEV;
	}
	return r ? -ENODEV : 0;
}

static int create(const struct backend_env *env, void **instance, struct error *err)
{
	return live_reads_create(env, live_reads_file(env->point), false, instance, err);
}

static int read_and_scan(void *instance, const struct read_request *request,
			 struct numa_counts *out, struct live_reads *reads)
{
	char *text;
	long length = live_reads_text_beside(instance, request->cpu, request->memcg, &text, reads);
	int r = 0;

	if (length > 0)
		r = live_scan(text, (size_t)length, request->rows,
			      live_reads_counts_beside(instance, request->cpu));
	if (length < 0 || r)
		return r ? r : (int)length;
	length = live_reads_text(instance, request->cpu, request->memcg, &text, reads);
	return length < 0 ? (int)length : live_scan(text, (size_t)length, request->rows, out);
}

static int read_counts(void *instance, const struct read_request *request, struct numa_counts *out)
{
	return read_and_scan(instance, request, out, NULL);
}

static int count_read(void *instance, const struct read_request *request, struct numa_counts *out,
		      struct op_probe *probe)
{
	struct live_reading *reading = instance;

	(void)probe;
	return read_and_scan(reading, request, out, &reading->counted);
}

const struct backend backend_kernel = {
	.name = "kernel",
	.description = "the running kernel's own file of a real cgroup",
	.capabilities = BACKEND_PRINTED,
	.uncounted = COUNTS_ALL_BUT_TEXT,
	.files = 1u << STAT_NUMA_V2 | 1u << STAT_MEMORY_V1 | 1u << STAT_MEMORY_V2,
	.with = 1u << WITH_MEMORY_STAT,
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
	.comparable = live_env_comparable,
};
