// SPDX-License-Identifier: MIT
/*
 * The back end `kernel-userwalk`: what an agent does that knows the sum of a subtree in no other
 * way: it reads the file of every memcg in it, and adds up the local rows. Local rows are those of
 * the memcg's own file. With read.with: memory.stat it reads and adds up that of each memcg before
 * the memcg's other file.
 *
 * Which cgroups there are it knows beforehand, as an agent does that is told of new ones: no
 * directories are listed while a read is timed. Removed ones have no file, so what the dying hold
 * is missing in the answer; the kernel's own hierarchical rows have it. Files of cgroup v2 have no
 * local rows, and there is nothing to add up: a sweep over them is read.cgroup: all of `kernel`.
 */
#include "kernel/kernel_files.h"

#include "kernel/live_reads.h"
#include "kernel/live_scan.h"
#include "scenario/target.h"

#include <errno.h>
#include <stdlib.h>

/* Seen on one small virtual machine: a file opened, read, closed, and scanned. */
#define FILE_NS    21600.0
#define KEPT_NS    10000.0
#define PATH_BYTES 200u

static uint64_t bytes(const struct point *point)
{
	return target_size(point).most * (uint64_t)PATH_BYTES;
}

static double guess_read_ns(const struct point *point)
{
	return (double)target_size(point).memcgs *
	       (point->read.buffer == BUFFER_REOPENED ? FILE_NS : KEPT_NS);
}

static int possible(const struct point *point, struct error_list *reasons)
{
	uint64_t files = target_size(point).most;
	int r = live_reads_version_possible(point, "kernel-userwalk", reasons);

	r |= live_reads_buffer_possible(point, "kernel-userwalk", reasons);
	r |= live_reads_descriptors_possible(point, "kernel-userwalk", files, reasons);
	if (point_format(point)->scopes != ROWS_ALL) {
		error_list_add(reasons, NULL, 0, 0,
			       "kernel-userwalk adds up local rows, and files of cgroup v2 have "
			       "none (read.cgroup: all of kernel reads each of them)");
		r = -ENODEV;
	}
	if (point->read.cgroup == TARGET_MACHINE) {
		error_list_add(reasons, NULL, 0, 0,
			       "kernel-userwalk reads the cgroups of the tree made, and not all "
			       "of the machine's (read.cgroup)");
		r = -ENODEV;
	}
	return r ? -ENODEV : 0;
}

static int create(const struct backend_env *env, void **instance, struct error *err)
{
	return live_reads_create(env, live_reads_file(env->point), true, instance, err);
}

static void clear_sum(struct numa_counts *out)
{
	size_t block = stat_nr_cells(out) / NR_SCOPES;

	for (size_t i = 0; i < block; i++)
		out->cells[SCOPE_HIERARCHICAL * block + i] = 0;
}

/* What is asked for of a file. */
static int add_text(const struct read_request *request, uint32_t memcg, const char *text,
		    long length, struct numa_counts *out)
{
	int r = 0;

	if (length < 0)
		return (int)length;
	if (request->rows & ROWS_LOCAL && memcg == request->memcg)
		r = live_scan(text, (size_t)length, ROWS_LOCAL, out);
	if (!r && request->rows & ROWS_HIERARCHICAL)
		r = live_scan_add(text, (size_t)length, out);
	return r;
}

/* A memcg's file, and before it that of read.with. */
static int add_file(struct live_reading *reading, const struct read_request *request,
		    uint32_t memcg, struct numa_counts *out, struct live_reads *reads)
{
	char *text;
	long length = live_reads_text_beside(reading, request->cpu, memcg, &text, reads);
	int r = 0;

	if (length)
		r = add_text(request, memcg, text, length,
			     live_reads_counts_beside(reading, request->cpu));
	if (r)
		return r;
	length = live_reads_text(reading, request->cpu, memcg, &text, reads);
	return add_text(request, memcg, text, length, out);
}

static int walk(struct live_reading *reading, const struct read_request *request,
		struct numa_counts *out, struct live_reads *reads)
{
	const struct memcg_tree *tree = reading->live.dirs.tree;
	uint32_t at = request->memcg;
	int r;

	if (request->rows & ROWS_HIERARCHICAL)
		clear_sum(out);
	if (request->rows & ROWS_HIERARCHICAL && reading->beside)
		clear_sum(live_reads_counts_beside(reading, request->cpu));
	r = add_file(reading, request, at, out, reads);
	while (!r && request->rows & ROWS_HIERARCHICAL) {
		at = memcg_tree_next(tree, request->memcg, at);
		if (at == MEMCG_NONE)
			break;
		if (!tree->dying[at])
			r = add_file(reading, request, at, out, reads);
	}
	return r;
}

static int read_counts(void *instance, const struct read_request *request, struct numa_counts *out)
{
	return walk(instance, request, out, NULL);
}

static int count_read(void *instance, const struct read_request *request, struct numa_counts *out,
		      struct op_probe *probe)
{
	struct live_reading *reading = instance;
	uint64_t files = reading->counted.files;
	int r = walk(reading, request, out, &reading->counted);

	files = reading->counted.files - files;
	probe->counts.memcgs_visited += files / live_reads_per_memcg(reading->live.point);
	return r;
}

/* What CPUs may hold back, and all that the dying may have. */
static uint64_t bound(const struct point *point, enum numa_scope scope, enum numa_row row,
		      unsigned column, uint32_t subtree, uint64_t truth)
{
	uint64_t held = live_bound(point, scope, row, column, subtree, truth);
	uint64_t dying = tree_dying(&point->tree), missing = truth;

	if (scope == SCOPE_LOCAL || !dying)
		return held;
	if (point->counters.distribution == DISTRIBUTION_EVEN &&
	    dying * point->counters.pages < truth)
		missing = dying * point->counters.pages;
	return held + missing;
}

const struct backend backend_kernel_userwalk = {
	.name = "kernel-userwalk",
	.description = "reads the file of every real cgroup and adds up local rows, as an agent",
	.uncounted = COUNTS_LOADS | COUNTS_OTHERS,
	.files = 1u << STAT_MEMORY_V1,
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
	.bound = bound,
	.comparable = live_env_comparable,
};
